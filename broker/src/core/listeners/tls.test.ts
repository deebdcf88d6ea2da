import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { type ConnectionOptions, connect as dialTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { closed, listen, socketClient, testCertificates } from '../../testing/socket-client.ts';
import { type Core, type Log, startCore } from '../core.ts';
import { openCertificates } from './certificates.ts';
import { HANDSHAKES_PER_TURN } from './tls.ts';

const patience = { timeout: 10_000 }; // of a busy machine
const debug = vi.fn<Log['debug']>();
const log: Log = { debug, info: () => undefined, warn: () => undefined, error: () => undefined };
let core: Core;
const sockets: TLSSocket[] = [];
beforeEach(() => {
  debug.mockClear();
  core = startCore({ log });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await core.close();
});

/** The socket after its handshake; throws when that fails. */
async function shakeHands(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = dialTls({ host: '127.0.0.1', port, ca: testCertificates.current.cert, ...options });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

describe('TLS', () => {
  test.each(['TLSv1.2', 'TLSv1.3'] as const)('of version %s is spoken', async (version) => {
    const { port } = await listen(core, 'ssl');
    const socket = await shakeHands(port, { minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
  });

  test.each(['TLSv1', 'TLSv1.1'] as const)('of version %s is refused', async (version) => {
    const listener = await listen(core, 'ssl');
    // The client would not offer it by itself any more
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(shakeHands(listener.port, old)).rejects.toThrow(/alert protocol version/);
    await vi.waitFor(
      () => expect(listener).toMatchObject({ failedHandshakes: 1, currentConnections: 0 }),
      patience,
    );
  });

  test('is refused by a client that was not given the certificate', async () => {
    const { port } = await listen(core, 'ssl');
    await expect(shakeHands(port, { ca: [] })).rejects.toThrow('self-signed certificate');
  });

  test('may be resumed with a ticket, which saves a handshake', async () => {
    const { port } = await listen(core, 'ssl');
    const first = await shakeHands(port);
    const [session] = (await once(first, 'session')) as [Buffer];
    expect((await shakeHands(port, { session })).isSessionReused()).toBe(true);
  });

  test('is not negotiated again in the middle', async () => {
    const { port } = await listen(core, 'ssl');
    const socket = await shakeHands(port, { maxVersion: 'TLSv1.2' });
    const failure = new Promise<Error | null>((resolve) => {
      socket.once('error', resolve);
      socket.renegotiate({}, resolve);
    });
    expect((await failure)?.message).toContain('no renegotiation');
  });

  test.each(['ssl', 'wss'] as const)(
    'has no answer to plain bytes on %s, and a line in the log',
    async (kind) => {
      const listener = await listen(core, kind);
      const { client: neighbour } = await socketClient(listener, 'neighbour');
      const connect = [0x10, 13, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, 1, 0x61];
      for (const bytes of [
        Buffer.from(connect),
        Buffer.from('GET /mqtt HTTP/1.1\r\n\r\n'),
        Buffer.alloc(70_000),
      ]) {
        const socket = dial(listener.port, '127.0.0.1');
        socket.write(bytes);
        await closed(socket);
      }
      await vi.waitFor(
        () => expect(listener).toMatchObject({ failedHandshakes: 3, currentConnections: 1 }),
        patience,
      );
      expect(debug).toHaveBeenCalledWith(
        expect.objectContaining({ listener: listener.id, err: expect.any(Error) }),
        'a TLS handshake failed',
      );
      await neighbour.ping();
    },
  );

  test('does not come through where plain MQTT is spoken', async () => {
    const { port } = await listen(core, 'tcp');
    await expect(shakeHands(port)).rejects.toThrow();
  });
});

test('a storm of handshakes has its share of each turn, and a neighbour its answer in the next', async () => {
  const listener = await listen(core, 'ssl');
  const { client: neighbour } = await socketClient(listener, 'neighbour');
  const hello = await clientHello();
  let answered = 0;
  const storm = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const socket = dial(listener.port, '127.0.0.1');
      socket.once('data', () => answered++);
      await once(socket, 'connect');
      return socket;
    }),
  );
  await vi.waitFor(() => expect(listener.currentConnections).toBe(301), patience);
  for (const socket of storm) socket.write(hello);
  const meanwhile: number[] = [];
  while (answered < storm.length) {
    const before = answered;
    await neighbour.ping();
    meanwhile.push(answered - before);
  }
  // PINGREQ goes out, is read and answered, and the answer is read: four turns at most
  expect(Math.max(...meanwhile)).toBeLessThanOrEqual(4 * HANDSHAKES_PER_TURN);
  for (const socket of storm) socket.destroy();
  await vi.waitFor(
    () => expect(listener).toMatchObject({ failedHandshakes: 300, currentConnections: 1 }),
    patience,
  );
});

/** The first bytes of a handshake, which cost their sender nothing to say again. */
async function clientHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = dialTls((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined); // nobody answers it
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  server.close();
  return hello;
}

test('a renewed certificate is that of new connections; those that are open live on', async () => {
  let now = Date.now();
  const tls = await openCertificates({ folder: null, host: '127.0.0.1', log, now: () => now });
  const { cert } = tls.current;
  const listeners = [await listen(core, 'ssl', { tls }), await listen(core, 'wss', { tls })];
  const shown = async (port: number) =>
    (await shakeHands(port, { rejectUnauthorized: false })).getPeerX509Certificate()?.toString();
  const old = await shakeHands(listeners[0]!.port, { ca: cert });
  for (const { port } of listeners) expect(await shown(port)).toBe(cert);

  now += 370 * 24 * 3600 * 1000;
  await tls.check();
  expect(tls.current.cert).not.toBe(cert);
  for (const { port } of listeners) expect(await shown(port)).toBe(tls.current.cert);
  const { port } = listeners[0]!;
  // What the layer promises still holds behind the new one
  const ancient = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await expect(shakeHands(port, ancient)).rejects.toThrow(/alert protocol version/);
  old.write(Buffer.from([0x10, 13, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, 1, 0x61]));
  expect((await once(old, 'data'))[0]).toEqual(Buffer.from([0x20, 2, 0, 0]));

  await listeners[0]!.stop();
  await listeners[0]!.start(); // and of a listener that starts again
  expect(await shown(listeners[0]!.port)).toBe(tls.current.cert);
  tls.close();
});
