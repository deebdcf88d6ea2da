import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import { type StoreInHand, storeInHand } from '../../testing/store-in-hand.ts';
import type { ClientOptions } from '../../testing/test-client.ts';
import { WAITING_MAX } from '../connect-queue.ts';
import { memoryStore } from '../store/memory-store.ts';

const kept: ClientOptions = { cleanStart: false, properties: { sessionExpiryInterval: 60 } };
/** Whatever can happen without another commit of the store has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function startWithStore(): ReturnType<typeof startTestCore> & {
  store: StoreInHand;
  rival(options?: ClientOptions): ReturnType<ReturnType<typeof startTestCore>['dial']>['client'];
} {
  const store = storeInHand();
  const broker = startTestCore({ store });
  return {
    ...broker,
    store,
    rival(options = kept) {
      const { client } = broker.dial('twin', options);
      client.sendConnect();
      return client;
    },
  };
}

describe('connections with the same client id that wait for the store', () => {
  test('are each answered and then taken over by the next one [MQTT-3.1.4-3] [MQTT-3.2.0-1]', async () => {
    const broker = startTestCore({ store: memoryStore() });
    const rivals = [0, 1, 2].map(() => broker.dial('twin', kept).client);
    for (const rival of rivals) rival.sendConnect();
    const [first, second, third] = rivals as [(typeof rivals)[0], (typeof rivals)[0], (typeof rivals)[0]];
    for (const rival of [first, second]) {
      expect((await rival.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.Success);
      await rival.expectDisconnect(ReasonCode.SessionTakenOver);
    }
    expect(await third.expect(PacketType.CONNACK)).toMatchObject({ reasonCode: 0, sessionPresent: true });
    await third.ping();
    expect(broker.core.registry.connectedCount).toBe(1);
    expect(broker.core.counters.get('session.takenover')).toBe(2);
  });

  test.each([
    ['3.1.1, kept', { version: 4, cleanStart: false }],
    ['5.0, each with a new session', { properties: { sessionExpiryInterval: 60 } }],
  ] as const)('are answered in their order: %s', async (_what, options) => {
    const { rival, store, core } = startWithStore();
    const rivals = [rival(options), rival(options), rival(options)];
    for (const [i, each] of rivals.entries()) {
      await settled();
      expect(rivals.map(({ bytes }) => bytes.length > 0)).toEqual(rivals.map((_, j) => j < i));
      store.write();
      expect((await each.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    }
    await settled();
    expect(rivals.map(({ ended }) => ended)).toEqual([true, true, false]);
    expect(core.registry.size).toBe(1);
  });

  test('are refused as 0x89 when too many wait already, 3.1.1 clients as unavailable', async () => {
    const { rival, store } = startWithStore();
    const waiting = Array.from({ length: 1 + WAITING_MAX }, () => rival());
    expect((await rival().expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.ServerBusy);
    const old = rival({ version: 4, cleanStart: false });
    expect((await old.expect(PacketType.CONNACK)).reasonCode).toBe(3);
    await old.expectEnd();
    for (const each of waiting) {
      await settled();
      store.write();
      expect((await each.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    }
  });

  test('take no turn when they have ended meanwhile', async () => {
    const { rival, store, core } = startWithStore();
    const [first, second, third] = [rival(), rival(), rival()];
    await settled();
    second.close();
    store.write();
    await first.expectDisconnect(ReasonCode.SessionTakenOver);
    store.write();
    expect((await third.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    expect(core.counters.get('session.takenover')).toBe(1);
  });

  test('do not hold up other client ids, nor the next CONNECT of theirs', async () => {
    const { rival, store, client, core } = startWithStore();
    rival();
    await settled();
    await client('other');
    store.write();
    await settled();
    const next = rival();
    await settled();
    store.write();
    expect((await next.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    expect(core.registry.connectedCount).toBe(2);
  });
});

test('a client that is kicked before its CONNACK is refused', async () => {
  const { rival, store, core } = startWithStore();
  const kicked = rival({ ...kept, will: { topic: 'w' } });
  await settled();
  core.kick('twin');
  expect((await kicked.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.UnspecifiedError);
  await kicked.expectEnd();
  store.write();
  await settled();
  expect(kicked.packets).toEqual([]);
  expect(core.registry.size).toBe(0);
});

describe('while the store cannot be written', () => {
  const connack = async (options: ClientOptions, { rival }: ReturnType<typeof startWithStore>) => {
    const client = rival(options);
    const answer = await client.expect(PacketType.CONNACK);
    if (answer.reasonCode !== 0) await client.expectEnd();
    return answer;
  };

  test('a CONNECT that waits for it is refused as 0x97, and so is the next one', async () => {
    const broker = startWithStore();
    const { store, core, client } = broker;
    const watcher = await client('watcher');
    await watcher.subscribe('w');
    const first = broker.rival({ ...kept, will: { topic: 'w' } });
    const second = broker.rival();
    await settled();
    store.refuse();
    for (const each of [first, second])
      expect((await each.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.QuotaExceeded);
    expect((await connack(kept, broker)).reasonCode).toBe(ReasonCode.QuotaExceeded);
    expect((await connack({ version: 4, cleanStart: false }, broker)).reasonCode).toBe(3);
    await watcher.expectNothing();
    expect(core.registry.find('twin')).toBeUndefined();

    store.write();
    const later = broker.rival();
    await settled();
    store.write();
    expect(await later.expect(PacketType.CONNACK)).toMatchObject({ reasonCode: 0, sessionPresent: false });
  });

  test('a client whose session ends with its connection is let in', async () => {
    const broker = startWithStore();
    broker.rival();
    await settled();
    broker.store.refuse();
    expect((await broker.client('guest')).connack?.reasonCode).toBe(0);
  });

  test('a session that was kept stays as it is, and so does its connection', async () => {
    const broker = startWithStore();
    const { store, core } = broker;
    const owner = broker.rival();
    await settled();
    store.write();
    await owner.expect(PacketType.CONNACK);
    const subscribing = owner.subscribe('t');
    await settled();
    store.refuse();
    expect((await connack(kept, broker)).reasonCode).toBe(ReasonCode.QuotaExceeded);
    expect((await connack({ cleanStart: true }, broker)).reasonCode).toBe(ReasonCode.QuotaExceeded);
    expect(core.registry.find('twin')?.subscriptionCount).toBe(1);
    store.write();
    expect(await subscribing).toEqual([0]);
  });
});
