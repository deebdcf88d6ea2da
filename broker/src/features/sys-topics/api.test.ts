import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const defaults = {
  sys_msg_interval: '1m',
  sys_heartbeat_interval: '30s',
  sys_event_messages: {
    client_connected: true,
    client_disconnected: true,
    client_subscribed: false,
    client_unsubscribed: false,
    message_delivered: false,
    message_dropped: false,
    message_acked: false,
  },
};

test('what a change leaves out keeps its value, among the events too', async () => {
  expect((await broker.inject('GET', '/configs/sys_topics')).body).toEqual(defaults);
  const first = await broker.inject('PUT', '/configs/sys_topics', { body: { sys_msg_interval: 'disabled' } });
  expect(first.body).toEqual({ ...defaults, sys_msg_interval: 'disabled' });
  const body = { sys_heartbeat_interval: '50s', sys_event_messages: { client_subscribed: true } };
  const { status, body: after } = await broker.inject('PUT', '/configs/sys_topics', { body });
  expect(status).toBe(200);
  expect(after).toEqual({
    sys_msg_interval: 'disabled',
    sys_heartbeat_interval: '50s',
    sys_event_messages: { ...defaults.sys_event_messages, client_subscribed: true },
  });
  expect((await broker.inject('GET', '/configs/sys_topics')).body).toEqual(after);
});

test.each([
  [{ sys_msg_interval: 'often' }, 'sys_msg_interval', 'Not a valid duration'],
  [{ sys_msg_interval: '0s' }, 'sys_msg_interval', 'Not a valid duration'],
  [{ sys_heartbeat_interval: null }, 'sys_heartbeat_interval', 'Not a valid duration'],
  [
    { sys_event_messages: { client_connected: 'x' } },
    'sys_event_messages.client_connected',
    'Unable to parse boolean value',
  ],
  [{ colour: 1 }, '', 'unknown_fields'],
])('%j is refused', async (body, path, reason) => {
  const answer = await broker.inject<{ code: string; message: string }>('PUT', '/configs/sys_topics', {
    body,
  });
  expect(answer.status).toBe(400);
  expect(answer.body.code).toBe('BAD_REQUEST');
  expect(JSON.parse(answer.body.message)).toMatchObject({ path: `root${path && `.${path}`}`, reason });
  expect((await broker.inject('GET', '/configs/sys_topics')).body).toEqual(defaults);
});

test('a change is in force at once', async () => {
  const screen = await broker.client('screen');
  await screen.subscribe('$SYS/brokers/+/clients/sensor/subscribed');
  const sensor = await broker.client('sensor');
  await sensor.subscribe('before');
  const body = { sys_event_messages: { client_subscribed: true } };
  await broker.inject('PUT', '/configs/sys_topics', { body });
  await sensor.subscribe('after');
  const { payload } = await screen.expectMessage();
  expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ topic: 'after' });
});

test('a new subscriber finds nodes, version and description, which the broker retained', async () => {
  const screen = await broker.client('screen');
  await screen.subscribe('$SYS/#');
  const got: Record<string, string> = {};
  for (let i = 0; i < 3; i++) {
    const { topic, payload, retain } = await screen.expectMessage();
    expect(retain).toBe(true);
    got[topic] = Buffer.from(payload).toString();
  }
  expect(got).toEqual({
    '$SYS/brokers': 'mqdeck@127.0.0.1',
    '$SYS/brokers/mqdeck@127.0.0.1/sysdescr': 'mqdeck',
    '$SYS/brokers/mqdeck@127.0.0.1/version': '0.0.0-test',
  });
  const { body } = await broker.inject<{ data: object[] }>('GET', '/mqtt/retainer/messages');
  expect(body.data[0]).toMatchObject({ from_clientid: 'emqx_sys', from_username: '', qos: 0 });
});

test('a client cannot publish there, retained or not, also without rules that forbid it; an operator can', async () => {
  const sensor = await broker.client('sensor', { will: { topic: '$SYS/own', retain: true } });
  for (const topic of ['$SYS/own', '$SYS/brokers/mqdeck@127.0.0.1/version', '$delayed/1/$SYS/own'])
    for (const retain of [false, true])
      expect(await sensor.publish(topic, 'x', { qos: 1, retain })).toBe(ReasonCode.NotAuthorized);
  sensor.close();
  const screen = await broker.client('screen');
  await screen.subscribe('$SYS/own');
  await screen.expectNothing();
  const { body } = await broker.inject<{ data: { topic: string }[] }>('GET', '/mqtt/retainer/messages');
  expect(body.data.map(({ topic }) => topic)).not.toContain('$SYS/own');

  const { status } = await broker.inject('POST', '/publish', { body: { topic: '$SYS/own', payload: 'y' } });
  expect(status).toBe(200);
  await screen.expectMessage('y');
});

test.each([
  ['sys_msg_interval', '$SYS/brokers/+/version'],
  ['sys_heartbeat_interval', '$SYS/brokers/+/uptime'],
])('%s says how often clients hear of it', async (name, filter) => {
  const screen = await broker.client('screen');
  await broker.inject('PUT', '/configs/sys_topics', { body: { [name]: '100ms' } });
  await screen.subscribe(filter);
  await screen.expectMessages(3);
});

describe('each event is told while it is switched on, and not otherwise', () => {
  const set = (events: object) =>
    broker.inject('PUT', '/configs/sys_topics', { body: { sys_event_messages: events } });
  const deeds: [string, string, () => Promise<unknown>][] = [
    ['client_connected', '$SYS/brokers/+/clients/+/connected', () => broker.client('guest')],
    [
      'client_disconnected',
      '$SYS/brokers/+/clients/+/disconnected',
      async () => broker.core.kick((await broker.client('guest')).clientid),
    ],
    [
      'client_subscribed',
      '$SYS/brokers/+/clients/+/subscribed',
      async () => (await broker.client('guest')).subscribe('a'),
    ],
    [
      'client_unsubscribed',
      '$SYS/brokers/+/clients/+/unsubscribed',
      async () => {
        const guest = await broker.client('guest');
        await guest.subscribe('a');
        await guest.unsubscribe('a');
      },
    ],
    [
      'message_delivered',
      '$event/message_delivered',
      async () => {
        const guest = await broker.client('guest');
        await guest.subscribe('a');
        await guest.publish('a', 'x', { qos: 1 });
        await guest.expectMessage();
      },
    ],
    [
      'message_acked',
      '$event/message_acked',
      async () => {
        const guest = await broker.client('guest');
        await guest.subscribe('a', { qos: 1 });
        await guest.publish('a', 'x', { qos: 1 });
        await guest.expectMessage();
      },
    ],
    [
      'message_dropped',
      '$event/message_dropped',
      async () => (await broker.client('guest')).publish('nobody', 'x', { qos: 1 }),
    ],
  ];
  for (const [event, filter, deed] of deeds)
    test(event, async () => {
      const all = Object.keys(defaults.sys_event_messages).map((name) => [name, false]);
      await set(Object.fromEntries(all));
      const screen = await broker.client('screen');
      await screen.subscribe(filter);
      await deed();
      await screen.expectNothing();
      await set({ [event]: true });
      await deed();
      expect((await screen.expectMessage()).topic).toMatch(new RegExp(`${event.split('_')[1]}$`));
    });
});
