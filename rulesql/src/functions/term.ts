import { SqlFault } from '../errors.ts';
import { integer, isNumber } from '../integers.ts';
import { isMap, setKey, type Value, type ValueMap } from '../values.ts';

/** Erlang's external term format, version 131, as far as JSON's values need it. */

const VERSION = 131;
const Tag = {
  NewFloat: 70,
  SmallInteger: 97,
  Integer: 98,
  Atom: 100,
  Nil: 106,
  String: 107,
  List: 108,
  Binary: 109,
  SmallBig: 110,
  Map: 116,
  AtomUtf8: 118,
  SmallAtomUtf8: 119,
} as const;
const DEPTH_MAX = 200;

export function encodeTerm(value: Value): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(VERSION)];
  write(value, parts, 0);
  return Buffer.concat(parts);
}

function write(value: Value, parts: Uint8Array[], depth: number): void {
  if (depth > DEPTH_MAX) throw new SqlFault('system_limit');
  if (isNumber(value)) writeNumber(value, parts);
  else if (typeof value === 'string') writeBinary(Buffer.from(value), parts);
  else if (value instanceof Uint8Array) writeBinary(value, parts);
  else if (Array.isArray(value)) writeList(value, parts, depth);
  else if (isMap(value)) {
    const entries = Object.entries(value);
    parts.push(Uint8Array.of(Tag.Map), uint32(entries.length));
    for (const [key, one] of entries) {
      writeBinary(Buffer.from(key), parts);
      write(one, parts, depth + 1);
    }
  } else {
    const atom = Buffer.from(String(value));
    parts.push(Uint8Array.of(Tag.SmallAtomUtf8, atom.length), atom);
  }
}

function writeNumber(value: number | bigint, parts: Uint8Array[]): void {
  if (typeof value === 'bigint') writeBig(value, parts);
  else if (Number.isInteger(value) && value >= 0 && value < 256)
    parts.push(Uint8Array.of(Tag.SmallInteger, value));
  else if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) {
    const bytes = Buffer.alloc(5);
    bytes[0] = Tag.Integer;
    bytes.writeInt32BE(value, 1);
    parts.push(bytes);
  } else if (Number.isSafeInteger(value)) {
    writeBig(BigInt(value), parts);
  } else {
    const bytes = Buffer.alloc(9);
    bytes[0] = Tag.NewFloat;
    bytes.writeDoubleBE(value, 1);
    parts.push(bytes);
  }
}

function writeBig(value: bigint, parts: Uint8Array[]): void {
  const bytes = Buffer.alloc(11);
  bytes.set([Tag.SmallBig, 8, value < 0n ? 1 : 0]);
  bytes.writeBigUInt64LE(value < 0n ? -value : value, 3);
  parts.push(bytes);
}

function writeBinary(bytes: Uint8Array, parts: Uint8Array[]): void {
  parts.push(Uint8Array.of(Tag.Binary), uint32(bytes.length), bytes);
}

function writeList(items: Value[], parts: Uint8Array[], depth: number): void {
  const small = items.every(
    (item) => Number.isInteger(item) && (item as number) >= 0 && (item as number) < 256,
  );
  if (items.length > 0 && items.length < 65_536 && small) {
    const head = Buffer.from([Tag.String, 0, 0]);
    head.writeUInt16BE(items.length, 1);
    parts.push(head, Uint8Array.from(items as number[]));
    return;
  }
  if (items.length > 0) parts.push(Uint8Array.of(Tag.List), uint32(items.length));
  for (const item of items) write(item, parts, depth + 1);
  parts.push(Uint8Array.of(Tag.Nil));
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Refused: what is cut off, and what stands for no value of ours. */
export function decodeTerm(bytes: Uint8Array): Value {
  const reader = new Reader(bytes);
  try {
    if (reader.byte() !== VERSION) throw new SqlFault('badarg');
    return reader.term(0);
  } catch (cause) {
    if (cause instanceof RangeError) throw new SqlFault('badarg');
    throw cause;
  }
}

class Reader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  term(depth: number): Value {
    if (depth > DEPTH_MAX) throw new SqlFault('system_limit');
    const tag = this.byte();
    switch (tag) {
      case Tag.SmallInteger:
        return this.byte();
      case Tag.Integer:
        return this.take(4).readInt32BE();
      case Tag.NewFloat:
        return this.take(8).readDoubleBE();
      case Tag.SmallBig:
        return this.big(this.byte());
      case Tag.Binary:
        return this.take(this.length()).toString();
      case Tag.String:
        return Array.from(this.take(this.take(2).readUInt16BE()));
      case Tag.Nil:
        return [];
      case Tag.List:
        return this.list(this.length(), depth);
      case Tag.Map:
        return this.map(this.length(), depth);
      case Tag.SmallAtomUtf8:
        return atom(this.take(this.byte()).toString());
      case Tag.AtomUtf8:
      case Tag.Atom:
        return atom(this.take(this.take(2).readUInt16BE()).toString());
      default:
        throw new SqlFault('badarg');
    }
  }

  private take(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new SqlFault('badarg');
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }

  private length(): number {
    return this.take(4).readUInt32BE();
  }

  private big(size: number): number | bigint {
    const negative = this.byte() === 1;
    const digits = Buffer.from(this.take(size)).reverse().toString('hex');
    const value = BigInt(`0x${digits || '0'}`);
    return integer(negative ? -value : value);
  }

  private list(length: number, depth: number): Value[] {
    const items: Value[] = [];
    for (let i = 0; i < length; i++) items.push(this.term(depth + 1)); // ends where the bytes end
    if (this.byte() !== Tag.Nil) throw new SqlFault('badarg');
    return items;
  }

  private map(length: number, depth: number): ValueMap {
    const map: ValueMap = {};
    for (let i = 0; i < length; i++) {
      const key = this.term(depth + 1);
      setKey(map, String(key), this.term(depth + 1));
    }
    return map;
  }
}

const atom = (name: string): Value => {
  switch (name) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    case 'undefined':
      return undefined;
    default:
      return name;
  }
};
