import type { Connection, ConnectionEvents, PeerCertificate } from '../connection.ts';
import type { Core } from '../core.ts';
import type { Timer, TimerWheel } from '../timer-wheel.ts';
import type { Peer } from './proxy-protocol.ts';

/** Of a turn, for one connection: four reads. Fewer make small batches of messages of a kilobyte. */
export const SHARE_BYTES = 256 * 1024;
/** How long a connection that we end may take. */
export const CLOSE_PATIENCE_MS = 5000; // for a peer that neither reads the rest nor closes

const REST_BYTES = 64 * 1024; // of a peer that was not let in and goes on sending

/** What can be told to wait before it hands out more bytes. */
interface Source {
  pause(): void;
  resume(): void;
}

/**
 * A connection over a socket. A peer that sends faster than we read gets its share of a turn of the event loop and
 * then waits for the others: Node would go on reading the one socket, up to two megabytes of packets.
 */
export abstract class NetworkConnection implements Connection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly certificate: PeerCertificate | null;
  private readonly source: Source;
  private readonly sendTimeoutMs: number;
  private timers: TimerWheel | null = null;
  /** Runs while the peer does not take what is sent. */
  private stalled: Timer | null = null;
  private bytesWritten = 0;
  private events: ConnectionEvents | null = null;
  private bytesRead = 0;
  private held = false; // the channel wants nothing for now
  private resting = false; // it is the others' turn
  private waiting: Uint8Array[] | null = null; // for the next turns
  private patience: NodeJS.Timeout | null = null;
  private gone = false;
  /** So much is still read of a connection that ends. */
  private restBytes = Number.POSITIVE_INFINITY;

  constructor({ address, port, certificate }: Peer, source: Source, sendTimeoutMs: number) {
    this.remoteAddress = address;
    this.remotePort = port;
    this.certificate = certificate;
    this.source = source;
    this.sendTimeoutMs = sendTimeoutMs;
  }

  /** MQTT begins. */
  begin(core: Core, listener: string): void {
    this.beginWith(core.accept(this, listener), core.timers);
  }

  /** Whatever is spoken on it begins. */
  beginWith(events: ConnectionEvents, timers: TimerWheel): void {
    if (Number.isFinite(this.sendTimeoutMs)) this.timers = timers;
    this.events = events;
  }

  abstract readonly bufferedBytes: number;
  protected abstract send(bytes: Uint8Array): void;
  /** Says good-bye after what is buffered has left. */
  protected abstract end(): void;
  abstract destroy(): void;

  write(bytes: Uint8Array): void {
    this.bytesWritten += bytes.length;
    this.send(bytes);
    if (this.timers !== null && this.stalled === null && this.bufferedBytes > 0) this.watch(this.timers);
  }

  /** A peer that takes nothing of what waits for it. */
  private watch(timers: TimerWheel): void {
    const taken = this.bytesWritten - this.bufferedBytes;
    this.stalled = timers.after(this.sendTimeoutMs, () => {
      this.stalled = null;
      if (this.gone || this.bufferedBytes === 0) return;
      if (this.bytesWritten - this.bufferedBytes === taken) this.destroy();
      else this.watch(timers);
    });
  }

  close(soon = false): void {
    this.waiting = null;
    if (this.gone) return;
    if (soon) this.restBytes = REST_BYTES;
    this.end();
    // Read on until the peer has closed: bytes left unread would reset the connection, and our last words with it
    this.resume();
    this.patience ??= setTimeout(destroy, CLOSE_PATIENCE_MS, this).unref();
  }

  pause(): void {
    this.held = true;
    this.source.pause();
  }

  resume(): void {
    this.held = false;
    if (this.resting) return;
    if (this.waiting === null) this.source.resume();
    else this.rest();
  }

  onBytes(chunk: Uint8Array): void {
    if (this.waiting !== null) this.waiting.push(chunk);
    else if (chunk.length <= SHARE_BYTES) this.pass(chunk);
    else {
      this.waiting = [chunk];
      this.rest();
    }
  }

  /** So many bytes of a message have come, of which nothing is handed over yet; false when nobody wants to know. */
  onUnfinished(bytes: number): boolean {
    return this.events?.onUnfinished?.(bytes) ?? false;
  }

  onDrain(): void {
    this.events?.onDrain();
  }

  /** The peer has said its last. */
  onEnd(): void {
    const { waiting } = this;
    this.waiting = null;
    for (const chunk of waiting ?? []) this.events?.onBytes(chunk); // it was said before the end
    this.events?.onClose();
  }

  /** The socket is no more. */
  onClose(): void {
    this.gone = true;
    this.stalled?.cancel();
    if (this.patience) clearTimeout(this.patience); // it would hold the socket in memory
    this.onEnd();
  }

  private pass(chunk: Uint8Array): void {
    this.bytesRead += chunk.length;
    if (this.restBytes < Number.POSITIVE_INFINITY) {
      this.restBytes -= chunk.length;
      if (this.restBytes < 0) this.destroy();
      return;
    }
    if (this.bytesRead >= SHARE_BYTES) this.rest();
    this.events?.onBytes(chunk);
  }

  private rest(): void {
    this.bytesRead = 0;
    if (this.resting) return;
    this.resting = true;
    this.source.pause();
    setImmediate(wake, this);
  }

  wake(): void {
    this.resting = false;
    if (this.held) return;
    if (this.waiting === null) this.source.resume();
    else this.passNext(this.waiting);
  }

  private passNext(waiting: Uint8Array[]): void {
    const chunk = waiting[0]!;
    if (chunk.length > SHARE_BYTES) waiting[0] = chunk.subarray(SHARE_BYTES);
    else waiting.shift();
    if (waiting.length === 0) this.waiting = null;
    this.rest();
    this.events?.onBytes(chunk.subarray(0, SHARE_BYTES));
  }
}

const destroy = (connection: NetworkConnection): void => connection.destroy();
const wake = (connection: NetworkConnection): void => connection.wake();

/** An IPv4 peer of an IPv6 socket is still an IPv4 peer. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
