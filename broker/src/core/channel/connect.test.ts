import { PacketType } from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

describe('CONNECT', () => {
  test('a 5.0 client without an id gets one [MQTT-3.1.3-6] [MQTT-3.2.2-16]', async () => {
    const broker = startTestCore();
    const client = await broker.client('');
    const assigned = client.connack?.properties.assignedClientIdentifier ?? '';
    expect(assigned).not.toBe('');
    expect(broker.core.registry.find(assigned)?.connected).toBe(true);
  });

  test('a 3.1.1 client without an id must start clean [MQTT311-3.1.3-8]', async () => {
    const broker = startTestCore();
    const { client } = broker.dial('', { version: 4, cleanStart: false });
    expect((await client.connect()).reasonCode).toBe(2);
    await client.expectEnd();
    expect((await broker.dial('', { version: 4 }).client.connect()).reasonCode).toBe(0);
    expect((await broker.dial('', { version: 3 }).client.connect()).reasonCode).toBe(2);
  });

  test('CONNACK says what the broker can do', async () => {
    const broker = startTestCore({
      settings: {
        maxQosAllowed: 1,
        retainAvailable: false,
        wildcardSubscription: false,
        sharedSubscription: false,
        serverKeepaliveS: 30,
        maxTopicAlias: 7,
        maxAwaitingRel: 9,
        responseInformation: 'answers/',
      },
    });
    const client = await broker.client('a', { properties: { requestResponseInformation: true } });
    expect(client.connack?.properties).toEqual({
      maximumQoS: 1,
      retainAvailable: false,
      wildcardSubscriptionAvailable: false,
      sharedSubscriptionAvailable: false,
      subscriptionIdentifierAvailable: true,
      serverKeepAlive: 30,
      topicAliasMaximum: 7,
      receiveMaximum: 9,
      maximumPacketSize: 1024 * 1024,
      responseInformation: 'answers/',
    });
    expect(broker.core.registry.find('a')?.keepalive).toBe(30);
  });

  test('the session of a reconnecting client is present, that of a clean start is not [MQTT-3.1.2-4] [MQTT-3.2.2-2]', async () => {
    const broker = startTestCore();
    const keep = { properties: { sessionExpiryInterval: 60 }, cleanStart: false };
    const first = await broker.client('a', keep);
    expect(first.connack?.sessionPresent).toBe(false);
    await first.disconnect();
    expect((await broker.client('a', keep)).connack?.sessionPresent).toBe(true);
    expect((await broker.client('a', { ...keep, cleanStart: true })).connack?.sessionPresent).toBe(false);
    expect(broker.core.counters.get('session.discarded')).toBe(1);
    expect(broker.core.counters.get('session.resumed')).toBe(1);
  });

  test('a second connection with the same id takes over: the first is told 0x8E [MQTT-3.1.4-3]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', { properties: { sessionExpiryInterval: 60 } });
    await first.subscribe('t');
    const second = await broker.client('a', { cleanStart: false, properties: { sessionExpiryInterval: 60 } });
    await first.expectDisconnect(ReasonCode.SessionTakenOver);
    expect(second.connack?.sessionPresent).toBe(true);
    await second.publish('t', 'mine');
    await second.expectMessage('mine');
    expect(broker.core.registry.size).toBe(1);
    expect(broker.core.registry.connectedCount).toBe(1);
    expect(broker.core.counters.get('session.takenover')).toBe(1);
  });

  test('a session that ends with its connection ends with a takeover too [MQTT-4.1.0-2]', async () => {
    const broker = startTestCore();
    await (await broker.client('a')).subscribe('t');
    const second = await broker.client('a', { cleanStart: false });
    expect(second.connack?.sessionPresent).toBe(false);
    expect(broker.core.routes.subscriptionCount).toBe(0);
  });

  test('a connection that says nothing is closed after the idle timeout', async () => {
    const broker = startTestCore();
    const { client } = broker.dial('a');
    broker.pass(14_900);
    expect(client.ended).toBe(false);
    broker.pass(100);
    expect(client.ended).toBe(true);
  });

  test('half a CONNECT does not stop the idle timeout', async () => {
    const broker = startTestCore();
    const { client } = broker.dial('a');
    client.sendRaw([0x10, 0x20, 0x00, 0x04]);
    broker.pass(15_100);
    expect(client.ended).toBe(true);
  });

  test('a silent client is given one and a half times its keep alive [MQTT-3.1.2-22]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', { keepalive: 10 });
    broker.pass(14_000);
    await client.ping();
    broker.pass(14_000);
    expect(client.ended).toBe(false);
    broker.pass(1_500);
    await client.expectDisconnect(ReasonCode.KeepAliveTimeout);
  });

  test('an operator can change the keep alive of a connected client', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', { keepalive: 10 });
    broker.core.registry.find('a')?.setKeepalive(0);
    broker.pass(100_000);
    expect(client.ended).toBe(false);
    broker.core.registry.find('a')?.setKeepalive(2);
    broker.pass(3_000);
    await client.expectDisconnect(ReasonCode.KeepAliveTimeout);
  });

  test('an unknown version is refused in words it understands [MQTT-3.1.2-2]', async () => {
    const broker = startTestCore();
    const old = broker.dial('a', { version: 4 }).client;
    old.sendRaw([0x10, 0x0d, 0, 4, 0x4d, 0x51, 0x54, 0x54, 2, 2, 0, 0, 0, 1, 0x61]);
    expect((await old.expect(PacketType.CONNACK)).reasonCode).toBe(1);
    await old.expectEnd();
    const future = broker.dial('a').client;
    future.sendRaw([0x10, 0x0e, 0, 4, 0x4d, 0x51, 0x54, 0x54, 6, 2, 0, 0, 0, 0, 1, 0x61]);
    expect((await future.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.UnsupportedProtocolVersion);
  });

  test('packets sent behind CONNECT wait for a slow authentication and keep their order', async () => {
    const broker = startTestCore();
    let decide: (result: { allow: true }) => void = () => undefined;
    broker.core.hooks.on('client.authenticate', () => new Promise((resolve) => (decide = resolve)));
    const { client, connection } = broker.dial('a');
    client.sendConnect();
    const subscribed = client.subscribe('t');
    client.sendPublish('t', 'one');
    client.sendPublish('t', 'two');
    await Promise.resolve();
    expect(connection.isPaused).toBe(true);
    decide({ allow: true });
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    await subscribed;
    expect(await client.expectMessages(2)).toEqual(['one', 'two']);
    expect(connection.isPaused).toBe(false);
  });

  test.each([
    [ReasonCode.BadUserNameOrPassword, 4],
    [ReasonCode.NotAuthorized, 5],
    [ReasonCode.ServerBusy, 3],
  ])(
    'a refusal with %i is answered and the connection ends [MQTT-3.2.2-7]',
    async (reasonCode, returnCode) => {
      const broker = startTestCore();
      broker.core.hooks.on('client.authenticate', () => ({ allow: false, reasonCode }));
      const five = broker.dial('a').client;
      expect((await five.connect()).reasonCode).toBe(reasonCode);
      await five.expectEnd();
      const four = broker.dial('a', { version: 4 }).client;
      expect((await four.connect()).reasonCode).toBe(returnCode);
      await four.expectEnd();
      expect(broker.core.registry.size).toBe(0);
      expect(broker.core.counters.get('authentication.failure')).toBe(2);
    },
  );

  test('a hook may refuse a CONNECT; one that crashes refuses it too', async () => {
    const broker = startTestCore();
    const off = broker.core.hooks.on('client.connect', () => {
      throw new MqttError(ReasonCode.Banned);
    });
    expect((await broker.dial('a').client.connect()).reasonCode).toBe(ReasonCode.Banned);
    off();
    broker.core.hooks.on('client.authenticate', async () => {
      throw new Error('the database is down');
    });
    expect((await broker.dial('a').client.connect()).reasonCode).toBe(ReasonCode.NotAuthorized);
  });

  test('why a client was refused is told to the operator; the client hears what concerns it', async () => {
    const broker = startTestCore({ settings: { maxClientidLength: 30 } });
    const told: unknown[] = [];
    broker.core.hooks.on('client.connack', ({ clientid, address }, code, why) =>
      told.push([clientid, code, why, address !== '']),
    );
    broker.core.hooks.on('client.authenticate', ({ clientid }) =>
      clientid === 'thief'
        ? { allow: false, reasonCode: ReasonCode.BadUserNameOrPassword, why: 'the hash is another one' }
        : undefined,
    );
    broker.core.hooks.on('client.connect', ({ clientid }) => {
      if (clientid === 'late') throw new MqttError(ReasonCode.ServerBusy, 'come back tomorrow');
    });
    const thief = await broker.dial('thief').client.connect();
    expect([thief.reasonCode, thief.properties.reasonString]).toEqual([
      ReasonCode.BadUserNameOrPassword,
      undefined,
    ]);
    const late = await broker.dial('late').client.connect();
    expect(late.properties.reasonString).toBe('come back tomorrow');
    await broker.dial('x'.repeat(31)).client.connect();
    await broker.client('fine');
    expect(told).toEqual([
      ['thief', ReasonCode.BadUserNameOrPassword, 'the hash is another one', true],
      ['late', ReasonCode.ServerBusy, 'come back tomorrow', true],
      ['', ReasonCode.ClientIdentifierNotValid, null, true],
      ['fine', ReasonCode.Success, null, true],
    ]);
  });

  test('the username can serve as client id', async () => {
    const broker = startTestCore({ settings: { useUsernameAsClientid: true } });
    await broker.client('ignored', { username: 'ada' });
    expect([...broker.core.registry].map(({ clientid }) => clientid)).toEqual(['ada']);
  });

  test('a will that the broker cannot publish is refused [MQTT-3.2.2-12] [MQTT-3.2.2-13]', async () => {
    const broker = startTestCore({ settings: { maxQosAllowed: 1, retainAvailable: false } });
    const high = broker.dial('a', { will: { topic: 't', qos: 2 } }).client;
    expect((await high.connect()).reasonCode).toBe(ReasonCode.QoSNotSupported);
    const retained = broker.dial('b', { will: { topic: 't', retain: true } }).client;
    expect((await retained.connect()).reasonCode).toBe(ReasonCode.RetainNotSupported);
  });

  test('an authentication method nobody knows is refused [MQTT-4.12.0-1]', async () => {
    const broker = startTestCore();
    const { client } = broker.dial('a', { properties: { authenticationMethod: 'SCRAM' } });
    expect((await client.connect()).reasonCode).toBe(ReasonCode.BadAuthenticationMethod);
  });
});

describe('a client with a small Maximum Packet Size', () => {
  const small = (maximumPacketSize: number) => ({ properties: { maximumPacketSize } });

  test.each([20, 16, 13])(
    'of %i bytes gets a CONNACK that fits [MQTT-3.1.2-24] [MQTT-3.2.2-15]',
    async (bytes) => {
      const broker = startTestCore({ settings: { responseInformation: 'of no use' } });
      const { properties } = small(bytes);
      const client = await broker.client('a', {
        properties: { ...properties, requestResponseInformation: true },
      });
      expect(client.bytes[0]!.length).toBeLessThanOrEqual(bytes);
      expect(client.connack?.properties).toMatchObject({
        receiveMaximum: 100,
        maximumPacketSize: 1024 * 1024,
      });
      await client.subscribe('t');
      await client.publish('t', 'x');
      await client.expectMessage('x');
    },
  );

  test('hears what is not the default, and nothing that is', async () => {
    const broker = startTestCore({ settings: { retainAvailable: false, maxQosAllowed: 1 } });
    const client = await broker.client('a', small(20));
    expect(client.connack?.properties).toEqual({
      receiveMaximum: 100,
      topicAliasMaximum: 65_535,
      maximumQoS: 1,
      retainAvailable: false,
      maximumPacketSize: 1024 * 1024,
    });
  });

  test('hears no reasons in words that make a packet too large [MQTT-3.2.2-19] [MQTT-3.4.2-2] [MQTT-3.14.2-3]', async () => {
    const broker = startTestCore();
    const reason = 'a reason that takes more than twenty bytes';
    broker.core.hooks.on('message.publish', ({ topic }) =>
      topic === 'refused' ? { reasonCode: ReasonCode.QuotaExceeded, reason } : undefined,
    );
    broker.core.hooks.on('client.connect', ({ clientid }) => {
      if (clientid === 'refused') throw new MqttError(ReasonCode.NotAuthorized, reason);
    });
    const { client: refused } = broker.dial('refused', small(20));
    expect(await refused.connect()).toMatchObject({ reasonCode: ReasonCode.NotAuthorized, properties: {} });

    const client = await broker.client('a', small(20));
    expect(await client.publish('refused', 'x', { qos: 1 })).toBe(ReasonCode.QuotaExceeded);
    expect(await client.publish('refused', 'x', { qos: 2 })).toBe(ReasonCode.QuotaExceeded);
    expect(await client.subscribe(['a', 'b', 'c'])).toEqual([0, 0, 0]);
    client.sendRaw([0x30, 0xff, 0xff, 0xff, 0x7f]); // too large; the answer says how large it was
    expect((await client.expectDisconnect(ReasonCode.PacketTooLarge)).properties).toEqual({});
    expect(client.bytes.every(({ length }) => length <= 20)).toBe(true);
  });
});

test('a client that accepts no packet at all is let go, and nobody else', async () => {
  const broker = startTestCore();
  const neighbour = await broker.client('neighbour');
  for (const maximumPacketSize of [1, 2, 5, 12]) {
    const { client } = broker.dial('tiny', { properties: { maximumPacketSize } });
    client.sendConnect();
    await client.expectEnd();
    expect(client.bytes).toEqual([]);
  }
  await neighbour.ping();
  expect(broker.core.registry.connectedCount).toBe(1);
});

describe('the end of a connection', () => {
  const will = { topic: 'wills/a', payload: Buffer.from('gone'), qos: 1 } as const;

  test('a broken connection publishes the will, a good-bye does not [MQTT-3.1.2-8] [MQTT-3.14.4-3]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#', { qos: 1 });
    (await broker.client('a', { will })).close();
    expect((await watcher.expectMessage('gone')).topic).toBe('wills/a');
    await (await broker.client('a', { will })).disconnect();
    await watcher.expectNothing();
    await (await broker.client('a', { will })).disconnect(ReasonCode.DisconnectWithWill);
    await watcher.expectMessage('gone');
  });

  test('a will waits for its delay, and is called off by the client coming back [MQTT-3.1.3-9]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    const options = {
      will: { ...will, properties: { willDelayInterval: 5 } },
      properties: { sessionExpiryInterval: 60 },
      cleanStart: false,
    };
    (await broker.client('a', options)).close();
    broker.pass(4_000);
    await watcher.expectNothing();
    const back = await broker.client('a', options);
    broker.pass(10_000);
    await watcher.expectNothing();
    back.close();
    broker.pass(5_100);
    expect((await watcher.expectMessage('gone')).properties.willDelayInterval).toBeUndefined();
  });

  test('the end of the session publishes the will before its delay is over [MQTT-3.1.2-8]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    const options = {
      will: { ...will, properties: { willDelayInterval: 500 } },
      properties: { sessionExpiryInterval: 3 },
    };
    (await broker.client('a', options)).close();
    broker.pass(2_500);
    await watcher.expectNothing();
    broker.pass(1_000);
    await watcher.expectMessage('gone');
    expect(broker.core.registry.find('a')).toBeUndefined();
  });

  test('a takeover publishes a will without delay, and one with delay only if the session ends [MQTT-3.1.3-9]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    const properties = { sessionExpiryInterval: 60 };
    const delayed = { ...will, properties: { willDelayInterval: 30 } };
    await broker.client('a', { will, properties });
    await broker.client('a', { will: delayed, properties, cleanStart: false });
    await watcher.expectMessage('gone');
    await broker.client('a', { will: delayed, properties, cleanStart: false });
    broker.pass(40_000);
    await watcher.expectNothing();
    await broker.client('a', { properties, cleanStart: true });
    await watcher.expectMessage('gone');
    await watcher.expectNothing();
  });

  test('kicking says 0x98, publishes the will and ends the session', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    const client = await broker.client('a', { will, properties: { sessionExpiryInterval: 60 } });
    expect(broker.core.kick('a')).toBe(true);
    await client.expectDisconnect(ReasonCode.AdministrativeAction);
    await watcher.expectMessage('gone');
    expect(broker.core.registry.find('a')).toBeUndefined();
    expect(broker.core.kick('a')).toBe(false);
  });

  test('closing the broker says 0x8B', async () => {
    const broker = startTestCore();
    const client = await broker.client('a');
    await broker.close();
    await client.expectDisconnect(ReasonCode.ServerShuttingDown);
  });

  test('a denied will is dropped', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    broker.core.hooks.on('client.authorize', (_who, { action }) => (action === 'publish' ? 'deny' : 'allow'));
    (await broker.client('a', { will })).close();
    await watcher.expectNothing();
  });

  test('DISCONNECT may shorten the session but not begin one', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', { properties: { sessionExpiryInterval: 600 } });
    await first.disconnect(0, { sessionExpiryInterval: 0 });
    expect(broker.core.registry.find('a')).toBeUndefined();
    const second = await broker.client('a');
    second.send({ type: PacketType.DISCONNECT, reasonCode: 0, properties: { sessionExpiryInterval: 10 } });
    await second.expectDisconnect(ReasonCode.ProtocolError);
  });

  test('a 3.1.1 session is kept for the configured time, one that never expires stays', async () => {
    const broker = startTestCore();
    await (await broker.client('four', { version: 4, cleanStart: false })).disconnect();
    await (await broker.client('five', { properties: { sessionExpiryInterval: 0xffff_ffff } })).disconnect();
    broker.pass(7_190_000);
    expect(broker.core.registry.find('four')?.connected).toBe(false);
    broker.pass(20_000);
    expect(broker.core.registry.find('four')).toBeUndefined();
    expect(broker.core.registry.find('five')?.expiryInterval).toBe(0xffff_ffff);
    expect(broker.core.counters.get('session.terminated')).toBe(1);
  });
});

test('a refusal says why, where the code does not say it all, unless the client does not want to hear it', async () => {
  const broker = startTestCore();
  const reasons = ['come back at noon', undefined];
  broker.core.hooks.on('client.connect', ({ clientid }) => {
    throw new MqttError(ReasonCode.ServerBusy, reasons[Number(clientid)]);
  });
  const refusal = async (clientid: string, options = {}) =>
    (await broker.dial(clientid, options).client.connect()).properties;
  expect(await refusal('0')).toEqual({ reasonString: 'come back at noon' });
  expect(await refusal('0', { properties: { requestProblemInformation: false } })).toEqual({});
  expect(await refusal('1')).toEqual({});
  expect(await refusal('0', { version: 4 })).toEqual({});
});
