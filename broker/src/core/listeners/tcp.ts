import type { Socket } from 'node:net';
import type { Core } from '../core.ts';
import { type ListenerOptions, PortListener } from './listener.ts';
import { CLOSE_PATIENCE_MS, NetworkConnection } from './network-connection.ts';

/** MQTT over TCP, or over TLS when there are certificates. Started with `start()`. */
export function tcpListener(core: Core, options: ListenerOptions): PortListener {
  const listener = new PortListener(core, options.tls ? 'ssl' : 'tcp', options, (socket, begun) => {
    begun();
    serve(core, listener.id, socket);
  });
  return listener;
}

function serve(core: Core, id: string, socket: Socket): void {
  const connection = new SocketConnection(socket);
  const events = core.accept(connection, id);
  socket.on('data', (chunk: Buffer) => {
    connection.onRead(chunk.length);
    events.onBytes(chunk);
  });
  socket.on('drain', () => events.onDrain());
  socket.on('end', () => events.onClose());
  socket.on('close', () => events.onClose());
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

  close(): void {
    const { socket } = this;
    if (socket.destroyed) return;
    socket.end();
    // Read on until the peer has closed: bytes left unread would reset the connection, and our last words with it
    this.resume();
    setTimeout(() => socket.destroy(), CLOSE_PATIENCE_MS).unref();
  }
}
