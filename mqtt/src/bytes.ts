import { malformed } from './reason-codes.ts';
import { decodeUtf8, encodeUtf8, isMqttText, TEXT_BYTES_MAX } from './utf8.ts';

/** The largest Variable Byte Integer, four bytes of seven bits. */
export const VARINT_MAX = 268_435_455;

export const varintBytes = (value: number): number =>
  value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4;

/** Where the body of a packet begins, behind its first byte and its Remaining Length. */
export function bodyStart(packet: Uint8Array): number {
  let at = 1;
  while (at < 4 && packet[at]! > 0x7f) at++;
  return at + 1;
}

/** Writes a Variable Byte Integer; returns the position behind it. */
export function writeVarint(out: Uint8Array, at: number, value: number): number {
  let rest = value;
  let pos = at;
  while (rest > 0x7f) {
    out[pos++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  out[pos++] = rest;
  return pos;
}

/** Copies `from` to `out[at…]` and returns the position behind it; short ones by a loop, which costs less than `set`. */
export function copyBytes(from: Uint8Array, out: Uint8Array, at: number): number {
  const length = from.length;
  if (length > 32) out.set(from, at);
  else for (let i = 0; i < length; i++) out[at + i] = from[i]!;
  return at + length;
}

/** Reads the fields of a packet in order; reaching beyond its end is a malformed packet. */
export class Reader {
  readonly buf: Uint8Array;
  readonly end: number;
  pos: number;

  constructor(buf: Uint8Array, start: number, end: number) {
    this.buf = buf;
    this.pos = start;
    this.end = end;
  }

  get left(): number {
    return this.end - this.pos;
  }

  #take(bytes: number): number {
    const at = this.pos;
    if (bytes > this.end - at) throw malformed('packet ends too early');
    this.pos = at + bytes;
    return at;
  }

  u8(): number {
    return this.buf[this.#take(1)]!;
  }

  u16(): number {
    const at = this.#take(2);
    return (this.buf[at]! << 8) | this.buf[at + 1]!;
  }

  u32(): number {
    const { buf } = this;
    const at = this.#take(4);
    return ((buf[at]! << 24) | (buf[at + 1]! << 16) | (buf[at + 2]! << 8) | buf[at + 3]!) >>> 0;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte > 0x7f) continue;
      if (byte === 0 && shift > 0) throw malformed('variable byte integer is not minimal'); // [MQTT-1.5.5-1]
      return value;
    }
    throw malformed('variable byte integer is longer than four bytes');
  }

  text(): string {
    const length = this.u16();
    const at = this.#take(length);
    return decodeUtf8(this.buf, at, at + length);
  }

  /** A copy: what lives long must not keep the network's buffer alive. */
  binary(): Uint8Array {
    const length = this.u16();
    const at = this.#take(length);
    // A copy by hand, because `slice` of a Node Buffer is a view
    const copy = new Uint8Array(length);
    copy.set(this.buf.subarray(at, at + length));
    return copy;
  }

  /** A packet holds nothing behind its last field. */
  finish(): void {
    if (this.pos !== this.end) throw malformed('packet has trailing bytes');
  }
}

/** Gathers the fields of a packet in a buffer that grows. */
export class Writer {
  #buf: Uint8Array<ArrayBuffer> = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A copy of all that was written. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buf.slice(0, this.#length);
  }

  #grow(bytes: number): number {
    const at = this.#length;
    this.#length = at + bytes;
    if (this.#length > this.#buf.length) {
      const larger = new Uint8Array(Math.max(this.#buf.length * 2, this.#length));
      larger.set(this.#buf);
      this.#buf = larger;
    }
    return at;
  }

  u8(value: number): this {
    const at = this.#grow(1); // first, as it may replace the buffer
    this.#buf[at] = value;
    return this;
  }

  u16(value: number): this {
    return this.u8(value >>> 8).u8(value);
  }

  u32(value: number): this {
    return this.u16(value >>> 16).u16(value);
  }

  varint(value: number): this {
    if (!(value >= 0 && value <= VARINT_MAX)) throw new RangeError(`${value} is no variable byte integer`);
    const at = this.#grow(varintBytes(value));
    writeVarint(this.#buf, at, value);
    return this;
  }

  raw(bytes: Uint8Array): this {
    const at = this.#grow(bytes.length);
    this.#buf.set(bytes, at);
    return this;
  }

  text(text: string): this {
    if (!isMqttText(text)) throw new RangeError('not an MQTT string: too long, U+0000 or a lone surrogate');
    return this.binary(encodeUtf8(text));
  }

  binary(bytes: Uint8Array): this {
    if (bytes.length > TEXT_BYTES_MAX)
      throw new RangeError(`binary data of ${bytes.length} bytes is too long`);
    return this.u16(bytes.length).raw(bytes);
  }
}
