import type { Socket } from 'node:net';
import type { Core } from '../core.ts';
import { type ListenerOptions, PortListener } from './listener.ts';
import { NetworkConnection } from './network-connection.ts';

/** MQTT over TCP, or over TLS when there are certificates. Started with `start()`. */
export function tcpListener(core: Core, options: ListenerOptions): PortListener {
  const listener = new PortListener(core, options.tls ? 'ssl' : 'tcp', options, (socket, begun) => {
    begun();
    const connection = new SocketConnection(socket);
    connection.begin(core, listener.id);
    socket.on('data', (chunk: Buffer) => connection.onBytes(chunk));
    socket.on('drain', () => connection.onDrain());
    socket.on('end', () => connection.onEnd());
    socket.on('close', () => connection.onClose());
  });
  return listener;
}

class SocketConnection extends NetworkConnection {
  private readonly socket: Socket;

  constructor(socket: Socket) {
    super(socket, socket);
    this.socket = socket;
  }

  get bufferedBytes(): number {
    return this.socket.writableLength;
  }

  write(bytes: Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  protected end(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }
}
