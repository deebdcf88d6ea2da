import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../testing/start-test-broker.ts';

interface Failure {
  code: string;
  message: string;
}

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker();
});
afterAll(() => broker.close());

/** What is wrong with a request, as the message of its 400 tells it. */
async function faultOf(method: string, path: string, given: Parameters<TestBroker['inject']>[2] = {}) {
  const { status, body } = await broker.inject<Failure>(method, path, given);
  expect(body.code).toBe('BAD_REQUEST');
  expect(status).toBe(400);
  return JSON.parse(body.message) as unknown;
}

describe('paths and methods', () => {
  test('a path that exists answers other methods with 405 and the methods it has', async () => {
    const patch = await broker.inject<Failure>('PATCH', '/nodes');
    expect(patch).toMatchObject({
      status: 405,
      headers: { allow: 'GET' },
      body: { code: 'METHOD_NOT_ALLOWED' },
    });
    const get = await broker.inject<Failure>('GET', '/users/ops');
    expect(get).toMatchObject({ status: 405, headers: { allow: 'DELETE, PUT' } });
    expect(await broker.inject('OPTIONS', '/nodes', { authorization: null })).toMatchObject({ status: 405 });
  });

  test('an unknown path is 404 in JSON, with a login or without', async () => {
    for (const authorization of [undefined, null])
      expect(
        await broker.inject('GET', '/does_not_exist', authorization === null ? { authorization } : {}),
      ).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  test('a slash at the end changes nothing', async () => {
    expect((await broker.inject('GET', '/nodes/')).status).toBe(200);
  });

  test('a path that cannot be decoded is 400 with code and message', async () => {
    expect(await broker.inject('GET', '/clients/%zz')).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
  });

  test('an id of 60,000 characters is one segment like any other', async () => {
    expect(await broker.inject('GET', `/clients/${'%2F'.repeat(20_000)}`)).toMatchObject({
      status: 404,
      body: { code: 'CLIENTID_NOT_FOUND' },
    });
  });

  test('no answer may be kept by a cache', async () => {
    for (const path of ['/nodes', '/does_not_exist', '/status'])
      expect((await broker.inject('GET', path)).headers['cache-control']).toBe('no-store');
  });
});

describe('bodies', () => {
  test('another content type than JSON is 415: a form of another site cannot change anything', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      expect(
        await broker.inject('POST', '/publish', {
          rawBody: '{"topic":"a","payload":"x"}',
          headers: { 'content-type': type },
        }),
      ).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });

  test('malformed JSON and poisoned JSON are 400', async () => {
    for (const rawBody of ['{"topic":', '{"topic":"a","payload":"x","__proto__":{"qos":1}}', 'nonsense'])
      expect(await broker.inject('POST', '/publish', { rawBody })).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
  });

  test('a body beyond the limit is refused without being read to the end', async () => {
    const rawBody = JSON.stringify({ topic: 'a', payload: 'x'.repeat(9 * 1024 * 1024) });
    expect(await broker.inject('POST', '/publish', { rawBody })).toMatchObject({
      status: 413,
      body: { code: 'EXCEED_LIMIT' },
    });
  });

  test('missing fields are named, all of them where the body has a schema', async () => {
    expect(await faultOf('POST', '/publish')).toEqual([
      { kind: 'validation_error', path: 'root.topic', reason: 'required_field' },
      { kind: 'validation_error', path: 'root.payload', reason: 'required_field' },
    ]);
    expect(await faultOf('POST', '/login', { body: {}, authorization: null })).toEqual({
      kind: 'validation_error',
      path: 'username',
      reason: 'required_field',
    });
  });

  test('unknown fields are named beside those that could have been meant', async () => {
    expect(await faultOf('POST', '/publish', { body: { topic: 'a', payload: 'x', foo: 1 } })).toEqual({
      kind: 'validation_error',
      path: 'root',
      reason: 'unknown_fields',
      unknown: 'foo',
      unmatched: 'qos,retain,...',
    });
  });

  test('items of a list count from 1', async () => {
    const body = [{ topic: 'a', payload: 'x' }, { payload: 'y' }];
    expect(await faultOf('POST', '/publish/bulk', { body })).toMatchObject({ path: 'root.2.topic' });
  });

  test('wrong values come back with what was expected', async () => {
    const message = { topic: 'a', payload: 'x' };
    const cases: [object, string, unknown][] = [
      [{ qos: 3 }, 'root.qos', 'not_a_enum_symbol'],
      [{ retain: 'maybe' }, 'root.retain', 'Unable to parse boolean value'],
      [{ payload: { a: 1 } }, 'root.payload', { expected: 'binary()' }],
      [{ payload_encoding: 'hex' }, 'root.payload_encoding', 'not_a_enum_symbol'],
      [{ properties: 'a' }, 'root.properties', 'bad_value_for_struct'],
      [{ properties: { user_properties: [] } }, 'root.properties.user_properties', { expected: 'map()' }],
    ];
    for (const [change, path, reason] of cases)
      expect(await faultOf('POST', '/publish', { body: { ...message, ...change } })).toMatchObject({
        path,
        reason,
        value: Object.values(change)[0].user_properties ?? Object.values(change)[0],
      });
    expect(await faultOf('PUT', '/clients/x/keepalive', { body: { interval: 65_536 } })).toEqual({
      kind: 'validation_error',
      path: 'root.interval',
      reason: { expected: '0..65535' },
      value: 65_536,
    });
  });

  test('a password never comes back in a fault', async () => {
    const { body } = await broker.inject<Failure>('POST', '/login', {
      body: { username: 'admin', password: ['hunter2-secret'] },
      authorization: null,
    });
    expect(body.message).toContain('"path":"password"');
    expect(body.message).not.toContain('hunter2');
  });
});

describe('queries', () => {
  test('paging out of range is refused with the range', async () => {
    for (const limit of ['0', '10001', 'abc', '1.5', '0x10', '1e3', '-1', '１２'])
      expect(await faultOf('GET', '/clients', { query: { limit } })).toMatchObject({
        path: 'limit',
        reason: { expected: '1..10000' },
      });
    expect(await faultOf('GET', '/clients', { query: { page: 0 } })).toMatchObject({ value: 0 });
  });

  test('enums, switches and times are not guessed at', async () => {
    const cases: [string, Record<string, string>, string][] = [
      ['/clients', { conn_state: 'zzz' }, 'unable_to_convert_to_enum_symbol'],
      ['/metrics', { aggregate: 'maybe' }, 'Unable to parse boolean value'],
      ['/clients', { gte_connected_at: 'yesterday' }, 'bad_rfc3339_timestamp'],
      ['/clients', { gte_connected_at: '2026-02-31T25:00:00Z' }, 'bad_rfc3339_timestamp'],
    ];
    for (const [path, query, reason] of cases)
      expect(await faultOf('GET', path, { query })).toMatchObject({ reason, path: Object.keys(query)[0] });
  });

  test('of a key that comes twice the last counts, unknown keys are ignored', async () => {
    const { body } = await broker.inject<{ meta: { limit: number } }>('GET', '/clients', {
      query: { limit: ['0', '7'], nonsense: 'x' },
    });
    expect(body.meta.limit).toBe(7);
  });
});

test('the OpenAPI document names every endpoint with what it takes and answers', async () => {
  const document = (await broker.apiDocument()) as unknown as {
    paths: Record<
      string,
      Record<
        string,
        {
          parameters?: { name: string }[];
          requestBody?: { content: Record<string, unknown> };
          responses: Record<string, unknown>;
        }
      >
    >;
  };
  const list = document.paths['/api/v5/clients']!.get!;
  expect(list.parameters!.map(({ name }) => name)).toContain('like_clientid');
  expect(Object.keys(list.responses)).toEqual(expect.arrayContaining(['200', '400', '401']));
  const upload = document.paths['/api/v5/authentication/{id}/import_users']!.post!;
  expect(Object.keys(upload.requestBody!.content)).toEqual(['multipart/form-data', 'application/json']);
  const limit = list.parameters!.find(({ name }) => name === 'limit');
  expect(limit).toMatchObject({ in: 'query', required: false });
  const one = document.paths['/api/v5/clients/{clientid}']!;
  expect(one.get!.parameters).toEqual([
    { name: 'clientid', in: 'path', required: true, schema: { type: 'string' } },
  ]);
  expect(Object.keys(one.delete!.responses).sort()).toEqual(['204', '400', '401', '404']);
  expect(Object.keys(document.paths).length).toBeGreaterThan(200);
});
