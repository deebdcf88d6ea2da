import { varintBytes } from './bytes.ts';
import { MqttError, malformed, ReasonCode } from './reason-codes.ts';

/** A whole packet: its first byte, and its body at `buf[bodyStart, end)`. The buffer is never written to again. */
export type OnPacket = (header: number, buf: Uint8Array, bodyStart: number, end: number) => void;

const NONE = new Uint8Array(0);
/** A large packet's buffer starts this small and doubles, so that a mere header cannot claim megabytes. */
const FIRST_BYTES = 1024;

/** Cuts a connection's bytes into packets. Keeps the bytes of at most one unfinished packet; only `push` changes it. */
export class Framer {
  /** Of a whole packet, header included; may be changed at any time. */
  maxPacketBytes: number;
  #rest = NONE; // bytes of the unfinished packet, with room to grow
  #restLength = 0;
  #packetBytes = 0; // of the unfinished packet; 0 while its length is not known

  constructor(maxPacketBytes: number) {
    this.maxPacketBytes = maxPacketBytes;
  }

  /** Bytes of a packet that waits for its end: more than 0 for long means that the peer is stuck. */
  get pendingBytes(): number {
    return this.#restLength;
  }

  /** Memory that the unfinished packet takes. */
  get heldBytes(): number {
    return this.#rest.length;
  }

  /** Hands over every packet that `chunk` completes. After it throws, the connection cannot be read any further. */
  push(chunk: Uint8Array, onPacket: OnPacket): void {
    const length = chunk.length;
    let pos = this.#restLength > 0 ? this.#resume(chunk, onPacket) : 0;
    while (pos < length) {
      let body = pos + 2;
      let remaining = body <= length ? chunk[pos + 1]! : -1;
      if (remaining > 0x7f) {
        remaining = remainingLength(chunk, pos, length);
        body = pos + 1 + varintBytes(remaining);
      }
      if (remaining < 0) {
        this.#keep(chunk, pos, 0);
        return;
      }
      const end = body + remaining;
      if (end - pos > this.maxPacketBytes) throw tooLarge(end - pos, this.maxPacketBytes);
      if (end > length) {
        this.#keep(chunk, pos, end - pos);
        return;
      }
      onPacket(chunk[pos]!, chunk, body, end);
      pos = end;
    }
  }

  #keep(chunk: Uint8Array, pos: number, packetBytes: number): void {
    const kept = chunk.length - pos;
    this.#packetBytes = packetBytes;
    this.#rest = new Uint8Array(packetBytes === 0 ? 8 : Math.min(packetBytes, Math.max(FIRST_BYTES, kept)));
    this.#rest.set(chunk.subarray(pos));
    this.#restLength = kept;
  }

  /** Adds what the unfinished packet lacks; returns how much of the chunk that took. */
  #resume(chunk: Uint8Array, onPacket: OnPacket): number {
    let pos = 0;
    while (this.#packetBytes === 0) {
      if (pos === chunk.length) return pos;
      this.#rest[this.#restLength++] = chunk[pos++]!;
      const remaining = remainingLength(this.#rest, 0, this.#restLength);
      if (remaining < 0) continue;
      const packetBytes = this.#restLength + remaining;
      if (packetBytes > this.maxPacketBytes) throw tooLarge(packetBytes, this.maxPacketBytes);
      this.#packetBytes = packetBytes;
    }
    const taken = Math.min(this.#packetBytes - this.#restLength, chunk.length - pos);
    this.#append(chunk.subarray(pos, pos + taken));
    if (this.#restLength === this.#packetBytes) {
      const packet = this.#rest;
      const end = this.#packetBytes;
      this.#rest = NONE;
      this.#restLength = 0;
      onPacket(packet[0]!, packet, 1 + varintBytes(remainingLength(packet, 0, end)), end);
    }
    return pos + taken;
  }

  #append(bytes: Uint8Array): void {
    const length = this.#restLength + bytes.length;
    if (length > this.#rest.length) {
      const doubled = Math.max(this.#rest.length * 2, length, FIRST_BYTES);
      const larger = new Uint8Array(Math.min(this.#packetBytes, doubled));
      larger.set(this.#rest.subarray(0, this.#restLength));
      this.#rest = larger;
    }
    this.#rest.set(bytes, this.#restLength);
    this.#restLength = length;
  }
}

/** The Remaining Length of the packet at `start`, or -1 when its bytes are not all there yet. */
function remainingLength(buf: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let shift = 0, at = start + 1; shift <= 21; shift += 7, at++) {
    if (at >= end) return -1;
    const byte = buf[at]!;
    value |= (byte & 0x7f) << shift;
    if (byte > 0x7f) continue;
    if (byte === 0 && shift > 0) throw malformed('remaining length is not minimal'); // [MQTT-1.5.5-1]
    return value;
  }
  throw malformed('remaining length is longer than four bytes');
}

const tooLarge = (bytes: number, max: number): MqttError =>
  new MqttError(ReasonCode.PacketTooLarge, `packet of ${bytes} bytes, allowed are ${max}`); // [MQTT-3.2.2-15]
