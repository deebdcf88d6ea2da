import { Framer } from '@mqdeck/mqtt/framer';
import { PacketType } from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];
const ill = [0, 2, 0xc3, 0x28];
const head = (flags: number) => [...text('MQTT'), 5, flags, 0, 0, 0];
const connect = (flags: number, ...payload: number[]) => {
  const body = [...head(flags), ...payload];
  return [0x10, body.length, ...body];
};
const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };

describe('sessions', () => {
  test('a client that comes back without Clean Start goes on where it was [MQTT-3.1.2-5] [MQTT-3.1.2-23]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', kept);
    await first.subscribe('t', { qos: 1 });
    first.close();
    await broker.core.publish({ topic: 't', payload: 'meanwhile', qos: 1 });
    const back = await broker.client('a', kept);
    expect(back.connack?.sessionPresent).toBe(true);
    await back.expectMessage('meanwhile');
    await back.publish('t', 'still subscribed');
    await back.expectMessage('still subscribed');
  });

  test('without Clean Start and without a session a new one begins [MQTT-3.1.2-6]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', kept);
    expect(client.connack?.sessionPresent).toBe(false);
    expect(broker.core.registry.find('a')?.subscriptionCount).toBe(0);
    await client.subscribe('t');
    await client.publish('t', 'works');
    await client.expectMessage('works');
  });

  test('Clean Start leaves nothing of the older session [MQTT-3.1.2-4] [MQTT-3.1.4-4]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', kept);
    await first.subscribe('t', { qos: 1 });
    first.close();
    await broker.core.publish({ topic: 't', payload: 'meanwhile', qos: 1 });
    const clean = await broker.client('a', { ...kept, cleanStart: true });
    await clean.publish('t', 'to nobody');
    await clean.expectNothing();
    expect(broker.core.routes.subscriptionCount).toBe(0);
  });

  test('each client identifier has its session and no other [MQTT-3.1.3-2]', async () => {
    const broker = startTestCore();
    const ids = ['a', 'A', 'a ', ' a', 'á', 'a\u0301', 'a/b', '0', 'toString'];
    for (const id of ids) await (await broker.client(id, kept)).subscribe(`of/${ids.indexOf(id)}`);
    expect(broker.core.registry.size).toBe(ids.length);
    for (const id of ids) {
      const session = broker.core.registry.find(id)!;
      expect([...session.subscriptions()].map(({ filter }) => filter)).toEqual([`of/${ids.indexOf(id)}`]);
    }
  });
});

describe('the will', () => {
  const userProperty: [string, string][] = [
    ['b', '1'],
    ['a', '2'],
    ['b', '0'],
  ];
  const properties = {
    userProperty,
    contentType: 'text/plain',
    responseTopic: 'r',
    correlationData: Uint8Array.of(7),
    payloadFormatIndicator: 1,
    messageExpiryInterval: 30,
  } as const;

  test('is kept with the session and published as it came, its user properties in their order [MQTT-3.1.2-7] [MQTT-3.1.3-10]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#', { qos: 2 });
    const will = { topic: 'wills/a', payload: Buffer.from('gone'), qos: 2, properties } as const;
    (await broker.client('a', { ...kept, will })).close();
    const message = await watcher.expectMessage('gone');
    expect([message.topic, message.qos, message.properties]).toEqual(['wills/a', 2, properties]);
  });

  test.each([false, true])(
    'has the RETAIN it was given: %s [MQTT-3.1.2-14] [MQTT-3.1.2-15]',
    async (retain) => {
      const broker = startTestCore();
      const watcher = await broker.client('watcher');
      await watcher.subscribe('wills/#', { retainAsPublished: true });
      (await broker.client('a', { will: { topic: 'wills/a', retain } })).close();
      expect((await watcher.expectMessage('gone')).retain).toBe(retain);
    },
  );

  test('is published once, and forgotten with a good-bye [MQTT-3.1.2-10]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    const will = { topic: 'wills/a' };
    (await broker.client('a', { ...kept, will })).close();
    await watcher.expectMessage('gone');
    (await broker.client('a', kept)).close(); // it has none now
    await watcher.expectNothing();
    await (await broker.client('a', { ...kept, will })).disconnect();
    broker.pass(700_000); // nor does the end of the session find one
    expect(broker.core.registry.find('a')).toBeUndefined();
    await watcher.expectNothing();
  });

  test('of a connection that another takes over is published when it has no delay [MQTT-3.1.2-8]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    await broker.client('a', { ...kept, will: { topic: 'wills/a' } });
    await broker.client('a', kept);
    await watcher.expectMessage('gone');
  });

  test('waits in vain when another connection goes on with the session, and not when it begins a new one [MQTT-3.1.3-9]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    const will = { topic: 'wills/a', properties: { willDelayInterval: 20 } };
    await broker.client('a', { ...kept, will });
    await broker.client('a', { ...kept, will });
    broker.pass(60_000);
    await watcher.expectNothing();
    await broker.client('a', { ...kept, cleanStart: true });
    await watcher.expectMessage('gone');
  });
});

describe('the fields of CONNECT', () => {
  test('are read in their order [MQTT-3.1.3-1]', async () => {
    const broker = startTestCore();
    const seen: unknown[] = [];
    broker.core.hooks.on('client.connect', (_who, packet) => {
      const { clientid, will, username, password } = packet;
      seen.push(
        clientid,
        will?.properties,
        will?.topic,
        Buffer.from(will!.payload).toString(),
        username,
        Buffer.from(password!).toString(),
      );
    });
    const { client } = broker.dial('id');
    client.sendRaw(
      connect(
        0xc6,
        ...text('id'),
        ...[5, 0x18, 0, 0, 0, 9],
        ...text('topic'),
        ...text('payload'),
        ...text('user'),
        ...text('secret'),
      ),
    );
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    expect(seen).toEqual(['id', { willDelayInterval: 9 }, 'topic', 'payload', 'user', 'secret']);
  });

  test.each([
    ['a missing client identifier [MQTT-3.1.3-3]', connect(0x02)],
    ['a client identifier that is not UTF-8 [MQTT-3.1.3-4]', connect(0x02, ...ill)],
    [
      'a will topic that is not UTF-8 [MQTT-3.1.3-11]',
      connect(0x06, ...text('a'), 0, ...ill, ...text('payload')),
    ],
    ['a user name that is not UTF-8 [MQTT-3.1.3-12]', connect(0x82, ...text('a'), ...ill)],
    ['a will flag without a will [MQTT-3.1.2-9]', connect(0x06, ...text('a'))],
    ['a will without its payload [MQTT-3.1.2-9]', connect(0x06, ...text('a'), 0, ...text('topic'))],
    ['a user name without its flag [MQTT-3.1.2-16]', connect(0x02, ...text('a'), ...text('user'))],
    ['a user name flag without a user name [MQTT-3.1.2-17]', connect(0x82, ...text('a'))],
    [
      'a password without its flag [MQTT-3.1.2-18]',
      connect(0x82, ...text('a'), ...text('user'), ...text('secret')),
    ],
    ['a password flag without a password [MQTT-3.1.2-19]', connect(0xc2, ...text('a'), ...text('user'))],
  ])('%s ends the connection [MQTT-3.1.4-1]', async (_what, bytes) => {
    const broker = startTestCore();
    const { client } = broker.dial('a');
    client.sendRaw(bytes);
    await client.expectEnd();
    expect(client.packets).toEqual([]);
    expect(broker.core.registry.size).toBe(0);
  });

  test.each([
    ['the name in small letters [MQTT-3.1.2-1]', 'mqtt', 5],
    ['the name of 3.1 with the version of 5.0 [MQTT-3.1.2-1]', 'MQIsdp', 5],
    ['version 6 [MQTT-3.1.2-2]', 'MQTT', 6],
    ['version 0 [MQTT-3.1.2-2]', 'MQTT', 0],
  ])('%s is refused and the connection ends', async (_what, name, version) => {
    const broker = startTestCore();
    const { client } = broker.dial('a', { version: version > 5 ? 5 : 4 });
    const body = [...text(name), version, 2, 0, 0, 0, ...text('a')];
    client.sendRaw([0x10, body.length, ...body]);
    const { reasonCode } = await client.expect(PacketType.CONNACK);
    expect(reasonCode).toBe(version > 5 ? ReasonCode.UnsupportedProtocolVersion : 1);
    await client.expectEnd();
    expect(broker.core.registry.size).toBe(0);
  });
});

describe('client identifiers', () => {
  test('of 1 to 23 digits and letters are accepted [MQTT-3.1.3-5]', async () => {
    const broker = startTestCore({ settings: { strictMode: true } });
    const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
    const ids = Array.from({ length: 23 }, (_, i) => alphabet.slice(i, 2 * i + 1));
    expect(new Set(ids.join('')).size).toBeGreaterThan(40);
    for (const id of [...ids, alphabet.slice(-23)])
      for (const version of [3, 4, 5] as const)
        expect((await broker.dial(id, { version }).client.connect()).reasonCode).toBe(0);
  });

  test('given by the broker are as good as own ones, and no two alike [MQTT-3.1.3-6] [MQTT-3.1.3-7] [MQTT-3.2.2-16]', async () => {
    const broker = startTestCore();
    const ids = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const client = await broker.client('', kept);
      const id = client.connack!.properties.assignedClientIdentifier!;
      ids.add(id);
      await client.subscribe('t', { qos: 1 });
      client.close();
      await broker.core.publish({ topic: 't', payload: id, qos: 1 });
      const back = await broker.client(id, kept);
      expect(back.connack).toMatchObject({ sessionPresent: true });
      expect(back.connack?.properties.assignedClientIdentifier).toBeUndefined();
      await back.expectMessage(id);
      await back.unsubscribe('t');
    }
    expect(ids.size).toBe(20);
  });

  test('that are refused are answered with 0x85 [MQTT-3.1.3-8]', async () => {
    const broker = startTestCore({ settings: { maxClientidLength: 5 } });
    const { client } = broker.dial('abcdef');
    expect((await client.connect()).reasonCode).toBe(ReasonCode.ClientIdentifierNotValid);
    await client.expectEnd();
    expect((await broker.dial('abcde').client.connect()).reasonCode).toBe(0);
  });
});

describe('the answer', () => {
  test('to an accepted CONNECT is CONNACK 0x00 [MQTT-3.1.4-5]', async () => {
    const broker = startTestCore();
    const { client } = broker.dial('a');
    client.sendConnect();
    await client.expect(PacketType.CONNACK);
    expect([...client.bytes[0]!.subarray(0, 1), ...client.bytes[0]!.subarray(2, 4)]).toEqual([0x20, 0, 0]);
  });

  test('to a CONNECT that a check refuses is the end of the connection [MQTT-3.1.4-2]', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('client.connect', ({ clientid }) => {
      if (clientid === 'bad') throw new MqttError(ReasonCode.Banned);
    });
    broker.core.hooks.on('client.authenticate', async ({ clientid }) =>
      clientid === 'unknown'
        ? { allow: false, reasonCode: ReasonCode.BadUserNameOrPassword }
        : { allow: true },
    );
    for (const id of ['bad', 'unknown']) {
      const { client } = broker.dial(id);
      expect((await client.connect()).reasonCode).toBeGreaterThanOrEqual(0x80);
      await client.expectEnd();
    }
    expect((await broker.dial('good').client.connect()).reasonCode).toBe(0);
  });

  test('of a refusal leaves everything behind it unread [MQTT-3.1.4-6]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('#');
    broker.core.hooks.on('client.authenticate', async () => ({
      allow: false,
      reasonCode: ReasonCode.NotAuthorized,
    }));
    const { client } = broker.dial('a', { will: { topic: 'wills/a' } });
    client.sendConnect();
    client.sendPublish('t', 'x');
    client.sendRaw([0x82, 7, 0, 1, 0, ...text('t'), 0]);
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.NotAuthorized);
    await client.expectEnd();
    expect(client.packets).toEqual([]);
    await watcher.expectNothing();
    expect(broker.core.routes.subscriptionCount).toBe(1);
  });

  test('has Response Information only for who asked [MQTT-3.1.2-28]', async () => {
    const broker = startTestCore({ settings: { responseInformation: 'answers/' } });
    const told = async (properties: object) =>
      (await broker.client('a', { properties })).connack?.properties.responseInformation;
    expect(await told({ requestResponseInformation: true })).toBe('answers/');
    expect(await told({ requestResponseInformation: false })).toBeUndefined();
    expect(await told({})).toBeUndefined();
  });
});

test('who wants no problem information gets no reasons in words [MQTT-3.1.2-29]', async () => {
  const broker = startTestCore();
  broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
  const words = new Map<boolean, number[]>();
  for (const requestProblemInformation of [true, false]) {
    const client = await broker.client('a', {
      acknowledge: false,
      properties: { requestProblemInformation },
    });
    const worded: number[] = [];
    const note = (packet: {
      type: number;
      properties: { reasonString?: string; userProperty?: unknown };
    }) => {
      const { reasonString, userProperty } = packet.properties;
      if (reasonString !== undefined || userProperty !== undefined) worded.push(packet.type);
    };
    for (const qos of [1, 2] as const) client.sendPublish('secret', 'x', { qos });
    note(await client.expect(PacketType.PUBACK));
    note(await client.expect(PacketType.PUBREC));
    client.send({ type: PacketType.PUBREL, packetId: 999, reasonCode: 0, properties: {} });
    note(await client.expect(PacketType.PUBCOMP));
    client.send({ type: PacketType.PUBREC, packetId: 999, reasonCode: 0, properties: {} });
    note(await client.expect(PacketType.PUBREL));
    client.sendRaw([0x82, 12, 0, 7, 0, ...text('secret'), 0]);
    note(await client.expect(PacketType.SUBACK));
    client.sendRaw([0xa2, 11, 0, 8, 0, ...text('secret')]);
    note(await client.expect(PacketType.UNSUBACK));
    if (!requestProblemInformation) expect(worded).toEqual([]);
    client.sendRaw([0x36, 6, ...text('t'), 0, 1, 0]);
    note(await client.expect(PacketType.DISCONNECT));
    words.set(requestProblemInformation, worded);
  }
  expect(words.get(true)).toContain(PacketType.DISCONNECT);
});

test("no packet is larger than the client's Maximum Packet Size [MQTT-3.1.2-24] [MQTT-3.1.2-25]", async () => {
  const broker = startTestCore();
  const maximumPacketSize = 40;
  const client = await broker.client('a', { properties: { maximumPacketSize } });
  await client.subscribe('t/+', { qos: 1, subscriptionIdentifier: 5 });
  const payloads = [1, 10, 20, 24, 25, 26, 27, 28, 29, 30, 40, 400].map((size) => 'x'.repeat(size));
  for (const payload of payloads) {
    await broker.core.publish({ topic: 't/0', payload });
    await broker.core.publish({ topic: 't/1', payload, qos: 1 });
  }
  await client.ping();
  const sizes = client.packets.flatMap((packet) =>
    packet.type === PacketType.PUBLISH ? [packet.payload.length] : [],
  );
  // 2 bytes of header, 5 of topic, 3 of properties, for QoS 1 another 2
  expect(Math.max(...sizes)).toBe(30);
  expect(sizes.filter((size) => size === 28).length).toBe(2);
  expect(sizes.filter((size) => size === 29).length).toBe(1);
  expect(broker.core.registry.find('a')?.facts().inflight_cnt).toBe(0);
  // A SUBACK cannot be shortened, so there is no serving this client
  client.subscribe(Array.from({ length: 40 }, (_, i) => `${i}`)).catch(() => undefined);
  await client.expectEnd();
  const framer = new Framer(maximumPacketSize);
  expect(() => framer.push(Buffer.concat(client.bytes), () => undefined)).not.toThrow();
});

test('no topic alias is above what the client takes, and who takes none gets none [MQTT-3.1.2-26] [MQTT-3.1.2-27] [MQTT-3.3.2-11]', async () => {
  const broker = startTestCore();
  for (const topicAliasMaximum of [undefined, 0, 1, 3]) {
    const properties = topicAliasMaximum === undefined ? {} : { topicAliasMaximum };
    const client = await broker.client('a', { properties });
    await client.subscribe('t/#');
    for (let i = 0; i < 30; i++) await broker.core.publish({ topic: `t/${i % 6}`, payload: `${i}` });
    const topics = new Map<number, string>();
    for (let i = 0; i < 30; i++) {
      const { topic, properties } = await client.expectMessage(`${i}`);
      const alias = properties.topicAlias ?? 0;
      expect(alias).toBeLessThanOrEqual(topicAliasMaximum ?? 0);
      if (topic !== '') topics.set(alias, topic);
      expect(topic || topics.get(alias)).toBe(`t/${i % 6}`);
    }
    await client.disconnect();
  }
});
