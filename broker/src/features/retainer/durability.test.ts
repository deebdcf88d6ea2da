import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mqtt, { type MqttClient } from 'mqtt';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const built = fileURLToPath(new URL('../../../../node_modules/.cache/retained-crash-test', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'retained-'));
let broker: ChildProcess | null = null;

beforeAll(async () => {
  // Node runs no TypeScript; beside node_modules, so that the built file finds lmdb
  await build({
    configFile: false,
    logLevel: 'silent',
    root: here,
    ssr: { noExternal: [/^@mqdeck/] },
    build: { ssr: 'crash-broker.ts', outDir: built, emptyOutDir: true, target: 'node20' },
  });
}, 60_000);

afterAll(() => {
  broker?.kill('SIGKILL');
  rmSync(data, { recursive: true });
});

async function startBroker(): Promise<number> {
  broker = spawn(process.execPath, [join(built, 'crash-broker.js'), data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = once(broker.stdout!, 'data').then(([line]) => Number((line as Buffer).toString()));
  const died = once(broker, 'exit').then(() => Promise.reject(new Error('the broker did not start')));
  died.catch(() => undefined); // later it dies as it should
  return Promise.race([port, died]);
}

async function kill(): Promise<void> {
  const gone = once(broker!, 'exit');
  broker!.kill('SIGKILL');
  await gone;
}

const connect = (port: number, clientId: string): Promise<MqttClient> =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { clientId, protocolVersion: 5, reconnectPeriod: 0 });

/** What a new subscriber finds; the walk ends with the topic that came last. */
async function found(port: number): Promise<Map<string, string>> {
  const screen = await connect(port, 'screen');
  await screen.publishAsync('t/end', 'end', { retain: true, qos: 1 });
  const got = new Map<string, string>();
  const all = new Promise<void>((resolve) =>
    screen.on('message', (topic, payload) => {
      if (topic === 't/end') resolve();
      else got.set(topic, payload.toString());
    }),
  );
  await screen.subscribeAsync('t/#');
  await all;
  await screen.publishAsync('t/end', '', { retain: true, qos: 1 });
  await screen.endAsync();
  return got;
}

test('what was acknowledged with RETAIN is kept, or removed, whenever the broker is killed', async () => {
  let port = await startBroker();
  const kept = new Map<string, string>(); // acknowledged; what is on its way may be there as well
  for (let round = 0; round < 2; round++) {
    const sensor = await connect(port, 'sensor');
    sensor.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      let next = 0;
      const publish = () => {
        const topic = `t/${round}/${next++}`;
        const qos = next % 2 === 0 ? 1 : 2;
        sensor.publish(topic, `value ${topic}`, { retain: true, qos }, (error) => {
          if (error) return;
          kept.set(topic, `value ${topic}`);
          if (kept.size === 300 * (round + 1)) resolve();
          publish();
        });
      };
      for (let i = 0; i < 30; i++) publish();
    });
    await kill(); // in the middle of it
    sensor.end(true);
    port = await startBroker();
    const there = await found(port);
    for (const [topic, payload] of kept) expect(there.get(topic)).toBe(payload);
    for (const [topic, payload] of there) kept.set(topic, payload);
  }

  const sensor = await connect(port, 'sensor');
  for (const topic of kept.keys()) {
    if (!topic.startsWith('t/0/')) continue;
    await sensor.publishAsync(topic, '', { retain: true, qos: 1 });
    kept.delete(topic);
    if (kept.size < 310) break;
  }
  await kill();
  sensor.end(true);
  port = await startBroker();
  expect(await found(port)).toEqual(kept);
  await kill();
}, 60_000);
