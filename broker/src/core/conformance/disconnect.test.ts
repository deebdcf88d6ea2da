import { PacketType } from '@mqdeck/mqtt/packets';
import { isPermitted } from '@mqdeck/mqtt/permitted';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];

test('PINGREQ is answered by PINGRESP, in every version [MQTT-3.12.4-1]', async () => {
  const broker = startTestCore();
  for (const version of [3, 4, 5] as const) {
    const client = await broker.client('a', { version });
    for (let i = 0; i < 3; i++) client.send({ type: PacketType.PINGREQ });
    for (let i = 0; i < 3; i++) await client.expect(PacketType.PINGRESP);
    await client.ping();
    expect(client.packets).toEqual([]);
    await client.disconnect();
  }
});

describe("the broker's DISCONNECT", () => {
  test('never comes before a CONNACK that accepts [MQTT-3.14.0-1]', async () => {
    const broker = startTestCore();
    const garbage = broker.dial('garbage').client;
    garbage.sendRaw([0x10, 2, 0, 0]);
    await garbage.expectEnd();
    expect(garbage.bytes).toEqual([]);
    broker.core.hooks.on('client.authenticate', () => new Promise(() => undefined)); // thinks for ever
    const waiting = broker.dial('waiting').client;
    const connect = [0x10, 14, ...text('MQTT'), 5, 2, 0, 0, 0, ...text('a')];
    waiting.sendRaw([...connect, ...[0x30, 0x80, 0x80, 0x80, 0x80, 1]]); // malformed is what stands behind it
    expect((await waiting.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.MalformedPacket);
    await waiting.expectEnd();
    const patient = broker.dial('patient').client;
    patient.sendConnect();
    await broker.close();
    await patient.expectEnd();
    for (const client of [waiting, patient])
      expect(client.packets.filter(({ type }) => type === PacketType.DISCONNECT)).toEqual([]);
  });

  test('is its last word, and the connection ends with it [MQTT-3.14.4-1] [MQTT-3.14.4-2]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', {
      will: { topic: 't' },
      properties: { sessionExpiryInterval: 60 },
    });
    await client.subscribe('t', { qos: 1 });
    client.sendRaw([...[0x36, 6, ...text('t'), 0, 1, 0], 0xc0, 0, ...[0x30, 4, ...text('t'), 0]]);
    await client.expectDisconnect(ReasonCode.MalformedPacket);
    await broker.core.publish({ topic: 't', payload: 'x', qos: 1 });
    expect(client.packets).toEqual([]);
    expect(broker.core.registry.find('a')?.connected).toBe(false);
  });

  test.each(Object.values(ReasonCode))(
    'for reason %i has a code of the table, and no session expiry [MQTT-3.14.2-1] [MQTT-3.14.2-2]',
    async (reasonCode) => {
      const broker = startTestCore();
      broker.core.hooks.on('message.publish', () => {
        throw new MqttError(reasonCode);
      });
      const client = await broker.client('a', { properties: { sessionExpiryInterval: 60 } });
      client.sendPublish('t', 'x');
      const packet = await client.expect(PacketType.DISCONNECT);
      await client.expectEnd();
      expect(isPermitted(PacketType.DISCONNECT, packet.reasonCode, 'server')).toBe(true);
      expect(packet.properties.sessionExpiryInterval).toBeUndefined();
    },
  );

  test('is not known to 3.x: those are let go without a word', async () => {
    const broker = startTestCore();
    for (const version of [3, 4] as const) {
      const client = await broker.client('a', { version });
      const before = client.bytes.length;
      broker.core.registry.find('a')?.close(ReasonCode.AdministrativeAction);
      await client.expectEnd();
      expect(client.bytes.length).toBe(before);
    }
  });
});

describe("the client's DISCONNECT", () => {
  test.each([
    ['reserved flags', [0xe1, 0], ReasonCode.MalformedPacket],
    ['other reserved flags', [0xe8, 0], ReasonCode.MalformedPacket],
  ])('with %s is malformed [MQTT-3.14.1-1]', async (_what, bytes, reasonCode) => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    const client = await broker.client('a', { will: { topic: 'wills/a' } });
    client.sendRaw(bytes);
    await client.expectDisconnect(reasonCode);
    await watcher.expectMessage('gone');
  });

  test.each([0x01, 0x10, 0x8b, 0x8e, 0xff])(
    'with reason %i, not its to give, breaks the protocol [MQTT-3.14.2-1]',
    async (code) => {
      const broker = startTestCore();
      const client = await broker.client('a');
      client.sendRaw([0xe0, 1, code]);
      await client.expectDisconnect(ReasonCode.ProtocolError);
    },
  );

  test('is followed by the end of the connection, and what stands behind it is not read [MQTT-3.14.4-1] [MQTT-3.14.4-2]', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('#');
    const client = await broker.client('a');
    client.sendRaw([0xe0, 0, 0x30, 4, ...text('t'), 0, 0xc0, 0]);
    await client.expectEnd();
    expect(client.packets).toEqual([]);
    await watcher.expectNothing();
  });

  test.each([
    [0x00, false],
    [0x04, true],
    [0x80, true],
    [0x98, true],
  ])('with reason %i leaves the will: %s [MQTT-3.14.4-3]', async (reasonCode, published) => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('wills/#');
    await (await broker.client('a', { will: { topic: 'wills/a' } })).disconnect(reasonCode);
    if (published) await watcher.expectMessage('gone');
    await watcher.expectNothing();
  });
});

describe('errors', () => {
  test.each([
    ['a malformed packet', [0x82, 2, 0, 1], ReasonCode.MalformedPacket],
    ['a protocol error', [0x82, 3, 0, 1, 0], ReasonCode.ProtocolError],
    ['a packet too large', [0x30, 0xff, 0xff, 0xff, 0x7f], ReasonCode.PacketTooLarge],
    ['AUTH with reserved flags [MQTT-3.15.1-1]', [0xf1, 0], ReasonCode.MalformedPacket],
  ])('%s ends the connection, and that of nobody else [MQTT-4.13.1-1]', async (_what, bytes, reasonCode) => {
    const broker = startTestCore();
    const neighbour = await broker.client('neighbour');
    const client = await broker.client('a');
    client.sendRaw(bytes);
    await client.expectDisconnect(reasonCode);
    await neighbour.ping();
  });

  test('the connection ends though the peer never reads why [MQTT-4.13.2-1]', async () => {
    const broker = startTestCore();
    const { client, connection } = broker.dial('a');
    await client.connect();
    connection.stall();
    client.sendRaw([0x00, 0]);
    await client.expectEnd();
    expect([client.packets, broker.core.registry.connectedCount]).toEqual([[], 0]);
    broker.core.hooks.on('client.connect', () => {
      throw new MqttError(ReasonCode.Banned);
    });
    const refused = broker.dial('b');
    refused.connection.stall();
    refused.client.sendConnect();
    await refused.client.expectEnd();
  });

  test('who names no authentication method gets neither AUTH nor a method, and may send none [MQTT-4.12.0-6] [MQTT-4.12.0-7]', async () => {
    const broker = startTestCore();
    for (const code of [0x18, 0x19]) {
      const client = await broker.client('a', { username: 'u', password: 'p' });
      expect(client.connack?.properties.authenticationMethod).toBeUndefined();
      client.sendRaw([0xf0, 6, code, 4, 0x15, ...text('m')]);
      await client.expectDisconnect(ReasonCode.ProtocolError);
      expect(client.packets).toEqual([]);
    }
  });
});
