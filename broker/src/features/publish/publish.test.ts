import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const publish = (body: unknown, bulk = '') => broker.inject(`POST`, `/publish${bulk}`, { body });

test('a message reaches its subscribers with everything that was given', async () => {
  const screen = await broker.client('screen');
  await screen.subscribe('pub/#', { qos: 2 });
  const answer = await publish({
    topic: 'pub/all',
    payload: '{"a":1}',
    qos: 2,
    clientid: 'api-client',
    properties: {
      payload_format_indicator: 1,
      message_expiry_interval: 60,
      response_topic: 'r/t',
      correlation_data: 'cd1',
      content_type: 'application/json',
      user_properties: { k: 'v', n: 1 },
    },
  });
  expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^[0-9A-Fa-f]{32}$/) } });
  const message = await screen.expectMessage('{"a":1}');
  expect(message).toMatchObject({
    topic: 'pub/all',
    qos: 2,
    properties: {
      payloadFormatIndicator: 1,
      messageExpiryInterval: 60,
      responseTopic: 'r/t',
      contentType: 'application/json',
      userProperty: [
        ['k', 'v'],
        ['n', '1'],
      ],
    },
  });
  expect(Buffer.from(message.properties.correlationData!).toString()).toBe('cd1');
});

test('base64 is decoded, numbers are text', async () => {
  const screen = await broker.client('screen');
  await screen.subscribe('#');
  await publish({ topic: 'b', payload: 'YsOvbg==', payload_encoding: 'base64' });
  await screen.expectMessage('bïn');
  await publish({ topic: 'n', payload: 5 });
  await screen.expectMessage('5');
});

test('a message that nobody wants is accepted and says so', async () => {
  expect(await publish({ topic: 'nobody', payload: 'x' })).toMatchObject({
    status: 202,
    body: { message: 'no_matching_subscribers', reason_code: 16 },
  });
});

test('what cannot be sent has the reason code of MQTT', async () => {
  const cases: [object, number][] = [
    [{ topic: '', payload: 'x' }, 144],
    [{ topic: 'a/+', payload: 'x' }, 144],
    [{ topic: 'a/#', payload: 'x' }, 144],
    [{ topic: 'a\u0000', payload: 'x' }, 144],
    [{ topic: 'a', payload: '***', payload_encoding: 'base64' }, 131],
    [{ topic: 'a', payload: 'x'.repeat(2 << 20) }, 151],
    [{ topic: 'a', payload: 'x', properties: { user_properties: { ...new Array(5000).fill('v') } } }, 151],
  ];
  for (const [body, reason_code] of cases)
    expect(await publish(body), JSON.stringify(body).slice(0, 60)).toMatchObject({
      status: 400,
      body: { reason_code },
    });
});

test('of several messages each has its answer', async () => {
  const screen = await broker.client('screen');
  await screen.subscribe('a');
  expect(
    await publish(
      [
        { topic: 'a', payload: '1' },
        { topic: 'b', payload: '2' },
      ],
      '/bulk',
    ),
  ).toMatchObject({
    status: 202,
    body: [{ id: expect.any(String) }, { reason_code: 16 }],
  });
  expect(await publish([{ topic: 'a', payload: '3' }], '/bulk')).toMatchObject({ status: 200 });
  expect(await screen.expectMessages(2)).toEqual(['1', '3']);
});

test('one that cannot be sent keeps all of them from being sent', async () => {
  const screen = await broker.client('screen');
  await screen.subscribe('a');
  expect(
    (
      await publish(
        [
          { topic: 'a', payload: '1' },
          { topic: 'a/+', payload: '2' },
        ],
        '/bulk',
      )
    ).status,
  ).toBe(400);
  await screen.expectNothing();
});

test('a message that no packet can carry is refused before anybody gets it', async () => {
  const screen = await broker.client('screen', { version: 5 });
  await screen.subscribe('a');
  const cases = [
    { content_type: 'a\u0000' },
    { content_type: '\ud800' },
    { response_topic: 'x'.repeat(65_536) },
    { response_topic: '#' },
    { correlation_data: 'x'.repeat(70_000) },
    { user_properties: { ['k'.repeat(70_000)]: 'v' } },
  ];
  for (const properties of cases)
    expect(await publish({ topic: 'a', payload: 'x', qos: 1, properties })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`key-${i}`, 'x'.repeat(30)]));
  expect(await publish({ topic: 'a', payload: 'x', properties: { user_properties: many } })).toMatchObject({
    status: 400,
    body: { reason_code: 151 },
  });
  await screen.expectNothing();
});

test('ten thousand messages are enough for one call', async () => {
  const messages = Array.from({ length: 10_001 }, () => ({ topic: 'a', payload: '' }));
  expect(await publish(messages, '/bulk')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
});
