import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Core } from '../../core/core.ts';
import type { DtlsPolicy } from '../../core/dtls/policy.ts';
import { type DtlsPeer, DtlsServer, type SecureLink } from '../../core/dtls/server.ts';
import type { Certificates } from '../../core/listeners/certificates.ts';
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
  /** Of a port of DTLS. */
  dtls?: { certificates: Certificates; dtls: DtlsPolicy } | null;
}

interface UdpPortParts {
  core: Core;
  id: string;
  transport?: 'udp' | 'dtls';
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
  private secure: DtlsServer | null = null;
  private unwatch: (() => void) | null = null;

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
    this.unsecure();
    this.socket = null;
    if (socket) await closed(socket);
  }

  /** The new address is open before the old one closes; when it cannot be had, all is as it was. */
  async change(options: UdpOptions): Promise<void> {
    const { socket: before, options: old } = this;
    if (before === null || (options.host === old.host && [old.port, this.bound].includes(options.port))) {
      this.options = options;
      if (this.secure !== null) this.keepSecure();
      return;
    }
    const socket = await this.open(options);
    this.endLinks();
    this.unsecure();
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

  // --- DTLS

  /** Whoever has shaken hands gets a link, which is that of datagrams in all else. */
  private startSecure({ certificates, dtls }: NonNullable<UdpOptions['dtls']>): DtlsServer {
    const { clock, timers, log } = this.parts.core;
    const porter = {
      clock,
      timers,
      log,
      transmit: (datagram: Buffer, peer: DtlsPeer) => {
        const link = this.links.get(peer.key);
        if (link) this.transmit(datagram, link);
        else this.socket?.send(datagram, peer.port, peer.address, () => undefined);
      },
      admits: (peer: DtlsPeer) => this.links.has(peer.key) || this.mayCome(plainAddress(peer.address)),
      accept: (secured: SecureLink, { key, address: host, port }: DtlsPeer) => {
        if (this.links.size >= this.options.maxConnections) return null;
        const link = this.linkFor(key, host, port, secured);
        if (link === null) return null;
        return {
          onBytes: (bytes: Buffer) => {
            link.heardAt = clock.now;
            link.protocol.onBytes(bytes);
          },
          onClose: () => link.over(),
        };
      },
    };
    return new DtlsServer(porter, certificates.current, dtls);
  }

  /** A renewed certificate, and other wishes, are those of the next handshake. */
  private keepSecure(): void {
    const { dtls: material } = this.options;
    this.unwatch?.();
    this.unwatch = null;
    if (!material) return;
    this.secure ??= this.startSecure(material);
    this.secure.change(material.certificates.current, material.dtls);
    this.unwatch = material.certificates.onChange((pair) => this.secure?.change(pair, material.dtls));
  }

  private unsecure(): void {
    this.unwatch?.();
    this.unwatch = null;
    this.secure?.close();
    this.secure = null;
  }

  private use(socket: Socket): void {
    const { core } = this.parts;
    this.socket = socket;
    this.bound = socket.address().port;
    this.keepSecure();
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
    const { address, port } = from;
    const key = `${address} ${port}`;
    if (this.parts.transport === 'dtls') {
      if (this.options.admits?.(plainAddress(address)) !== false)
        this.secure?.receive(bytes, { key, address, port });
      return;
    }
    const link = this.links.get(key) ?? this.admit(key, from);
    if (link === null) return;
    link.heardAt = this.parts.core.clock.now;
    link.protocol.onBytes(bytes);
  }

  private admit(key: string, { address: host, port }: RemoteInfo): UdpLink | null {
    return this.mayCome(plainAddress(host)) ? this.linkFor(key, host, port, null) : null;
  }

  private mayCome(address: string): boolean {
    const { core } = this.parts;
    if (this.options.admits?.(address) === false) return false;
    if (this.links.size >= this.options.maxConnections) this.makeRoom();
    if (this.links.size >= this.options.maxConnections) return false;
    return core.limiter.admitsConnection(core.entrance(this.id), address);
  }

  private linkFor(key: string, host: string, port: number, secured: SecureLink | null): UdpLink | null {
    const { core, welcome, transport = 'udp' } = this.parts;
    const address = plainAddress(host);
    const link = new UdpLink(core, this, { key, host, address, port, transport, secured }, welcome);
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
  readonly transport: 'udp' | 'dtls';
  readonly listener: string;
  readonly address: string;
  readonly port: number;
  readonly certCommonName: string | null;
  readonly certSubject: string | null;
  readonly key: string;
  readonly host: string;
  readonly protocol: Guarded;
  bufferedBytes = 0;
  heardAt: number;
  closed = false;
  private readonly home: UdpPort;
  private readonly secured: SecureLink | null;

  constructor(
    core: Core,
    home: UdpPort,
    peer: Pick<UdpLink, 'key' | 'host' | 'address' | 'port' | 'transport'> & { secured: SecureLink | null },
    welcome: Welcome,
  ) {
    this.home = home;
    this.listener = home.id;
    this.transport = peer.transport;
    this.secured = peer.secured;
    this.certCommonName = peer.secured?.certificate?.commonName ?? null;
    this.certSubject = peer.secured?.certificate?.subject ?? null;
    this.key = peer.key;
    this.host = peer.host;
    this.address = peer.address;
    this.port = peer.port;
    this.heardAt = core.clock.now;
    this.protocol = new Guarded(core, this, welcome);
  }

  send(bytes: Uint8Array): void {
    if (this.closed) return;
    if (this.secured === null) this.home.transmit(bytes, this);
    else this.secured.send(bytes);
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
    this.secured?.end(); // it is told while its link is known
    this.home.forget(this);
    // Not now: whoever ends a link goes on to put its own things in order
    queueMicrotask(() => this.protocol.onClose());
  }
}

/** What was sent just now leaves first: the address is looked up in another turn, whatever it looks like. */
const closed = async (socket: Socket): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => {
    try {
      socket.close(() => resolve());
    } catch {
      resolve(); // it never was open
    }
  });
};
