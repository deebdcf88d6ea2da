import { RetainerSettings } from '@mqdeck/contract/retainer';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { type Packet, PacketType, type SubscriptionOptions } from '@mqdeck/mqtt/packets';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { memoryStore } from '../../core/store/memory-store.ts';
import { MemoryConnection } from '../../testing/memory-connection.ts';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { startRetainer } from './retainer.ts';
import { RetainedStore } from './store.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Given {
  settings?: Partial<Omit<RetainerSettings, 'backend'>>;
  most?: number;
  core?: Parameters<typeof startTestCore>[0];
}

function startWithRetainer({ settings = {}, most = 0, core }: Given = {}) {
  const broker: TestCore = startTestCore(core);
  const store = new RetainedStore(memoryStore(), 'ram');
  const inForce = z.parse(RetainerSettings, { ...settings, backend: { max_retained_messages: most } });
  ends.push(
    () => broker.close(),
    startRetainer(broker.core, () => inForce, store),
  );
  return { ...broker, store, settings: inForce };
}

/** Subscribes; a last message, retained on a topic of its own, says that nothing more comes. */
async function retainedFor(
  client: TestClient,
  filter: string,
  options: Partial<SubscriptionOptions> = {},
): Promise<string[]> {
  await client.publish('the/end', 'end', { retain: true });
  await client.subscribe(filter, options);
  await client.subscribe('the/end');
  const got: string[] = [];
  for (;;) {
    const { topic, payload, retain } = await client.expectMessage();
    if (topic === 'the/end') break;
    got.push(`${topic}=${Buffer.from(payload).toString()}${retain ? '' : ' live'}`);
  }
  await client.unsubscribe('the/end');
  await client.publish('the/end', '', { retain: true });
  return got.sort();
}

describe('what is kept', () => {
  test('the last retained message of a topic, of any QoS [MQTT-3.3.1-5]', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    await sensor.publish('room/1', '20', { retain: true, qos: 2 });
    await sensor.publish('room/1', '21', { retain: true });
    await sensor.publish('room/2', '19', { retain: true, qos: 1 });
    const screen = await broker.client('screen');
    expect(await retainedFor(screen, 'room/+')).toEqual(['room/1=21', 'room/2=19']);
  });

  test('a message without RETAIN neither is kept nor replaces the one that is [MQTT-3.3.1-8]', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    await sensor.publish('room/1', 'kept', { retain: true });
    await sensor.publish('room/1', 'passing');
    await sensor.publish('room/1', '');
    const screen = await broker.client('screen');
    expect(await retainedFor(screen, '#')).toEqual(['room/1=kept']);
  });

  test('an empty retained payload removes the message and is not kept itself [MQTT-3.3.1-6] [MQTT-3.3.1-7]', async () => {
    const broker = startWithRetainer();
    const screen = await broker.client('screen');
    await screen.publish('room/1', '21.5', { retain: true });
    await screen.subscribe('room/1', { retainHandling: 2 });
    await screen.publish('room/1', '', { retain: true });
    expect((await screen.expectMessage()).retain).toBe(false); // it is passed on as any other
    expect(broker.store.size).toBe(0);
    const late = await broker.client('late');
    expect(await retainedFor(late, 'room/1')).toEqual([]);
  });

  test('with stop_publish_clear_msg an empty retained payload is not passed on', async () => {
    const broker = startWithRetainer({ settings: { stop_publish_clear_msg: true } });
    const screen = await broker.client('screen');
    await screen.publish('room/1', '21.5', { retain: true });
    await screen.subscribe('room/1', { retainHandling: 2 });
    expect(await screen.publish('room/1', '', { retain: true, qos: 1 })).toBe(0);
    await screen.expectNothing();
    expect(broker.store.size).toBe(0);
  });

  test('a will with RETAIN [MQTT-3.1.2-15]', async () => {
    const broker = startWithRetainer();
    const { client, connection } = broker.dial('sensor', {
      will: { topic: 'gone/sensor', payload: Buffer.from('died'), retain: true },
      username: 'ann',
    });
    await client.connect();
    connection.break();
    const screen = await broker.client('screen');
    expect(await retainedFor(screen, 'gone/#')).toEqual(['gone/sensor=died']);
    expect(broker.store.get('gone/sensor')).toMatchObject({ from: 'sensor', username: 'ann' });
  });

  test('not what is larger than max_payload_size, which is passed on', async () => {
    const broker = startWithRetainer({ settings: { max_payload_size: '1KB' } });
    const screen = await broker.client('screen');
    await screen.subscribe('t');
    await screen.publish('t', Buffer.alloc(1025), { retain: true });
    expect((await screen.expectMessage()).payload.length).toBe(1025);
    expect(broker.store.size).toBe(0);
    await screen.publish('t', Buffer.alloc(1024), { retain: true, qos: 1 });
    expect(broker.store.size).toBe(1);
  });

  test('not another topic than max_retained_messages allows', async () => {
    const broker = startWithRetainer({ most: 2 });
    const sensor = await broker.client('sensor');
    for (const topic of ['a', 'b', 'c']) await sensor.publish(topic, '1', { retain: true, qos: 1 });
    await sensor.publish('a', '2', { retain: true, qos: 1 });
    expect([...broker.store.all()].flatMap((kept) => kept?.topic ?? [])).toEqual(['a', 'b']);
    expect(Buffer.from(broker.store.get('a')!.payload).toString()).toBe('2');
  });

  test('not what comes faster than max_publish_rate', async () => {
    const broker = startWithRetainer({ settings: { max_publish_rate: '2/s' } });
    const sensor = await broker.client('sensor');
    for (const topic of ['a', 'b', 'c']) await sensor.publish(topic, '1', { retain: true, qos: 1 });
    expect(broker.store.size).toBe(2);
    broker.pass(500);
    await sensor.publish('c', '1', { retain: true, qos: 1 });
    expect(broker.store.size).toBe(3);
  });

  test('and a flood of what is not kept makes few lines in the log', async () => {
    const lines: object[] = [];
    const ignore = () => undefined;
    const log = {
      debug: ignore,
      warn: ignore,
      error: ignore,
      info: (facts: object) => void lines.push(facts),
    };
    const broker = startWithRetainer({ most: 1, core: { log } });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 20; i++) await sensor.publish(`t/${i}`, '1', { retain: true, qos: 1 });
    expect(lines).toEqual([{ topic: 't/1', clientid: 'sensor', others: 0 }]);
    broker.pass(11_000);
    await sensor.publish('t/last', '1', { retain: true, qos: 1 });
    expect(lines.at(-1)).toEqual({ topic: 't/last', clientid: 'sensor', others: 18 });
  });

  test('without limit and for ever, where a setting says 0', async () => {
    const flow_control = { batch_read_number: 0, batch_deliver_number: 0 };
    const settings = { msg_expiry_interval: '0s', msg_clear_interval: '0s', flow_control };
    const broker = startWithRetainer({ settings, most: 0 });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 50; i++) await sensor.publish(`t/${i}`, '1', { retain: true, qos: 1 });
    broker.pass(365 * 24 * 3_600_000);
    const screen = await broker.client('screen');
    expect(await retainedFor(screen, 't/+')).toHaveLength(50);
  });

  test('nothing while the retainer is off, and what was kept stays', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    await sensor.publish('a', '1', { retain: true, qos: 1 });
    broker.settings.enable = false;
    await sensor.publish('b', '1', { retain: true, qos: 1 });
    await sensor.publish('a', '', { retain: true, qos: 1 });
    expect(broker.store.size).toBe(1);
    broker.settings.enable = true;
    expect(await retainedFor(sensor, '+')).toEqual(['a=1']);
  });
});

describe('a new subscriber', () => {
  test('gets it with RETAIN 1, those who were there with 0 [MQTT-3.3.1-12]', async () => {
    const broker = startWithRetainer();
    const [there, rap, late] = [
      await broker.client('there'),
      await broker.client('rap'),
      await broker.client('late'),
    ];
    await there.subscribe('t');
    await rap.subscribe('t', { retainAsPublished: true }); // [MQTT-3.3.1-13]
    await there.publish('t', '1', { retain: true });
    expect((await there.expectMessage()).retain).toBe(false);
    expect((await rap.expectMessage()).retain).toBe(true);
    await late.subscribe('t');
    expect((await late.expectMessage()).retain).toBe(true);
  });

  test('gets it at the lower QoS, with its properties and the rest of its expiry [MQTT-3.3.2-6]', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    const properties = {
      contentType: 'text/plain',
      messageExpiryInterval: 10,
      userProperty: [['k', 'v']] satisfies [string, string][],
    };
    await sensor.publish('t', '1', { retain: true, qos: 2, properties });
    broker.pass(4000);
    await sensor.subscribe('t', { qos: 1 });
    const message = await sensor.expectMessage();
    expect(message.qos).toBe(1);
    expect(message.properties).toMatchObject({ contentType: 'text/plain', userProperty: [['k', 'v']] });
    expect(message.properties.messageExpiryInterval).toBeLessThanOrEqual(6);
    expect(message.properties.messageExpiryInterval).toBeGreaterThanOrEqual(5);
    broker.pass(7000);
    expect(await retainedFor(sensor, 't')).toEqual([]); // [MQTT-3.3.2-5]
  });

  test('gets topics in any script, however long', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    const topics = [
      'room/räume/ü',
      'room/房间/1',
      `room/${'x'.repeat(122)}`,
      `room/${'x'.repeat(200)}/y`,
      'room/a',
    ];
    for (const topic of topics) await sensor.publish(topic, topic, { retain: true, qos: 1 });
    const screen = await broker.client('screen');
    expect(await retainedFor(screen, 'room/#')).toEqual(topics.map((topic) => `${topic}=${topic}`).sort());
  });

  test('of another retain handling gets it only when it is new, or never [MQTT-3.3.1-9] [MQTT-3.3.1-10] [MQTT-3.3.1-11]', async () => {
    const broker = startWithRetainer();
    const screen = await broker.client('screen');
    await screen.publish('t', '1', { retain: true });
    expect(await retainedFor(screen, 't', { retainHandling: 1 })).toEqual(['t=1']);
    expect(await retainedFor(screen, 't', { retainHandling: 1 })).toEqual([]);
    expect(await retainedFor(screen, 't', { retainHandling: 0 })).toEqual(['t=1']);
    expect(await retainedFor(screen, '+', { retainHandling: 2 })).toEqual([]);
  });

  test('who repeats itself while a replay is under way gets one more, not one each', async () => {
    const broker = startWithRetainer();
    const screen = await broker.client('screen');
    await screen.publish('t', '1', { retain: true, qos: 1 });
    await Promise.all([1, 2, 3, 4].map(() => screen.subscribe('t'))); // all are there before the first replay begins
    await screen.publish('t', 'live');
    const got: string[] = [];
    while (!got.includes('live')) got.push(...(await screen.expectMessages(1)));
    while (got.length < 3) got.push(...(await screen.expectMessages(1)));
    expect(got.sort()).toEqual(['1', '1', 'live']);
    expect(await retainedFor(screen, 'none')).toEqual([]);
  });

  test('of a shared subscription gets none', async () => {
    const broker = startWithRetainer();
    const screen = await broker.client('screen');
    await screen.publish('t', '1', { retain: true });
    expect(await retainedFor(screen, '$share/g/t')).toEqual([]);
  });

  test('whose filter begins with a wildcard gets none of $ topics [MQTT-4.7.2-1]', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    await broker.core.publish({ topic: '$SYS/a', payload: '1', retain: true });
    for (const topic of ['x/a', 'x']) await sensor.publish(topic, '1', { retain: true, qos: 1 });
    const found = async (filter: string) => retainedFor(await broker.client(`screen of ${filter}`), filter);
    expect(await found('+/a')).toEqual(['x/a=1']);
    expect(await found('$SYS/#')).toEqual(['$SYS/a=1']);
    expect(await found('x/#')).toEqual(['x/a=1', 'x=1']);
    const all = await broker.client('all');
    await all.subscribe(['#', 'x']);
    expect([(await all.expectMessage()).topic, (await all.expectMessage()).topic].sort()).toEqual([
      'x',
      'x/a',
    ]);
    expect((await all.expectMessage()).topic).toBe('x'); // of the second filter, hence the first found no more
  });

  test('waits with a full window and loses nothing of more than its queue could hold', async () => {
    const broker = startWithRetainer({ core: { settings: { maxMqueueLength: 10 } } });
    const sensor = await broker.client('sensor');
    for (let i = 1; i < 500; i++) sensor.sendPublish(`t/${i}`, `${i}`, { retain: true, qos: 1 });
    await sensor.publish('t/0', '0', { retain: true, qos: 1 }); // behind all others: none comes while somebody listens
    const screen = await broker.client('screen');
    await screen.subscribe('t/+', { qos: 1 });
    const got = new Set<string>();
    while (got.size < 500) got.add((await screen.expectMessage()).topic);
    const { mqueue_dropped } = broker.core.registry.find('screen')!.facts();
    expect(mqueue_dropped).toBe(0);
  });

  test('whose connection is gone goes on where it was when it comes back', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 100; i++) sensor.sendPublish(`t/${i}`, `${i}`, { retain: true, qos: 1 });
    const options = { cleanStart: false, properties: { sessionExpiryInterval: 100 }, acknowledge: false };
    const { client, connection } = broker.dial('screen', options);
    await client.connect();
    await client.subscribe('t/+', { qos: 1 });
    await client.expectMessage();
    connection.break();
    const back = await broker.client('screen', { ...options, acknowledge: true });
    const got = new Set<string>();
    while (got.size < 100) got.add((await back.expectMessage()).topic);
  });

  test('gets no more a second than delivery_rate', async () => {
    const broker = startWithRetainer({ settings: { delivery_rate: '2/s' } });
    const screen = await broker.client('screen');
    for (const topic of ['t/1', 't/2', 't/3']) await screen.publish(topic, '1', { retain: true, qos: 1 });
    await screen.subscribe('t/+');
    await screen.expectMessage();
    await screen.expectMessage();
    await screen.expectNothing();
    broker.pass(600);
    await screen.expectMessage();
  });

  test('gets no more a second than batch_deliver_limiter', async () => {
    const broker = startWithRetainer({ settings: { flow_control: { batch_deliver_limiter: '2/s' } } });
    const screen = await broker.client('screen');
    for (const topic of ['t/1', 't/2', 't/3']) await screen.publish(topic, '1', { retain: true, qos: 1 });
    await screen.subscribe('t/+');
    await screen.expectMessage();
    await screen.expectMessage();
    await screen.expectNothing();
    broker.pass(600);
    await screen.expectMessage();
  });

  test.each([
    ['batch_deliver_number', 10, 4],
    ['batch_read_number', 10, 4],
    ['batch_read_number', 1, 31],
    ['batch_deliver_number', 0, 1],
  ])('gets them %s by %s, each in a turn of its own', async (name, number, turns) => {
    const broker = startWithRetainer({ settings: { flow_control: { [name]: number } } });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 31; i++) await sensor.publish(`t/${i}`, '1', { retain: true, qos: 1 });
    const { client, connection } = broker.dial('screen');
    await client.connect();
    const writes: number[] = []; // each turn writes once
    const { write } = connection;
    connection.write = (chunk) => {
      writes.push(chunk.length);
      write.call(connection, chunk);
    };
    await client.subscribe('t/+');
    await client.expectMessages(31);
    expect(writes.filter((bytes) => bytes > 5).length).toBeGreaterThanOrEqual(turns);
    if (number === 0) expect(writes.length).toBeLessThan(4);
  });
});

describe('what expires', () => {
  test('by its own expiry, or else by msg_expiry_interval', async () => {
    const broker = startWithRetainer({ settings: { msg_expiry_interval: '10s' } });
    const sensor = await broker.client('sensor');
    const own = { properties: { messageExpiryInterval: 100 } };
    await sensor.publish('usual', '1', { retain: true });
    await sensor.publish('own', '1', { retain: true, ...own });
    broker.pass(6000);
    expect(await retainedFor(sensor, '+')).toEqual(['own=1', 'usual=1']);
    broker.pass(6000);
    expect(await retainedFor(sensor, '+')).toEqual(['own=1']);
  });

  test('by the override, whatever it says itself and however long it is kept already', async () => {
    const broker = startWithRetainer();
    const sensor = await broker.client('sensor');
    await sensor.publish('old', '1', { retain: true, properties: { messageExpiryInterval: 100 } });
    broker.pass(6000);
    broker.settings.msg_expiry_interval_override = '5s';
    await sensor.publish('new', '1', { retain: true });
    expect(await retainedFor(sensor, '+')).toEqual(['new=1']);
    broker.settings.msg_expiry_interval_override = 'disabled';
    expect(await retainedFor(sensor, '+')).toEqual(['new=1', 'old=1']);
  });

  test('never with an interval of 0 of its own, unless allow_never_expire is off', async () => {
    const broker = startWithRetainer({ settings: { msg_expiry_interval: '10s' } });
    const sensor = await broker.client('sensor');
    const never = { retain: true, properties: { messageExpiryInterval: 0 } };
    await sensor.publish('allowed', '1', never);
    broker.settings.allow_never_expire = false;
    await sensor.publish('refused', '1', never);
    expect(await retainedFor(sensor, '+')).toEqual(['allowed=1', 'refused=1']);
    broker.pass(11_000);
    expect(await retainedFor(sensor, '+')).toEqual(['allowed=1']);
    broker.settings.msg_expiry_interval_override = '1s';
    expect(await retainedFor(sensor, '+')).toEqual([]);
    broker.settings.allow_never_expire = true;
    expect(await retainedFor(sensor, '+')).toEqual(['allowed=1', 'refused=1']);
  });

  test('is cleared away every msg_clear_interval', async () => {
    const broker = startWithRetainer({ settings: { msg_clear_interval: '20s' } });
    const sensor = await broker.client('sensor');
    await sensor.publish('t', '1', { retain: true, qos: 1, properties: { messageExpiryInterval: 2 } });
    await sensor.publish('u', '1', { retain: true, qos: 1 });
    broker.pass(10_000);
    expect(broker.store.size).toBe(2);
    broker.pass(15_000);
    expect(broker.store.size).toBe(1);
    expect(broker.core.gauges.get('retained')).toBe(1);
  });
});

test('thousands of retained messages leave everybody else a turn again and again', async () => {
  const broker = startWithRetainer();
  const count = 20_000;
  for (let i = 0; i < count; i++)
    await broker.core.publish({ topic: `fleet/${i % 1000}/car/${i}`, payload: 'x'.repeat(40), retain: true });
  let bytes = 0;
  let done: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  // Not a test client: to take packets apart would be most of the time measured
  const connection = new MemoryConnection(
    1,
    (chunk) => {
      bytes += chunk.length;
      if (bytes > count * 60) done();
    },
    () => undefined,
  );
  connection.connect(broker.core.accept(connection, 'tcp:default'));
  const send = (packet: Packet) => connection.send(Buffer.from(encodePacket(packet, 5)));
  send({
    type: PacketType.CONNECT,
    protocolVersion: 5,
    bridge: false,
    cleanStart: true,
    keepAlive: 0,
    clientid: 'screen',
    username: null,
    password: null,
    will: null,
    properties: {},
  });
  let turns = 0;
  let looking = true;
  const look = () => {
    turns++;
    if (looking) setImmediate(look);
  };
  const subscription = {
    filter: 'fleet/+/car/#',
    qos: 0,
    noLocal: false,
    retainAsPublished: false,
    retainHandling: 0,
  } as const;
  send({ type: PacketType.SUBSCRIBE, packetId: 1, subscriptions: [subscription], properties: {} });
  look();
  await all;
  looking = false;
  expect(turns).toBeGreaterThan(count / 1000); // counted, not timed: a busy machine proves nothing
});
