import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { Message } from '../message.ts';

const SPOOFED = '$SYS/brokers/mqdeck@127.0.0.1/version';

/** A core whose authorization allows everything to everybody, as the default rules do to 127.0.0.1. */
async function startWatched(settings = {}) {
  const broker = startTestCore({ settings });
  const passed: Message[] = [];
  const denied: unknown[] = [];
  broker.core.hooks.on('message.publish', (message) => void passed.push(message));
  broker.core.hooks.on('client.denied', (_who, action, topic, denial) =>
    denied.push([action, topic, denial.source]),
  );
  const watcher = await broker.client('watcher');
  await watcher.subscribe(['$SYS/#', '#']);
  return { ...broker, passed, denied, watcher };
}

describe('a message below $SYS that a client publishes', () => {
  test.each([
    [SPOOFED, {}],
    [SPOOFED, { retain: true }],
    ['$SYS', {}],
    ['$SYS/', {}],
  ])('to %s, %o, is refused as 0x87, and nobody hears of it', async (topic, options) => {
    for (const access of ['allow', 'superuser', 'no hook'] as const) {
      const { core, client, watcher, passed, denied } = await startWatched();
      if (access === 'allow') core.hooks.on('client.authorize', () => 'allow');
      if (access === 'superuser')
        core.hooks.on('client.authenticate', (who) => {
          who.isSuperuser = true;
          return { allow: true };
        });
      const spoofer = await client('spoofer', { address: access === 'allow' ? '10.0.0.5' : '127.0.0.1' });
      for (const qos of [1, 2] as const)
        expect(await spoofer.publish(topic, 'x', { ...options, qos })).toBe(ReasonCode.NotAuthorized);
      await spoofer.publish(topic, 'x', options);
      await spoofer.ping();
      expect(denied).toEqual(Array(3).fill(['publish', topic, 'system_topic']));
      expect(passed).toEqual([]);
      await watcher.expectNothing();
    }
  });

  test('is acknowledged to a 3.1.1 client, which cannot be told [MQTT311-3.3.5-2]', async () => {
    const { client, watcher, passed } = await startWatched();
    const spoofer = await client('spoofer', { version: 4 });
    for (const qos of [0, 1, 2] as const) await spoofer.publish(SPOOFED, 'x', { qos });
    await spoofer.ping();
    expect(passed).toEqual([]);
    await watcher.expectNothing();
  });

  test('ends the connection where authorization does so', async () => {
    const { client, watcher } = await startWatched({ authorizationDenyAction: 'disconnect' });
    const spoofer = await client('spoofer');
    spoofer.sendPublish(SPOOFED, 'x');
    await spoofer.expectDisconnect(ReasonCode.NotAuthorized);
    await watcher.expectNothing();
  });

  test('is refused also by its alias, and behind a mountpoint', async () => {
    const { core, client, passed } = await startWatched();
    core.entrance('tcp:mounted').mountpoint = 'dev/';
    const mounted = await client('mounted', { listener: 'tcp:mounted' });
    expect(await mounted.publish(SPOOFED, 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    const spoofer = await client('spoofer');
    const properties = { topicAlias: 1 };
    for (const topic of [SPOOFED, ''])
      expect(await spoofer.publish(topic, 'x', { qos: 1, properties })).toBe(ReasonCode.NotAuthorized);
    expect(passed).toEqual([]);
  });

  test('is refused as a will, which is dropped', async () => {
    const { client, watcher, passed, denied } = await startWatched();
    const spoofer = await client('spoofer', { will: { topic: SPOOFED, retain: true } });
    spoofer.close();
    await watcher.expectNothing();
    expect(passed).toEqual([]);
    expect(denied).toEqual([['publish', SPOOFED, 'system_topic']]);
  });

  test('is not confused with topics that only look alike', async () => {
    const { client, passed } = await startWatched();
    const honest = await client('honest');
    for (const topic of ['$SYSTEM/x', 'a/$SYS/x', '$sys/x', 'SYS/x'])
      expect(await honest.publish(topic, 'x', { qos: 1 })).toBeLessThan(0x80);
    expect(passed).toHaveLength(4);
  });
});

test('the broker itself and its operators publish below $SYS', async () => {
  const { core, watcher } = await startWatched();
  await core.publish({ topic: SPOOFED, payload: 'own', system: true });
  await watcher.expectMessage('own');
  await core.publish({ topic: '$SYS/x', payload: 'of the API' });
  await watcher.expectMessage('of the API');
});
