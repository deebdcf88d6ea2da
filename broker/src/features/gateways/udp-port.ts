import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Core } from '../../core/core.ts';
import { listenFault } from '../../core/listeners/listener.ts';
import { plainAddress } from '../../core/listeners/network-connection.ts';
import { Guarded, type OpenLink, type Welcome } from './links.ts';
import type { Port } from './port.ts';

export interface UdpOptions {
  host: string;
  port: number; // 0 = any free one
  maxConnections: number; // Infinity = no limit
  admits: ((address: string) => boolean) | null;
  recvBytes: number | null; // of the socket's buffers
  sendBytes: number | null;
  /** A datagram that says `request` is answered by `reply`. */
  healthCheck: { request: Buffer; reply: Buffer } | null;
}

interface UdpPortParts {
  core: Core;
  id: string;
  welcome: Welcome;
  /** Whether somebody has come in by this link. */
  isUsed: (link: OpenLink) => boolean;
}

const BUFFERED_MAX = 4 * 1024 * 1024; // datagrams that wait for the network; more are lost, as on their way
const CROWDED_PATIENCE_MS = 5000;
const CROWDED_EVERY_MS = 1000;

/** A listener of datagrams. Keeps one link per address and port from which something was heard lately. */
export class UdpPort implements Port {
  readonly id: string;
  options: UdpOptions;
  private readonly parts: UdpPortParts;
  private readonly links = new Map<string, UdpLink>();
  private socket: Socket | null = null;
  private bound = 0;
  private madeRoomAt = Number.NEGATIVE_INFINITY;

  constructor(parts: UdpPortParts, options: UdpOptions) {
    this.parts = parts;
    this.id = parts.id;
    this.options = options;
  }

  get running(): boolean {
    return this.socket !== null;
  }
  get port(): number {
    return this.running ? this.bound : this.options.port;
  }
  get currentConnections(): number {
    return this.links.size;
  }

  async start(): Promise<void> {
    if (this.socket === null) this.use(await this.open(this.options));
  }

  async stop(): Promise<void> {
    this.endLinks();
    const { socket } = this;
    this.socket = null;
    if (socket) await closed(socket);
  }

  /** The new address is open before the old one closes; when it cannot be had, all is as it was. */
  async change(options: UdpOptions): Promise<void> {
    const { socket: before, options: old } = this;
    if (before === null || (options.host === old.host && [old.port, this.bound].includes(options.port))) {
      this.options = options;
      return;
    }
    const socket = await this.open(options);
    this.endLinks();
    this.socket = null;
    await closed(before);
    this.options = options;
    this.use(socket);
  }

  endLinks(): void {
    for (const link of [...this.links.values()]) link.over();
  }

  sweep(patienceMs: number): void {
    const until = this.parts.core.clock.now - patienceMs;
    for (const link of [...this.links.values()])
      if (link.heardAt <= until && !this.parts.isUsed(link)) link.over();
  }

  forget(link: UdpLink): void {
    this.links.delete(link.key);
  }

  transmit(bytes: Uint8Array, link: UdpLink): void {
    const { socket } = this;
    if (socket === null || link.bufferedBytes > BUFFERED_MAX) return;
    link.bufferedBytes += bytes.length;
    socket.send(bytes, link.port, link.host, (err) => {
      link.bufferedBytes -= bytes.length;
      if (err) this.parts.core.log.debug({ err, listener: this.id }, 'a datagram could not be sent');
    });
  }

  private use(socket: Socket): void {
    const { core } = this.parts;
    this.socket = socket;
    this.bound = socket.address().port;
    socket.on('message', (bytes, from) => {
      if (this.socket === socket) this.take(bytes, from);
    });
    socket.on('error', (err) => core.log.error({ err, listener: this.id }, 'a listener failed'));
  }

  private async open({ host, port, recvBytes, sendBytes }: UdpOptions): Promise<Socket> {
    const socket = createSocket({
      type: host.includes(':') ? 'udp6' : 'udp4',
      ...(recvBytes !== null && { recvBufferSize: recvBytes }),
      ...(sendBytes !== null && { sendBufferSize: sendBytes }),
    });
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.bind({ address: host, port, exclusive: true }, () => {
          socket.off('error', reject);
          resolve();
        });
      });
    } catch (cause) {
      await closed(socket);
      throw listenFault(this.id, `${host}:${port}`, cause as NodeJS.ErrnoException);
    }
    return socket;
  }

  private take(bytes: Buffer, from: RemoteInfo): void {
    const { healthCheck } = this.options;
    if (healthCheck !== null && bytes.equals(healthCheck.request)) {
      this.socket?.send(healthCheck.reply, from.port, from.address, () => undefined);
      return;
    }
    const key = `${from.address} ${from.port}`;
    const link = this.links.get(key) ?? this.admit(key, from);
    if (link === null) return;
    link.heardAt = this.parts.core.clock.now;
    link.protocol.onBytes(bytes);
  }

  private admit(key: string, { address: host, port }: RemoteInfo): UdpLink | null {
    const { core, welcome } = this.parts;
    const address = plainAddress(host);
    if (this.options.admits?.(address) === false) return null;
    if (this.links.size >= this.options.maxConnections) this.makeRoom();
    if (this.links.size >= this.options.maxConnections) return null;
    if (!core.limiter.admitsConnection(core.entrance(this.id), address)) return null;
    const link = new UdpLink(core, this, { key, host, address, port }, welcome);
    if (link.closed) return null;
    this.links.set(key, link);
    return link;
  }

  /** An address is easily invented: who only said something once does not keep the others out for long. */
  private makeRoom(): void {
    const { now } = this.parts.core.clock;
    if (now - this.madeRoomAt < CROWDED_EVERY_MS) return;
    this.madeRoomAt = now;
    this.sweep(CROWDED_PATIENCE_MS);
  }
}

class UdpLink implements OpenLink {
  readonly transport = 'udp';
  readonly listener: string;
  readonly address: string;
  readonly port: number;
  readonly certCommonName = null;
  readonly certSubject = null;
  readonly key: string;
  readonly host: string;
  readonly protocol: Guarded;
  bufferedBytes = 0;
  heardAt: number;
  closed = false;
  private readonly home: UdpPort;

  constructor(
    core: Core,
    home: UdpPort,
    peer: { key: string; host: string; address: string; port: number },
    welcome: Welcome,
  ) {
    this.home = home;
    this.listener = home.id;
    this.key = peer.key;
    this.host = peer.host;
    this.address = peer.address;
    this.port = peer.port;
    this.heardAt = core.clock.now;
    this.protocol = new Guarded(core, this, welcome);
  }

  send(bytes: Uint8Array): void {
    if (!this.closed) this.home.transmit(bytes, this);
  }

  end(): void {
    this.over();
  }

  destroy(): void {
    this.over();
  }

  over(): void {
    if (this.closed) return;
    this.closed = true;
    this.home.forget(this);
    // Not now: whoever ends a link goes on to put its own things in order
    queueMicrotask(() => this.protocol.onClose());
  }
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    try {
      socket.close(() => resolve());
    } catch {
      resolve(); // it never was open
    }
  });
