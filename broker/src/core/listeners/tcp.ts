import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Connection } from '../connection.ts';
import type { Core, Listener } from '../core.ts';
import { bindOf, type ListenerOptions, listenFault, register } from './listener.ts';

const CLOSE_PATIENCE_MS = 5000; // for a peer that neither reads the rest nor closes

/** MQTT over TCP. Started with `start()`. */
export function tcpListener(core: Core, options: ListenerOptions): Listener {
  return register(core, new TcpListener(core, options));
}

class TcpListener implements Listener {
  readonly type = 'tcp';
  readonly id: string;
  readonly maxConnections: number;
  private readonly core: Core;
  private readonly host: string;
  private readonly wanted: number;
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;

  constructor(core: Core, { name = 'default', host, port, maxConnections }: ListenerOptions) {
    this.core = core;
    this.id = `tcp:${name}`;
    this.host = host;
    this.wanted = port;
    this.maxConnections = maxConnections ?? Number.POSITIVE_INFINITY;
  }

  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? this.wanted;
  }
  get bind(): string {
    return bindOf(this.host, this.port);
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
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (!server) return;
    server.close();
    this.core.endConnections(this.id);
  }

  private accept(socket: Socket): void {
    if (this.sockets.size >= this.maxConnections) {
      socket.destroy(); // nothing can be said before CONNECT
      return;
    }
    this.sockets.add(socket);
    const connection = new SocketConnection(socket);
    const events = this.core.accept(connection, this.id);
    socket.on('data', (chunk: Buffer) => events.onBytes(chunk));
    socket.on('drain', () => events.onDrain());
    // 'close' follows, and says all that matters
    socket.on('error', (err) =>
      this.core.log.debug({ err, peer: connection.remoteAddress }, 'a socket failed'),
    );
    socket.on('end', () => events.onClose());
    socket.on('close', () => {
      this.sockets.delete(socket);
      events.onClose();
    });
  }
}

class SocketConnection implements Connection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  private readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    this.remoteAddress = plainAddress(socket.remoteAddress ?? '');
    this.remotePort = socket.remotePort ?? 0;
  }

  get bufferedBytes(): number {
    return this.socket.writableLength;
  }

  write(bytes: Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  close(): void {
    const { socket } = this;
    if (socket.destroyed) return;
    socket.end();
    // Read on until the peer has closed: bytes left unread would reset the connection, and our last words with it
    socket.resume();
    setTimeout(() => socket.destroy(), CLOSE_PATIENCE_MS).unref();
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }
}

/** An IPv4 peer of an IPv6 socket is still an IPv4 peer. */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
