import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MqttSettings, Zone } from '@mqdeck/contract/zones';
import { type ConnackPacket, PacketType, type Properties } from '@mqdeck/mqtt/packets';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PeerCertificate } from '../../core/connection.ts';
import type { ClientInfo } from '../../core/hooks.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { type ClientOptions, dial, type TestClient } from '../../testing/test-client.ts';

/** Of a 5.8 broker that nobody has touched. */
const DEFAULTS = {
  durable_sessions: {
    batch_size: 100,
    enable: false,
    heartbeat_interval: '5000ms',
    idle_poll_interval: '10s',
    message_retention_period: '1d',
    session_gc_batch_size: 100,
    session_gc_interval: '10m',
  },
  flapping_detect: { ban_time: '5m', enable: false, max_count: 15, window_time: '1m' },
  force_gc: { bytes: '16MB', count: 16_000, enable: true },
  force_shutdown: { enable: true, max_heap_size: '32MB', max_mailbox_size: 1000 },
  mqtt: {
    exclusive_subscription: false,
    max_topic_alias: 65_535,
    use_username_as_clientid: false,
    idle_timeout: '15s',
    mqueue_store_qos0: true,
    session_expiry_interval: '2h',
    upgrade_qos: false,
    mqueue_priorities: 'disabled',
    strict_mode: false,
    shared_subscription: true,
    server_keepalive: 'disabled',
    wildcard_subscription: true,
    max_clientid_len: 65_535,
    response_information: '',
    shared_subscription_initial_sticky_pick: 'random',
    max_awaiting_rel: 100,
    peer_cert_as_username: 'disabled',
    client_attrs_init: [],
    retry_interval: 'infinity',
    retain_available: true,
    message_expiry_interval: 'infinity',
    ignore_loop_deliver: false,
    clientid_override: 'disabled',
    max_qos_allowed: 2,
    max_mqueue_len: 1000,
    max_topic_levels: 128,
    max_subscriptions: 'infinity',
    peer_cert_as_clientid: 'disabled',
    mqueue_default_priority: 'lowest',
    max_inflight: 32,
    keepalive_multiplier: 1.5,
    shared_subscription_strategy: 'round_robin',
    keepalive_check_interval: '30s',
    await_rel_timeout: '300s',
    max_packet_size: '1MB',
  },
};

const GLOBAL = 'tcp:default';
const ZONED = 'tcp:zoned'; // its zone is `z`
const OLD = { version: 4 } as const; // such clients are told nothing
const KEPT = { version: 4, cleanStart: false } as const;

let broker: TestBroker;
let number = 0;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  broker = await startTestBroker();
  broker.core.enterZone(broker.core.entrance(ZONED), 'z');
});
afterEach(async () => {
  vi.useRealTimers();
  await broker.close();
});

/** The broker's time; nobody waits. */
function pass(ms: number): void {
  const { clock, timers } = broker.core;
  for (const until = clock.refresh() + ms; clock.now < until; ) {
    vi.setSystemTime(Math.min(until, clock.now + 500));
    clock.refresh();
    timers.turn();
  }
}

async function putGlobal(mqtt: Partial<MqttSettings>): Promise<void> {
  const { body } = await broker.inject<{ mqtt: object }>('GET', '/configs/global_zone');
  const whole = { ...body, mqtt: { ...body.mqtt, ...mqtt } };
  expect(await broker.inject('PUT', '/configs/global_zone', { body: whole })).toMatchObject({
    status: 200,
    body: { mqtt },
  });
}

async function putZone(zone: Zone | null): Promise<void> {
  const answer = await broker.inject<object>('PUT', '/configs/zones', { body: { z: zone } });
  expect(answer).toMatchObject({ status: 200, body: zone === null ? {} : { z: zone } });
}

/** Where clients come in. */
class Place {
  readonly listener: string;
  readonly tag = `n${++number}`; // of clients and topics of this look
  constructor(listener: string) {
    this.listener = listener;
  }

  dial(name = 'a', options: ClientOptions = {}) {
    return dial(broker.core, `${this.tag}-${name}`, { ...options, listener: this.listener });
  }

  async answer(name?: string, options?: ClientOptions): Promise<ConnackPacket> {
    return this.dial(name, options).client.connect();
  }

  /** What a 5.0 client is told. */
  async told(options: ClientOptions = {}): Promise<Properties> {
    return (await this.answer('told', options)).properties;
  }

  async client(name?: string, options?: ClientOptions): Promise<TestClient> {
    const { client } = this.dial(name, options);
    expect((await client.connect()).reasonCode).toBe(0);
    return client;
  }

  topic(name: string): string {
    return `${this.tag}/${name}`;
  }

  async who(options: ClientOptions): Promise<ClientInfo> {
    await this.client('who', options);
    for (const { who } of broker.core.registry) if (who.port === lastPort()) return who;
    throw new Error('nobody came');
  }

  /** What a client that comes back finds of what was published meanwhile. */
  async missed(publish: (client: TestClient) => Promise<unknown>, later?: () => void): Promise<string[]> {
    const options = { ...KEPT, acknowledge: true };
    const screen = await this.client('kept', options);
    await screen.subscribe(this.topic('#'), { qos: 1 });
    await screen.disconnect();
    await publish(await this.client('sensor'));
    later?.();
    return got(await this.client('kept', options));
  }
}

const lastPort = () => Math.max(...[...broker.core.registry].map(({ port }) => port));

/** What has come up to now. */
async function got(client: TestClient): Promise<string[]> {
  await client.ping();
  return client.packets.flatMap((packet) =>
    packet.type === PacketType.PUBLISH ? [Buffer.from(packet.payload).toString()] : [],
  );
}

/** Whether the connection is still there. */
const alive = (client: TestClient): Promise<boolean> =>
  client.ping().then(
    () => true,
    () => false,
  );

/** Two members of a group, and how many messages each of them got of twenty publishers. */
async function shared(place: Place): Promise<number[]> {
  const members = await Promise.all(['m1', 'm2'].map((name) => place.client(name)));
  for (const member of members) await member.subscribe(`$share/g/${place.topic('s')}`);
  for (let i = 0; i < 20; i++) await (await place.client(`p${i}`)).publish(place.topic('s'), 'x');
  const counts = await Promise.all(members.map(async (member) => (await got(member)).length));
  return counts.sort((a, b) => b - a);
}

const certificate: PeerCertificate = {
  commonName: 'device-7',
  subject: 'CN=device-7,O=Example',
  der: Buffer.from('not really one'),
};

interface Trial<K extends keyof MqttSettings> {
  set: MqttSettings[K];
  /** What else has to be so. */
  given?: Partial<MqttSettings>;
  see(place: Place): Promise<unknown>;
  usual: unknown;
  changed: unknown;
}

/** Each key, what is seen of it as long as nobody has set it, and then. */
const trials: { [K in keyof MqttSettings]: Trial<K> } = {
  idle_timeout: {
    set: '2s',
    see: async (place) => {
      const { connection } = place.dial();
      pass(5000);
      return connection.closed;
    },
    usual: false,
    changed: true,
  },
  max_packet_size: {
    set: '2KB',
    see: async (place) => {
      const client = await place.client('old', OLD);
      client.sendPublish('t', Buffer.alloc(3000));
      return [(await place.told()).maximumPacketSize, await alive(client)];
    },
    usual: [1024 * 1024, true],
    changed: [2048, false],
  },
  max_clientid_len: {
    set: 23,
    see: async (place) => (await place.answer('a'.repeat(30))).reasonCode,
    usual: 0,
    changed: 0x85,
  },
  max_topic_levels: {
    set: 3,
    see: async (place) => {
      const client = await place.client();
      const codes = await client.subscribe(['a/b/c', 'a/b/c/d']);
      client.sendPublish('a/b/c/d', 'x');
      return [...codes, await alive(client)];
    },
    usual: [0, 0, true],
    changed: [0, 0x8f, false],
  },
  max_qos_allowed: {
    set: 1,
    see: async (place) => {
      const old = await place.client('old', OLD);
      const codes = await old.subscribe('t', { qos: 2 });
      old.sendPublish('t', 'x', { qos: 2 });
      return [(await place.told()).maximumQoS, ...codes, await alive(old)];
    },
    usual: [undefined, 2, true],
    changed: [1, 1, false],
  },
  max_topic_alias: {
    set: 5,
    see: async (place) => {
      const client = await place.client();
      client.sendPublish('t', 'x', { properties: { topicAlias: 6 } });
      return [client.connack?.properties.topicAliasMaximum, await alive(client)];
    },
    usual: [65_535, true],
    changed: [5, false],
  },
  retain_available: {
    set: false,
    see: async (place) => {
      const old = await place.client('old', OLD);
      old.sendPublish(place.topic('r'), 'x', { retain: true });
      return [(await place.told()).retainAvailable ?? true, await alive(old)];
    },
    usual: [true, true],
    changed: [false, false],
  },
  wildcard_subscription: {
    set: false,
    see: async (place) => {
      const client = await place.client();
      const codes = await client.subscribe(['a', 'a/+', '#']);
      return [client.connack?.properties.wildcardSubscriptionAvailable ?? true, ...codes];
    },
    usual: [true, 0, 0, 0],
    changed: [false, 0, 0xa2, 0xa2],
  },
  shared_subscription: {
    set: false,
    see: async (place) => {
      const client = await place.client();
      const codes = await client.subscribe(['a', '$share/g/a']);
      return [client.connack?.properties.sharedSubscriptionAvailable ?? true, ...codes];
    },
    usual: [true, 0, 0],
    changed: [false, 0, 0x9e],
  },
  shared_subscription_strategy: { set: 'hash_topic', see: shared, usual: [10, 10], changed: [20, 0] },
  shared_subscription_initial_sticky_pick: {
    set: 'hash_topic',
    given: { shared_subscription_strategy: 'sticky' },
    see: async (place) => (await shared(place))[1] === 0, // by chance in one of 500,000
    usual: false,
    changed: true,
  },
  exclusive_subscription: {
    set: true,
    see: async (place) => (await place.client()).subscribe(`$exclusive/${place.topic('e')}`),
    usual: [0x8f],
    changed: [0],
  },
  ignore_loop_deliver: {
    set: true,
    see: async (place) => {
      const client = await place.client('old', OLD);
      await client.subscribe(place.topic('#'));
      await client.publish(place.topic('own'), 'mine');
      await (await place.client('other')).publish(place.topic('own'), 'yours');
      return got(client);
    },
    usual: ['mine', 'yours'],
    changed: ['yours'],
  },
  strict_mode: {
    set: true,
    see: async (place) => (await place.answer('a'.repeat(30), { version: 3 })).reasonCode,
    usual: 0,
    changed: 2,
  },
  response_information: {
    set: 'answers/',
    see: async (place) => [
      (await place.told({ properties: { requestResponseInformation: true } })).responseInformation,
      (await place.told()).responseInformation,
    ],
    usual: [undefined, undefined],
    changed: ['answers/', undefined],
  },
  server_keepalive: {
    set: 60,
    see: async (place) => {
      const client = await place.client('a', { keepalive: 10 });
      pass(20_000);
      return [client.connack?.properties.serverKeepAlive, await alive(client)];
    },
    usual: [undefined, false],
    changed: [60, true],
  },
  keepalive_multiplier: {
    set: 3,
    see: async (place) => {
      const client = await place.client('a', { keepalive: 10 });
      pass(20_000);
      return alive(client);
    },
    usual: false,
    changed: true,
  },
  keepalive_check_interval: {
    set: '200s',
    see: async (place) => {
      const client = await place.client('a', { keepalive: 100 });
      const { settings } = broker.core.entrance(place.listener);
      settings.keepaliveMultiplier = 1;
      pass(110_000); // the next look is after 150 s, unless it has to be earlier
      settings.keepaliveMultiplier = 1.5;
      return alive(client);
    },
    usual: false,
    changed: true,
  },
  retry_interval: {
    set: '2s',
    see: async (place) => {
      const client = await place.client('old', { ...OLD, acknowledge: false });
      await client.subscribe(place.topic('#'), { qos: 1 });
      await (await place.client('sensor')).publish(place.topic('x'), 'x', { qos: 1 });
      pass(3500);
      return got(client);
    },
    usual: ['x'],
    changed: ['x', 'x'],
  },
  use_username_as_clientid: {
    set: true,
    see: async (place) => (await place.who({ username: 'alice' })).clientid === 'alice',
    usual: false,
    changed: true,
  },
  peer_cert_as_username: {
    set: 'cn',
    see: async (place) => [
      (await place.who({ username: 'alice', certificate })).username,
      (await new Place(place.listener).who({ username: 'alice' })).username,
    ],
    usual: ['alice', 'alice'],
    changed: ['device-7', 'alice'],
  },
  peer_cert_as_clientid: {
    set: 'dn',
    see: async (place) => (await place.who({ certificate })).clientid === 'CN=device-7,O=Example',
    usual: false,
    changed: true,
  },
  client_attrs_init: {
    set: [
      { expression: "nth(2, tokens(clientid, '-'))", set_as_attr: 'kind' },
      { expression: 'user_property.site', set_as_attr: 'site' },
      { expression: "concat([zone, '/', cn])", set_as_attr: 'from' },
    ],
    see: async (place) => {
      const { attributes } = await place.who({ certificate });
      return { ...attributes, from: attributes.from?.replace(/^.*\//, '') };
    },
    usual: {},
    changed: { kind: 'who', from: 'device-7' },
  },
  clientid_override: {
    set: "concat([username, '@', clientid])",
    see: async (place) => (await place.who({ username: 'alice' })).clientid.startsWith('alice@n'),
    usual: false,
    changed: true,
  },
  session_expiry_interval: {
    set: '10s',
    see: async (place) => {
      await (await place.client('kept', KEPT)).disconnect();
      pass(11_000);
      return (await place.answer('kept', KEPT)).sessionPresent;
    },
    usual: true,
    changed: false,
  },
  message_expiry_interval: {
    set: '5s',
    see: (place) =>
      place.missed(
        async (sensor) => {
          await sensor.publish(place.topic('x'), 'old', { qos: 1 });
          const properties = { messageExpiryInterval: 60 };
          await sensor.publish(place.topic('x'), 'lasting', { qos: 1, properties });
        },
        () => pass(6000),
      ),
    usual: ['old', 'lasting'],
    changed: ['lasting'],
  },
  max_awaiting_rel: {
    set: 1,
    see: async (place) => {
      const old = await place.client('old', OLD);
      old.sendPublish('t', 'x', { qos: 2 });
      old.sendPublish('t', 'x', { qos: 2 });
      return [(await place.told()).receiveMaximum, await alive(old)];
    },
    usual: [100, true],
    changed: [1, false],
  },
  await_rel_timeout: {
    set: '2s',
    see: async (place) => {
      const client = await place.client();
      client.sendPublish('t', 'x', { qos: 2 });
      pass(4000);
      return broker.core.registry.find(`${place.tag}-a`)?.facts().awaiting_rel_cnt;
    },
    usual: 1,
    changed: 0,
  },
  mqueue_priorities: {
    set: { 'alarm/1': 9 },
    see: async (place) => {
      await subscribeKept(place, ['alarm/1', 'chat']);
      const sensor = await place.client('sensor');
      for (const topic of ['chat', 'alarm/1']) await sensor.publish(topic, topic, { qos: 1 });
      return got(await place.client('kept', KEPT));
    },
    usual: ['chat', 'alarm/1'],
    changed: ['alarm/1', 'chat'],
  },
  mqueue_default_priority: {
    set: 'highest',
    given: { mqueue_priorities: { 'alarm/1': 9 } },
    see: async (place) => {
      await subscribeKept(place, ['alarm/1', 'chat']);
      const sensor = await place.client('sensor');
      for (const topic of ['alarm/1', 'chat']) await sensor.publish(topic, topic, { qos: 1 });
      return got(await place.client('kept', KEPT));
    },
    usual: ['alarm/1', 'chat'],
    changed: ['chat', 'alarm/1'],
  },
  mqueue_store_qos0: {
    set: false,
    see: (place) =>
      place.missed(async (sensor) => {
        await sensor.publish(place.topic('x'), 'once at most');
        await sensor.publish(place.topic('x'), 'once at least', { qos: 1 });
      }),
    usual: ['once at most', 'once at least'],
    changed: ['once at least'],
  },
  max_mqueue_len: {
    set: 2,
    see: (place) =>
      place.missed(async (sensor) => {
        for (const text of ['1', '2', '3']) await sensor.publish(place.topic('x'), text, { qos: 1 });
      }),
    usual: ['1', '2', '3'],
    changed: ['2', '3'],
  },
  max_inflight: {
    set: 1,
    see: async (place) => {
      const client = await place.client('slow', { acknowledge: false });
      await client.subscribe(place.topic('#'), { qos: 1 });
      const sensor = await place.client('sensor');
      for (const text of ['1', '2', '3']) await sensor.publish(place.topic('x'), text, { qos: 1 });
      return got(client);
    },
    usual: ['1', '2', '3'],
    changed: ['1'],
  },
  max_subscriptions: {
    set: 2,
    see: async (place) => (await place.client()).subscribe(['a', 'b', 'c', 'a']),
    usual: [0, 0, 0, 0],
    changed: [0, 0, 0x97, 0],
  },
  upgrade_qos: {
    set: true,
    see: async (place) => {
      const client = await place.client();
      await client.subscribe(place.topic('#'), { qos: 1 });
      await (await place.client('sensor')).publish(place.topic('x'), 'x');
      return (await client.expectMessage('x')).qos;
    },
    usual: 0,
    changed: 1,
  },
};

async function subscribeKept(place: Place, filters: string[]): Promise<void> {
  const screen = await place.client('kept', KEPT);
  await screen.subscribe(filters, { qos: 1 });
  await screen.disconnect();
}

describe('set through the API, and at once in effect', () => {
  const all = Object.entries(trials) as [keyof MqttSettings, Trial<keyof MqttSettings>][];
  test.each(all)('%s, in a zone, and for all', async (key, { set, given = {}, see, usual, changed }) => {
    await putGlobal(given);
    expect(await see(new Place(GLOBAL))).toEqual(usual);
    expect(await see(new Place(ZONED))).toEqual(usual);
    await putZone({ mqtt: { [key]: set } });
    expect(await see(new Place(ZONED))).toEqual(changed);
    expect(await see(new Place(GLOBAL))).toEqual(usual);
    await putZone(null);
    expect(await see(new Place(ZONED))).toEqual(usual);
    await putGlobal({ [key]: set });
    expect(await see(new Place(GLOBAL))).toEqual(changed);
    expect(await see(new Place(ZONED))).toEqual(changed);
  });
});

describe('force_shutdown', () => {
  const fill = (place: Place) =>
    place.missed(async (sensor) => {
      for (const text of ['1', '2', '3'])
        await sensor.publish(place.topic('x'), text.repeat(400 * 1024), { qos: 1 });
    });
  const firsts = async (place: Place) => (await fill(place)).map((text) => text[0]);

  test('max_heap_size bounds what waits for a client; the oldest goes', async () => {
    expect(await firsts(new Place(ZONED))).toEqual(['1', '2', '3']);
    await putZone({ force_shutdown: { max_heap_size: '1MB' } });
    expect(await firsts(new Place(ZONED))).toEqual(['2', '3']);
    expect(await firsts(new Place(GLOBAL))).toEqual(['1', '2', '3']);
    await putZone({ force_shutdown: { max_heap_size: '1MB', enable: false } });
    expect(await firsts(new Place(ZONED))).toEqual(['1', '2', '3']);
    await putZone({ force_shutdown: { max_heap_size: 0 } });
    expect(await firsts(new Place(ZONED))).toEqual(['1', '2', '3']);
  });

  test('max_mailbox_size bounds what is on its way while the store writes it', async () => {
    const waiting = async (place: Place) => {
      const screen = await place.client('kept', { properties: { sessionExpiryInterval: 60 } });
      await screen.subscribe(place.topic('#'), { qos: 2 });
      const sensor = await place.client('sensor');
      for (let i = 0; i < 5; i++) sensor.sendPublish(place.topic('x'), 'x', { qos: 2 });
      const waits = broker.core.registry.find(`${place.tag}-kept`)?.facts().mqueue_len;
      await screen.expectMessages(5);
      return waits;
    };
    expect(await waiting(new Place(ZONED))).toBe(0);
    await putZone({ force_shutdown: { max_mailbox_size: 2 } });
    expect(await waiting(new Place(ZONED))).toBe(3);
    expect(await waiting(new Place(GLOBAL))).toBe(0);
    await putZone({ force_shutdown: { max_mailbox_size: 0 } });
    expect(await waiting(new Place(ZONED))).toBe(0);
  });
});

test('flapping_detect of a zone bans those who come and go there', async () => {
  const comeAndGo = async (place: Place) => {
    for (let i = 0; i < 2; i++) await (await place.client()).disconnect();
    return (await place.answer()).reasonCode;
  };
  await putZone({ flapping_detect: { enable: true, max_count: 2, window_time: '10s' } });
  expect(await comeAndGo(new Place(GLOBAL))).toBe(0);
  expect(await comeAndGo(new Place(ZONED))).toBe(0x8a);
  await putZone({ flapping_detect: { enable: false } });
  expect(await comeAndGo(new Place(ZONED))).toBe(0);
});

describe('clients that are connected', () => {
  test('5.0 keeps what it was told, 3.1.1 has what is set now [MQTT-3.2.2-11] [MQTT-3.2.2-14]', async () => {
    const place = new Place(ZONED);
    const [five, old] = [await place.client('five'), await place.client('old', OLD)];
    await putZone({ mqtt: { max_qos_allowed: 0, retain_available: false, wildcard_subscription: false } });
    expect(await five.subscribe('a/+', { qos: 2 })).toEqual([2]);
    five.sendPublish(place.topic('x'), 'x', { qos: 2, retain: true });
    expect(await alive(five)).toBe(true);
    expect(await old.subscribe(['a/+', 'a'], { qos: 2 })).toEqual([0x80, 0]);
    old.sendPublish(place.topic('x'), 'x', { qos: 1 });
    expect(await alive(old)).toBe(false);
  });

  test('a larger maximum is for those who hear of it; so is a smaller one [MQTT-3.2.2-15]', async () => {
    const place = new Place(GLOBAL);
    const [five, old] = [await place.client('five'), await place.client('old', OLD)];
    await putGlobal({ max_packet_size: '2KB' });
    for (const client of [five, old]) client.sendPublish('t', Buffer.alloc(3000));
    expect([await alive(five), await alive(old)]).toEqual([true, false]);
    const [later, latest] = [await place.client('later'), await place.client('latest', OLD)];
    await putGlobal({ max_packet_size: '4KB' });
    for (const client of [later, latest]) client.sendPublish('t', Buffer.alloc(3000));
    await later.expectDisconnect(0x95);
    expect(await alive(latest)).toBe(true);
  });

  test('another multiplier of the keep alive holds after the check interval', async () => {
    const client = await new Place(ZONED).client('a', { keepalive: 600 });
    pass(620_000);
    expect(await alive(client)).toBe(true);
    pass(620_000);
    await putZone({ mqtt: { keepalive_multiplier: 1 } });
    pass(30_000);
    await client.expectDisconnect(0x8d);
  });

  test('a topic that was used before is judged anew', async () => {
    const client = await broker.client('sensor');
    await client.publish('a/b/c', '1', { qos: 1 });
    await putGlobal({ max_topic_levels: 2 });
    client.sendPublish('a/b/c', '2');
    expect(await alive(client)).toBe(false);
  });

  test('have what is global when their zone is removed, and so have their sessions', async () => {
    const place = new Place(ZONED);
    await putZone({ mqtt: { max_subscriptions: 1, max_mqueue_len: 1 } });
    const client = await place.client('kept', { properties: { sessionExpiryInterval: 60 } });
    expect(await client.subscribe([place.topic('x'), 'b'], { qos: 1 })).toEqual([1, 0x97]);
    await putZone(null);
    expect(await client.subscribe('b')).toEqual([0]);
    await client.disconnect();
    const sensor = await place.client('sensor');
    for (const text of ['1', '2']) await sensor.publish(place.topic('x'), text, { qos: 1 });
    expect(broker.core.registry.find(`${place.tag}-kept`)?.facts().mqueue_len).toBe(2);
  });

  test('move with their listener to another zone', async () => {
    const place = new Place(ZONED);
    await broker.inject('PUT', '/configs/zones', {
      body: { z: { mqtt: { max_subscriptions: 1 } }, other: { mqtt: { max_subscriptions: 2 } } },
    });
    const client = await place.client();
    expect(await client.subscribe(['a', 'b', 'c'])).toEqual([0, 0x97, 0x97]);
    broker.core.enterZone(broker.core.entrance(ZONED), 'other');
    expect(await client.subscribe(['b', 'c'])).toEqual([0, 0x97]);
    broker.core.enterZone(broker.core.entrance(ZONED), 'of which nobody knows');
    expect(await client.subscribe('c')).toEqual([0]);
    // A listener of which nobody has heard is in the zone `default`, which may be set too
    await broker.inject('PUT', '/configs/zones', { body: { default: { mqtt: { max_subscriptions: 1 } } } });
    expect(await (await new Place('ws:new').client()).subscribe(['a', 'b'])).toEqual([0, 0x97]);
  });
});

test('sessions from the disk have the settings of the zone of their listener', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'zones-'));
  try {
    await broker.close();
    broker = await startTestBroker({ dataDir });
    await putZone({ mqtt: { max_mqueue_len: 1, max_subscriptions: 7 } });
    const place = new Place(ZONED);
    broker.core.enterZone(broker.core.entrance(ZONED), 'z');
    const screen = await place.client('kept', KEPT);
    await screen.subscribe(place.topic('#'), { qos: 1 });
    await screen.disconnect();
    await broker.core.flushed();
    await broker.close();
    broker = await startTestBroker({ dataDir });
    broker.core.enterZone(broker.core.entrance(ZONED), 'z');
    const sensor = await new Place(GLOBAL).client('sensor');
    for (const text of ['1', '2']) await sensor.publish(place.topic('x'), text, { qos: 1 });
    expect(broker.core.registry.find(`${place.tag}-kept`)?.facts()).toMatchObject({
      mqueue_len: 1,
      subscriptions_max: 7,
    });
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

describe('names from certificates', () => {
  const names = async (mqtt: Partial<MqttSettings>, options: ClientOptions) => {
    await putGlobal(mqtt);
    const place = new Place(GLOBAL);
    const { client } = place.dial('c', { username: 'alice', ...options });
    const { reasonCode } = await client.connect();
    if (reasonCode !== 0) return reasonCode;
    for (const { who } of broker.core.registry) if (who.port === lastPort()) return who;
    return null;
  };

  test.each([
    ['cn', 'device-7'],
    ['dn', 'CN=device-7,O=Example'],
    ['crt', Buffer.from('not really one').toString('base64')],
    ['md5', createHash('md5').update('not really one').digest('hex')],
    ['pem', '-----BEGIN CERTIFICATE-----\nbm90IHJlYWxseSBvbmU=\n-----END CERTIFICATE-----\n'],
  ] as const)('%s', async (part, name) => {
    const mqtt = { peer_cert_as_username: part, peer_cert_as_clientid: part };
    expect(await names(mqtt, { certificate })).toMatchObject({ clientid: name, username: name });
  });

  test('what a proxy says of a certificate has no bytes: then CONNECT counts', async () => {
    const seen = { ...certificate, der: null };
    const mqtt = { peer_cert_as_username: 'md5', peer_cert_as_clientid: 'cn' } as const;
    expect(await names(mqtt, { certificate: seen })).toMatchObject({
      clientid: 'device-7',
      username: 'alice',
    });
  });

  test('the username takes the place of the client id, also that of a certificate', async () => {
    const mqtt = { use_username_as_clientid: true, peer_cert_as_clientid: 'cn' } as const;
    expect(await names(mqtt, { certificate })).toMatchObject({ clientid: 'alice', username: 'alice' });
  });

  test.each([['\0'], ['a\ud800'], ['x'.repeat(70_000)]])(
    'what cannot be a name is refused: %#',
    async (commonName) => {
      const odd = { certificate: { ...certificate, commonName } };
      expect(await names({ peer_cert_as_clientid: 'cn' }, odd)).toBe(0x85);
      expect(await names({ peer_cert_as_clientid: 'disabled', peer_cert_as_username: 'cn' }, odd)).toBe(0x86);
    },
  );

  test('who comes without client id is told which one it has [MQTT-3.2.2-16]', async () => {
    await putGlobal({ peer_cert_as_clientid: 'cn' });
    const connack = async (clientid: string) => {
      const { client } = dial(broker.core, clientid, { certificate });
      return (await client.connect()).properties.assignedClientIdentifier;
    };
    expect([await connack(''), await connack('a')]).toEqual(['device-7', undefined]);
  });

  test('a name that an expression makes too long is refused', async () => {
    const mqtt = {
      max_clientid_len: 30,
      clientid_override: "concat([clientid, username, '-0123456789-0123456789'])",
    };
    expect(await names(mqtt, {})).toBe(0x85);
    expect(await names({ ...mqtt, clientid_override: 'user_property.id' }, {})).toMatchObject({
      clientid: expect.stringMatching(/^n\d+-c$/),
    });
  });
});

describe('the API', () => {
  const put = (path: string, body: unknown) => broker.inject('PUT', path, { body });
  const global = async () =>
    (await broker.inject<Record<string, object>>('GET', '/configs/global_zone')).body;

  test('gives what real brokers give', async () => {
    expect(await global()).toEqual(DEFAULTS);
    expect((await broker.inject('GET', '/configs/zones')).body).toEqual({});
  });

  test('a part that comes without a value gets its default; each part has to come', async () => {
    await putGlobal({ max_inflight: 64, server_keepalive: 60 });
    const answer = await put('/configs/global_zone', { ...DEFAULTS, mqtt: { max_inflight: 40 } });
    expect(answer).toMatchObject({
      status: 200,
      body: { ...DEFAULTS, mqtt: { ...DEFAULTS.mqtt, max_inflight: 40 } },
    });
    for (const part of Object.keys(DEFAULTS)) {
      const { [part]: _, ...rest } = DEFAULTS as Record<string, object>;
      const refused = await put('/configs/global_zone', rest);
      expect(refused).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    }
    expect(await global()).toMatchObject({ mqtt: { max_inflight: 40, server_keepalive: 'disabled' } });
  });

  test.each<[keyof MqttSettings, unknown[]]>([
    ['idle_timeout', ['x', 0, '0s', -1]],
    ['max_packet_size', ['x', '257MB', '256MB', 0, 1.5]],
    ['max_clientid_len', [22, 65_536, 'x']],
    ['max_topic_levels', [0, 65_536]],
    ['max_qos_allowed', [3, -1, 1.5]],
    ['max_topic_alias', [-1, 65_536]],
    ['server_keepalive', [0, 65_536, 'x']],
    ['keepalive_multiplier', [0.5, 'x']],
    ['keepalive_check_interval', ['x', '0s']],
    ['retry_interval', ['x', -1]],
    ['peer_cert_as_username', ['x', 'CN']],
    ['response_information', ['\0', null]],
    ['client_attrs_init', ['x', [{ expression: 'clientid' }], [{ expression: 'nope(', set_as_attr: 'a' }]]],
    ['clientid_override', ['', 'nope', 'nth(1)']],
    ['session_expiry_interval', ['x', 'infinity']],
    ['message_expiry_interval', ['x', '0s']],
    ['max_awaiting_rel', [-1, 'x']],
    ['await_rel_timeout', ['infinity', '0s']],
    ['mqueue_priorities', [{ t: -1 }, { t: 'x' }, 'x', []]],
    ['mqueue_default_priority', ['x']],
    ['max_mqueue_len', [-1, 'x']],
    ['max_inflight', [0, 65_536]],
    ['max_subscriptions', [0, 'x']],
    ['shared_subscription_strategy', ['x']],
    ['shared_subscription_initial_sticky_pick', ['sticky']],
    ['retain_available', ['x', 1]],
  ])('%s: what cannot be is refused, for all and in a zone', async (key, wrong) => {
    for (const value of wrong) {
      for (const answer of [
        await put('/configs/global_zone', { ...DEFAULTS, mqtt: { [key]: value } }),
        await put('/configs/zones', { z: { mqtt: { [key]: value } } }),
      ]) {
        expect(answer, JSON.stringify(value)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
        expect((answer.body as { message: string }).message).toContain(`mqtt.${key}`);
      }
    }
    expect(await global()).toEqual(DEFAULTS);
    expect((await broker.inject('GET', '/configs/zones')).body).toEqual({});
  });

  test('the multiplier of the keep alive comes in the words of older brokers too', async () => {
    await put('/configs/global_zone', { ...DEFAULTS, mqtt: { ...DEFAULTS.mqtt, keepalive_backoff: 1 } });
    await put('/configs/zones', { z: { mqtt: { keepalive_backoff: 2 } } });
    expect(await global()).toEqual({ ...DEFAULTS, mqtt: { ...DEFAULTS.mqtt, keepalive_multiplier: 2 } });
    expect((await broker.inject('GET', '/configs/zones')).body).toEqual({
      z: { mqtt: { keepalive_multiplier: 4 } },
    });
  });

  test('zones that are named are replaced, those that are null removed, others stay', async () => {
    const zones = () => broker.inject('GET', '/configs/zones').then(({ body }) => body);
    const a = { mqtt: { max_inflight: 1, upgrade_qos: true } };
    await put('/configs/zones', { a, b: {}, '7': { force_gc: { enable: false } } });
    expect(await zones()).toEqual({ a, b: {}, '7': { force_gc: { enable: false } } });
    expect((await put('/configs/zones', { a: { mqtt: { max_inflight: 2 } }, b: null })).body).toEqual({
      a: { mqtt: { max_inflight: 2 } },
      '7': { force_gc: { enable: false } },
    });
    await put('/configs/zones', { unknown: null });
    expect(await zones()).toMatchObject({ a: { mqtt: { max_inflight: 2 } } });
  });

  test.each([['global'], ['with space'], ['a/b'], ['-a'], [''], ['\u540d'], ['a.b'], ['x'.repeat(257)]])(
    'a zone cannot be called %j',
    async (name) => {
      expect(await put('/configs/zones', { [name]: {} })).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
      expect((await broker.inject('GET', '/configs/zones')).body).toEqual({});
    },
  );

  test('a zone may be called as things of the language are', async () => {
    await put('/configs/zones', { constructor: { mqtt: { max_subscriptions: 1 } } });
    broker.core.enterZone(broker.core.entrance(ZONED), 'constructor');
    expect(await (await new Place(ZONED).client()).subscribe(['a', 'b'])).toEqual([0, 0x97]);
    await put('/configs/zones', { constructor: null });
    broker.core.enterZone(broker.core.entrance(ZONED), 'toString');
    expect(await (await new Place(ZONED).client()).subscribe(['a', 'b'])).toEqual([0, 0]);
  });

  test('unknown fields are refused at every depth', async () => {
    for (const body of [
      { ...DEFAULTS, foo: 1 },
      { ...DEFAULTS, mqtt: { foo: 1 } },
    ])
      expect((await put('/configs/global_zone', body)).status).toBe(400);
    for (const zone of [{ foo: 1 }, { mqtt: { foo: 1 } }, { mqtt: null }, 7])
      expect((await put('/configs/zones', { z: zone })).status).toBe(400);
  });

  test('what is set outlives the broker', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'zones-'));
    try {
      await broker.close();
      broker = await startTestBroker({ dataDir });
      await putGlobal({ max_qos_allowed: 1, mqueue_priorities: { a: 3 } });
      await putZone({ mqtt: { max_qos_allowed: 0 } });
      await broker.close();
      broker = await startTestBroker({ dataDir });
      broker.core.enterZone(broker.core.entrance(ZONED), 'z');
      expect((await new Place(GLOBAL).told()).maximumQoS).toBe(1);
      expect((await new Place(ZONED).told()).maximumQoS).toBe(0);
      expect(await global()).toMatchObject({ mqtt: { mqueue_priorities: { a: 3 } } });
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });
});
