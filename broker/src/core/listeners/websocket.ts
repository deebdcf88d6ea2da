import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Core } from '../core.ts';
import { type ListenerOptions, PortListener } from './listener.ts';
import { CLOSE_PATIENCE_MS, NetworkConnection } from './network-connection.ts';
import { fromThisMachine, isLoopback } from './same-machine.ts';

const PATH = '/mqtt';
const UNSUPPORTED_DATA = 1003;
const goodBye = { closeTimeout: CLOSE_PATIENCE_MS }; // for a peer that says it without reading; unknown to ws' types

export interface WebSocketOptions extends ListenerOptions {
  path?: string;
}

/** Takes over an upgrade request: hand it those of the MQTT path. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** MQTT over WebSocket on a port of its own, with TLS when there are certificates. Started with `start()`. */
export function webSocketListener(core: Core, options: WebSocketOptions): PortListener {
  const { host: boundTo, path = PATH } = options;
  const http = createServer((_request, response) => response.writeHead(426, { connection: 'close' }).end());
  const arriving = new WeakMap<Duplex, () => void>();
  const listener = new PortListener(core, options.tls ? 'wss' : 'ws', options, (socket, begun) => {
    arriving.set(socket, begun);
    http.emit('connection', socket);
  });
  const upgrade = upgrades(core, listener.id, (_webSocket, socket) => arriving.get(socket)?.());
  http.on('upgrade', (request, socket, head) => {
    const { host, origin } = request.headers;
    if (request.url?.split('?')[0] !== path) refuse(socket, '404 Not Found');
    else if (isLoopback(boundTo) && !fromThisMachine(host, origin)) refuse(socket, '403 Forbidden');
    else upgrade(request, socket, head);
  });
  return listener;
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
  let connections = 0;
  const upgrade = upgrades(core, id, (webSocket) => {
    connections++;
    webSocket.on('close', () => connections--);
  });
  return (request, socket, head) => {
    if (connections >= maxConnections) refuse(socket, '503 Service Unavailable');
    else upgrade(request, socket, head);
  };
}

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
};

function upgrades(
  core: Core,
  id: string,
  onUpgraded: (webSocket: WebSocket, socket: Socket) => void,
): UpgradeHandler {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    ...goodBye,
    maxPayload: core.settings.maxPacketBytes + 64 * 1024, // a frame may hold several packets, or a part of one
    // [MQTT-6.0.0-4]; older clients call it by its version
    handleProtocols: (offered) =>
      offered.has('mqtt') ? 'mqtt' : offered.has('mqttv3.1') ? 'mqttv3.1' : false,
  });
  return (request, socket, head) => {
    socket.on('error', (err) => core.log.debug({ err, listener: id }, 'an upgrade failed'));
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!offered.includes('mqtt') && !offered.includes('mqttv3.1')) {
      refuse(socket, '400 Bad Request');
      return;
    }
    server.handleUpgrade(request, socket, head, (webSocket) => {
      onUpgraded(webSocket, socket as Socket);
      serve(core, id, webSocket, socket as Socket);
    });
  };
}

function serve(core: Core, id: string, webSocket: WebSocket, socket: Socket): void {
  socket.setNoDelay(true);
  const connection = new WebSocketConnection(webSocket, socket);
  connection.begin(core, id);
  webSocket.on('message', (data, isBinary) => {
    if (isBinary) connection.onBytes(data as Buffer);
    else {
      webSocket.close(UNSUPPORTED_DATA); // [MQTT-6.0.0-1]
      connection.onEnd();
    }
  });
  socket.on('drain', () => connection.onDrain());
  socket.on('end', () => connection.onEnd()); // a WebSocket would wait until all it has to say is read
  webSocket.on('error', (err) => core.log.debug({ err, listener: id }, 'a WebSocket failed'));
  webSocket.on('close', () => connection.onClose());
}

class WebSocketConnection extends NetworkConnection {
  private readonly webSocket: WebSocket;

  constructor(webSocket: WebSocket, socket: Socket) {
    super(socket, webSocket);
    this.webSocket = webSocket;
  }

  get bufferedBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  write(bytes: Uint8Array): void {
    if (this.webSocket.readyState === this.webSocket.OPEN) this.webSocket.send(bytes);
  }

  protected end(): void {
    this.webSocket.close();
  }

  destroy(): void {
    this.webSocket.terminate();
  }
}
