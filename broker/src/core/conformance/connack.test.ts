import { PacketType } from '@mqdeck/mqtt/packets';
import { isPermitted } from '@mqdeck/mqtt/permitted';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };

test('CONNACK comes before everything else, and once [MQTT-3.2.0-1] [MQTT-3.2.0-2]', async () => {
  const broker = startTestCore();
  const first = await broker.client('a', kept);
  await first.subscribe('t', { qos: 1 });
  first.close();
  await broker.core.publish({ topic: 't', payload: 'waited', qos: 1 });
  broker.core.hooks.on('client.connected', (client) => {
    if (client.clientid === 'a') broker.core.publish({ topic: 't', payload: 'at once', qos: 1 });
  });
  const { client: back } = broker.dial('a', kept);
  back.sendConnect();
  back.send({ type: PacketType.PINGREQ });
  back.sendPublish('t', 'own', { qos: 1 });
  await back.expect(PacketType.PINGRESP);
  await back.ping();
  expect(back.packets[0]?.type).toBe(PacketType.CONNACK);
  const types = back.packets.map(({ type }) => type);
  expect(types.filter((type) => type === PacketType.CONNACK).length).toBe(1);
  expect(types.filter((type) => type === PacketType.PUBLISH).length).toBe(3);
});

test('CONNACK says whether there was a session, with seven bits of its flags 0 [MQTT-3.2.2-1] [MQTT-3.2.2-3]', async () => {
  const broker = startTestCore();
  const flags = async (cleanStart: boolean) => {
    const client = await broker.client('a', { ...kept, cleanStart });
    client.close();
    return client.bytes[0]![2];
  };
  expect([await flags(false), await flags(false), await flags(true), await flags(false)]).toEqual([
    0, 1, 0, 1,
  ]);
  broker.pass(700_000);
  expect(await flags(false)).toBe(0);
});

test('a refusal never says that a session is present [MQTT-3.2.2-6]', async () => {
  const broker = startTestCore();
  (await broker.client('a', kept)).close();
  broker.core.hooks.on('client.authenticate', () => ({ allow: false, reasonCode: ReasonCode.NotAuthorized }));
  const refused = await broker.dial('a', kept).client.connect();
  expect([refused.reasonCode, refused.sessionPresent]).toEqual([ReasonCode.NotAuthorized, false]);
});

test.each(Object.values(ReasonCode))(
  'a refusal for reason %i is answered with a code of the table, and the connection ends [MQTT-3.2.2-7] [MQTT-3.2.2-8]',
  async (reasonCode) => {
    const broker = startTestCore();
    broker.core.hooks.on('client.connect', () => {
      throw new MqttError(reasonCode);
    });
    const five = broker.dial('a').client;
    const told = (await five.connect()).reasonCode;
    expect(told >= 0x80 && isPermitted(PacketType.CONNACK, told, 'server')).toBe(true);
    if (reasonCode >= 0x80 && isPermitted(PacketType.CONNACK, reasonCode, 'server'))
      expect(told).toBe(reasonCode);
    await five.expectEnd();
    for (const version of [3, 4] as const) {
      const { client } = broker.dial('a', { version });
      expect([1, 2, 3, 4, 5]).toContain((await client.connect()).reasonCode);
      await client.expectEnd();
    }
    expect(broker.core.registry.size).toBe(0);
  },
);

test.each([0, 1, 2] as const)(
  'a broker with QoS up to %i says so and still takes subscriptions that ask for more [MQTT-3.2.2-9] [MQTT-3.2.2-10]',
  async (maxQosAllowed) => {
    const broker = startTestCore({ settings: { maxQosAllowed } });
    const client = await broker.client('a');
    expect(client.connack?.properties.maximumQoS).toBe(maxQosAllowed === 2 ? undefined : maxQosAllowed);
    for (const qos of [0, 1, 2] as const)
      expect(await client.subscribe(`t/${qos}`, { qos })).toEqual([Math.min(qos, maxQosAllowed)]);
  },
);

test.each([
  [0, 1],
  [2, 3],
  [2, 0xffff],
])(
  'with a maximum of %i topic aliases the alias %i is refused [MQTT-3.2.2-17] [MQTT-3.2.2-18] [MQTT-3.3.2-9]',
  async (maxTopicAlias, topicAlias) => {
    const broker = startTestCore({ settings: { maxTopicAlias } });
    const watcher = await broker.client('watcher');
    await watcher.subscribe('t');
    const client = await broker.client('a');
    expect(client.connack?.properties.topicAliasMaximum).toBe(maxTopicAlias);
    client.sendPublish('t', 'x', { properties: { topicAlias } });
    await client.expectDisconnect(ReasonCode.TopicAliasInvalid);
    await watcher.expectNothing();
  },
);

test("the broker's keep alive counts when it sends one, the client's otherwise [MQTT-3.2.2-21] [MQTT-3.2.2-22]", async () => {
  const broker = startTestCore();
  const own = await broker.client('own', { keepalive: 10 });
  expect(own.connack?.properties.serverKeepAlive).toBeUndefined();
  broker.core.settings.serverKeepaliveS = 40;
  const given = await broker.client('given', { keepalive: 10 });
  const none = await broker.client('none', { keepalive: 0 });
  for (const client of [given, none]) expect(client.connack?.properties.serverKeepAlive).toBe(40);
  broker.pass(14_000);
  expect(own.ended).toBe(false);
  broker.pass(2_000);
  await own.expectDisconnect(ReasonCode.KeepAliveTimeout);
  broker.pass(40_000);
  expect([given.ended, none.ended]).toEqual([false, false]);
  broker.pass(5_000);
  for (const client of [given, none]) await client.expectDisconnect(ReasonCode.KeepAliveTimeout);
});
