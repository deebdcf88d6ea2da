import { generateKeyPairSync } from 'node:crypto';
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import type { Bridge } from '@mqdeck/contract/bridges';
import mqtt from 'mqtt';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  BEFORE,
  expectAll,
  MESSAGES,
  metricsOf,
  patience,
  sendThroughAnOutage,
} from '../../testing/bridge-outage.ts';
import { describeWith, type Engine, freePort } from '../../testing/engines/engine.ts';
import { startHttpServer } from '../../testing/engines/http-server.ts';
import { MOSQUITTO_PROGRAMS, startMosquitto } from '../../testing/engines/mosquitto.ts';
import { findPubsub, startPubsub } from '../../testing/engines/pubsub.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
let engine: Engine;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(async () => {
  await broker.close();
  await engine?.close();
});

const quick = { worker_pool_size: 1, health_check_interval: '200ms', auto_restart_interval: '500ms' };
async function connect(body: { type: string; name: string } & Record<string, unknown>): Promise<void> {
  const made = await broker.inject<Bridge>('POST', '/bridges', { body: { resource_opts: quick, ...body } });
  expect([made.body.status, made.body.status_reason]).toEqual(['connected', undefined]);
  await broker.inject('POST', '/rules', {
    body: { id: 'r', sql: 'SELECT * FROM "t/#"', actions: [`${body.type}:${body.name}`] },
  });
}

test('an HTTP server gets every message though it is away in the middle', async () => {
  const server = await startHttpServer();
  engine = server;
  await connect({
    type: 'webhook',
    name: 'w',
    url: `${server.url}/in`,
    body: '${payload}',
    resource_opts: { ...quick, inflight_window: 100 },
  });
  await sendThroughAnOutage(broker, server, 'webhook:w');
  expectAll(server.got.filter(({ method }) => method === 'POST').map(({ body }) => body));
}, 120_000);

describeWith('mosquitto', MOSQUITTO_PROGRAMS, () => {
  test('gets every message though it is away in the middle, and what it sends arrives here', async () => {
    engine = await startMosquitto();
    const url = `mqtt://${engine.address}`;
    const got: string[] = [];
    const far = mqtt.connect(url, { clientId: 'far', clean: false, reconnectPeriod: 100 });
    far.on('error', () => undefined).on('message', (_, payload) => got.push(payload.toString()));
    try {
      await far.subscribeAsync('from-here/#', { qos: 1 });
      await connect({
        type: 'mqtt',
        name: 'm',
        server: engine.address,
        reconnect_interval: '200ms',
        egress: { remote: { topic: 'from-here/${topic}', qos: 1, payload: '${payload}' } },
        ingress: { remote: { topic: 'back/#', qos: 1 }, local: { topic: 'here/${topic}', qos: 1 } },
      });
      await sendThroughAnOutage(broker, engine, 'mqtt:m');
      await vi.waitFor(() => expect(new Set(got).size).toBe(MESSAGES), patience);
      expectAll(got);
      const ear = await broker.client('ear');
      await ear.subscribe('here/#', { qos: 1 });
      await far.publishAsync('back/1', 'hello', { qos: 1 });
      const { topic, payload } = await ear.expectMessage();
      expect([topic, Buffer.from(payload).toString()]).toEqual(['here/back/1', 'hello']);
    } finally {
      await far.endAsync(true);
    }
  }, 120_000);
});

/** A port that leads to another while it is open. */
async function openDoor(to: number) {
  const port = await freePort();
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  const open = async () => {
    const made = createServer((socket) => {
      const inside = connectTo(to, '127.0.0.1');
      for (const [one, other] of [
        [socket, inside],
        [inside, socket],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy()).once('close', () => sockets.delete(one));
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
    server = made;
  };
  const close = async () => {
    const old = server;
    server = null;
    const closed = new Promise((resolve) => (old ? old.close(resolve) : resolve(null)));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open();
  return { port, open, close };
}

const jar = findPubsub();
const emulated = jar === null ? describe.skip : describe;
emulated(
  `Google Pub/Sub${jar === null ? ': its emulator is not on this machine, and Debian has none' : ''}`,
  () => {
    test('gets every message though it is away in the middle', async () => {
      engine = await startPubsub(jar!);
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const base = `http://${engine.address}/v1/projects/farm`;
      const call = async (method: string, path: string, body: object) => {
        const answer = await fetch(`${base}/${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(answer.status).toBe(200);
        return (await answer.json()) as { receivedMessages?: { ackId: string; message: { data: string } }[] };
      };
      const prepare = async () => {
        await call('PUT', 'topics/messages', {});
        await call('PUT', 'subscriptions/all', { topic: 'projects/farm/topics/messages' });
      };
      const got: string[] = [];
      const drain = async () => {
        for (;;) {
          const { receivedMessages = [] } = await call('POST', 'subscriptions/all:pull', {
            maxMessages: 1000,
            returnImmediately: true,
          });
          if (receivedMessages.length === 0) return;
          got.push(...receivedMessages.map(({ message }) => Buffer.from(message.data, 'base64').toString()));
          await call('POST', 'subscriptions/all:acknowledge', {
            ackIds: receivedMessages.map(({ ackId }) => ackId),
          });
        }
      };
      await prepare();
      const door = await openDoor(engine.port);
      await connect({
        type: 'gcp_pubsub',
        name: 'g',
        pubsub_topic: 'messages',
        service_account_json: {
          type: 'service_account',
          project_id: 'farm',
          client_email: 'console@farm.iam.gserviceaccount.com',
          private_key_id: 'key-1',
          private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        },
        endpoint: `http://127.0.0.1:${door.port}`,
        payload_template: '${payload}',
        resource_opts: { ...quick, batch_size: 200, batch_time: '5ms' },
      });
      const drainUntil = (least: number) =>
        vi.waitFor(async () => {
          await drain(); // it may say that there is nothing although there is
          expect(new Set(got).size).toBe(least);
        }, patience);
      // What it holds is gone with it, the subscription too: it is emptied before, and seen again when it is ready.
      const outage = {
        kill: async () => {
          await drainUntil(BEFORE);
          await door.close();
          await engine.kill();
        },
        start: async () => {
          await engine.start();
          await prepare();
          await door.open();
        },
      };
      try {
        await sendThroughAnOutage(broker, outage, 'gcp_pubsub:g', { settled: true });
        await drainUntil(MESSAGES);
        expectAll(got);
        expect((await metricsOf(broker, 'gcp_pubsub:g')).success).toBe(MESSAGES);
      } finally {
        await door.close();
      }
    }, 120_000);
  },
);
