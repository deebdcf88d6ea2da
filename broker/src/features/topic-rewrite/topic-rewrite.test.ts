import type { RewriteRule } from '@mqdeck/contract/topic-rewrite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const put = (rules: unknown) =>
  broker.inject<{ message: string; code: string }>('PUT', '/mqtt/topic_rewrite', { body: rules });
const rule = (given: Partial<RewriteRule>): RewriteRule => ({
  action: 'all',
  source_topic: 'x/#',
  re: '^x/y/(.+)$',
  dest_topic: 'z/$1',
  ...given,
});

test('publishing and subscribing get the name that the rule says', async () => {
  expect((await put([rule({})])).status).toBe(200);
  const screen = await broker.client('screen');
  await screen.subscribe('x/y/1');
  const sensor = await broker.client('sensor');
  await sensor.publish('x/y/1', 'a', { qos: 1 });
  expect(await screen.expectMessage()).toMatchObject({ topic: 'z/1' });
  const { body } = await broker.inject<{ topic: string }[]>('GET', '/clients/screen/subscriptions');
  expect(body.map(({ topic }) => topic)).toEqual(['z/1']);
  expect(await screen.unsubscribe('x/y/1')).toEqual([0]);
  expect((await broker.inject('GET', '/clients/screen/subscriptions')).body).toEqual([]);
});

test('a rule of one action leaves the other alone', async () => {
  await put([rule({ action: 'publish' })]);
  const screen = await broker.client('screen');
  await screen.subscribe(['x/y/1', 'z/1']);
  await (await broker.client('sensor')).publish('x/y/1', 'a', { qos: 1 });
  expect(await screen.expectMessage()).toMatchObject({ topic: 'z/1' });
  await screen.expectNothing();
});

test('the first rule whose filter matches decides, though its expression may not fit', async () => {
  await put([
    rule({ re: '^x/never$' }),
    rule({ source_topic: 'x/y/+' }),
    rule({ source_topic: 'c/+', re: '^c/(.+)$', dest_topic: 'd/$1/$2' }),
  ]);
  const screen = await broker.client('screen');
  await screen.subscribe('#');
  const sensor = await broker.client('sensor');
  for (const topic of ['x/y/1', 'c/9', 'other']) await sensor.publish(topic, '', { qos: 1 });
  const topics = [];
  for (let i = 0; i < 3; i++) topics.push((await screen.expectMessage()).topic);
  expect(topics).toEqual(['x/y/1', 'd/9/$2', 'other']);
});

test('shared subscriptions keep their group', async () => {
  await put([rule({})]);
  const screen = await broker.client('screen');
  await screen.subscribe('$share/g/x/y/1');
  await (await broker.client('sensor')).publish('x/y/1', 'a', { qos: 1 });
  expect(await screen.expectMessage()).toMatchObject({ topic: 'z/1' });
});

test('names of clients are filled in, and one with wildcards in it widens nothing', async () => {
  await put([rule({ source_topic: 'in/+', re: '^in/(.+)$', dest_topic: 'of/${clientid}/${username}/$1' })]);
  const subscribed = async (clientid: string, username?: string) => {
    const client = await broker.client(clientid, username === undefined ? {} : { username });
    await client.subscribe('in/1');
    const path = `/clients/${encodeURIComponent(clientid)}/subscriptions`;
    return (await broker.inject<{ topic: string }[]>('GET', path)).body[0]!.topic;
  };
  expect(await subscribed('a', 'fleet')).toBe('of/a/fleet/1');
  for (const [clientid, username] of [
    ['#', 'fleet'],
    ['b', '+'],
    ['c/d', 'fleet'],
    ['e', undefined],
  ] as const)
    expect(await subscribed(clientid, username), clientid).toBe('in/1');
});

test('no topic that a client chooses becomes one of the broker', async () => {
  await put([rule({ action: 'publish', re: '^x/(.+)$', dest_topic: '$1' })]);
  const screen = await broker.client('screen');
  await screen.subscribe(['$SYS/own', 'x/$SYS/own']);
  await (await broker.client('sensor')).publish('x/$SYS/own', 'a', { qos: 1 });
  expect(await screen.expectMessage()).toMatchObject({ topic: 'x/$SYS/own' });
  await screen.expectNothing();
});

test('a will is rewritten as well', async () => {
  await put([rule({})]);
  const screen = await broker.client('screen');
  await screen.subscribe('z/#');
  const sensor = await broker.client('sensor', { will: { topic: 'x/y/gone', payload: Buffer.from('w') } });
  await sensor.disconnect(4); // with will
  expect(await screen.expectMessage()).toMatchObject({ topic: 'z/gone' });
});

test('what cannot be a rule is refused with its number, and nothing changes', async () => {
  await put([rule({})]);
  const wrong: [unknown, RegExp][] = [
    [[rule({}), rule({ re: '^x(' })], /Rule 2: re/],
    [[rule({ action: 'publish', dest_topic: 'z/#' })], /Rule 1: dest_topic/],
    [[rule({ re: '(?=a)' })], /Rule 1: re/],
    [[{}], /required_field/],
    [[{ ...rule({}), foo: 1 }], /unknown_fields/],
    [{ action: 'all' }, /./],
    [[{ ...rule({}), action: 'drop' }], /action/],
  ];
  for (const [body, message] of wrong) {
    const answer = await put(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(answer.body.message).toMatch(message);
  }
  expect(await put(Array.from({ length: 21 }, () => rule({})))).toMatchObject({
    status: 413,
    body: { code: 'EXCEED_LIMIT' },
  });
  expect((await broker.inject('GET', '/mqtt/topic_rewrite')).body).toEqual([rule({})]);
});

test('an expression that takes other engines ages takes no time', async () => {
  await put([rule({ re: '^((a+)+)+$' })]);
  const sensor = await broker.client('sensor');
  await sensor.publish(`x/${'a'.repeat(5000)}!`, 'x', { qos: 1 }); // answered within the test's patience
});
