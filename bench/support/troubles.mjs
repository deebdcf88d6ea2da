// What the soak does to a broker, all at the same time. Each trouble is started once and answers with how to end it.
import { setMaxListeners } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import mqtt from 'mqtt';
import { create, pack } from '../../scripts/plugin.mjs';
import * as frames from './frames.mjs';

const PUBLISHERS = 20;
const PUBLISH_EVERY_MS = 100;
const NEWCOMERS_EVERY_MS = 100;
const RIVAL_IDS = 5;
const RIVALS_EVERY_MS = 200;
const SLOW_READERS = 5;
const SLOW_MS = 15_000;
const TARGET_UP_MS = 30_000;
const TARGET_DOWN_MS = 15_000;
const SETTLE_MS = 5_000;

/** Starts all of it. `stop` ends it and resolves with what was done, and with what went wrong. */
export async function startTroubles(broker) {
  const counts = {};
  const count = (what, by = 1) => {
    counts[what] = (counts[what] ?? 0) + by;
  };
  const faults = [];
  const context = { broker, count, faults, call: await signIn(broker), over: new AbortController() };
  setMaxListeners(0, context.over.signal); // each trouble waits with it
  const ends = [];
  for (const start of [deliveries, bridge, exhook, plugin, newcomers, rivals, slowReaders])
    ends.push(await start(context));
  return {
    async stop() {
      context.over.abort();
      for (const end of ends.reverse()) await end();
      return { counts, faults };
    },
  };
}

/** Calls of the REST API as the default user; a refusal is an error. */
async function signIn(broker) {
  let token;
  const call = async (method, where, body) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`http://127.0.0.1:${broker.http}/api/v5${where}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  ({ token } = await call('POST', '/login', { username: 'admin', password: 'public' }));
  return call;
}

/** Does something every so often until the end; the next time only after the last. */
function repeat(everyMs, { over }, work) {
  const done = (async () => {
    while (!over.signal.aborted) {
      await work();
      await wait(everyMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return () => done;
}

const connect = ({ broker }, clientId, options = {}) =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    clientId,
    protocolVersion: 5,
    reconnectPeriod: 0,
    ...options,
  });

/**
 * Publishers number their messages. One subscriber has a session that lasts and is often away: in the end it has every
 * message of QoS 1 and 2, and those of QoS 2 once.
 */
async function deliveries(context) {
  const { count, faults } = context;
  const publishers = [];
  const acknowledged = new Map(); // topic → how many messages the broker has acknowledged
  const arrived = new Map(); // topic → set of numbers
  const session = {
    clean: false,
    // What a device keeps over its absences: without them it would forget what it has half received.
    incomingStore: new mqtt.Store({ clean: false }),
    outgoingStore: new mqtt.Store({ clean: false }),
    properties: { sessionExpiryInterval: 86_400 },
    protocolVersion: 5,
  };
  const listen = async () => {
    const subscriber = mqtt.connect(`mqtt://127.0.0.1:${context.broker.port}`, {
      clientId: 'soak-subscriber',
      reconnectPeriod: 0,
      ...session,
    });
    subscriber.on('message', (topic, payload, { qos }) => {
      const seen = arrived.get(topic) ?? new Set();
      arrived.set(topic, seen);
      const number = Number(payload.toString().split(' ', 1)[0]);
      if (qos === 2 && seen.has(number)) faults.push(`${topic}: ${number} came twice`);
      seen.add(number);
      count('deliveries');
    });
    await new Promise((resolve, reject) => {
      subscriber.once('connect', resolve);
      subscriber.once('error', reject);
    });
    return subscriber;
  };
  let subscriber = await listen();
  await subscriber.subscribeAsync('soak/#', { qos: 2 }); // the session keeps it
  for (let i = 0; i < PUBLISHERS; i++) {
    const qos = i % 3;
    const topic = `soak/${qos}/${i}`;
    const client = await connect(context, `soak-publisher-${i}`);
    let number = 0;
    const end = repeat(PUBLISH_EVERY_MS, context, async () => {
      number += 1;
      await client.publishAsync(topic, `${number} ${'x'.repeat(100)}`, { qos, retain: number % 50 === 0 });
      if (qos > 0) acknowledged.set(topic, number);
      count('messages published');
    });
    publishers.push(async () => {
      await end();
      await client.endAsync();
    });
  }
  const endAbsences = repeat(5_000, context, async () => {
    await subscriber.endAsync(true);
    await wait(500);
    subscriber = await listen();
    count('returns of a subscriber');
  });
  return async () => {
    await endAbsences();
    for (const end of publishers) await end();
    await wait(SETTLE_MS);
    await subscriber.endAsync();
    for (const [topic, total] of acknowledged) {
      const seen = arrived.get(topic)?.size ?? 0;
      if (seen < total) faults.push(`${topic}: ${total} messages were acknowledged and ${seen} arrived`);
    }
  };
}

/** A webhook whose server is away a third of the time. */
async function bridge(context) {
  const { call, count, over } = context;
  const target = http.createServer((request, response) => {
    request.resume().on('end', () => {
      count('rows at the target of the bridge');
      response.end('{}');
    });
  });
  const listen = (port) => new Promise((resolve) => target.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = target.address();
  await call('POST', '/bridges', {
    type: 'webhook',
    name: 'soak',
    url: `http://127.0.0.1:${port}/`,
    method: 'post',
    headers: {},
    body: '${payload}',
  });
  await call('POST', '/rules', { id: 'soak', sql: 'SELECT * FROM "soak/1/#"', actions: ['webhook:soak'] });
  const pause = (ms) => wait(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const end = repeat(0, context, async () => {
    await pause(TARGET_UP_MS);
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
    count('outages of the target');
    await pause(TARGET_DOWN_MS);
    await listen(port);
  });
  return async () => {
    await end();
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  };
}

/** A server that is never there, enabled and disabled. */
async function exhook(context) {
  const { call, count } = context;
  const server = {
    name: 'soak',
    url: 'http://127.0.0.1:1',
    failed_action: 'ignore',
    auto_reconnect: '1s',
    request_timeout: '100ms',
  };
  await call('POST', '/exhooks', { ...server, enable: false });
  let enable = false;
  return repeat(10_000, context, async () => {
    enable = !enable;
    await call('PUT', '/exhooks/soak', { ...server, enable });
    count('exhook server on or off');
  });
}

/** A plugin that throws at each message of its topics. */
async function plugin(context) {
  const { call, count } = context;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mqdeck-soak-'));
  const source = path.join(folder, 'failing');
  create('failing', source);
  fs.writeFileSync(
    path.join(source, 'src/main.ts'),
    `export default (broker) => {
      broker.on('message.publish', () => {
        throw new Error('this plugin fails on purpose');
      });
    };\n`,
  );
  const file = await pack(source);
  const form = new FormData();
  form.set('plugin', new Blob([fs.readFileSync(file)]), path.basename(file));
  await call('POST', '/plugins/install', form);
  const name = path.basename(file, '.tar.gz');
  await call('PUT', `/plugins/${name}/start`);
  fs.rmSync(folder, { recursive: true });
  const client = await connect(context, 'soak-plugin');
  const end = repeat(100, context, async () => {
    await client.publishAsync('failing/x', 'x', { qos: 1 });
    count('failures of a plugin');
  });
  return async () => {
    await end();
    await client.endAsync();
  };
}

/** Clients that connect, subscribe, publish and go, half of them without a word. */
async function newcomers(context) {
  let number = 0;
  return repeat(NEWCOMERS_EVERY_MS, context, async () => {
    number += 1;
    const client = await connect(context, `soak-newcomer-${number}`, {
      protocolVersion: number % 2 === 0 ? 4 : 5,
      will: { topic: 'wills/soak', payload: Buffer.from('gone'), qos: 1, retain: false },
    });
    client.on('error', () => undefined);
    await client.subscribeAsync(`newcomers/${number}/#`, { qos: 1 });
    await client.publishAsync(`newcomers/${number}/x`, 'here', { qos: 1 });
    if (number % 4 < 2) client.stream.destroy();
    else await client.endAsync();
    context.count('clients that came and went');
  });
}

/** Two clients for each of some client ids, which take over from each other without end. */
async function rivals(context) {
  const open = new Set();
  const end = repeat(RIVALS_EVERY_MS, context, async () => {
    for (let i = 0; i < RIVAL_IDS; i++) {
      const client = mqtt.connect(`mqtt://127.0.0.1:${context.broker.port}`, {
        clientId: `soak-rival-${i}`,
        reconnectPeriod: 0,
        protocolVersion: 5,
        clean: i % 2 === 0,
        properties: { sessionExpiryInterval: 60 },
      });
      open.add(client);
      client.on('error', () => undefined);
      client.on('connect', () => context.count('takeovers'));
      client.on('close', () => open.delete(client));
    }
  });
  return async () => {
    await end();
    for (const client of open) client.end(true);
  };
}

/** Connections that subscribe to everything and read nothing. */
async function slowReaders(context) {
  const sockets = new Set();
  const end = repeat(SLOW_MS, context, async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    for (let i = 0; i < SLOW_READERS; i++) {
      const socket = net.connect(context.broker.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(Buffer.concat([frames.connect(`soak-slow-${i}`), frames.subscribe(['soak/#'], 1)]));
      socket.pause();
      sockets.add(socket);
      context.count('slow readers');
    }
  });
  return async () => {
    await end();
    for (const socket of sockets) socket.destroy();
  };
}
