import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Core, Listener, ListenerStatus } from '../core.ts';
import type { Timer } from '../timer-wheel.ts';
import type { Certificates } from './certificates.ts';
import { startTls, type TlsLayer } from './tls.ts';

export interface ListenerOptions {
  name?: string; // `default`; the id is `tcp:default`
  host: string;
  port: number; // 0 = any free one
  maxConnections?: number; // Infinity = no limit
  tls?: Certificates; // without it the bytes come as they are
}

/** Begins to speak on a socket whose TLS, if any, is done. `begun` is to be called as soon as MQTT is behind it. */
export type Serve = (socket: Socket, begun: () => void) => void;

/** What all kinds of listener have in common: a port, a limit, TLS or none, and no patience with who stays silent. */
export class PortListener implements Listener {
  readonly type: ListenerStatus['type'];
  readonly id: string;
  readonly maxConnections: number;
  /** TLS handshakes that came to nothing, since the start of the broker. */
  failedHandshakes = 0;
  private readonly core: Core;
  private readonly host: string;
  private readonly wanted: number;
  private readonly certificates: Certificates | null;
  private readonly serve: Serve;
  /** All that are open, from the moment they were accepted. */
  private readonly sockets = new Set<Socket>();
  /** Of those the ones that still shake hands or ask for an upgrade, each with its time-out. */
  private readonly arriving = new Map<Socket, Timer>();
  private server: Server | null = null;
  private tls: TlsLayer | null = null;

  constructor(core: Core, type: ListenerStatus['type'], options: ListenerOptions, serve: Serve) {
    const { name = 'default', host, port, maxConnections, tls } = options;
    this.core = core;
    this.type = type;
    this.id = `${type}:${name}`;
    this.host = host;
    this.wanted = port;
    this.maxConnections = maxConnections ?? Number.POSITIVE_INFINITY;
    this.certificates = tls ?? null;
    this.serve = serve;
    if (core.listeners.some(({ id }) => id === this.id))
      throw new Error(`There is a listener ${this.id} already`);
    core.listeners.push(this);
  }

  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? this.wanted;
  }
  get bind(): string {
    return this.host.includes(':') ? `[${this.host}]:${this.port}` : `${this.host}:${this.port}`;
  }
  get running(): boolean {
    return this.server?.listening === true;
  }
  get currentConnections(): number {
    return this.sockets.size;
  }

  async start(): Promise<void> {
    if (this.running) return;
    const server = createServer({ noDelay: true }, (socket) => this.accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) => reject(listenFault(this.id, this.bind, cause)));
      server.listen(this.wanted, this.host, resolve);
    });
    server.on('error', (err) => this.core.log.error({ err, listener: this.id }, 'a listener failed'));
    this.server = server;
    if (this.certificates) this.tls = startTls(this.certificates, (err) => this.onFailedHandshake(err));
  }

  async stop(): Promise<void> {
    const { server, tls } = this;
    this.server = null;
    this.tls = null;
    if (!server) return;
    server.close();
    tls?.close();
    for (const socket of [...this.arriving.keys()]) socket.destroy();
    this.core.endConnections(this.id);
  }

  private accept(socket: Socket): void {
    if (this.sockets.size >= this.maxConnections) {
      socket.destroy(); // nothing can be said before CONNECT
      return;
    }
    this.sockets.add(socket);
    // 'close' follows, and says all that matters
    socket.on('error', (err) => this.core.log.debug({ err, listener: this.id }, 'a socket failed'));
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.arrived(socket);
    });
    // From its first byte of MQTT on the channel has a time-out of its own
    const timer = this.core.timers.after(this.core.settings.idleTimeoutMs, () => socket.destroy());
    this.arriving.set(socket, timer);
    const begun = () => this.arrived(socket);
    if (!this.tls) {
      this.serve(socket, begun);
      return;
    }
    this.tls.take(socket, (secured) => {
      secured.on('error', (err) => this.core.log.debug({ err, listener: this.id }, 'a TLS socket failed'));
      this.serve(secured, begun);
    });
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

/** A port in use and the like, said for operators. */
function listenFault(id: string, bind: string, cause: NodeJS.ErrnoException): Error {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'another program uses this port'
      : cause.code === 'EACCES'
        ? 'this port needs more rights'
        : cause.code === 'EADDRNOTAVAIL'
          ? 'this machine has no such address'
          : cause.message;
  return new Error(`The listener ${id} cannot listen on ${bind}: ${why}`, { cause });
}
