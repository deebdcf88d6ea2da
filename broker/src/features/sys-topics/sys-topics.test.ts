import type { Alarm } from '@mqdeck/contract/alarms';
import { SysTopicsSettings } from '@mqdeck/contract/sys-topics';
import type { PublishPacket } from '@mqdeck/mqtt/packets';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { SettingsStore } from '../../settings/settings.ts';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { startSysTopics } from './sys-topics.ts';

const BASE = '$SYS/brokers/mqdeck@127.0.0.1';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Given = Partial<Omit<SysTopicsSettings, 'sys_event_messages'>> & {
  sys_event_messages?: Partial<SysTopicsSettings['sys_event_messages']>;
};

async function startWithSysTopics(given: Given = {}) {
  const broker: TestCore = startTestCore();
  const settings = new SettingsStore(null);
  await settings.change('sys_topics', z.parse(SysTopicsSettings, given));
  let raise: (event: 'activate' | 'deactivate', alarm: Alarm) => void = () => undefined;
  const onAlarm = (tell: typeof raise) => {
    raise = tell;
    return () => undefined;
  };
  const published: string[] = [];
  broker.core.hooks.on('message.publish', ({ topic }) => void published.push(topic));
  const end = startSysTopics(broker.core, { settings, version: '9.8.7', onAlarm });
  ends.push(() => broker.close(), end);
  return {
    ...broker,
    end,
    published,
    raise: (event: 'activate' | 'deactivate', alarm: Alarm) => raise(event, alarm),
    change: (change: Given) =>
      settings.change('sys_topics', z.parse(SysTopicsSettings, { ...settings.get('sys_topics'), ...change })),
  };
}

const textOf = ({ payload }: PublishPacket): string => Buffer.from(payload).toString();
const jsonOf = (message: PublishPacket): Record<string, unknown> => JSON.parse(textOf(message));

/** What comes until nothing more is on its way. */
async function everything(client: TestClient): Promise<Record<string, string>> {
  await client.subscribe('the/end');
  await client.publish('the/end', '');
  const got: Record<string, string> = {};
  for (;;) {
    const message = await client.expectMessage();
    if (message.topic === 'the/end') break;
    got[message.topic] = textOf(message);
  }
  await client.unsubscribe('the/end');
  return got;
}

describe('the broker', () => {
  test('says its version, description and nodes at once, and again every sys_msg_interval', async () => {
    const broker = await startWithSysTopics({ sys_msg_interval: '20s', sys_heartbeat_interval: 'disabled' });
    const about = ['$SYS/brokers', `${BASE}/sysdescr`, `${BASE}/version`];
    expect(broker.published.sort()).toEqual(about);
    const screen = await broker.client('screen');
    await screen.subscribe(['$SYS/brokers', `${BASE}/version`]);
    broker.pass(19_000);
    expect(await everything(screen)).toEqual({});
    broker.pass(1000);
    expect(await everything(screen)).toEqual({
      '$SYS/brokers': 'mqdeck@127.0.0.1',
      [`${BASE}/version`]: '9.8.7',
    });
  });

  test('says figures and counters every sys_msg_interval, to those who want them', async () => {
    const broker = await startWithSysTopics({ sys_msg_interval: '20s' });
    const screen = await broker.client('screen');
    await screen.subscribe([`${BASE}/stats/#`, `${BASE}/metrics/packets/connect/received`]);
    broker.published.length = 0;
    broker.pass(20_000);
    const got = await everything(screen);
    expect(got[`${BASE}/stats/connections/count`]).toBe('1');
    expect(got[`${BASE}/stats/subscriptions/shared/max`]).toBe('0');
    expect(got[`${BASE}/metrics/packets/connect/received`]).toBe('1');
    expect(Object.keys(got).filter((topic) => topic.includes('/metrics/'))).toHaveLength(1);
    expect(broker.published.filter((topic) => topic.includes('/metrics/'))).toHaveLength(1);
  });

  test('says its uptime and time every sys_heartbeat_interval', async () => {
    const broker = await startWithSysTopics({ sys_heartbeat_interval: '2s' });
    const screen = await broker.client('screen');
    await screen.subscribe([`${BASE}/uptime`, `${BASE}/datetime`]);
    broker.pass(2000);
    const got = await everything(screen);
    expect(Number(got[`${BASE}/uptime`])).toBeGreaterThanOrEqual(2000);
    expect(got[`${BASE}/datetime`]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(broker.published).toHaveLength(6); // about itself, both values, the end: nothing that nobody gets
  });

  test('obeys another interval at once', async () => {
    const broker = await startWithSysTopics({ sys_heartbeat_interval: '1h' });
    const screen = await broker.client('screen');
    await screen.subscribe(`${BASE}/uptime`);
    await broker.change({ sys_heartbeat_interval: '1s' });
    await screen.expectMessage();
    broker.pass(1000);
    await screen.expectMessage();
    await broker.change({ sys_heartbeat_interval: 'disabled' });
    broker.pass(10_000);
    expect(await everything(screen)).toEqual({});
  });

  test('says nothing that is disabled, nor after its end', async () => {
    const nothing = { sys_msg_interval: 'disabled', sys_heartbeat_interval: 'disabled' };
    const broker = await startWithSysTopics({
      ...nothing,
      sys_event_messages: { client_connected: false, client_disconnected: false },
    });
    const screen = await broker.client('screen');
    await screen.subscribe('$SYS/#');
    await broker.client('sensor');
    broker.pass(200_000);
    expect(await everything(screen)).toEqual({});
    const { used } = broker.core.hooks;
    expect(used['client.connected'].length + used['session.subscribed'].length).toBe(0);
    await broker.change({ sys_msg_interval: '1s', sys_event_messages: { client_connected: true } });
    expect(used['client.connected']).toHaveLength(1);
    await everything(screen);
    broker.end();
    broker.pass(10_000);
    await broker.client('another');
    expect(await everything(screen)).toEqual({});
  });

  test('is not counted as a publisher, and nobody but those who ask for $SYS hears it [MQTT-4.7.2-1]', async () => {
    const broker = await startWithSysTopics({ sys_msg_interval: '1s', sys_heartbeat_interval: '1s' });
    const screen = await broker.client('screen');
    await screen.subscribe(['#', '+/brokers', '+/#']);
    broker.pass(5000);
    expect(await everything(screen)).toEqual({});
    const counters = broker.core.counters.all();
    expect(counters['messages.publish']).toBe(1); // the end
    expect(counters['messages.dropped']).toBe(0);
  });
});

describe('events', () => {
  test('tell who comes and who goes', async () => {
    const broker = await startWithSysTopics();
    const screen = await broker.client('screen');
    await screen.subscribe(`${BASE}/clients/#`);
    const sensor = await broker.client('sensor', { username: 'ann', keepalive: 60, version: 4 });
    const connected = await screen.expectMessage();
    expect(connected.topic).toBe(`${BASE}/clients/sensor/connected`);
    expect(connected.retain).toBe(false);
    expect(jsonOf(connected)).toMatchObject({
      clientid: 'sensor',
      username: 'ann',
      protocol: 'mqtt',
      proto_name: 'MQTT',
      proto_ver: 4,
      keepalive: 60,
      clean_start: true,
      expiry_interval: 0,
      ts: expect.any(Number),
      connected_at: expect.any(Number),
      ipaddress: expect.any(String),
    });
    await sensor.disconnect();
    const disconnected = await screen.expectMessage();
    expect(disconnected.topic).toBe(`${BASE}/clients/sensor/disconnected`);
    expect(jsonOf(disconnected)).toMatchObject({
      clientid: 'sensor',
      reason: 'normal',
      disconnected_at: expect.any(Number),
    });
  });

  test('tell of subscriptions when told to', async () => {
    const broker = await startWithSysTopics();
    const screen = await broker.client('screen');
    const sensor = await broker.client('sensor', { username: 'evu' });
    await screen.subscribe(`${BASE}/clients/sensor/+`);
    await sensor.subscribe('m/none', { qos: 1 });
    expect(await everything(screen)).toEqual({});
    await broker.change({ sys_event_messages: { client_subscribed: true, client_unsubscribed: true } });
    await sensor.subscribe('m/ev', { qos: 1 });
    const subscribed = await screen.expectMessage();
    expect(subscribed.topic).toBe(`${BASE}/clients/sensor/subscribed`);
    expect(jsonOf(subscribed)).toEqual({
      username: 'evu',
      ts: expect.any(Number),
      topic: 'm/ev',
      subopts: { sub_props: {}, rh: 0, rap: 0, qos: 1, nl: 0, is_new: true },
      protocol: 'mqtt',
      clientid: 'sensor',
    });
    await sensor.unsubscribe('m/ev');
    const unsubscribed = await screen.expectMessage();
    expect(unsubscribed.topic).toBe(`${BASE}/clients/sensor/unsubscribed`);
    expect(jsonOf(unsubscribed)).toEqual({
      username: 'evu',
      ts: expect.any(Number),
      topic: 'm/ev',
      protocol: 'mqtt',
      clientid: 'sensor',
    });
  });

  test('nobody hides from them behind a client id that is no topic', async () => {
    const broker = await startWithSysTopics();
    const screen = await broker.client('screen');
    await screen.subscribe(`${BASE}/clients/#`);
    await broker.client('a/+/#');
    const connected = await screen.expectMessage();
    expect(connected.topic).toBe(`${BASE}/clients/a/%2B/%23/connected`);
    expect(jsonOf(connected)).toMatchObject({ clientid: 'a/+/#', username: null });
    const warned: object[] = [];
    broker.core.log.warn = (facts) => warned.push(facts);
    await broker.client('x'.repeat(65_500)); // too long to be told of, and nothing breaks
    expect(await everything(screen)).toEqual({});
    expect(warned).toMatchObject([{ topic: `${BASE}/clients/`.padEnd(200, 'x') }]);
  });

  test('tell what became of messages when told to, and never of the broker’s own', async () => {
    const all = { message_delivered: true, message_acked: true, message_dropped: true };
    const { client, published } = await startWithSysTopics({ sys_event_messages: all });
    const watcher = await client('watcher');
    await watcher.subscribe('$event/#', { qos: 1 });
    const [sensor, screen] = [await client('sensor', { username: 'fleet' }), await client('screen')];
    await screen.subscribe('room/1', { qos: 1 });
    await sensor.publish('room/1', 'hello', { qos: 1 });
    await screen.expectMessage('hello');
    await sensor.publish('nobody/listens', 'x', { qos: 1 });
    const got = await everything(watcher);
    expect(Object.keys(got).sort()).toEqual([
      '$event/message_acked',
      '$event/message_delivered',
      '$event/message_dropped',
    ]);
    const { id, ts, publish_received_at, peerhost, ...delivered } = JSON.parse(
      got['$event/message_delivered']!,
    );
    expect(delivered).toEqual({
      topic: 'room/1',
      qos: 1,
      retain: false,
      payload_bytes: 5,
      from_clientid: 'sensor',
      from_username: 'fleet',
      clientid: 'screen',
      username: null,
    });
    expect(JSON.parse(got['$event/message_dropped']!)).toMatchObject({
      topic: 'nobody/listens',
      reason: 'no_subscribers',
    });
    expect(JSON.parse(got['$event/message_acked']!)).toMatchObject({ id, clientid: 'screen' });
    // One for each of two messages, though the events themselves are delivered and acknowledged as well
    expect(published.filter((topic) => topic === '$event/message_delivered')).toHaveLength(2);
    expect(published.filter((topic) => topic === '$event/message_acked')).toHaveLength(1);
  });

  test('tell of alarms', async () => {
    const broker = await startWithSysTopics();
    const screen = await broker.client('screen');
    await screen.subscribe(`${BASE}/alarms/#`);
    const alarm = {
      node: 'mqdeck@127.0.0.1',
      name: 'high_cpu_usage',
      message: '90% cpu usage',
      details: { usage: 90 },
      duration: 0,
      activate_at: '2026-01-01T00:00:00.000+00:00',
    };
    broker.raise('activate', alarm);
    const message = await screen.expectMessage();
    expect(message.topic).toBe(`${BASE}/alarms/activate`);
    expect(jsonOf(message)).toEqual(alarm);
    broker.raise('deactivate', alarm);
    expect((await screen.expectMessage()).topic).toBe(`${BASE}/alarms/deactivate`);
  });
});
