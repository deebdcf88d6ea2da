import type { Socket } from 'node:net';
import type { Core } from '../core.ts';
import { breakOff, type ListenerOptions, PortListener, type SocketOptions, usualSocket } from './listener.ts';
import { NetworkConnection } from './network-connection.ts';
import type { Peer } from './proxy-protocol.ts';

/** MQTT over TCP or TLS. Started with `start()`. */
export function tcpListener(
  core: Core,
  options: ListenerOptions,
  type: 'tcp' | 'ssl' = options.tls ? 'ssl' : 'tcp',
): PortListener {
  const listener = new PortListener(core, type, options, (socket, begun, peer) => {
    begun();
    const connection = new SocketConnection(socket, peer, listener.options.socket ?? usualSocket);
    connection.begin(core, listener.id);
    connection.listen();
  });
  return listener;
}

export class SocketConnection extends NetworkConnection {
  private readonly socket: Socket;
  private readonly wishes: SocketOptions;

  constructor(socket: Socket, peer: Peer, wishes: SocketOptions) {
    super(peer, socket, wishes.sendTimeoutMs);
    this.socket = socket;
    this.wishes = wishes;
  }

  /** Once it has begun. */
  listen(): void {
    const { socket } = this;
    socket.on('data', (chunk: Buffer) => this.onBytes(chunk));
    socket.on('drain', () => this.onDrain());
    socket.on('end', () => this.onEnd());
    socket.on('close', () => this.onClose());
  }

  get bufferedBytes(): number {
    return this.socket.writableLength;
  }

  protected send(bytes: Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  protected end(): void {
    this.socket.end();
  }

  destroy(): void {
    breakOff(this.socket, this.wishes);
  }
}
