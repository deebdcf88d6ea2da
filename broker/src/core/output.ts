import { writeAck } from '@mqdeck/mqtt/encode';
import type { AckPacket, ProtocolVersion } from '@mqdeck/mqtt/packets';
import type { Connection } from './connection.ts';
import type { Frame } from './message.ts';

const LARGE_BYTES = 64 * 1024;
const DIRECT_BYTES = 8 * 1024; // from here on a copy costs more than a write of its own

/** Buffers of one size, kept for the next output: made anew for each of a fan-out they would set off the collector. */
interface Pool {
  readonly bytes: number;
  readonly max: number;
  readonly free: Buffer[];
}
const pools: readonly Pool[] = [
  { bytes: 1024, max: 4096, free: [] },
  { bytes: 8 * 1024, max: 1024, free: [] },
  { bytes: LARGE_BYTES, max: 64, free: [] },
];

/** At least so many bytes, LARGE_BYTES at most. */
function take(bytes: number): Buffer {
  const pool = pools.find((one) => one.bytes >= bytes)!;
  return pool.free.pop() ?? Buffer.allocUnsafeSlow(pool.bytes);
}

function giveBack(buf: Buffer): void {
  const pool = pools.find((one) => one.bytes === buf.length)!;
  if (pool.free.length < pool.max) pool.free.push(buf);
}

/** All outputs with something to send, flushed together at the end of the event loop's turn. */
export class OutputTurn {
  private dirty: Output[] = [];
  private scheduled = false;
  private readonly run = () => {
    this.scheduled = false;
    const outputs = this.dirty;
    this.dirty = [];
    for (const output of outputs) output.flush();
  };

  add(output: Output): void {
    this.dirty.push(output);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.run);
  }
}

/** Told of every write, to count and to watch the high-water mark. */
export interface OutputOwner {
  onWritten(bytes: number): void;
}

/**
 * What a connection is about to send. Keeps copies in a pooled buffer, and behind them one run of frames that still
 * lie one after the other in somebody's chunk: passing on a burst costs one comparison per message and one copy in all.
 */
export class Output {
  private readonly connection: Connection;
  private readonly turn: OutputTurn;
  private readonly owner: OutputOwner;
  private buf: Buffer | null = null;
  private used = 0;
  private runBuf: Uint8Array | null = null;
  private runStart = 0;
  private runEnd = 0;
  private waiting = false;
  private closed = false;

  constructor(connection: Connection, turn: OutputTurn, owner: OutputOwner) {
    this.connection = connection;
    this.turn = turn;
    this.owner = owner;
  }

  get pendingBytes(): number {
    return this.used + (this.runEnd - this.runStart);
  }

  /** Bytes that nobody will change. */
  run(buf: Uint8Array, start: number, end: number): void {
    if (this.runBuf === buf && this.runEnd === start) {
      this.runEnd = end;
      return;
    }
    this.schedule();
    if (this.runBuf !== null) this.settle();
    this.runBuf = buf;
    this.runStart = start;
    this.runEnd = end;
  }

  /** A frame with a first byte of its own, and a packet id and a topic alias where it has any. */
  patched(
    { buf, start, end, packetIdAt, aliasAt }: Frame,
    header: number,
    packetId: number,
    alias: number,
  ): void {
    const bytes = end - start;
    if (bytes > DIRECT_BYTES) {
      const copy = Buffer.from(buf.subarray(start, end));
      patch(copy, 0, header, packetIdAt, packetId, aliasAt, alias);
      this.run(copy, 0, bytes);
      return;
    }
    const at = this.room(bytes);
    const out = this.buf!;
    copyRange(buf, start, end, out, at);
    patch(out, at, header, packetIdAt, packetId, aliasAt, alias);
  }

  ack(type: AckPacket['type'], packetId: number, reasonCode: number, version: ProtocolVersion): void {
    const at = this.room(5);
    this.used = writeAck(this.buf!, at, type, packetId, reasonCode, version);
  }

  bytes(bytes: Uint8Array): void {
    this.run(bytes, 0, bytes.length);
  }

  flush(): void {
    this.waiting = false;
    if (this.closed) return;
    const { runBuf } = this;
    if (runBuf !== null) {
      const bytes = this.runEnd - this.runStart;
      // Small bytes in a large chunk, or a peer that does not read: a copy, lest the chunk stays in memory
      if (bytes >= DIRECT_BYTES && this.connection.bufferedBytes === 0) {
        this.writeBuffer();
        this.writeRun(runBuf);
      } else this.settle();
    }
    this.writeBuffer();
  }

  /** Nothing more is sent or kept. */
  drop(): void {
    this.closed = true;
    if (this.buf) giveBack(this.buf);
    this.buf = null;
    this.used = 0;
    this.runBuf = null;
    this.runEnd = this.runStart;
  }

  private schedule(): void {
    if (this.waiting || this.closed) return;
    this.waiting = true;
    this.turn.add(this);
  }

  /** Moves the run into the buffer, or writes it right away when it is large. */
  private settle(): void {
    const buf = this.runBuf!;
    const start = this.runStart;
    const end = this.runEnd;
    this.runBuf = null;
    this.runStart = 0;
    this.runEnd = 0;
    if (end - start > LARGE_BYTES / 2) {
      this.writeBuffer();
      this.runStart = start;
      this.runEnd = end;
      this.writeRun(buf);
      return;
    }
    const at = this.room(end - start);
    copyRange(buf, start, end, this.buf!, at);
  }

  private writeRun(buf: Uint8Array): void {
    const run = buf.subarray(this.runStart, this.runEnd);
    this.runBuf = null;
    this.runStart = 0;
    this.runEnd = 0;
    if (this.closed) return;
    this.connection.write(this.connection.bufferedBytes === 0 ? run : Buffer.from(run));
    this.owner.onWritten(run.length);
  }

  /** Makes room for at most LARGE_BYTES / 2 more bytes; returns where. */
  private room(bytes: number): number {
    if (this.runBuf !== null) this.settle();
    this.schedule();
    let { buf } = this;
    if (buf === null) {
      buf = take(bytes);
      this.buf = buf;
    } else if (this.used + bytes > buf.length) {
      if (buf.length < LARGE_BYTES) {
        const larger = take(this.used + bytes);
        copyRange(buf, 0, this.used, larger, 0);
        giveBack(buf);
        this.buf = larger;
      } else {
        this.writeBuffer();
        this.buf = take(bytes);
      }
    }
    const at = this.used;
    this.used = at + bytes;
    return at;
  }

  private writeBuffer(): void {
    const { buf, used, connection } = this;
    if (buf === null) return;
    this.buf = null;
    this.used = 0;
    if (used === 0 || this.closed) {
      giveBack(buf);
      return;
    }
    if (connection.bufferedBytes > 0) {
      connection.write(Buffer.from(buf.subarray(0, used)));
      giveBack(buf);
    } else {
      connection.write(buf.subarray(0, used));
      if (connection.bufferedBytes === 0) giveBack(buf);
    }
    this.owner.onWritten(used);
  }
}

function patch(
  out: Uint8Array,
  at: number,
  header: number,
  packetIdAt: number,
  packetId: number,
  aliasAt: number,
  alias: number,
): void {
  out[at] = header;
  if (packetIdAt !== 0) {
    out[at + packetIdAt] = packetId >>> 8;
    out[at + packetIdAt + 1] = packetId;
  }
  if (aliasAt !== 0) {
    out[at + aliasAt] = alias >>> 8;
    out[at + aliasAt + 1] = alias;
  }
}

/** A loop beats `set` for short ones, which needs a view of the range first. */
function copyRange(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > 160) {
    to.set(from.subarray(start, end), at);
    return;
  }
  for (let i = start, j = at; i < end; i++, j++) to[j] = from[i]!;
}
