import type { Socket } from 'node:net';
import type { Core } from '../../core/core.ts';
import type { Guest } from '../../core/guest.ts';
import type { SocketOptions } from '../../core/listeners/listener.ts';
import type { Peer } from '../../core/listeners/proxy-protocol.ts';
import { SocketConnection } from '../../core/listeners/tcp.ts';
import type { Link, LinkEvents } from './protocol.ts';

/** Begins to speak on a new link. */
export type Welcome = (link: OpenLink) => LinkEvents;

/** What every link has beyond what its protocol sees. */
export interface OpenLink extends Link {
  readonly closed: boolean;
}

/** Calls into a protocol: what goes wrong there ends this link, and nothing else. */
export class Guarded {
  private readonly core: Core;
  private readonly link: OpenLink;
  private readonly events: LinkEvents;
  private over = false;

  constructor(core: Core, link: OpenLink, welcome: Welcome) {
    this.core = core;
    this.link = link;
    this.events = this.guard(() => welcome(link)) ?? { onBytes: nothing, onClose: nothing };
  }

  onBytes(bytes: Buffer): void {
    if (!this.over) this.guard(() => this.events.onBytes(bytes));
  }

  onDrain(): void {
    if (!this.over) this.guard(() => this.events.onDrain?.());
  }

  onClose(): void {
    if (this.over) return;
    this.over = true;
    this.guard(() => this.events.onClose());
  }

  private guard<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (err) {
      const { listener, address } = this.link;
      this.core.log.error({ err, listener, address }, 'a gateway failed; the connection ends');
      this.link.destroy();
      return undefined;
    }
  }
}

const nothing = (): void => undefined;

interface StreamOptions {
  core: Core;
  listener: string;
  transport: 'tcp' | 'ssl';
  socket: Socket;
  peer: Peer;
  wishes: SocketOptions;
  welcome: Welcome;
  onEnd: (link: StreamLink) => void;
}

/** Over a socket of TCP, with TLS or without. */
export class StreamLink implements OpenLink {
  readonly transport: 'tcp' | 'ssl';
  readonly listener: string;
  readonly address: string;
  readonly port: number;
  readonly certCommonName: string | null;
  readonly certSubject: string | null;
  closed = false;
  /** Who has come in by it. */
  guest: Guest | null = null;
  private readonly connection: SocketConnection;
  private readonly protocol: Guarded;
  private readonly onEnd: (link: StreamLink) => void;
  private ending = false;

  constructor({ core, listener, transport, socket, peer, wishes, welcome, onEnd }: StreamOptions) {
    this.transport = transport;
    this.listener = listener;
    this.address = peer.address;
    this.port = peer.port;
    this.certCommonName = peer.certificate?.commonName ?? null;
    this.certSubject = peer.certificate?.subject ?? null;
    this.onEnd = onEnd;
    this.connection = new SocketConnection(socket, peer, wishes);
    this.protocol = new Guarded(core, this, welcome);
    this.connection.beginWith(
      {
        onBytes: (chunk) => {
          if (!this.ending) this.protocol.onBytes(bufferOf(chunk));
        },
        onDrain: () => {
          this.protocol.onDrain();
          this.guest?.drained();
        },
        onClose: () => this.over(),
      },
      core.timers,
    );
    this.connection.listen();
  }

  get bufferedBytes(): number {
    return this.connection.bufferedBytes;
  }

  send(bytes: Uint8Array): void {
    if (!this.closed) this.connection.write(bytes);
  }

  end(): void {
    this.ending = true;
    this.connection.close();
  }

  destroy(): void {
    this.ending = true;
    this.connection.destroy();
  }

  pause(): void {
    if (!this.closed) this.connection.pause();
  }

  resume(): void {
    if (!this.closed) this.connection.resume();
  }

  private over(): void {
    if (this.closed) return;
    this.closed = true;
    this.connection.close(); // the peer may have closed its half only
    this.protocol.onClose();
    if (this.guest?.peer === this) this.guest.leave('closed', true);
    this.onEnd(this);
  }
}

const bufferOf = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
