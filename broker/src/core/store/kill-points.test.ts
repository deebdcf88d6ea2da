import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { ClientOptions, TestClient } from '../../testing/test-client.ts';
import { openStore } from './environment.ts';
import { memoryStore } from './memory-store.ts';
import type { Store } from './store.ts';

/** The kill points of the README, one by one: what is on disk at the moment when a packet arrives. */

const folder = mkdtempSync(join(tmpdir(), 'kill-'));
const open: { core: TestCore; store: Store }[] = [];
let next = 0;
const kept: ClientOptions = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };

interface Life extends TestCore {
  /** The next life, with what is on disk at this very moment; this one goes on where nobody looks. */
  killed(): Life;
}

function life(path = join(folder, `${next++}`)): Life {
  const store = openStore(path);
  const core = startTestCore({ store });
  open.push({ core, store });
  return {
    ...core,
    killed() {
      const copy = join(folder, `${next++}`);
      cpSync(path, copy, { recursive: true });
      return life(copy);
    },
  };
}

afterEach(async () => {
  for (const { core, store } of open.splice(0)) {
    await core.close();
    await store.close();
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const release = (client: TestClient, packetId: number) =>
  client.send({ type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} });

test('PUBREC to a persistent publisher: the packet id lasts, although nobody else has a persistent session', async () => {
  const before = life();
  const sensor = await before.client('sensor', kept);
  const packetId = sensor.sendPublish('t', 'once', { qos: 2 });
  await sensor.expectAck(PacketType.PUBREC, packetId);

  const after = before.killed();
  const screen = await after.client('screen');
  await screen.subscribe('t');
  const again = await after.client('sensor', kept);
  again.sendPublish('t', 'once', { qos: 2, dup: true, packetId });
  await again.expectAck(PacketType.PUBREC, packetId);
  await screen.expectNothing();
});

test('PUBREC to a publisher whose session ends with its connection waits for nothing', async () => {
  const store: Store = { ...memoryStore(), joinGroups: () => () => undefined }; // whose groups are never written
  const { client, close } = startTestCore({ store });
  const sensor = await client('sensor');
  expect(await sensor.publish('t', 'x', { qos: 2 })).toBe(ReasonCode.NoMatchingSubscribers);
  await close();
});

test('PUBCOMP: the packet id is free for good, and the next message of that id is no duplicate [MQTT-4.3.3-12]', async () => {
  const before = life();
  const sensor = await before.client('sensor', kept);
  const packetId = sensor.sendPublish('t', 'first', { qos: 2 });
  await sensor.expectAck(PacketType.PUBREC, packetId);
  release(sensor, packetId);
  await sensor.expectAck(PacketType.PUBCOMP, packetId);

  const after = before.killed();
  const screen = await after.client('screen');
  await screen.subscribe('t');
  const again = await after.client('sensor', kept);
  expect(await again.publish('t', 'second', { qos: 2, packetId })).toBe(0);
  await screen.expectMessage('second');
});

test('a QoS 2 PUBLISH to a persistent subscriber: its packet id lasts, so no other message gets it', async () => {
  const before = life();
  const screen = await before.client('screen', { ...kept, acknowledge: false });
  await screen.subscribe('t', { qos: 2 });
  const sensor = await before.client('sensor');
  sensor.sendPublish('t', 'first', { qos: 2 });
  const first = await screen.expectMessage('first');

  const after = before.killed();
  const other = await after.client('other');
  await other.publish('t', 'second', { qos: 2 });
  const back = await after.client('screen', { ...kept, acknowledge: false });
  const again = await back.expectMessage('first');
  expect([again.packetId, again.dup]).toEqual([first.packetId, true]);
  const second = await back.expectMessage('second');
  expect([second.packetId === first.packetId, second.dup]).toEqual([false, false]);
});

test('what comes behind a QoS 2 message that waits for the disk stays behind it', async () => {
  const { client } = life();
  const screen = await client('screen', kept);
  await screen.subscribe('#', { qos: 2 });
  const sensor = await client('sensor');
  sensor.sendPublish('a', '1', { qos: 1 });
  sensor.sendPublish('a', '2', { qos: 2 });
  sensor.sendPublish('a', '3', { qos: 0 });
  sensor.sendPublish('a', '4', { qos: 1 });
  sensor.sendPublish('a', '5', { qos: 2 });
  expect(await screen.expectMessages(5)).toEqual(['1', '2', '3', '4', '5']);
});

test('what waited for the disk when the connection broke is sent again, not as a duplicate', async () => {
  const { client } = life();
  const screen = await client('screen', { ...kept, acknowledge: false });
  await screen.subscribe('#', { qos: 2 });
  const sensor = await client('sensor');
  sensor.sendPublish('a', 'held', { qos: 2 });
  screen.close();
  const back = await client('screen', { ...kept, acknowledge: false });
  const held = await back.expectMessage('held');
  expect(held.dup).toBe(false);
  await back.expectNothing();
});

test('PUBREL: the broker knows that it may not send the PUBLISH again', async () => {
  const before = life();
  const screen = await before.client('screen', { ...kept, acknowledge: false });
  await screen.subscribe('t', { qos: 2 });
  await (await before.client('sensor')).publish('t', 'x', { qos: 2 });
  const { packetId } = await screen.expectMessage('x');
  screen.send({ type: PacketType.PUBREC, packetId, reasonCode: 0, properties: {} });
  await screen.expectAck(PacketType.PUBREL, packetId);

  const back = await before.killed().client('screen', { ...kept, acknowledge: false });
  await back.expectAck(PacketType.PUBREL, packetId);
  await back.expectNothing();
});

test('CONNACK without a session: the one that was discarded does not come back', async () => {
  const before = life();
  const sensor = await before.client('sensor', kept);
  await sensor.subscribe('old');
  sensor.sendPublish('t', 'x', { qos: 2, packetId: 7 });
  await sensor.expectAck(PacketType.PUBREC, 7);
  await before.client('sensor', { ...kept, cleanStart: true });

  const after = before.killed();
  const again = await after.client('sensor', kept);
  expect(again.connack?.sessionPresent).toBe(true); // the new one
  expect(after.core.registry.find('sensor')?.facts()).toMatchObject({
    subscriptions_cnt: 0,
    awaiting_rel_cnt: 0,
  });
});

test('CONNACK of a persistent session: its will lasts, and once it was published it does not', async () => {
  const before = life();
  const watcher = await before.client('watcher', kept);
  await watcher.subscribe('wills', { qos: 1 });
  watcher.close();
  const will = { topic: 'wills', qos: 1 as const };
  await before.client('sensor', { ...kept, will });

  const between = before.killed();
  between.pass(1000);
  const watching = await between.client('watcher', kept);
  await watching.expectMessage('gone');
  watching.close();
  await (await between.client('any', kept)).ping(); // CONNACK: all before it is on disk

  const after = between.killed();
  after.pass(1000);
  const third = await after.client('watcher', kept);
  await third.expectNothing();
});

test('SUBACK and UNSUBACK: what they say lasts', async () => {
  const before = life();
  const screen = await before.client('screen', kept);
  await screen.subscribe(['a', 'b']);
  await screen.unsubscribe('a');
  const after = before.killed();
  expect([...after.core.registry.find('screen')!.subscriptions()].map(({ filter }) => filter)).toEqual(['b']);
  await screen.subscribe('c');
  const later = before.killed();
  expect([...later.core.registry.find('screen')!.subscriptions()].map(({ filter }) => filter)).toEqual([
    'b',
    'c',
  ]);
});

test('nothing is sent before CONNACK, whatever comes for the client while the disk writes', async () => {
  const { client, dial, core } = life();
  const first = await client('screen', kept);
  await first.subscribe('t', { qos: 1 });
  first.close();
  const { client: screen, connection } = dial('screen', kept);
  const types: number[] = [];
  const write = connection.write.bind(connection);
  connection.write = (bytes) => {
    types.push(bytes[0]! >> 4);
    write(bytes);
  };
  screen.sendConnect();
  await Promise.resolve(); // CONNECT is being handled, its group is not written yet
  await core.publish({ topic: 't', payload: 'x', qos: 1 });
  await screen.expect(PacketType.CONNACK);
  await screen.expectMessage('x');
  expect(types[0]).toBe(PacketType.CONNACK);
});

test('a connection that ends before its CONNACK was never connected, for those who watch', async () => {
  const { dial, client, core } = life();
  const told: string[] = [];
  core.hooks.on('client.connected', ({ clientid }) => void told.push(`${clientid} connected`), {
    owner: 'test',
  });
  core.hooks.on('client.disconnected', ({ clientid }) => void told.push(`${clientid} disconnected`), {
    owner: 'test',
  });
  const { client: hasty, connection } = dial('hasty', kept);
  hasty.sendConnect();
  while (!core.registry.find('hasty')) await Promise.resolve();
  connection.break();
  await client('other', kept);
  expect(told).toEqual(['other connected']);
  expect(core.registry.connectedCount).toBe(1);
});
