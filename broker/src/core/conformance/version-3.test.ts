import { type AckPacket, PacketType } from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';

type Ack = AckPacket['type'];
const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];
const packet = (header: number, ...body: number[]) => [header, body.length, ...body];
const four = { version: 4 } as const;
const kept = { version: 4, cleanStart: false } as const;

describe('sessions of 3.1.1', () => {
  test('go on without Clean Session, with their subscriptions and QoS 1 and 2 messages [MQTT311-3.1.2-4] [MQTT311-3.1.2-5]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', kept);
    expect(first.connack?.sessionPresent).toBe(false);
    await first.subscribe('t', { qos: 2 });
    await first.disconnect();
    for (const qos of [1, 2] as const) await broker.core.publish({ topic: 't', payload: `${qos}`, qos });
    const back = await broker.client('a', kept);
    expect(back.connack?.sessionPresent).toBe(true);
    expect(await back.expectMessages(2)).toEqual(['1', '2']);
    await back.publish('t', 'still subscribed');
    await back.expectMessage('still subscribed');
  });

  test('are new with Clean Session, and end with their connection [MQTT311-3.1.2-6]', async () => {
    const broker = startTestCore();
    await (await broker.client('a', kept)).subscribe('old', { qos: 1 });
    const clean = await broker.client('a', four);
    expect(clean.connack?.sessionPresent).toBe(false);
    await clean.subscribe('new', { qos: 1 });
    clean.close();
    expect(broker.core.registry.size).toBe(0);
    const after = await broker.client('a', kept);
    expect(after.connack?.sessionPresent).toBe(false);
    for (const topic of ['old', 'new']) await after.publish(topic, 'x', { qos: 1 });
    await after.expectNothing();
  });

  test('leave retained messages behind [MQTT311-3.1.2-7]', async () => {
    const broker = await startTestBroker();
    const sensor = await broker.client('sensor', four);
    await sensor.publish('t', 'kept', { qos: 1, retain: true });
    await sensor.disconnect();
    const screen = await broker.client('screen', four);
    await screen.subscribe('t');
    await screen.expectMessage('kept');
    await broker.close();
  });
});

describe('CONNECT of 3.1.1', () => {
  test.each([2, 3, 5, 6, 0x7f])(
    'with the protocol level %i and the form of 3.1.1 is answered or let go, never taken for 3.1.1 [MQTT311-3.1.2-2]',
    async (level) => {
      const broker = startTestCore();
      const { client } = broker.dial('a', level > 5 ? {} : four);
      client.sendRaw(packet(0x10, ...text('MQTT'), level, 2, 0, 0, ...text('a')));
      if (level !== 5) {
        const { reasonCode } = await client.expect(PacketType.CONNACK);
        // A level of the future is told in the language of 5.0
        expect(reasonCode).toBe(level < 5 ? 1 : ReasonCode.UnsupportedProtocolVersion);
      }
      await client.expectEnd();
      expect(broker.core.registry.size).toBe(0);
    },
  );

  test('with an identifier that is refused is told 0x02 [MQTT311-3.1.3-9]', async () => {
    const broker = startTestCore({ settings: { maxClientidLength: 5 } });
    const { client } = broker.dial('abcdef', four);
    expect((await client.connect()).reasonCode).toBe(2);
    await client.expectEnd();
  });

  test.each([
    ['without an identifier', [...text('MQTT'), 4, 2, 0, 0]],
    ['with a will QoS of 3', [...text('MQTT'), 4, 0x1e, 0, 0, ...text('a'), ...text('w'), ...text('x')]],
    ['with the reserved flag', [...text('MQTT'), 4, 3, 0, 0, ...text('a')]],
    ['with a password and no user name', [...text('MQTT'), 4, 0x42, 0, 0, ...text('a'), ...text('p')]],
    ['with something behind its end', [...text('MQTT'), 4, 2, 0, 0, ...text('a'), 0]],
  ])('%s is let go without a CONNACK [MQTT311-3.1.4-1]', async (_what, body) => {
    const broker = startTestCore();
    const { client } = broker.dial('a', four);
    client.sendRaw(packet(0x10, ...body));
    await client.expectEnd();
    expect(client.bytes).toEqual([]);
  });

  test('of a client already there ends the older connection without a word [MQTT311-3.1.4-2]', async () => {
    const broker = startTestCore();
    for (const version of [3, 4] as const) {
      const first = await broker.client('a', { version });
      const before = first.bytes.length;
      const second = await broker.client('a', { version });
      await first.expectEnd();
      expect(first.bytes.length).toBe(before);
      await second.disconnect();
    }
  });

  test('is answered before anything else is sent [MQTT311-3.2.0-1]', async () => {
    const broker = startTestCore();
    await (await broker.client('a', kept)).subscribe('t', { qos: 1 });
    broker.core.registry.find('a')?.close(ReasonCode.AdministrativeAction);
    await broker.core.publish({ topic: 't', payload: 'waited', qos: 1 });
    const { client } = broker.dial('a', kept);
    client.sendConnect();
    client.send({ type: PacketType.PINGREQ });
    await client.expectMessage('waited');
    expect(client.packets[0]?.type).toBe(PacketType.CONNACK);
  });
});

test('a silent client of 3.x is let go without a word [MQTT311-3.1.2-24]', async () => {
  const broker = startTestCore();
  for (const version of [3, 4] as const) {
    const client = await broker.client('a', { version, keepalive: 10 });
    broker.pass(14_500);
    await client.ping();
    const before = client.bytes.length;
    broker.pass(14_500);
    expect(client.ended).toBe(false);
    broker.pass(1_000);
    await client.expectEnd();
    expect(client.bytes.length).toBe(before);
  }
});

describe('retained messages of 3.1.1', () => {
  test('come with RETAIN to a new subscription and without it later, and again to the same subscription [MQTT311-3.3.1-8] [MQTT311-3.3.1-9] [MQTT311-3.8.4-3]', async () => {
    const broker = await startTestBroker();
    const sensor = await broker.client('sensor', four);
    const screen = await broker.client('screen', four);
    await sensor.publish('t', 'first', { qos: 1, retain: true });
    for (let i = 0; i < 2; i++) {
      await screen.subscribe('t', { qos: 1 });
      expect((await screen.expectMessage('first')).retain).toBe(true);
    }
    await sensor.publish('t', 'second', { qos: 1, retain: true });
    expect((await screen.expectMessage('second')).retain).toBe(false);
    await screen.expectNothing();
    await broker.close();
  });

  test('are replaced by one of QoS 0 too [MQTT311-3.3.1-7]', async () => {
    const broker = await startTestBroker();
    const sensor = await broker.client('sensor', four);
    await sensor.publish('t', 'sure', { qos: 2, retain: true });
    await sensor.publish('t', 'maybe', { retain: true });
    await sensor.ping();
    const screen = await broker.client('screen', four);
    await screen.subscribe('t', { qos: 2 });
    expect((await screen.expectMessage('maybe')).qos).toBe(0);
    await screen.expectNothing();
    await broker.close();
  });
});

test('who may not publish gets the normal answer, or is let go where that is set [MQTT311-3.3.5-2]', async () => {
  const broker = startTestCore();
  broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
  const screen = await broker.client('screen');
  await screen.subscribe('#', { qos: 2 });
  const client = await broker.client('a', four);
  client.sendPublish('secret', 'x', { qos: 1, packetId: 5 });
  await client.expect<Ack>(PacketType.PUBACK);
  expect([...client.bytes.at(-1)!]).toEqual([0x40, 2, 0, 5]);
  client.sendPublish('secret', 'x', { qos: 2, packetId: 6 });
  await client.expect<Ack>(PacketType.PUBREC);
  client.send({ type: PacketType.PUBREL, packetId: 6, reasonCode: 0, properties: {} });
  await client.expectAck(PacketType.PUBCOMP, 6);
  await screen.expectNothing();
  broker.core.settings.authorizationDenyAction = 'disconnect';
  client.sendPublish('secret', 'x', { qos: 1 });
  await client.expectEnd();
  expect(client.packets).toEqual([]);
  await screen.expectNothing();
});

describe('SUBSCRIBE of 3.1.1', () => {
  test('to wildcards is refused where there are none [MQTT311-3.8.3-2]', async () => {
    const broker = startTestCore({ settings: { wildcardSubscription: false } });
    const client = await broker.client('a', four);
    expect(await client.subscribe(['a/+', 'a/b', '#'])).toEqual([0x80, 0, 0x80]);
    await client.publish('a/c', 'x');
    await client.expectNothing();
  });

  test.each([0x03, 0x04, 0x40, 0x81])(
    'with %i as requested QoS ends the connection [MQTT311-3.8.3-4]',
    async (qos) => {
      const broker = startTestCore();
      const client = await broker.client('a', four);
      client.sendRaw(packet(0x82, 0, 1, ...text('t'), qos));
      await client.expectEnd();
      expect(client.packets).toEqual([]);
    },
  );

  test('is told 0, 1, 2 or 0x80 and nothing else [MQTT311-3.9.3-2]', async () => {
    const broker = startTestCore({
      settings: { maxTopicLevels: 2, sharedSubscription: false, maxSubscriptions: 3 },
    });
    broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
    const client = await broker.client('a', four);
    const told = [];
    for (const qos of [0, 1, 2] as const) told.push(...(await client.subscribe(`${qos}`, { qos })));
    told.push(...(await client.subscribe(['secret', 'a/b/c', '$share/g/a', 'one more'])));
    expect(told).toEqual([0, 1, 2, 0x80, 0x80, 0x80, 0x80]);
  });
});

test('every DISCONNECT of 3.x makes the broker forget the will [MQTT311-3.14.4-3]', async () => {
  const broker = startTestCore();
  const watcher = await broker.client('watcher');
  await watcher.subscribe('wills/#');
  for (const version of [3, 4] as const) {
    await (await broker.client('a', { version, will: { topic: 'wills/a' } })).disconnect();
    await watcher.expectNothing();
    (await broker.client('a', { version, will: { topic: 'wills/a' } })).close();
    await watcher.expectMessage('gone');
  }
});

test.each([
  ['a second CONNECT', packet(0x10, ...text('MQTT'), 4, 2, 0, 0, ...text('a'))],
  ['a packet of the server', [0xd0, 0]],
  ['AUTH', [0xf0, 0]],
  ['a malformed length', [0x30, 0x80, 0x80, 0x80, 0x80, 1]],
  ['QoS 3', packet(0x36, ...text('t'), 0, 1)],
  ['a wildcard in a topic', packet(0x30, ...text('#'))],
  ['PUBLISH with DUP and QoS 0', packet(0x38, ...text('t'))],
])('a client of 3.1.1 that sends %s is let go without a word [MQTT311-4.8.0-1]', async (_what, bytes) => {
  const broker = startTestCore();
  const watcher = await broker.client('watcher');
  await watcher.subscribe(['wills/#', 't']);
  const client = await broker.client('a', { ...four, will: { topic: 'wills/a' } });
  const before = client.bytes.length;
  client.sendRaw(bytes);
  await client.expectEnd();
  expect(client.bytes.length).toBe(before);
  expect((await watcher.expectMessage('gone')).topic).toBe('wills/a');
  await watcher.expectNothing();
});

test('a refusal, whatever its reason, is one of the five return codes before 5.0', async () => {
  for (const reasonCode of [ReasonCode.QoSNotSupported, ReasonCode.ServerMoved, ReasonCode.Banned]) {
    const broker = startTestCore();
    broker.core.hooks.on('client.connect', () => {
      throw new MqttError(reasonCode);
    });
    const { client } = broker.dial('a', four);
    expect([1, 2, 3, 4, 5]).toContain((await client.connect()).reasonCode);
    await client.expectEnd();
  }
});

describe('a client of 3.1', () => {
  const connect = (flags: number, ...payload: number[]) =>
    packet(0x10, ...text('MQIsdp'), 3, flags, 0, 0, ...payload);

  test('calls its protocol MQIsdp, and gets a CONNACK without session present [MQTT31-3.1a] [MQTT31-3.2]', async () => {
    const broker = startTestCore();
    for (let i = 0; i < 2; i++) {
      const { client, connection } = broker.dial('a', { version: 3 });
      client.sendRaw(connect(0, ...text('a')));
      await client.expect(PacketType.CONNACK);
      expect([...client.bytes[0]!]).toEqual([0x20, 2, 0, 0]); // the second time, too
      connection.break();
    }
    expect(broker.core.counters.get('session.resumed')).toBe(1);
    const { client } = broker.dial('a', { version: 3 });
    client.sendRaw(packet(0x10, ...text('MQIsdp'), 4, 2, 0, 0, ...text('a')));
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(1);
    await client.expectEnd();
  });

  test('has an identifier of 1 to 23 characters, more only where the broker is not strict [MQTT31-3.1b]', async () => {
    const broker = startTestCore();
    const codeOf = async (id: string, cleanStart = true) =>
      (await broker.dial(id, { version: 3, cleanStart }).client.connect()).reasonCode;
    expect([await codeOf(''), await codeOf('', false)]).toEqual([2, 2]);
    expect([await codeOf('a'), await codeOf('a'.repeat(23)), await codeOf('a'.repeat(24))]).toEqual([
      0, 0, 0,
    ]);
    broker.core.settings.strictMode = true;
    expect([await codeOf('a'.repeat(23)), await codeOf('a'.repeat(24))]).toEqual([0, 2]);
  });

  test('may promise a user name and a password and send none [MQTT31-3.1c]', async () => {
    const broker = startTestCore();
    const seen: unknown[] = [];
    broker.core.hooks.on('client.connect', (_who, { username, password }) => {
      seen.push([username, password && Buffer.from(password).toString()]);
    });
    for (const payload of [[], text('user'), [...text('user'), ...text('secret')]]) {
      const { client } = broker.dial('a', { version: 3 });
      client.sendRaw(connect(0xc2, ...text('a'), ...payload));
      expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    }
    expect(seen).toEqual([
      [null, null],
      ['user', null],
      ['user', 'secret'],
    ]);
  });

  test('may mark SUBSCRIBE, UNSUBSCRIBE and PUBREL with DUP, and sets bits that mean nothing [MQTT31-2.1]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', { version: 3 });
    client.sendRaw(packet(0x8a, 0, 1, ...text('t'), 0xfe)); // QoS 2 and all the bits beside it
    expect((await client.expect(PacketType.SUBACK)).reasonCodes).toEqual([2]);
    client.sendPublish('t', 'x', { qos: 2, packetId: 2 });
    await client.expectAck(PacketType.PUBREC, 2);
    client.sendRaw([0x6b, 2, 0, 2]);
    await client.expectAck(PacketType.PUBCOMP, 2);
    await client.expectMessage('x');
    client.sendRaw(packet(0xab, 0, 3, ...text('t')));
    await client.expect(PacketType.UNSUBACK);
    client.sendRaw(packet(0x38, ...text('t'), 1)); // QoS 0 with DUP
    client.sendRaw([0xcf, 0]);
    await client.expect(PacketType.PINGRESP);
    client.sendRaw(packet(0x80, 0, 4, ...text('t'), 0)); // but QoS 0 in the header of SUBSCRIBE is wrong
    await client.expectEnd();
  });
});
