import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashBroker, crashBroker } from '../../testing/crash-harness.ts';
import { isFull } from '../../testing/extent.ts';

/** So many are acknowledged before the broker is killed. */
const KEPT = isFull ? 300 : 100;
const REMOVED = isFull ? 290 : 40;

let broker: CrashBroker;
beforeAll(async () => {
  broker = await crashBroker();
}, 60_000);
afterAll(() => broker.remove());

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
  let port = await broker.start();
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
          if (kept.size >= KEPT * (round + 1)) resolve();
          publish();
        });
      };
      for (let i = 0; i < 30; i++) publish();
    });
    await broker.kill(); // in the middle of it
    sensor.end(true);
    port = await broker.start();
    const there = await found(port);
    for (const [topic, payload] of kept) expect(there.get(topic)).toBe(payload);
    for (const [topic, payload] of there) kept.set(topic, payload);
  }

  const sensor = await connect(port, 'sensor');
  const removed = [...kept.keys()].filter((topic) => topic.startsWith('t/0/')).slice(0, REMOVED);
  for (const topic of removed) {
    await sensor.publishAsync(topic, '', { retain: true, qos: 1 });
    kept.delete(topic);
  }
  await broker.kill();
  sensor.end(true);
  port = await broker.start();
  expect(await found(port)).toEqual(kept);
  await broker.kill();
}, 60_000);
