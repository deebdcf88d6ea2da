import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TRACES_MAX, type Trace } from '@mqdeck/contract/traces';
import { strFromU8, unzipSync } from 'fflate';
import { afterEach, describe, expect, test } from 'vitest';
import { mountSmallDisk } from '../../testing/small-disk.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { type LineFormat, lineOf, type TraceEvent } from './line.ts';
import { TraceFile } from './trace-file.ts';
import { Trace as TraceOf } from './traces.ts';
import { zipOf } from './zip.ts';

const NODE = 'mqdeck@127.0.0.1';
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(options: Parameters<typeof startTestBroker>[0] = {}) {
  const broker = await startTestBroker(options);
  ends.push(() => broker.close());
  return broker;
}

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'trace-'));
  ends.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const create = (broker: TestBroker, body: Record<string, unknown>) =>
  broker.inject<Trace>('POST', '/trace', { body });

type Line = Record<string, unknown> & { msg: string };

/** All lines of a trace that writes JSON. Downloading it waits for what is on its way to the file. */
async function linesOf(broker: TestBroker, name: string): Promise<Line[]> {
  await broker.inject('GET', `/trace/${name}/download`);
  const { body } = await broker.inject<{ items: string }>('GET', `/trace/${name}/log`, {
    query: { bytes: 1_000_000 },
  });
  return body.items
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

const words = (lines: readonly Line[]) => lines.map(({ msg }) => msg);

describe('what is written', () => {
  test('of a message: its whole way, all lines with its id', async () => {
    const broker = await started();
    await create(broker, { name: 'way', type: 'topic', topic: 'plant/#', formatter: 'json' });
    const screen = await broker.client('screen', { username: 'hall' });
    await screen.subscribe('plant/+', { qos: 1 });
    const sensor = await broker.client('sensor');
    await sensor.publish('plant/1', 'warm', { qos: 1 });
    await screen.expectMessage();
    await screen.ping();

    const lines = (await linesOf(broker, 'way')).filter(({ message_id }) => message_id !== undefined);
    expect(words(lines)).toEqual(['publish_received', 'allowed', 'delivered', 'acknowledged']);
    expect(new Set(lines.map(({ message_id }) => message_id)).size).toBe(1);
    expect(lines[0]).toMatchObject({
      tag: 'PUBLISH',
      clientid: 'sensor',
      topic: 'plant/1',
      qos: 1,
      payload: 'warm',
    });
    expect(lines[1]).toMatchObject({ tag: 'AUTHZ', action: 'publish', source: 'file' });
    expect(lines[2]).toMatchObject({ clientid: 'screen', username: 'hall', from: 'sensor' });
  });

  test('of a client: how it came, what it did and why it went; of others nothing', async () => {
    const broker = await started();
    await create(broker, { name: 'one', type: 'clientid', clientid: 'sensor', formatter: 'json' });
    const sensor = await broker.client('sensor', { username: 'u', password: 'pass-word', keepalive: 30 });
    await sensor.subscribe('in/#');
    await sensor.ping();
    await sensor.disconnect();
    const other = await broker.client('other');
    await other.publish('in/1', 'x');
    await other.ping();

    const lines = await linesOf(broker, 'one');
    expect(words(lines)).toEqual([
      'trace_started',
      'connect_received',
      'authenticated',
      'connack_sent',
      'session_created',
      'allowed',
      'subscribed',
      'pingreq_received',
      'session_terminated',
      'disconnected',
    ]);
    expect(lines[1]).toMatchObject({ keepalive: 30, password: '******', username: 'u' });
    expect(lines[2]).toMatchObject({ anonymous: true });
    expect(lines.at(-1)).toMatchObject({ reason: 'normal' });
    expect(JSON.stringify(lines)).not.toContain('pass-word');
  });

  test('of the packets that were chosen, of others nothing', async () => {
    const broker = await started();
    const packets = ['subscribe', 'deliver'];
    await create(broker, { name: 'some', type: 'clientid', clientid: 'one', formatter: 'json', packets });
    const one = await broker.client('one');
    await one.subscribe('t');
    await one.publish('t', 'x');
    await one.expectMessage();
    await one.ping();
    const lines = await linesOf(broker, 'some');
    expect(words(lines)).toEqual(['trace_started', 'allowed', 'subscribed', 'delivered']);
    expect(
      (await create(broker, { name: 'none', type: 'clientid', clientid: 'x', packets: [] })).status,
    ).toBe(400);
    expect((await broker.inject<Trace[]>('GET', '/trace')).body[0]?.packets).toEqual(packets);
  });

  test('from an address, and from no other', async () => {
    const broker = await started();
    await create(broker, {
      name: 'near',
      type: 'ip_address',
      ip_address: '::ffff:10.0.0.7',
      formatter: 'json',
    });
    const near = await broker.client('near', { address: '10.0.0.7' });
    const far = await broker.client('far', { address: '10.0.0.8' });
    await near.publish('a', '1', { qos: 1 });
    await far.publish('a', '2', { qos: 1 });
    const lines = await linesOf(broker, 'near');
    expect(lines.map(({ clientid }) => clientid)).not.toContain('far');
    expect(lines.find(({ msg }) => msg === 'publish_received')).toMatchObject({ payload: '1' });
    expect(lines.find(({ msg }) => msg === 'dropped')).toMatchObject({ reason: 'no_subscribers' });
  });

  test('who is denied a subscription is named with the source that said so', async () => {
    const broker = await started();
    const rules = [
      { clientid: 'screen', rules: [{ topic: 'secret/#', permission: 'deny', action: 'subscribe' }] },
    ];
    await broker.inject('POST', '/authorization/sources', {
      body: { type: 'built_in_database', enable: true },
    });
    await broker.inject('POST', '/authorization/sources/built_in_database/rules/clients', { body: rules });
    await broker.inject('POST', '/authorization/sources/built_in_database/move', {
      body: { position: 'front' },
    });
    await create(broker, { name: 'denied', type: 'clientid', clientid: 'screen', formatter: 'json' });
    const screen = await broker.client('screen');
    await screen.subscribe('secret/1');
    await screen.subscribe('open/1');
    const lines = await linesOf(broker, 'denied');
    expect(lines.find(({ msg }) => msg === 'denied')).toMatchObject({
      action: 'subscribe',
      topic: 'secret/1',
      source: 'built_in_database',
    });
    expect(lines.filter(({ msg }) => msg === 'subscribed')).toMatchObject([{ filter: 'open/1' }]);
  });

  test('what waits and what is dropped because the queue is full', async () => {
    const broker = await started();
    broker.core.settings.maxMqueueLength = 1;
    const properties = { sessionExpiryInterval: 600 };
    const away = await broker.client('away', { properties });
    await away.subscribe('t', { qos: 1 });
    await away.disconnect();
    await create(broker, { name: 'full', type: 'clientid', clientid: 'away', formatter: 'json' });
    const sensor = await broker.client('sensor');
    await sensor.publish('t', 'first', { qos: 1 });
    await sensor.publish('t', 'second', { qos: 1 });
    const lines = await linesOf(broker, 'full');
    expect(words(lines)).toEqual(['trace_started', 'queued', 'queued', 'dropped']);
    expect(lines[3]).toMatchObject({
      reason: 'queue_full',
      message_id: lines[1]!.message_id,
      from: 'sensor',
    });
  });

  test('a topic that is rewritten keeps its trace, and a delayed message tells where it went', async () => {
    const broker = await started();
    await broker.inject('PUT', '/mqtt/topic_rewrite', {
      body: [{ action: 'publish', source_topic: 'old/#', dest_topic: 'new/$1', re: '^old/(.+)$' }],
    });
    await create(broker, { name: 'old', type: 'topic', topic: 'old/#', formatter: 'json' });
    await create(broker, { name: 'later', type: 'topic', topic: '$delayed/#', formatter: 'json' });
    const sensor = await broker.client('sensor');
    await sensor.publish('old/1', 'x', { qos: 1 });
    await sensor.publish('$delayed/60/late', 'y', { qos: 1 });
    const rewritten = (await linesOf(broker, 'old')).find(({ msg }) => msg === 'topic_changed');
    expect(rewritten).toMatchObject({ from: 'old/1', to: 'new/1' });
    expect(words(await linesOf(broker, 'later'))).toContain('publish_stopped');
  });

  test('of a rule: matched, its result, what its action came to and why; secrets are hidden', async () => {
    const broker = await started();
    const sql = 'SELECT payload.place as place, payload.token as token FROM "plant/#"';
    const args = { topic: 'copy/${place}', payload: '${place}' };
    await broker.inject('POST', '/rules', {
      body: { id: 'copies', sql, actions: [{ function: 'republish', args }] },
    });
    await create(broker, { name: 'rule', type: 'ruleid', ruleid: 'copies', formatter: 'json' });
    const sensor = await broker.client('sensor');
    await sensor.publish('plant/1', '{"place":"hall","token":"abc123"}', { qos: 1 });
    await sensor.publish('plant/1', '{"place":"#"}', { qos: 1 });
    await sensor.publish('other', 'x', { qos: 1 });

    const lines = await linesOf(broker, 'rule');
    const ofRule = lines.filter(({ tag }) => tag === 'RULE');
    expect(words(ofRule)).toEqual([
      'rule_matched',
      'rule_result',
      'action_done',
      'rule_matched',
      'rule_result',
      'action_done',
    ]);
    expect(ofRule[1]).toMatchObject({ result: { place: 'hall', token: '******' } });
    expect(ofRule[2]).toMatchObject({ rule: 'copies', action: 'republish', outcome: 'success' });
    expect(ofRule[5]).toMatchObject({ outcome: 'failed.unknown', reason: 'TopicNameInvalid' });
    expect(lines.find(({ msg }) => msg === 'publish_made')).toMatchObject({
      topic: 'copy/hall',
      rules: 'copies',
    });
    expect(JSON.stringify(lines)).not.toContain('abc123');
  });

  test('what becomes of a result that a bridge has taken', async () => {
    const broker = await started();
    const answers = [503, 200, 400];
    const target = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(answers.shift() ?? 500).end());
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    ends.push(
      () => new Promise((resolve) => target.close(resolve)),
      () => target.closeAllConnections(),
    );
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
    await broker.inject('POST', '/bridges', {
      body: { type: 'webhook', name: 'hook', url, method: 'post', enable: true },
    });
    const rule = { id: 'out', sql: 'SELECT topic FROM "t/#"', actions: ['webhook:hook'] };
    await broker.inject('POST', '/rules', { body: rule });
    await create(broker, { name: 'out', type: 'ruleid', ruleid: 'out', formatter: 'json' });
    await expect
      .poll(async () => (await broker.inject<{ status: string }>('GET', '/bridges/webhook:hook')).body.status)
      .toBe('connected');
    const fates = async () =>
      words(await linesOf(broker, 'out')).filter((word) => /^action_(?!done)/.test(word));
    const sensor = await broker.client('sensor');
    await sensor.publish('t/1', 'x', { qos: 1 });
    await expect.poll(fates, { timeout: 10_000 }).toEqual(['action_retried', 'action_sent']);
    await sensor.publish('t/1', 'x', { qos: 1 });
    await expect.poll(fates).toEqual(['action_retried', 'action_sent', 'action_failed']);
    const lines = await linesOf(broker, 'out');
    const [first, , last] = lines.filter(({ msg }) => /^action_(?!done)/.test(msg));
    expect(first).toMatchObject({ action: 'http:hook', rule: 'out', reason: expect.stringContaining('503') });
    expect(last).toMatchObject({ reason: expect.stringContaining('400') });
    expect(first?.message_id).not.toBe(last?.message_id);
  });

  test('payloads as text, as hex, or not at all, and no more than a part of a long one', () => {
    const event: TraceEvent = {
      at: 0,
      tag: 'PUBLISH',
      msg: 'publish_received',
      peer: { clientid: 'a b', username: null, address: '::1', port: 7 },
      messageId: 'ID',
      facts: { topic: 't, x: y' },
      payload: Buffer.from('é\n'),
      result: { payload: 'é', part: 'é' },
    };
    const written = (format: LineFormat) => lineOf(event, format).split(' msg: ')[1];
    expect(written({ formatter: 'text', payloadEncode: 'text' })).toBe(
      'publish_received, message_id: ID, topic: "t, x: y", payload: "é\\n", result: {"payload":"é","part":"é"}',
    );
    expect(written({ formatter: 'text', payloadEncode: 'hex' })).toContain(
      'payload: c3a90a, result: {"payload":"c3a9"',
    );
    expect(written({ formatter: 'text', payloadEncode: 'hidden' })).toContain(
      'payload: ******, result: {"payload":"******","part":"******"}',
    );
    expect(lineOf(event, { formatter: 'text', payloadEncode: 'text' })).toContain(
      ' [PUBLISH] "a b"@::1:7 msg: ',
    );
    const long = lineOf(
      { ...event, payload: Buffer.alloc(5000, 'x') },
      { formatter: 'text', payloadEncode: 'text' },
    );
    expect(long).toContain('… (5000 bytes)');
    expect(long.length).toBeLessThan(1400);
  });
});

describe('the life of a trace', () => {
  test('it waits, runs and stops by the clock, and what no trace wants is not listened to', async () => {
    const broker = await started();
    const { used } = broker.core.hooks;
    const before = used['message.delivered'].length;
    const at = Math.floor(Date.now() / 1000);
    const later = { name: 'later', type: 'clientid', clientid: 'a', start_at: at + 3000, end_at: at + 3600 };
    expect((await create(broker, later)).body.status).toBe('waiting');
    expect(used['message.delivered'].length).toBe(before);
    expect(used['message.received'].length).toBe(0);
    const { body } = await create(broker, { name: 'now', type: 'clientid', clientid: 'b' });
    expect(body.status).toBe('running');
    expect(Date.parse(body.end_at) - Date.parse(body.start_at)).toBe(600_000);
    expect(used['message.received'].length).toBe(1);

    expect((await broker.inject('PUT', '/trace/now/stop')).body).toEqual({ name: 'now', enable: false });
    expect(used['message.received'].length).toBe(0);
    expect(used['message.delivered'].length).toBe(before);
    const { body: all } = await broker.inject<Trace[]>('GET', '/trace');
    expect(all.map(({ name, status }) => [name, status])).toEqual([
      ['later', 'waiting'],
      ['now', 'stopped'],
    ]);
  });

  test('its end comes by itself', async () => {
    const broker = await started();
    const at = Math.floor(Date.now() / 1000);
    await create(broker, {
      name: 'short',
      type: 'clientid',
      clientid: 'a',
      start_at: at - 10,
      end_at: at + 1,
    });
    await expect
      .poll(async () => (await broker.inject<Trace[]>('GET', '/trace')).body[0]?.status, { timeout: 5000 })
      .toBe('stopped');
    await expect.poll(() => broker.core.hooks.used['message.received'].length).toBe(0);
  });

  test('one that runs goes on after a restart, with what it has written', async () => {
    const dataDir = folder();
    const first = await startTestBroker({ dataDir });
    await create(first, { name: 'kept', type: 'clientid', clientid: 'sensor', formatter: 'json' });
    await (await first.client('sensor')).ping();
    await first.close();

    const second = await started({ dataDir });
    await (await second.client('sensor')).ping();
    const lines = words(await linesOf(second, 'kept'));
    expect(lines.filter((word) => word === 'trace_started')).toHaveLength(2);
    expect(lines.filter((word) => word === 'connect_received')).toHaveLength(2);
    const file = path.join(dataDir, 'trace', `trace_kept_${new Date().toISOString().slice(0, 10)}.log`);
    expect(readFileSync(file, 'utf8')).toContain('connect_received');
    await second.inject('DELETE', '/trace/kept');
    expect(existsSync(file)).toBe(false);
  });

  test('a file that is as large as it may be ends the trace, and says so', async () => {
    const ended: string[] = [];
    const file = new TraceFile(
      path.join(folder(), 'a.log'),
      100,
      (what) => `-- ${what}`,
      (why) => ended.push(why),
    );
    file.write('x'.repeat(60));
    file.write('y'.repeat(60));
    file.write('z');
    await file.close();
    expect(ended).toEqual(['size']);
    expect(readFileSync(file.file, 'utf8')).toBe(`${'x'.repeat(60)}\n-- full\n`);
  });

  test('a full disk ends the trace, and the broker goes on', async (context) => {
    const disk = mountSmallDisk();
    if (disk === null) return context.skip();
    ends.push(() => disk.unmount());
    disk.fill();
    const ended: [string, string][] = [];
    const file = new TraceFile(
      path.join(disk.folder, 'trace', 'a.log'),
      10_000,
      (what) => what,
      (why, reason) => ended.push([why, reason]),
    );
    file.write('x'.repeat(6000));
    await file.settled();
    expect(ended).toMatchObject([['disk', expect.stringContaining('ENOSPC')]]);
    file.write('more');
    await file.close();
  });

  test('when nothing can be written the list says that the disk ended it', async () => {
    const dataDir = folder();
    writeFileSync(path.join(dataDir, 'trace'), 'no folder');
    const blocked = await started({ dataDir });
    await create(blocked, { name: 'stuck', type: 'clientid', clientid: 'a' });
    await expect
      .poll(async () => (await blocked.inject<Trace[]>('GET', '/trace')).body[0])
      .toMatchObject({ status: 'stopped', stopped_by: 'disk' });
    await (await blocked.client('a')).ping();
  });
});

describe('refusals', () => {
  test('names that lead elsewhere, conditions that are none, and times that do not fit', async () => {
    const broker = await started();
    const at = Math.floor(Date.now() / 1000);
    const clientid = { type: 'clientid', clientid: 'a' };
    const cases: [Record<string, unknown>, number, string][] = [
      [{ ...clientid, name: '../../etc/passwd' }, 400, 'BAD_REQUEST'],
      [{ ...clientid, name: '..%2f' }, 400, 'BAD_REQUEST'],
      [{ ...clientid, name: 'a\0b' }, 400, 'BAD_REQUEST'],
      [{ ...clientid, name: '1a' }, 400, 'BAD_REQUEST'],
      [{ ...clientid, name: 'a\n' }, 400, 'BAD_REQUEST'],
      [{ ...clientid, name: 'n'.repeat(257) }, 400, 'BAD_REQUEST'],
      [{ name: 'a', type: 'topic', clientid: 'x' }, 400, 'INVALID_PARAMS'],
      [{ name: 'a', type: 'topic', topic: 'a/#/b' }, 400, 'INVALID_PARAMS'],
      [{ name: 'a', type: 'ip_address', ip_address: '300.1.1.1' }, 400, 'INVALID_PARAMS'],
      [{ name: 'a', type: 'ruleid', ruleid: '' }, 400, 'INVALID_PARAMS'],
      [{ ...clientid, name: 'a', start_at: at + 100, end_at: at + 100 }, 400, 'INVALID_PARAMS'],
      [{ ...clientid, name: 'a', start_at: at - 100, end_at: at - 50 }, 400, 'INVALID_PARAMS'],
      [{ ...clientid, name: 'a', start_at: 'now' }, 400, 'BAD_REQUEST'],
      [{ ...clientid, name: 'CON' }, 200, ''],
      [{ ...clientid, name: 'CON' }, 409, 'ALREADY_EXISTS'],
      [{ ...clientid, name: 'b' }, 409, 'DUPLICATE_CONDITION'],
      [{ type: 'clientid', clientid: 'n', name: 'n'.repeat(256) }, 200, ''],
    ];
    for (const [body, status, code] of cases) {
      const answer = await broker.inject<{ code?: string }>('POST', '/trace', { body });
      expect([answer.status, answer.body.code ?? ''], JSON.stringify(body).slice(0, 80)).toEqual([
        status,
        code,
      ]);
    }
    // Longer than a file may be called
    const { body } = await broker.inject<Trace[]>('GET', '/trace');
    expect(body.every(({ stopped_by }) => stopped_by === undefined)).toBe(true);
    expect((await broker.inject('GET', `/trace/${'n'.repeat(256)}/download`)).status).toBe(200);
  });

  test('more traces than there may be', async () => {
    const broker = await started();
    const made = await Promise.all(
      Array.from({ length: TRACES_MAX + 1 }, (_, i) =>
        create(broker, { name: `t${i}`, type: 'clientid', clientid: `c${i}` }),
      ),
    );
    expect(made.filter(({ status }) => status === 200)).toHaveLength(TRACES_MAX);
    expect(made.find(({ status }) => status === 400)?.body).toMatchObject({ code: 'INVALID_PARAMS' });
    expect((await broker.inject('DELETE', '/trace')).status).toBe(204);
    expect((await broker.inject('GET', '/trace')).body).toEqual([]);
  });

  test('positions that the log does not have, and what does not exist', async () => {
    const broker = await started();
    await create(broker, { name: 'a', type: 'clientid', clientid: 'é' });
    await broker.inject('GET', '/trace/a/download');
    const log = (query: Record<string, number | string>) => broker.inject('GET', '/trace/a/log', { query });
    for (const query of [
      { bytes: 'x' },
      { bytes: -1 },
      { bytes: 2 ** 31 },
      { position: 2 ** 31 },
      { position: 1_000_000 },
    ])
      expect((await log(query)).status, JSON.stringify(query)).toBe(400);
    const whole = (await log({ position: -1, bytes: 100_000 })).body as {
      items: string;
      meta: { position: number };
    };
    expect((await log({ position: whole.meta.position })).body).toMatchObject({ items: '' });
    for (const url of [
      '/trace/none/log',
      '/trace/none/log_detail',
      '/trace/none/download',
      '/trace/..%2Fa/log',
    ])
      expect((await broker.inject('GET', url)).body).toMatchObject({ code: 'NOT_FOUND' });
    expect((await log({ node: 'other@10.0.0.1' })).body).toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('of a storm a part is written, and how much was left out', async () => {
  const file = new TraceFile(
    path.join(folder(), 'a.log'),
    10_000,
    (what, lines) => `-- ${what} ${lines}`,
    () => undefined,
  );
  const facts = {
    name: 'storm',
    type: 'topic',
    condition: '#',
    startAt: 0,
    endAt: 1e6,
    stopped: null,
  } as const;
  const trace = new TraceOf({ ...facts, formatter: 'text', payloadEncode: 'text', file: 'a.log' }, file);
  const written = Array.from({ length: 11_000 }, () => trace.mayWrite(1000)).filter(Boolean);
  expect(written).toHaveLength(10_000);
  expect(trace.mayWrite(1999)).toBe(false);
  expect(trace.mayWrite(2000)).toBe(true);
  file.leaveOut();
  file.leaveOut();
  file.write('the calm');
  await file.settled();
  expect(readFileSync(file.file, 'utf8')).toBe('-- left_out 2\nthe calm\n');
  file.leaveOut();
  await expect.poll(() => readFileSync(file.file, 'utf8')).toContain('the calm\n-- left_out 1\n');
  await file.close();
});

test('the log is read piece by piece, without cutting a character', async () => {
  const broker = await started();
  await create(broker, { name: 'a', type: 'clientid', clientid: 'ключ', formatter: 'json' });
  await (await broker.client('ключ')).ping();
  await broker.inject('GET', '/trace/a/download');
  let read = '';
  for (let position = 0, more = true; more; ) {
    const { body } = await broker.inject<{ items: string; meta: { position: number } }>(
      'GET',
      '/trace/a/log',
      {
        query: { position, bytes: 7 },
      },
    );
    read += body.items;
    more = body.meta.position > position;
    position = body.meta.position;
  }
  expect(read).not.toContain('\ufffd');
  expect(
    words(
      read
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line),
    ),
  ).toContain('pingreq_received');
});

test('the download is a ZIP archive with the file of the node', async () => {
  const name = path.join(folder(), 'a.log');
  writeFileSync(name, 'é'.repeat(100_000));
  const chunks: Uint8Array[] = [];
  for await (const chunk of zipOf(`${NODE}-a.log`, await open(name))) chunks.push(chunk as Uint8Array);
  const entries = Object.entries(unzipSync(Buffer.concat(chunks)));
  expect(entries.map(([entry, content]) => [entry, strFromU8(content)])).toEqual([
    [`${NODE}-a.log`, 'é'.repeat(100_000)],
  ]);
  expect(chunks.length).toBeGreaterThan(1);

  const broker = await started();
  await create(broker, { name: 'a', type: 'clientid', clientid: 'sensor' });
  const { headers } = await broker.inject('GET', '/trace/a/download');
  expect(headers).toMatchObject({
    'content-type': 'application/x-zip',
    'content-disposition': 'attachment; filename="a.zip"',
  });
  const at = Math.floor(Date.now() / 1000);
  await create(broker, { name: 'b', type: 'clientid', clientid: 'x', start_at: at + 60, end_at: at + 90 });
  expect((await broker.inject('GET', '/trace/b/download')).status).toBe(404);
});
