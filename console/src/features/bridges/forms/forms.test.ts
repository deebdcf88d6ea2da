import { expect, test } from 'vitest';
import { commandText, commandWords } from './command.ts';
import { lineOf, pointOf } from './line-protocol.ts';
import { bodyFrom, copyName, initialFor, typeFrom, valuesFrom, withoutSecrets } from './standards.ts';

test('a Redis command becomes words and comes back as the same command', () => {
  expect(commandWords('LPUSH  mqtt:${clientid}\n "a b" \'it\\\'s\' "say \\"hi\\""')).toEqual([
    'LPUSH',
    'mqtt:${clientid}',
    'a b',
    "it's",
    'say "hi"',
  ]);
  for (const words of [['SET', 'k', ''], ['SET', 'a b', 'c\\d'], ['SET', '"x"', "y'z"], ['PING']])
    expect(commandWords(commandText(words))).toEqual(words);
  expect(commandWords(' ')).toEqual([]);
  expect(commandWords('SET k "open')).toBeNull();
  expect(commandWords('SET k a"b"')).toBeNull();
  expect(commandWords('SET "a"b c')).toBeNull();
});

test('a line of line protocol becomes the parts of a form and comes back, with what is escaped in it', () => {
  const line =
    'my\\ data,site=north\\,east,clientid=${clientid} v=${payload.v},n=1i,t="a, b=c d" ${timestamp}';
  const point = pointOf(line);
  expect(point).toEqual({
    measurement: 'my data',
    tags: [
      { key: 'site', value: 'north,east' },
      { key: 'clientid', value: '${clientid}' },
    ],
    fields: [
      { key: 'v', value: '${payload.v}' },
      { key: 'n', value: '1i' },
      { key: 't', value: '"a, b=c d"' },
    ],
    timestamp: '${timestamp}',
  });
  expect(lineOf(point!)).toBe(line);
  expect(lineOf({ ...point!, tags: [], timestamp: '' })).toBe('my\\ data v=${payload.v},n=1i,t="a, b=c d"');
});

test('line protocol that the form cannot show stays a text', () => {
  for (const text of ['', 'only-a-measurement', 'm v=1\nm v=2', 'm v=1 2 3', 'm,tag v=1', 'm v='])
    expect(pointOf(text), text).toBeNull();
});

test('a copy is called _duplication, a copy of a copy counts up', () => {
  const taken = new Set(['a', 'a_duplication']);
  expect(copyName('b', taken)).toBe('b_duplication');
  expect(copyName('a', taken)).toBe('a_duplication_1');
  expect(copyName('a_duplication', new Set([...taken, 'a_duplication_1']))).toBe('a_duplication_2');
});

test('a copy leaves its secrets behind and says which', () => {
  const { values, secrets } = withoutSecrets({
    password: '******',
    username: 'ada',
    headers: { authorization: '******', accept: 'x' },
    authentication: { password: '******' },
  });
  expect(values).toEqual({
    password: '',
    username: 'ada',
    headers: { authorization: '', accept: 'x' },
    authentication: { password: '' },
  });
  expect(secrets).toEqual(['password', 'headers.authorization', 'authentication.password']);
});

test('the choices of the form make the type', () => {
  expect(typeFrom('redis', { redis_type: 'sentinel' })).toBe('redis_sentinel');
  expect(typeFrom('redis', { redis_type: 'cluster' })).toBe('redis_cluster');
  expect(typeFrom('redis', initialFor('redis'))).toBe('redis_single');
  expect(typeFrom('mongodb', { mongo_type: 'rs' })).toBe('mongodb_rs');
  expect(typeFrom('mongodb', { mongo_type: 'sharded' })).toBe('mongodb_sharded');
  expect(typeFrom('influxdb', { api: 'v1' })).toBe('influxdb_api_v1');
  expect(typeFrom('influxdb', initialFor('influxdb'))).toBe('influxdb_api_v2');
  expect(typeFrom('kafka', {})).toBe('kafka');
});

test('only the directions that are on are sent, and the window only when deliveries are async', () => {
  const both = {
    has_ingress: true,
    ingress: { remote: { topic: 'a' } },
    has_egress: false,
    egress: { remote: { topic: 'b' } },
    resource_opts: { query_mode: 'sync', inflight_window: 7 },
  };
  expect(bodyFrom('mqtt', both)).toMatchObject({
    ingress: both.ingress,
    egress: undefined,
    resource_opts: { query_mode: 'sync', inflight_window: undefined },
  });
  const other = {
    ...both,
    has_ingress: false,
    has_egress: true,
    resource_opts: { query_mode: 'async', inflight_window: 7 },
  };
  expect(bodyFrom('mqtt', other)).toMatchObject({
    ingress: undefined,
    egress: both.egress,
    resource_opts: { inflight_window: 7 },
  });
});

test('an MQTT bridge that goes one way keeps defaults for the other', () => {
  const values = valuesFrom('mqtt', { server: 'x:1', ingress: { remote: { topic: 'f/#', qos: 0 } } });
  expect(values).toMatchObject({
    has_ingress: true,
    ingress: { remote: { topic: 'f/#', qos: 0 }, local: { qos: '${qos}' } },
    has_egress: false,
    egress: { remote: { topic: '', qos: '${qos}' } },
  });
});

test('what Kafka is told of who connects depends on the mechanism', () => {
  const sent = (authentication: unknown) => bodyFrom('kafka', { authentication }).authentication;
  expect(sent({ mechanism: 'none', username: 'left over' })).toBe('none');
  expect(sent({ mechanism: 'plain', username: 'a', password: 'b', kerberos_principal: 'x' })).toEqual({
    mechanism: 'plain',
    username: 'a',
    password: 'b',
  });
  const kerberos = { kerberos_principal: 'p', kerberos_keytab_file: 'f' };
  expect(sent({ mechanism: 'kerberos', ...kerberos })).toEqual(kerberos);
  expect(valuesFrom('kafka', { authentication: kerberos }).authentication).toEqual({
    mechanism: 'kerberos',
    ...kerberos,
  });
  expect(valuesFrom('kafka', { authentication: 'none' }).authentication).toEqual({ mechanism: 'none' });
});
