import type { Connection, ConnectionEvents, PeerCertificate } from '../core/connection.ts';

/** A connection without a network: what one side writes is in the other's hands before `write` returns. */
export class MemoryConnection implements Connection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly certificate: PeerCertificate | null;
  bufferedBytes = 0;
  closed = false;
  private readonly receive: (bytes: Uint8Array) => void;
  private readonly ended: () => void;
  private events: ConnectionEvents | null = null;
  private stalled: Uint8Array[] | null = null;
  private held: Uint8Array[] = [];
  private heldAt = 0; // of `held`, the first that has not been handed over
  private paused = false;

  /** `receive` gets what the broker sends; `ended` is told when the broker ends it. */
  constructor(
    remotePort: number,
    receive: (bytes: Uint8Array) => void,
    ended: () => void,
    remoteAddress = '127.0.0.1',
    certificate: PeerCertificate | null = null,
  ) {
    this.certificate = certificate;
    this.remotePort = remotePort;
    this.remoteAddress = remoteAddress;
    this.receive = receive;
    this.ended = ended;
  }

  connect(events: ConnectionEvents): void {
    this.events = events;
  }

  // --- the broker's side

  write(bytes: Uint8Array): void {
    if (this.closed) return;
    const copy = Uint8Array.from(bytes); // the broker uses its buffer again
    if (this.stalled) {
      this.stalled.push(copy);
      this.bufferedBytes += copy.length;
    } else this.receive(copy);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.ended();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    while (!this.paused && this.heldAt < this.held.length) this.events?.onBytes(this.held[this.heldAt++]!);
    if (this.heldAt < this.held.length) return;
    this.held = [];
    this.heldAt = 0;
  }

  // --- the client's side

  send(bytes: Uint8Array): void {
    if (this.closed) return;
    if (this.paused) this.held.push(bytes);
    else this.events?.onBytes(bytes);
  }

  get isPaused(): boolean {
    return this.paused;
  }

  /** The client stops reading, as one behind a full TCP window does. */
  stall(): void {
    this.stalled ??= [];
  }

  unstall(): void {
    const bytes = this.stalled ?? [];
    this.stalled = null;
    this.bufferedBytes = 0;
    for (const part of bytes) this.receive(part);
    this.events?.onDrain();
  }

  /** The network breaks: no DISCONNECT, nothing. */
  break(): void {
    if (this.closed) return;
    this.closed = true;
    this.events?.onClose();
  }
}
