import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The store on disk cannot be used; the message is a sentence for the operator. */
export class StoreError extends Error {}

// LMDB's file format: a page header of 24 bytes, and in pages 0 and 1 the two last states of the whole (`MDB_meta`)
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const WRITTEN_AT = 8; // by which transaction
const PAGE_FLAGS_AT = 18;
const LOWER_AT = 20; // where the page's list of nodes ends …
const UPPER_AT = 22; // … and where the nodes begin, both counted from the end of the header, as nodes are
const HEADER_BYTES = 24;
const PAGE_BYTES_AT = 48;
const ROOTS_AT = [88, 136]; // of the free list and of the list of collections
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const META_BYTES = 160;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4; // counts its pages where others have `lower` and `upper`
const META = 8;
const DIRTY = 0x10;
const NODE_BYTES = 8;
const ON_OVERFLOW_PAGES = 1; // node flags
const COLLECTION = 2;
const ROOT_IN_COLLECTION = 40;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

export const damaged = (file: string, what: string, cause?: unknown): StoreError =>
  new StoreError(
    `The store ${file} ${what}. Restore a backup of it, or move it away to start afresh, without users and sessions.`,
    cause === undefined ? undefined : { cause },
  );

/**
 * LMDB maps its file into memory and believes it: a damaged one would end the process without a word. Looks at what
 * it would believe first. A folder without a file is fine, a store that is to be made.
 */
export function checkStoreFile(folder: string): void {
  const file = join(folder, 'data.mdb');
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw damaged(folder, 'is a file, but has to be a folder');
  const data = statSync(file, { throwIfNoEntry: false });
  if (!data) return;
  if (!data.isFile()) throw damaged(file, 'is no file');
  if (data.size === 0) throw damaged(file, 'is empty');
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (cause) {
    throw damaged(file, `cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
  try {
    check(file, fd);
  } finally {
    closeSync(fd);
  }
}

function check(file: string, fd: number): void {
  const { size } = fstatSync(fd);
  const first = read(fd, 0, META_BYTES);
  const pageBytes = first.readUInt32LE(PAGE_BYTES_AT);
  if (!isMeta(first, 0) || pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0)
    throw damaged(file, 'does not begin as a store does');
  const second = read(fd, pageBytes, META_BYTES);
  if (!isMeta(second, 1) || second.readUInt32LE(PAGE_BYTES_AT) !== pageBytes)
    throw damaged(file, 'does not begin as a store does');
  const latest =
    first.readBigUInt64LE(TRANSACTION_AT) > second.readBigUInt64LE(TRANSACTION_AT) ? first : second;
  const pages = Math.floor(size / pageBytes);
  if (isSound(fd, latest, pageBytes, pages)) return;
  // The last pages may be missing when nothing uses them, so a short file is not always at fault
  const short = BigInt(pages) <= latest.readBigUInt64LE(LAST_PAGE_AT);
  throw damaged(file, short ? `was cut off after ${size} bytes` : 'is damaged');
}

const isMeta = (meta: Buffer, page: number): boolean =>
  meta.readBigUInt64LE(0) === BigInt(page) &&
  (meta.readUInt16LE(PAGE_FLAGS_AT) & META) !== 0 &&
  meta.readUInt32LE(HEADER_BYTES) === MAGIC &&
  meta.readUInt32LE(HEADER_BYTES + 4) === VERSION;

/** Whether every page in use lies within the file, and is what it should be. What the records say is not looked at. */
function isSound(fd: number, meta: Buffer, pageBytes: number, pages: number): boolean {
  const page = Buffer.alloc(pageBytes);
  const transaction = meta.readBigUInt64LE(TRANSACTION_AT);
  const waiting = ROOTS_AT.map((at) => meta.readBigUInt64LE(at)).filter((root) => root !== NO_PAGE);
  const seen = new Set<bigint>();
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (number >= BigInt(pages) || seen.has(number)) return false;
    seen.add(number);
    readSync(fd, page, 0, pageBytes, Number(number) * pageBytes);
    if (page.readBigUInt64LE(0) !== number || page.readBigUInt64LE(WRITTEN_AT) > transaction) return false;
    const kind = page.readUInt16LE(PAGE_FLAGS_AT) & ~DIRTY;
    const lower = page.readUInt16LE(LOWER_AT);
    const upper = page.readUInt16LE(UPPER_AT);
    if (kind !== BRANCH && kind !== LEAF) return false;
    if (lower % 2 !== 0 || lower > upper || HEADER_BYTES + upper > pageBytes) return false;
    for (let at = HEADER_BYTES; at < HEADER_BYTES + lower; at += 2) {
      const node = HEADER_BYTES + page.readUInt16LE(at);
      if (node < HEADER_BYTES + upper || node + NODE_BYTES > pageBytes) return false;
      const low = page.readUInt32LE(node);
      const flags = page.readUInt16LE(node + 4);
      const value = node + NODE_BYTES + page.readUInt16LE(node + 6);
      if (kind === BRANCH) {
        if (value > pageBytes) return false;
        waiting.push(BigInt(low) + (BigInt(flags) << 32n));
        continue;
      }
      if ((flags & ~(ON_OVERFLOW_PAGES | COLLECTION)) !== 0) return false;
      const reference = (flags & ON_OVERFLOW_PAGES) !== 0 ? 24 : low; // bytes
      if (value + reference > pageBytes) return false;
      if ((flags & ON_OVERFLOW_PAGES) !== 0) {
        const first = page.readBigUInt64LE(value);
        const count = page.readBigUInt64LE(value + 16);
        if (first < 2n || count * BigInt(pageBytes) < BigInt(low) || first + count > BigInt(pages))
          return false;
        const head = read(fd, Number(first) * pageBytes, HEADER_BYTES);
        if (head.readBigUInt64LE(0) !== first || head.readBigUInt64LE(WRITTEN_AT) > transaction) return false;
        if ((head.readUInt16LE(PAGE_FLAGS_AT) & ~DIRTY) !== OVERFLOW) return false;
        if (BigInt(head.readUInt32LE(LOWER_AT)) !== count) return false;
      } else if ((flags & COLLECTION) !== 0 && low !== 48) return false;
      else if ((flags & COLLECTION) !== 0) {
        const root = page.readBigUInt64LE(value + ROOT_IN_COLLECTION);
        if (root !== NO_PAGE) waiting.push(root);
      }
    }
  }
  return true;
}

/** What lies beyond the end of the file reads as zeros. */
function read(fd: number, at: number, bytes: number): Buffer {
  const buf = Buffer.alloc(bytes);
  readSync(fd, buf, 0, bytes, at);
  return buf;
}
