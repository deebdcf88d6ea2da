import { connect as dialTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as dialTls } from 'node:tls';
import { createWebSocketStream, WebSocket } from 'ws';
import type { Core } from '../core/core.ts';
import { openCertificates } from '../core/listeners/certificates.ts';
import type { ListenerOptions, PortListener } from '../core/listeners/listener.ts';
import { tcpListener } from '../core/listeners/tcp.ts';
import { webSocketListener } from '../core/listeners/websocket.ts';
import { type ClientOptions, TestClient } from './test-client.ts';

export const kinds = ['tcp', 'ssl', 'ws', 'wss'] as const;
export type Kind = (typeof kinds)[number];

/** One for all tests: to make one takes a moment. */
export const testCertificates = await openCertificates({
  folder: null,
  host: '127.0.0.1',
  log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
});

/** A listener of that kind that listens on a free port. */
export async function listen(
  core: Core,
  kind: Kind,
  options: Partial<ListenerOptions> = {},
): Promise<PortListener> {
  const make = kind === 'tcp' || kind === 'ssl' ? tcpListener : webSocketListener;
  const tls = kind === 'ssl' || kind === 'wss' ? { tls: testCertificates } : undefined;
  const listener = make(core, { host: '127.0.0.1', port: 0, ...tls, ...options });
  await listener.start();
  return listener;
}

interface Opened {
  stream: Duplex; // of MQTT bytes; whoever pauses it stops reading from the socket, in the long run
  socket: Socket; // below TLS and WebSocket
}

/** A real socket to a listener, as far as MQTT can begin. */
export async function openStream({ type, port }: PortListener): Promise<Opened> {
  const socket = await opened(dialTcp({ host: '127.0.0.1', port }), 'connect');
  const ca = testCertificates.current.cert;
  const secure = type === 'ssl' || type === 'wss';
  const carrier = secure ? await opened(dialTls({ socket, ca, host: '127.0.0.1' }), 'secureConnect') : socket;
  if (type === 'tcp' || type === 'ssl') return { stream: carrier, socket };
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, ['mqtt'], {
    createConnection: () => carrier,
  });
  await opened(webSocket, 'open');
  return { stream: createWebSocketStream(webSocket), socket };
}

/** When it is closed, in whatever way. */
export const closed = (socket: Duplex): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined); // a reset is as good as an end
    socket.on('close', () => resolve());
    socket.resume();
  });

interface Emitter {
  once(event: string, listener: (...args: never[]) => void): unknown;
  on(event: string, listener: (cause: Error) => void): unknown;
}

/** Settles with it when it is open; later errors only end it. */
function opened<T extends Emitter>(socket: T, event: string): Promise<T> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** A connected client over a real socket. */
export async function socketClient(
  listener: PortListener,
  clientid: string,
  options: ClientOptions = {},
): Promise<Opened & { client: TestClient }> {
  const { stream, socket } = await openStream(listener);
  const client = new TestClient(clientid, options);
  const { receive, ended } = client.attach({
    send: (bytes) => stream.write(bytes),
    close: () => stream.destroy(),
  });
  stream.on('data', receive);
  stream.on('error', () => undefined); // a connection that breaks has ended as any other
  stream.on('close', ended);
  stream.on('end', ended);
  await client.connect();
  return { client, stream, socket };
}
