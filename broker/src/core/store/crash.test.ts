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
const built = fileURLToPath(new URL('../../../../node_modules/.cache/crash-test', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'crash-'));
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
});

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

const connect = (port: number, clientId: string, clean: boolean): Promise<MqttClient> =>
  mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    clientId,
    clean,
    protocolVersion: 5,
    reconnectPeriod: 0,
    properties: { sessionExpiryInterval: clean ? 0 : 3600 },
  });

/** Publishes as fast as acknowledgements come back, until the connection breaks; what was acknowledged comes back. */
async function flood(port: number, round: number): Promise<string[]> {
  const sensor = await connect(port, `sensor-${round}`, true);
  sensor.on('error', () => undefined);
  const acknowledged: string[] = [];
  const enough = new Promise<void>((resolve) => {
    let next = 0;
    const publish = () => {
      const payload = `${round}/${next++}`;
      sensor.publish('t', payload, { qos: next % 3 === 0 ? 2 : 1 }, (error) => {
        if (error) return;
        acknowledged.push(payload);
        if (acknowledged.length === 500 + round * 137) resolve();
        publish();
      });
    };
    for (let i = 0; i < 50; i++) publish();
  });
  await enough;
  await kill(); // in the middle of it
  sensor.end(true);
  return acknowledged;
}

test('nothing acknowledged is lost by kill -9 under load', async () => {
  const rounds = 3;
  let port = await startBroker();
  const away = await connect(port, 'away', false);
  await away.subscribeAsync('t', { qos: 2 });
  await away.endAsync();

  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round++) {
    acknowledged.push(...(await flood(port, round)));
    port = await startBroker();
  }

  const got: string[] = [];
  const back = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    clientId: 'away',
    clean: false,
    protocolVersion: 5,
    reconnectPeriod: 0,
    properties: { sessionExpiryInterval: 3600 },
  });
  let present: boolean | undefined;
  back.on('connect', (packet) => {
    present = packet.sessionPresent;
  });
  const wanted = new Set(acknowledged);
  await new Promise<void>((resolve) =>
    back.on('message', (_topic, payload) => {
      got.push(payload.toString());
      wanted.delete(payload.toString());
      if (wanted.size === 0) resolve();
    }),
  );
  expect(present).toBe(true);
  expect(new Set(got).size).toBe(got.length); // and none of them came twice
  for (let round = 0; round < rounds; round++) {
    const order = got
      .filter((payload) => payload.startsWith(`${round}/`))
      .map((payload) => Number(payload.split('/')[1]));
    const ones = order.filter((number) => (number + 1) % 3 !== 0);
    expect(ones).toEqual([...ones].sort((a, b) => a - b)); // [MQTT-4.6.0-5]
  }
  await back.endAsync();
  await kill();
}, 60_000);
