import { encodePacket } from '@mqdeck/mqtt/encode';
import { type ConnectPacket, PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import { USER_PROPERTIES_MAX } from '@mqdeck/mqtt/properties';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { BUDGET_BYTES, CONNECT_BYTES_MAX, FREE_BYTES } from '../connect-budget.ts';

const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];

/** A CONNECT of that many bytes, most of them username, password and will. */
function connectOf(bytes: number, version: ProtocolVersion = 5, filling = 0): Buffer {
  const part = (place: number) => Math.max(0, Math.min(60_000, filling - place * 60_000));
  const packet: ConnectPacket = {
    type: PacketType.CONNECT,
    protocolVersion: version,
    bridge: false,
    cleanStart: true,
    keepAlive: 0,
    clientid: 'large',
    username: 'u'.repeat(part(0)),
    password: Buffer.alloc(part(1)),
    will: { topic: 'w', payload: Buffer.alloc(part(2)), qos: 0, retain: false, properties: {} },
    properties: {},
  };
  const encoded = Buffer.from(encodePacket(packet, version));
  return encoded.length === bytes ? encoded : connectOf(bytes, version, filling + bytes - encoded.length);
}

function open({ dial }: TestCore): { client: TestClient; send: (bytes: Uint8Array) => void } {
  const { client } = dial('x');
  return { client, send: (bytes) => client.sendRaw(bytes) };
}

describe('a CONNECT', () => {
  test.each([5, 4] as const)(
    'of version %i is accepted with as many bytes as it may have',
    async (version) => {
      const broker = startTestCore();
      const client = broker.dial('large', { version }).client;
      const bytes = connectOf(CONNECT_BYTES_MAX, version);
      expect(bytes).toHaveLength(CONNECT_BYTES_MAX);
      for (let at = 0; at < bytes.length; at += 50_000) client.sendRaw(bytes.subarray(at, at + 50_000));
      expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    },
  );

  test.each([
    [5, ReasonCode.PacketTooLarge],
    [4, 3],
  ] as const)('of version %i that is larger is refused by its first bytes', async (version, reasonCode) => {
    const broker = startTestCore();
    const { client } = broker.dial('large', { version });
    client.sendRaw(connectOf(CONNECT_BYTES_MAX + 1, version).subarray(0, 20));
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(reasonCode);
    await client.expectEnd();
  });

  test('is no larger than the packets that its zone takes', async () => {
    const broker = startTestCore({ settings: { maxPacketBytes: 1000 } });
    const { client } = broker.dial('large');
    client.sendRaw(connectOf(1001).subarray(0, 20));
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.PacketTooLarge);
  });

  test('does not limit what comes behind it', async () => {
    const broker = startTestCore();
    const watcher = await broker.client('watcher');
    await watcher.subscribe('t');
    const { client } = broker.dial('large');
    const publish = encodePacket(
      {
        type: PacketType.PUBLISH,
        topic: 't',
        payload: Buffer.alloc(2 * CONNECT_BYTES_MAX),
        qos: 0,
        retain: false,
        dup: false,
        packetId: 0,
        properties: {},
      },
      5,
    );
    client.sendRaw(Buffer.concat([connectOf(100), publish]));
    expect((await watcher.expectMessage()).payload).toHaveLength(2 * CONNECT_BYTES_MAX);
  });

  test('with too many user properties, of its own or of its will, is refused as 0x97', async () => {
    const broker = startTestCore();
    const userProperty = Array.from({ length: USER_PROPERTIES_MAX + 1 }, (): [string, string] => ['', '']);
    for (const options of [
      { properties: { userProperty } },
      { will: { topic: 'w', properties: { userProperty } } },
    ]) {
      const { client } = broker.dial('a', options);
      expect((await client.connect()).reasonCode).toBe(ReasonCode.QuotaExceeded);
      await client.expectEnd();
    }
    expect(broker.core.registry.size).toBe(0);
  });

  // "The DUP, QoS, and RETAIN flags are not used in the CONNECT message", MQTT 3.1 section 3.1, and table 2.2 of that
  // section leaves their bits open (x). 3.1.1 made them reserved. Mosquitto 2.0 does the same.
  test.each([0x11, 0x1f])(
    'of 3.1 may have any bits in its first byte beside the type: %i',
    async (header) => {
      const broker = startTestCore();
      const { client } = broker.dial('a', { version: 3 });
      client.sendRaw([header, 15, ...text('MQIsdp'), 3, 2, 0, 0, ...text('a')]);
      expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(0);
    },
  );

  test.each([4, 5])('of version %i has none of these bits set [MQTT-2.1.3-1]', async (version) => {
    const broker = startTestCore();
    const { client } = broker.dial('a');
    const properties = version === 5 ? [0] : [];
    client.sendRaw([
      0x11,
      13 + properties.length,
      ...text('MQTT'),
      version,
      2,
      0,
      0,
      ...properties,
      ...text('a'),
    ]);
    await client.expectEnd();
    expect(client.bytes).toEqual([]);
  });
});

describe('connections that have not been let in', () => {
  const UNFINISHED = connectOf(CONNECT_BYTES_MAX).subarray(0, -1);
  const MANY = Math.ceil(BUDGET_BYTES / (CONNECT_BYTES_MAX - FREE_BYTES));

  test('share what they may hold of unfinished CONNECTs: the one that holds some for the longest time is closed', async () => {
    const broker = startTestCore();
    const all = Array.from({ length: MANY + 10 }, () => open(broker));
    for (const { send } of all) send(UNFINISHED);
    expect(all.map(({ client }) => client.ended)).toEqual(all.map((_, i) => i < all.length - MANY + 1));
    expect((await broker.client('honest')).connack?.reasonCode).toBe(0);
    const slow = open(broker);
    const bytes = connectOf(FREE_BYTES);
    for (let at = 0; at < bytes.length; at += 1000) slow.send(bytes.subarray(at, at + 1000));
    expect((await slow.client.expect(PacketType.CONNACK)).reasonCode).toBe(0);
  });

  test('hold little for a header that promises much', () => {
    const broker = startTestCore();
    const all = Array.from({ length: 2 * MANY }, () => open(broker));
    for (const { send } of all) send(UNFINISHED.subarray(0, 10));
    expect(all.every(({ client }) => !client.ended)).toBe(true);
  });

  test('hold nothing any more when they have ended or were let in', async () => {
    const broker = startTestCore();
    for (let i = 0; i < 3 * MANY; i++) {
      const { client, send } = open(broker);
      send(UNFINISHED);
      client.close();
    }
    const first = open(broker);
    first.send(UNFINISHED);
    for (let i = 0; i < 3 * MANY; i++) {
      const { client, send } = open(broker);
      send(connectOf(CONNECT_BYTES_MAX));
      await client.expect(PacketType.CONNACK);
      client.close();
    }
    expect(first.client.ended).toBe(false);
  });

  test('count while they are authenticated; those beyond are refused as 0x89, small ones are not', async () => {
    const broker = startTestCore();
    const waiting: (() => void)[] = [];
    broker.core.hooks.on('client.authenticate', async ({ clientid }) => {
      if (clientid === 'large') await new Promise<void>((resolve) => waiting.push(resolve));
      return undefined;
    });
    const all = Array.from({ length: MANY }, () => open(broker));
    for (const { send } of all) send(connectOf(CONNECT_BYTES_MAX));
    const last = all.at(-1)!.client;
    expect((await last.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.ServerBusy);
    expect(all.filter(({ client }) => client.ended)).toHaveLength(1);
    expect((await broker.client('honest')).connack?.reasonCode).toBe(0);
    for (const go of waiting) go();
    await all[0]!.client.expect(PacketType.CONNACK);
    const next = open(broker);
    next.send(UNFINISHED);
    expect(next.client.ended).toBe(false);
  });
});
