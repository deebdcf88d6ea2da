import { type EventEmitter, once } from 'node:events';
import mqtt, { type IClientOptions, type IConnackPacket, type IPublishPacket, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

/** An independent client over real sockets: what well-known test suites of brokers ask for. */
let broker: TestBroker;
const clients: MqttClient[] = [];
beforeEach(async () => {
  broker = await startTestBroker({ tcp: 0, ws: 0 });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
  await broker.close();
});

const versions = {
  '3.1': { protocolVersion: 3, protocolId: 'MQIsdp' },
  '3.1.1': { protocolVersion: 4 },
  '5.0': { protocolVersion: 5 },
} as const;
type Version = keyof typeof versions;
const all = Object.keys(versions) as Version[];

interface Dialled {
  client: MqttClient;
  connack: IConnackPacket;
  messages: IPublishPacket[];
}

const happens = (client: MqttClient, event: string): Promise<unknown[]> =>
  once(client as unknown as EventEmitter, event, { signal: AbortSignal.timeout(5000) });

async function dial(version: Version, clientId: string, options: IClientOptions = {}): Promise<Dialled> {
  const client = mqtt.connect(`mqtt://127.0.0.1:${broker.addresses.tcp}`, {
    ...versions[version],
    clientId,
    reconnectPeriod: 0,
    ...options,
  });
  clients.push(client);
  const messages: IPublishPacket[] = [];
  client.on('message', (_topic, _payload, packet) => messages.push(packet)); // at once: they may come with CONNACK
  client.on('error', () => undefined);
  const [connack] = (await happens(client, 'connect')) as [IConnackPacket];
  return { client, connack, messages };
}

/** Keeps its session for a while in every version. */
const keeping = (version: Version): IClientOptions => ({
  clean: false,
  ...(version === '5.0' && { properties: { sessionExpiryInterval: 600 } }),
});

async function until(done: () => boolean, { client, messages }: Dialled): Promise<void> {
  while (!done()) await happens(client, 'message');
  expect(messages.length).toBeGreaterThan(0);
}

/** Everything sent before this is there. */
async function settled(to: Dialled): Promise<IPublishPacket[]> {
  await to.client.subscribeAsync('end', { qos: 2 });
  await to.client.publishAsync('end', 'end', { qos: 2 });
  await until(() => to.messages.some(({ topic }) => topic === 'end'), to);
  await to.client.unsubscribeAsync('end');
  return to.messages.splice(0).filter(({ topic }) => topic !== 'end');
}

const said = (messages: IPublishPacket[]) =>
  messages.map(({ payload, qos, retain }) => `${payload} ${qos}${retain ? ' retained' : ''}`);

describe.each(all)('%s', (version) => {
  test('messages of every QoS and 0 to 300,000 bytes arrive whole and in order [MQTT-4.2-1]', async () => {
    const screen = await dial(version, 'screen');
    const sensor = await dial(version, 'sensor');
    await screen.client.subscribeAsync('room/+', { qos: 2 });
    const sizes = [0, 1, 127, 128, 16_383, 16_384, 65_536, 300_000];
    for (const qos of [0, 1, 2] as const)
      for (const size of sizes)
        await sensor.client.publishAsync(`room/${qos}`, Buffer.alloc(size, size % 251), { qos });
    await until(() => screen.messages.length === 3 * sizes.length, screen);
    for (const qos of [0, 1, 2]) {
      const own = screen.messages.filter(({ topic }) => topic === `room/${qos}`);
      expect(own.map(({ payload }) => payload.length)).toEqual(sizes);
      expect(
        own.every((m) => m.qos === qos && (m.payload as Buffer).every((b) => b === m.payload.length % 251)),
      ).toBe(true);
    }
  });

  test('retained messages of every QoS come to new subscribers and go with an empty one', async () => {
    const sensor = await dial(version, 'sensor');
    for (const qos of [0, 1, 2] as const)
      await sensor.client.publishAsync(`kept/${qos}`, `${qos}`, { qos, retain: true });
    const screen = await dial(version, 'screen');
    await screen.client.subscribeAsync('kept/#', { qos: 2 });
    expect(said(await settled(screen)).sort()).toEqual(['0 0 retained', '1 1 retained', '2 2 retained']);
    for (const qos of [0, 1, 2])
      await sensor.client.publishAsync(`kept/${qos}`, '', { qos: 1, retain: true });
    expect(said(await settled(screen))).toEqual([' 1', ' 1', ' 1']);
    const late = await dial(version, 'late');
    await late.client.subscribeAsync('kept/#', { qos: 2 });
    expect(await settled(late)).toEqual([]);
  });

  test('messages wait for a client that is away, and it has its session when it is back', async () => {
    const first = await dial(version, 'screen', keeping(version));
    expect(first.connack.sessionPresent).toBe(false);
    await first.client.subscribeAsync(['a/+', '+/b', '#'], { qos: 2 });
    await first.client.endAsync();
    const sensor = await dial(version, 'sensor');
    for (const [topic, qos] of [
      ['a/x', 1],
      ['x/b', 2],
      ['c', 1],
    ] as const)
      await sensor.client.publishAsync(topic, topic, { qos });
    const back = await dial(version, 'screen', keeping(version));
    expect(back.connack.sessionPresent).toBe(version !== '3.1'); // which cannot say so
    const seen = await settled(back);
    expect([...new Set(seen.map(({ topic }) => topic))].sort()).toEqual(['a/x', 'c', 'x/b']);
    await back.client.endAsync();
    const clean = await dial(version, 'screen', { clean: true });
    expect(clean.connack.sessionPresent).toBe(false);
    await sensor.client.publishAsync('c', 'x', { qos: 1 });
    expect(await settled(clean)).toEqual([]);
  });

  test('overlapping subscriptions bring the message with the highest QoS among them', async () => {
    const screen = await dial(version, 'screen');
    await screen.client.subscribeAsync({ 't/#': { qos: 2 }, 't/+': { qos: 1 } });
    await screen.client.publishAsync('t/a', 'x', { qos: 2 });
    const seen = await settled(screen);
    expect(Math.max(...seen.map(({ qos }) => qos))).toBe(2);
    expect([1, 2]).toContain(seen.length);
  });

  test('what was not acknowledged comes again, once, marked as such', async () => {
    const options = keeping(version);
    const first = await dial(version, 'screen', options);
    await first.client.subscribeAsync('t', { qos: 2 });
    const sensor = await dial(version, 'sensor');
    first.client.handleMessage = () => undefined; // never acknowledges
    const came = happens(first.client, 'message');
    for (const qos of [1, 2] as const) await sensor.client.publishAsync('t', `${qos}`, { qos });
    await came;
    first.client.stream.destroy();
    const back = await dial(version, 'screen', options);
    const seen = await settled(back);
    expect(said(seen)).toEqual(['1 1', '2 2']);
    expect(seen[0]?.dup).toBe(true);
  });

  test('a will comes when the connection breaks, not after a good-bye', async () => {
    const watcher = await dial(version, 'watcher');
    await watcher.client.subscribeAsync('wills/#', { qos: 2 });
    const will = { topic: 'wills/a', payload: Buffer.from('gone'), qos: 2, retain: false } as const;
    const polite = await dial(version, 'a', { will });
    await polite.client.endAsync();
    expect(await settled(watcher)).toEqual([]);
    const broken = await dial(version, 'a', { will });
    broken.client.stream.destroy();
    await until(() => watcher.messages.length === 1, watcher);
    expect(said(watcher.messages)).toEqual(['gone 2']);
  });

  test('topics that begin with $ are not seen through wildcards', async () => {
    const screen = await dial(version, 'screen');
    await screen.client.subscribeAsync(['#', '+/x']);
    await screen.client.publishAsync('$private/x', 'hidden', { qos: 1 });
    expect((await settled(screen)).filter(({ topic }) => topic.startsWith('$'))).toEqual([]);
    await screen.client.subscribeAsync('$private/#');
    await screen.client.publishAsync('$private/x', 'seen', { qos: 1 });
    expect((await settled(screen)).map(({ payload }) => `${payload}`)).toEqual(['seen']);
  });

  test('an unsubscribed filter brings nothing more, the others go on', async () => {
    const screen = await dial(version, 'screen');
    await screen.client.subscribeAsync(['a', 'b', 'c'], { qos: 1 });
    await screen.client.unsubscribeAsync(['b', 'never']);
    for (const topic of ['a', 'b', 'c']) await screen.client.publishAsync(topic, topic, { qos: 1 });
    expect((await settled(screen)).map(({ topic }) => topic)).toEqual(['a', 'c']);
  });

  test('the same client identifier takes over', async () => {
    const first = await dial(version, 'a');
    const closed = happens(first.client, 'close');
    const second = await dial(version, 'a');
    await closed;
    expect(second.client.connected).toBe(true);
  });
});

test('a silent client is let go after its keep alive, and its will published', async () => {
  const watcher = await dial('3.1.1', 'watcher');
  await watcher.client.subscribeAsync('wills/#');
  const will = { topic: 'wills/a', payload: Buffer.from('gone'), qos: 0, retain: false } as const;
  const silent = await dial('3.1.1', 'a', { will, keepalive: 1 });
  silent.client.sendPing = () => undefined; // says nothing in time
  await until(() => watcher.messages.length === 1, watcher);
  expect(said(watcher.messages)).toEqual(['gone 0']);
});

test.each(['3.1.1', '5.0'] as const)('a client of %s without an identifier is given one', async (version) => {
  const { connack, client } = await dial(version, '', { clean: true });
  expect(typeof connack.properties?.assignedClientIdentifier).toBe(
    version === '5.0' ? 'string' : 'undefined',
  );
  const names = [...broker.core.registry].map(({ clientid }) => clientid);
  expect(names).toEqual([expect.stringMatching(/^.{8,}$/)]);
  await client.subscribeAsync('t');
});

describe.each(all)('a subscriber of %s', (to) => {
  test.each(all)('gets what a publisher of %s sends', async (from) => {
    const screen = await dial(to, 'screen');
    await screen.client.subscribeAsync('t', { qos: 2 });
    const sensor = await dial(from, 'sensor');
    for (const qos of [0, 1, 2] as const)
      await sensor.client.publishAsync('t', `${qos}`, { qos, retain: true });
    await until(() => screen.messages.length === 3, screen);
    expect(said(screen.messages)).toEqual(['0 0', '1 1', '2 2']);
    expect(screen.messages.every(({ dup }) => !dup)).toBe(true);
  });
});

describe('5.0', () => {
  test('properties of a request and its answer arrive as they were sent, user properties in their order', async () => {
    const server = await dial('5.0', 'server');
    const asking = await dial('5.0', 'asking');
    await server.client.subscribeAsync('requests', { qos: 1 });
    await asking.client.subscribeAsync('answers/asking', { qos: 1 });
    const userProperties = { b: ['2', '1'], a: '3' };
    await asking.client.publishAsync('requests', '?', {
      qos: 1,
      properties: {
        responseTopic: 'answers/asking',
        correlationData: Buffer.of(0, 1, 255),
        payloadFormatIndicator: true,
        contentType: 'text/plain',
        userProperties,
      },
    });
    await until(() => server.messages.length === 1, server);
    const { properties } = server.messages[0]!;
    expect(properties).toMatchObject({
      payloadFormatIndicator: true,
      contentType: 'text/plain',
      userProperties,
    });
    const { responseTopic, correlationData } = properties!;
    await server.client.publishAsync(responseTopic!, '!', {
      qos: 1,
      properties: { correlationData: correlationData! },
    });
    await until(() => asking.messages.length === 1, asking);
    expect(asking.messages[0]?.properties?.correlationData).toEqual(Buffer.of(0, 1, 255));
  });

  test('subscription options: no local, retain as published, retain handling, identifiers', async () => {
    const screen = await dial('5.0', 'screen');
    const sensor = await dial('5.0', 'sensor');
    await screen.client.subscribeAsync('own', { qos: 1, nl: true });
    await screen.client.publishAsync('own', 'mine', { qos: 1 });
    await sensor.client.publishAsync('own', 'theirs', { qos: 1 });
    expect(said(await settled(screen))).toEqual(['theirs 1']);
    await screen.client.subscribeAsync('rap', {
      qos: 1,
      rap: true,
      properties: { subscriptionIdentifier: 268_435_455 },
    });
    await sensor.client.publishAsync('rap', 'x', { qos: 1, retain: true });
    const [published] = await settled(screen);
    expect([published?.retain, published?.properties?.subscriptionIdentifier]).toEqual([true, 268_435_455]);
    for (const [rh, times] of [
      [0, 1],
      [1, 0],
      [2, 0],
    ] as const) {
      await screen.client.subscribeAsync('rap', { qos: 1, rh });
      expect((await settled(screen)).length).toBe(times);
    }
    await screen.client.unsubscribeAsync('rap');
    await screen.client.subscribeAsync('rap', { qos: 1, rh: 1 });
    expect(said(await settled(screen))).toEqual(['x 1 retained']);
  });

  test('a group divides what is published, and others get all of it', async () => {
    const members = [await dial('5.0', 'm1'), await dial('5.0', 'm2')];
    for (const { client } of members) await client.subscribeAsync('$share/g/t', { qos: 1 });
    const other = await dial('5.0', 'other');
    await other.client.subscribeAsync('t', { qos: 1 });
    const sensor = await dial('5.0', 'sensor');
    for (let i = 0; i < 20; i++) await sensor.client.publishAsync('t', `${i}`, { qos: 1 });
    const [one, two] = [await settled(members[0]!), await settled(members[1]!)];
    expect((await settled(other)).length).toBe(20);
    const numbers = [...one, ...two].map(({ payload }) => Number(`${payload}`));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(Math.min(one.length, two.length)).toBeGreaterThan(0);
  });

  test('who publishes to nobody, subscribes twice or unsubscribes from nothing is told so', async () => {
    const { client } = await dial('5.0', 'a');
    const told: unknown[] = [];
    client.on('packetreceive', (packet) => {
      if (packet.cmd === 'puback' || packet.cmd === 'pubrec') told.push(packet.reasonCode);
      if (packet.cmd === 'suback' || packet.cmd === 'unsuback') told.push(packet.granted);
    });
    for (const qos of [1, 2] as const) await client.publishAsync('nobody', 'x', { qos });
    for (let i = 0; i < 2; i++) await client.subscribeAsync(['a', 'b'], { qos: 1 });
    await client.unsubscribeAsync(['a', 'never']);
    expect(told).toEqual([0x10, 0x10, [1, 1], [1, 1], [0, 0x11]]);
  });

  test('topic aliases shorten what a client publishes', async () => {
    const screen = await dial('5.0', 'screen');
    await screen.client.subscribeAsync('long/#', { qos: 1 });
    const sensor = await dial('5.0', 'sensor', { autoAssignTopicAlias: true });
    expect(sensor.connack.properties?.topicAliasMaximum).toBeGreaterThan(0);
    for (let i = 0; i < 6; i++) await sensor.client.publishAsync(`long/${i % 2}`, `${i}`, { qos: 1 });
    await until(() => screen.messages.length === 6, screen);
    expect(screen.messages.map(({ topic }) => topic)).toEqual([0, 1, 0, 1, 0, 1].map((i) => `long/${i}`));
  });

  test('what a client receives fits its Maximum Packet Size and its window', async () => {
    const screen = await dial('5.0', 'screen', { properties: { maximumPacketSize: 100, receiveMaximum: 2 } });
    await screen.client.subscribeAsync('t', { qos: 1 });
    const sensor = await dial('5.0', 'sensor');
    for (const size of [10, 200, 20, 200, 30, 40])
      await sensor.client.publishAsync('t', Buffer.alloc(size), { qos: 1 });
    expect((await settled(screen)).map(({ payload }) => payload.length)).toEqual([10, 20, 30, 40]);
  });

  test('a will waits for its delay, unless its client comes back before', async () => {
    const watcher = await dial('5.0', 'watcher');
    await watcher.client.subscribeAsync('wills/#');
    const will = (id: string) => ({
      topic: `wills/${id}`,
      payload: Buffer.from('gone'),
      qos: 0 as const,
      retain: false,
      properties: { willDelayInterval: 1 },
    });
    const returning = await dial('5.0', 'returning', { ...keeping('5.0'), will: will('returning') });
    returning.client.stream.destroy();
    await dial('5.0', 'returning', keeping('5.0'));
    const staying = await dial('5.0', 'staying', { ...keeping('5.0'), will: will('staying') });
    const from = Date.now();
    staying.client.stream.destroy();
    await until(() => watcher.messages.length > 0, watcher);
    expect(watcher.messages.map(({ topic }) => topic)).toEqual(['wills/staying']);
    expect(Date.now() - from).toBeGreaterThan(900);
  });
});
