import { readTopic } from './publish.ts';

const SLOTS = 4096; // a power of two
const CACHED_BYTES_MAX = 256;

interface Entry {
  bytes: Uint8Array;
  topic: string;
}

/**
 * Keeps the strings of recent topics by their bytes; only `read` changes it. A repeated topic is neither decoded nor
 * checked again, and is the very same string, whose hash a Map has at hand. One serves all connections.
 */
export class TopicCache {
  readonly #entries: (Entry | undefined)[] = new Array(SLOTS).fill(undefined);

  /** As `readTopic`. */
  read(buf: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > CACHED_BYTES_MAX) return readTopic(buf, start, end);
    let hash = 0x811c9dc5; // FNV-1a
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ buf[i]!, 0x01000193);
    // The low bits alone mix badly. Two topics on one slot only displace each other
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const entry = this.#entries[slot];
    if (entry !== undefined && isSame(entry.bytes, buf, start, length)) return entry.topic;
    const topic = readTopic(buf, start, end);
    const bytes = new Uint8Array(length);
    bytes.set(buf.subarray(start, end));
    this.#entries[slot] = { bytes, topic };
    return topic;
  }
}

function isSame(bytes: Uint8Array, buf: Uint8Array, start: number, length: number): boolean {
  if (bytes.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[i] !== buf[start + i]) return false;
  return true;
}
