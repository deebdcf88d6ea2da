import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Core, Listener, ListenerStatus } from '../core.ts';
import { refusePolitely } from '../limiter/refuse-politely.ts';
import type { Timer } from '../timer-wheel.ts';
import type { Certificates } from './certificates.ts';
import { plainAddress } from './network-connection.ts';
import { type Peer, takeProxyHeader } from './proxy-protocol.ts';
import { startTls, type TlsLayer, type TlsPolicy, usualTls } from './tls.ts';
import type { WebSocketRules } from './websocket.ts';

/** What can be asked of a TCP socket. */
export interface SocketOptions {
  noDelay: boolean;
  /** Silence until a peer is probed; null = never. */
  keepaliveMs: number | null;
  /** A peer that takes nothing for so long loses its connection; Infinity = it may take its time. */
  sendTimeoutMs: number;
  /** A connection that is broken off ends with a reset. */
  resets: boolean;
}

/** Of a connection that is broken off. Node can reset plain sockets only. */
export function breakOff(socket: Socket, { resets }: SocketOptions): void {
  if (resets && !('encrypted' in socket)) socket.resetAndDestroy();
  else socket.destroy();
}

export const usualSocket: SocketOptions = {
  noDelay: true,
  keepaliveMs: null,
  sendTimeoutMs: Number.POSITIVE_INFINITY,
  resets: false,
};

export interface ListenerOptions {
  name?: string; // `default`; the id is `tcp:default`
  host: string;
  port: number; // 0 = any free one
  backlog?: number; // connections that wait to be accepted
  maxConnections?: number; // Infinity = no limit
  tls?: Certificates; // for ssl and wss
  tlsPolicy?: TlsPolicy;
  /** Whether an address may connect; the one that opens the connection, which may be a proxy's. */
  admits?: (address: string) => boolean;
  /** Each connection begins with a PROXY header, which comes within that time; null = without. */
  proxyTimeoutMs?: number | null;
  socket?: SocketOptions;
  webSocket?: Partial<WebSocketRules>; // for ws and wss
}

/**
 * Begins to speak on a socket whose TLS, if any, is done. `begun` is to be called as soon as MQTT is behind it; `peer`
 * is who is at the other end.
 */
export type Serve = (socket: Socket, begun: () => void, peer: Peer) => void;

/** Whose listeners they are: the core's, of which the connections speak MQTT, or a gateway's. */
export interface ListenerOwner {
  readonly listeners: ListenerStatus[];
  idOf(type: ListenerStatus['type'], name: string): string;
  endConnections(listener: string): void;
}

const owned = (core: Core): ListenerOwner => ({
  listeners: core.listeners,
  idOf: (type, name) => `${type}:${name}`,
  endConnections: (listener) => core.endConnections(listener),
});

/** What all kinds of listener have in common: a port, a limit, TLS or none, and no patience with who stays silent. */
export class PortListener implements Listener {
  readonly type: ListenerStatus['type'];
  readonly id: string;
  options: ListenerOptions;
  /** TLS handshakes that came to nothing, since the start of the broker. */
  failedHandshakes = 0;
  private readonly core: Core;
  private readonly owner: ListenerOwner;
  private readonly serve: Serve;
  /** All that are open, from the moment they were accepted. */
  private readonly sockets = new Set<Socket>();
  /** Of those the ones that still shake hands or ask for an upgrade, each with its time-out. */
  private readonly arriving = new Map<Socket, Timer>();
  private server: Server | null = null;
  private tls: TlsLayer | null = null;

  constructor(
    core: Core,
    type: ListenerStatus['type'],
    options: ListenerOptions,
    serve: Serve,
    owner: ListenerOwner = owned(core),
  ) {
    this.core = core;
    this.owner = owner;
    this.type = type;
    this.id = owner.idOf(type, options.name ?? 'default');
    this.options = options;
    this.serve = serve;
    if (owner.listeners.some(({ id }) => id === this.id))
      throw new Error(`There is a listener ${this.id} already`);
    owner.listeners.push(this);
  }

  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? this.options.port;
  }
  get bind(): string {
    return bindText(this.options.host, this.port);
  }
  get running(): boolean {
    return this.server?.listening === true;
  }
  get currentConnections(): number {
    return this.sockets.size;
  }
  get maxConnections(): number {
    return this.options.maxConnections ?? Number.POSITIVE_INFINITY;
  }

  async start(): Promise<void> {
    if (this.running) return;
    const tls = this.secure(this.options); // an unusable certificate opens no port
    try {
      this.server = await this.open(this.options);
    } catch (cause) {
      tls?.close();
      throw cause;
    }
    this.tls = tls;
  }

  async stop(): Promise<void> {
    const { server, tls } = this;
    this.server = null;
    this.tls = null;
    if (!server) return;
    server.close();
    tls?.close();
    for (const socket of [...this.arriving.keys()]) socket.destroy();
    this.owner.endConnections(this.id);
  }

  /** Stops it, and forgets it. */
  async remove(): Promise<void> {
    await this.stop();
    const { listeners } = this.owner;
    const at = listeners.indexOf(this);
    if (at >= 0) listeners.splice(at, 1);
  }

  /**
   * From now on with other options. Connections stay, unless it listens elsewhere; when that cannot be, all is as it was
   * and the answer is a rejection.
   */
  async change(options: ListenerOptions): Promise<void> {
    if (!this.running) {
      this.options = options;
      return;
    }
    const tls = this.secure(options);
    const elsewhere = this.isElsewhere(options);
    try {
      if (elsewhere || options.backlog !== this.options.backlog) await this.moveTo(options, elsewhere);
    } catch (cause) {
      tls?.close();
      throw cause;
    }
    this.tls?.close();
    this.tls = tls;
    this.options = options;
    if (elsewhere) {
      for (const socket of [...this.arriving.keys()]) socket.destroy();
      this.owner.endConnections(this.id);
    }
  }

  private isElsewhere({ host, port }: ListenerOptions): boolean {
    return host !== this.options.host || (port !== this.options.port && port !== this.port);
  }

  /** The new port is open before the old one closes, wherever both can be at once. */
  private async moveTo(options: ListenerOptions, elsewhere: boolean): Promise<void> {
    const { options: before, server } = this;
    const wanted = { ...options, port: elsewhere ? options.port : this.port };
    if (wanted.port !== this.port) {
      this.server = await this.open(wanted);
      server?.close();
      return;
    }
    await this.closed(server);
    try {
      this.server = await this.open(wanted);
    } catch (cause) {
      this.server = await this.open({ ...before, port: wanted.port });
      throw cause;
    }
  }

  /** The port is free; connections live on. */
  private async closed(server: Server | null): Promise<void> {
    server?.close(); // its callback would wait for the connections
    await new Promise((resolve) => setImmediate(resolve));
  }

  private async open(options: ListenerOptions): Promise<Server> {
    const { host, port, backlog = 511 } = options;
    const server = createServer((socket) => this.accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) => reject(listenFault(this.id, bindText(host, port), cause)));
      server.listen({ port, host, backlog }, resolve);
    });
    server.on('error', (err) => this.core.log.error({ err, listener: this.id }, 'a listener failed'));
    return server;
  }

  /** Never in clear what is said to be encrypted. */
  private secure({ tls, tlsPolicy = usualTls }: ListenerOptions): TlsLayer | null {
    if (this.type !== 'ssl' && this.type !== 'wss') return null;
    if (!tls) throw new Error(`The listener ${this.id} has no certificate`);
    return startTls(tls, (err) => this.onFailedHandshake(err), tlsPolicy);
  }

  private accept(socket: Socket): void {
    const { maxConnections, options, core } = this;
    const { admits, proxyTimeoutMs = null, socket: wishes = usualSocket } = options;
    const address = plainAddress(socket.remoteAddress ?? '');
    if (this.sockets.size >= maxConnections || admits?.(address) === false) {
      socket.destroy(); // nothing can be said before CONNECT
      return;
    }
    this.sockets.add(socket);
    if (wishes.noDelay) socket.setNoDelay(true);
    if (wishes.keepaliveMs !== null) socket.setKeepAlive(true, wishes.keepaliveMs);
    // 'close' follows, and says all that matters
    socket.on('error', (err) => core.log.debug({ err, listener: this.id }, 'a socket failed'));
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.arrived(socket);
    });
    const direct = { address, port: socket.remotePort ?? 0, certificate: null };
    if (proxyTimeoutMs === null) {
      this.welcome(socket, direct);
      return;
    }
    this.expectWithin(socket, proxyTimeoutMs);
    takeProxyHeader(
      socket,
      (peer) => this.welcome(socket, peer ?? direct),
      (fault) => {
        core.log.debug({ fault, address, listener: this.id }, 'a connection did not begin as of a proxy');
        socket.destroy();
      },
    );
  }

  private welcome(socket: Socket, peer: Peer): void {
    const { tls, core } = this;
    if (!core.limiter.admitsConnection(core.entrance(this.id), peer.address)) {
      if (this.type === 'tcp' && this.owner.listeners === core.listeners) refusePolitely(socket);
      else socket.destroy();
      return;
    }
    const { handshakeTimeoutMs } = this.options.tlsPolicy ?? usualTls;
    const { idleTimeoutMs } = core.entrance(this.id).settings;
    const since = core.clock.now;
    const begun = () => this.arrived(socket);
    // From its first byte of MQTT on the channel has a time-out of its own
    this.expectWithin(socket, tls ? Math.min(handshakeTimeoutMs, idleTimeoutMs) : idleTimeoutMs);
    if (!tls) {
      this.serve(socket, begun, peer);
      socket.resume(); // a header may have been read before
      return;
    }
    tls.take(socket, (secured, certificate) => {
      secured.on('error', (err) => core.log.debug({ err, listener: this.id }, 'a TLS socket failed'));
      this.expectWithin(socket, Math.max(0, since + idleTimeoutMs - core.clock.now));
      this.serve(secured, begun, certificate === null ? peer : { ...peer, certificate });
    });
  }

  private expectWithin(socket: Socket, ms: number): void {
    this.arriving.get(socket)?.cancel();
    this.arriving.set(
      socket,
      this.core.timers.after(ms, () => socket.destroy()),
    );
  }

  private arrived(socket: Socket): void {
    this.arriving.get(socket)?.cancel();
    this.arriving.delete(socket);
  }

  private onFailedHandshake(err: Error): void {
    this.failedHandshakes++;
    this.core.log.debug({ err, listener: this.id }, 'a TLS handshake failed');
  }
}

const bindText = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** A port that cannot be opened; the message is a sentence for operators. */
export class ListenError extends Error {}

export function listenFault(id: string, bind: string, cause: NodeJS.ErrnoException): ListenError {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'another program uses this port'
      : cause.code === 'EACCES'
        ? 'this port needs more rights'
        : cause.code === 'EADDRNOTAVAIL'
          ? 'this machine has no such address'
          : cause.code === 'ENOTFOUND' || cause.code === 'EAI_AGAIN'
            ? 'nobody knows this name'
            : cause.message;
  return new ListenError(`The listener ${id} cannot listen on ${bind}: ${why}`, { cause });
}
