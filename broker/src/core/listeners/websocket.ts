import { createServer, type IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type PerMessageDeflateOptions, type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Core } from '../core.ts';
import type { Timer } from '../timer-wheel.ts';
import { breakOff, type ListenerOptions, PortListener, type SocketOptions, usualSocket } from './listener.ts';
import { CLOSE_PATIENCE_MS, NetworkConnection, plainAddress } from './network-connection.ts';
import type { Peer } from './proxy-protocol.ts';
import { fromThisMachine, isLoopback } from './same-machine.ts';

const UNSUPPORTED_DATA = 1003;
const FRAME_HEADROOM = 64 * 1024; // a frame may hold several packets, or a part of one
const goodBye = { closeTimeout: CLOSE_PATIENCE_MS }; // for a peer that says it without reading; unknown to ws' types

/** What is asked of who comes over WebSocket. */
export interface WebSocketRules {
  path: string;
  /** What a client may call the protocol [MQTT-6.0.0-3]. */
  protocols: readonly string[];
  /** Whether it must name one of them. */
  protocolRequired: boolean;
  /** Of pages that may connect; null = of all. */
  origins: readonly string[] | null;
  /** Where origins are asked for: whether who says none is refused. */
  originRequired: boolean;
  deflate: PerMessageDeflateOptions | false;
  frameBytesMax: number;
  /** A client that sends nothing for so long loses its connection. */
  idleMs: number;
  /** Of text, which is refused anyway: whether a faulty one is told so. */
  checksUtf8: boolean;
  /** Where a proxy writes whose connection it passes on; '' = nowhere. */
  addressHeader: string;
  portHeader: string;
}

const usualWebSocket: WebSocketRules = {
  path: '/mqtt',
  protocols: ['mqtt', 'mqtt-v3', 'mqtt-v3.1.1', 'mqtt-v5', 'mqttv3.1'],
  protocolRequired: true,
  origins: null,
  originRequired: false,
  deflate: false,
  frameBytesMax: Number.POSITIVE_INFINITY,
  idleMs: Number.POSITIVE_INFINITY,
  checksUtf8: true,
  addressHeader: '',
  portHeader: '',
};

/** Takes over an upgrade request: hand it those of the MQTT path. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

interface Arrival {
  begun: () => void;
  peer: Peer;
}

/** MQTT over WebSocket on a port of its own, with or without TLS. Started with `start()`. */
export function webSocketListener(
  core: Core,
  options: ListenerOptions,
  type: 'ws' | 'wss' = options.tls ? 'wss' : 'ws',
): PortListener {
  const http = createServer((_request, response) => response.writeHead(426, { connection: 'close' }).end());
  const arriving = new WeakMap<Duplex, Arrival>();
  const listener = new PortListener(core, type, options, (socket, begun, peer) => {
    arriving.set(socket, { begun, peer });
    http.emit('connection', socket);
  });
  const upgrade = upgrades(core, listener.id, () => listener.options, {
    onUpgraded: (_webSocket, socket) => arriving.get(socket)?.begun(),
    peerOf: (socket) => arriving.get(socket)?.peer ?? directPeer(socket),
  });
  http.on('upgrade', (request, socket, head) => {
    const { host, origin } = request.headers;
    const { host: boundTo, webSocket } = listener.options;
    const { path } = { ...usualWebSocket, ...webSocket };
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
  const upgrade = upgrades(core, id, () => ({}), {
    onUpgraded: (webSocket) => {
      connections++;
      webSocket.on('close', () => connections--);
    },
    peerOf: directPeer,
  });
  return (request, socket, head) => {
    const { address } = directPeer(socket as Socket);
    const isOneTooMany =
      connections >= maxConnections || !core.limiter.admitsConnection(core.entrance(id), address);
    if (isOneTooMany) refuse(socket, '503 Service Unavailable');
    else upgrade(request, socket, head);
  };
}

const directPeer = (socket: Socket): Peer => ({
  address: plainAddress(socket.remoteAddress ?? ''),
  port: socket.remotePort ?? 0,
  certificate: null,
});

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
};

interface Upgrading {
  onUpgraded: (webSocket: WebSocket, socket: Socket) => void;
  peerOf: (socket: Socket) => Peer;
}

/** The rules are those of the moment. */
function upgrades(
  core: Core,
  id: string,
  optionsOf: () => Partial<ListenerOptions>,
  { onUpgraded, peerOf }: Upgrading,
): UpgradeHandler {
  let made: { server: WebSocketServer; rules: unknown; packetBytesMax: number } | null = null;
  const serverFor = (given: Partial<WebSocketRules> | undefined, rules: WebSocketRules): WebSocketServer => {
    const { maxPacketBytes: packetBytesMax } = core.entrance(id).settings;
    if (made?.rules !== given || made?.packetBytesMax !== packetBytesMax)
      made = { server: serverOf(rules, packetBytesMax), rules: given, packetBytesMax };
    return made!.server;
  };
  return (request, socket, head) => {
    socket.on('error', (err) => core.log.debug({ err, listener: id }, 'an upgrade failed'));
    const { webSocket: given, socket: wishes = usualSocket } = optionsOf();
    const rules = { ...usualWebSocket, ...given };
    const refusal = refusalOf(request, rules);
    if (refusal !== null) {
      refuse(socket, refusal);
      return;
    }
    serverFor(given, rules).handleUpgrade(request, socket, head, (webSocket) => {
      onUpgraded(webSocket, socket as Socket);
      const peer = forwarded(request, rules, peerOf(socket as Socket));
      serve(core, id, webSocket, { socket: socket as Socket, peer, rules, wishes });
    });
  };
}

const serverOf = (rules: WebSocketRules, packetBytesMax: number): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: rules.deflate,
    skipUTF8Validation: !rules.checksUtf8,
    ...goodBye,
    maxPayload: Math.min(rules.frameBytesMax, packetBytesMax + FRAME_HEADROOM),
    handleProtocols: (offered) => rules.protocols.find((name) => offered.has(name)) ?? false, // [MQTT-6.0.0-4]
  });

function refusalOf({ headers }: IncomingMessage, rules: WebSocketRules): string | null {
  const { origins, originRequired, protocols, protocolRequired } = rules;
  const { origin } = headers;
  if (origins !== null && (origin === undefined ? originRequired : !origins.includes(origin)))
    return '403 Forbidden';
  if (!protocolRequired) return null;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return offered.some((name) => protocols.includes(name)) ? null : '400 Bad Request';
}

/** Who is behind the proxy, if it says so and is believed. */
function forwarded({ headers }: IncomingMessage, rules: WebSocketRules, peer: Peer): Peer {
  const first = (name: string): string => {
    const value = name === '' ? undefined : headers[name.toLowerCase()];
    return String(value ?? '')
      .split(',', 1)[0]!
      .trim();
  };
  const [address, port] = [plainAddress(first(rules.addressHeader)), first(rules.portHeader)];
  return {
    ...peer,
    ...(isIP(address) !== 0 && { address }),
    ...(/^\d{1,5}$/.test(port) && Number(port) <= 65_535 && { port: Number(port) }),
  };
}

interface Served {
  socket: Socket;
  peer: Peer;
  rules: WebSocketRules;
  wishes: SocketOptions;
}

function serve(core: Core, id: string, webSocket: WebSocket, { socket, peer, rules, wishes }: Served): void {
  if (wishes.noDelay) socket.setNoDelay(true);
  const connection = new WebSocketConnection(webSocket, socket, peer, wishes);
  connection.begin(core, id);
  if (Number.isFinite(rules.idleMs)) connection.endWhenIdle(core, rules.idleMs);
  const count = (chunk: Buffer) => {
    if (!connection.onPart(chunk.length)) socket.off('data', count);
  };
  socket.prependListener('data', count); // `ws` reads what it counts, and may hand over a message
  webSocket.on('message', (data: RawData, isBinary: boolean) => {
    connection.heardAt = core.clock.now;
    connection.unfinishedBytes = 0;
    if (isBinary) {
      const bytes = data as Buffer;
      if (bytes.length > 0) connection.onBytes(bytes); // a frame may be empty [MQTT-6.0.0-2]
    } else {
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
  heardAt = 0;
  /** Of a message that `ws` keeps until it is whole; counted as long as its client was not let in. */
  unfinishedBytes = 0;
  private ending = false;
  private readonly webSocket: WebSocket;
  private readonly socket: Socket;
  private readonly wishes: SocketOptions;
  private idle: Timer | null = null;

  constructor(webSocket: WebSocket, socket: Socket, peer: Peer, wishes: SocketOptions) {
    super(peer, webSocket, wishes.sendTimeoutMs);
    this.webSocket = webSocket;
    this.socket = socket;
    this.wishes = wishes;
  }

  get bufferedBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  /** A ping is a sign of life that is no message. */
  endWhenIdle({ clock, timers }: Core, idleMs: number): void {
    this.heardAt = clock.now;
    this.webSocket.on('ping', () => {
      this.heardAt = clock.now;
    });
    const check = () => {
      const left = this.heardAt + idleMs - clock.now;
      if (left <= 0) this.close();
      else this.idle = timers.after(left, check);
    };
    this.idle = timers.after(idleMs, check);
  }

  /** False when there is no need to count any more. */
  onPart(bytes: number): boolean {
    this.unfinishedBytes += bytes;
    if (this.ending) {
      if (this.unfinishedBytes > FRAME_HEADROOM) this.destroy();
      return true;
    }
    const counts = this.onUnfinished(this.unfinishedBytes);
    if (!counts) this.unfinishedBytes = 0;
    return counts;
  }

  override onClose(): void {
    this.idle?.cancel();
    super.onClose();
  }

  protected send(bytes: Uint8Array): void {
    if (this.webSocket.readyState === this.webSocket.OPEN) this.webSocket.send(bytes);
  }

  protected end(): void {
    this.ending = true;
    // A good-bye would wait for the end of the message, and keep what comes of it until then
    if (this.unfinishedBytes > 0) this.destroy();
    else this.webSocket.close();
  }

  destroy(): void {
    this.webSocket.terminate();
    breakOff(this.socket, this.wishes);
  }
}
