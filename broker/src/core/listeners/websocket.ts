import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connection } from '../connection.ts';
import type { Core, Listener } from '../core.ts';
import { bindOf, type ListenerOptions, listenFault, register } from './listener.ts';
import { fromThisMachine, isLoopback } from './same-machine.ts';
import { plainAddress } from './tcp.ts';

const PATH = '/mqtt';
const CLOSE_PATIENCE_MS = 5000;
const UNSUPPORTED_DATA = 1003;

export interface WebSocketOptions extends ListenerOptions {
  path?: string;
}

/** Takes over an upgrade request: hand it those of the MQTT path. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** MQTT over WebSocket on a port of its own. Started with `start()`. */
export function webSocketListener(core: Core, options: WebSocketOptions): Listener {
  return register(core, new WebSocketListener(core, options));
}

/**
 * For an HTTP server with a port and upgrades of its own, such as the console's: its MQTT connections belong to the
 * listener `id`, which need not listen anywhere.
 */
export function mqttUpgrades(
  core: Core,
  id = 'ws:default',
  maxConnections = Number.POSITIVE_INFINITY,
): UpgradeHandler {
  return upgrades(core, id, { current: 0 }, () => maxConnections);
}

class WebSocketListener implements Listener {
  readonly type = 'ws';
  readonly id: string;
  readonly maxConnections: number;
  private readonly core: Core;
  private readonly host: string;
  private readonly wanted: number;
  private readonly path: string;
  private readonly count = { current: 0 };
  private server: Server | null = null;

  constructor(core: Core, { name = 'default', host, port, maxConnections, path = PATH }: WebSocketOptions) {
    this.core = core;
    this.id = `ws:${name}`;
    this.host = host;
    this.wanted = port;
    this.path = path;
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
    return this.count.current;
  }

  async start(): Promise<void> {
    if (this.running) return;
    const server = createServer((_request, response) => response.writeHead(426).end());
    const take = upgrades(this.core, this.id, this.count, () => this.maxConnections);
    server.on('upgrade', (request, socket, head) => {
      const { host, origin } = request.headers;
      if (request.url?.split('?')[0] !== this.path)
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      else if (isLoopback(this.host) && !fromThisMachine(host, origin))
        socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      else take(request, socket, head);
    });
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
    server.closeAllConnections();
    this.core.endConnections(this.id);
  }
}

function upgrades(core: Core, id: string, count: { current: number }, max: () => number): UpgradeHandler {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: core.settings.maxPacketBytes + 64 * 1024, // a frame may hold several packets, or a part of one
    // [MQTT-6.0.0-3]; older clients call it by its version
    handleProtocols: (offered) =>
      offered.has('mqtt') ? 'mqtt' : offered.has('mqttv3.1') ? 'mqttv3.1' : false,
  });
  return (request, socket, head) => {
    socket.on('error', (err) => core.log.debug({ err, listener: id }, 'an upgrade failed'));
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!offered.includes('mqtt') && !offered.includes('mqttv3.1')) {
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return;
    }
    if (count.current >= max()) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
      return;
    }
    server.handleUpgrade(request, socket, head, (webSocket) =>
      serve(core, id, count, webSocket, socket as Socket),
    );
  };
}

function serve(
  core: Core,
  id: string,
  count: { current: number },
  webSocket: WebSocket,
  socket: Socket,
): void {
  count.current++;
  socket.setNoDelay(true);
  const events = core.accept(new WebSocketConnection(webSocket, socket), id);
  webSocket.on('message', (data, isBinary) => {
    if (isBinary) events.onBytes(data as Buffer);
    else {
      webSocket.close(UNSUPPORTED_DATA); // [MQTT-6.0.0-1]
      events.onClose();
    }
  });
  socket.on('drain', () => events.onDrain());
  webSocket.on('error', (err) => core.log.debug({ err, listener: id }, 'a WebSocket failed'));
  webSocket.on('close', () => {
    count.current--;
    events.onClose();
  });
}

class WebSocketConnection implements Connection {
  readonly remoteAddress: string;
  readonly remotePort: number;
  private readonly webSocket: WebSocket;

  constructor(webSocket: WebSocket, socket: Socket) {
    this.webSocket = webSocket;
    this.remoteAddress = plainAddress(socket.remoteAddress ?? '');
    this.remotePort = socket.remotePort ?? 0;
  }

  get bufferedBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  write(bytes: Uint8Array): void {
    if (this.webSocket.readyState === this.webSocket.OPEN) this.webSocket.send(bytes);
  }

  close(): void {
    this.webSocket.close();
    setTimeout(() => this.webSocket.terminate(), CLOSE_PATIENCE_MS).unref();
  }

  pause(): void {
    this.webSocket.pause();
  }

  resume(): void {
    this.webSocket.resume();
  }
}
