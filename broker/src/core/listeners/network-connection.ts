import type { Socket } from 'node:net';
import type { Connection } from '../connection.ts';

const READ_BYTES = 64 * 1024; // in one go; what Node reads from a socket at a time
export const CLOSE_PATIENCE_MS = 5000; // for a peer that neither reads the rest nor closes

/** What can be told to wait before it hands out more bytes. */
interface Source {
  pause(): void;
  resume(): void;
}

/**
 * A connection over a socket. A peer that sends faster than we read gets its share and then waits until all others
 * had their turn: Node would go on reading the one socket, up to two megabytes of packets.
 */
export abstract class NetworkConnection implements Connection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  private readonly source: Source;
  private bytesRead = 0;
  private held = false; // the channel wants nothing for now
  private resting = false; // it is the others' turn

  constructor({ remoteAddress = '', remotePort = 0 }: Socket, source: Source) {
    this.remoteAddress = plainAddress(remoteAddress);
    this.remotePort = remotePort;
    this.source = source;
  }

  abstract readonly bufferedBytes: number;
  abstract write(bytes: Uint8Array): void;
  abstract close(): void;

  pause(): void {
    this.held = true;
    this.source.pause();
  }

  resume(): void {
    this.held = false;
    if (!this.resting) this.source.resume();
  }

  /** To be told of every chunk. */
  onRead(bytes: number): void {
    this.bytesRead += bytes;
    if (this.bytesRead < READ_BYTES) return;
    this.bytesRead = 0;
    if (this.resting) return;
    this.resting = true;
    this.source.pause();
    setImmediate(wake, this);
  }

  wake(): void {
    this.resting = false;
    if (!this.held) this.source.resume();
  }
}

const wake = (connection: NetworkConnection): void => connection.wake();

/** An IPv4 peer of an IPv6 socket is still an IPv4 peer. */
const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
