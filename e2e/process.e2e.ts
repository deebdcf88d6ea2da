import { once } from 'node:events';
import net from 'node:net';
import mqtt from 'mqtt';
import { expect, test } from 'vitest';
import { type RunningServer, startServer } from './support/server.ts';

// What a service manager sees of the program. Sent together, signals come as from a manager that tells the whole
// process group while `npm start` hands its own on.

const END_MS = 5_000;

/** Sessions that are stored without end: the store is always in the middle of a write. */
async function keepStoring({ ports }: RunningServer) {
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.tcp}`, {
    protocolVersion: 5,
    clientId: 'sleeper',
    clean: false,
    properties: { sessionExpiryInterval: 3_600 },
    reconnectPeriod: 0,
  });
  await device.subscribeAsync('work/#', { qos: 1 });
  await device.endAsync();
  const source = await mqtt.connectAsync(`mqtt://127.0.0.1:${ports.tcp}`, { reconnectPeriod: 0 });
  source.on('error', () => undefined);
  const publish = () => {
    if (source.connected) source.publish('work/1', 'x'.repeat(100), { qos: 1, retain: true }, publish);
  };
  for (let index = 0; index < 50; index += 1) publish();
  await new Promise<void>((resolve) => source.once('packetreceive', () => resolve()));
  return source;
}

/** A request that never arrives whole: the closing of the HTTP server waits for it. */
async function unfinishedRequest({ ports }: RunningServer) {
  const socket = net.connect(ports.http, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST /api/v5/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
}

for (const [name, signals] of [
  ['a signal', ['SIGTERM']],
  ['a signal that comes twice at once', ['SIGTERM', 'SIGTERM']],
  ['the closing of its terminal', ['SIGHUP', 'SIGTERM']],
] as const) {
  for (const edition of ['opensource', 'enterprise']) {
    test(`${name} ends the ${edition} edition while it stores, with code 0`, async () => {
      const server = await startServer({ args: ['--edition', edition] });
      const source = await keepStoring(server);
      const begun = Date.now();
      for (const signal of signals) server.signal(signal);
      expect(await server.ended).toBe(0);
      expect(Date.now() - begun).toBeLessThan(END_MS);
      source.end(true);
      await server.stop();
    });
  }
}

test('a client that never finishes its request does not hold up the end', async () => {
  const server = await startServer();
  await unfinishedRequest(server);
  const begun = Date.now();
  server.signal('SIGTERM');
  await server.ended;
  expect(Date.now() - begun).toBeLessThan(END_MS);
  await server.stop();
});
