import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Alarm } from '@mqdeck/contract/alarms';
import type { Plugin, PluginMetrics } from '@mqdeck/contract/plugins';
import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TAR_END, tarEntry } from '../../archive/tar.ts';
import type { BrokerOptions } from '../../broker.ts';
import { packed, pluginForm, pluginPackage } from '../../testing/plugin-package.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { dial } from '../../testing/test-client.ts';
import { PLUGIN_LIMITS } from './plugin-thread.ts';

interface Failure {
  code: string;
  message: string;
}

let folder: string;
const started: TestBroker[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-plugins-test-'));
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The thread has its time on a busy machine, and what is to be late is late soon. */
const LIMITS = { ...PLUGIN_LIMITS, startMs: 2000, answerMs: 400, silenceMs: 1000, heapMb: 24, outsideMb: 64 };
/** Of what needs a thread to fail, or to start again. */
const PATIENCE = { timeout: 12_000, interval: 20 };

async function machine(options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker({ dataDir: folder, pluginLimits: LIMITS, ...options });
  started.push(broker);
  return broker;
}

type Package = ReturnType<typeof pluginPackage>;
const install = (to: TestBroker, what: Package, replace = false) =>
  to.inject<Failure | undefined>('POST', '/plugins/install', {
    ...pluginForm(what),
    ...(replace && { query: { replace: 'true' } }),
  });
async function installed(to: TestBroker, what: Package): Promise<void> {
  const { status, body } = await install(to, what);
  expect([status, body]).toEqual([200, undefined]);
}
const start = (of: TestBroker, id: string) => of.inject('PUT', `/plugins/${id}/start`);
async function running(to: TestBroker, ...[id, ...rest]: Parameters<typeof pluginPackage>): Promise<void> {
  await installed(to, pluginPackage(id, ...rest));
  expect((await start(to, id)).status).toBe(204);
  expect(await stateOf(to, id)).toEqual(['running', 'ok', '']);
}
const list = async (of: TestBroker) => (await of.inject<Plugin[]>('GET', '/plugins')).body;
const ids = async (of: TestBroker) => (await list(of)).map(({ name, rel_vsn }) => `${name}-${rel_vsn}`);
async function stateOf(of: TestBroker, id: string) {
  const { running_status } = (await of.inject<Plugin>('GET', `/plugins/${id}`)).body;
  const { status, health_status: health } = running_status[0]!;
  return [status, health!.status, health!.message] as const;
}
const onDisk = async () =>
  (await readdir(path.join(folder, 'plugins'))).filter((name) => name !== '.packages');
const alarms = async (of: TestBroker) =>
  (await of.inject<{ data: Alarm[] }>('GET', '/alarms')).body.data.map(({ name }) => name);

const IDLE = 'export default () => undefined;';
const on = (hook: string, handler: string) => `export default (broker) => broker.on('${hook}', ${handler});`;
const publishHook = (more: object = {}) => ({ hooks: [{ name: 'message.publish', ...more }] });

describe('a package', () => {
  test('is installed, listed with what its manifest says, and read in full by its name', async () => {
    const broker = await machine();
    const manifest = {
      authors: ['Ada'],
      builder: { name: 'Ada', website: 'https://example.org' },
      repo: 'https://example.org/repo',
      functionality: ['Demo'],
      compatibility: { mqdeck: '>=0.0.0', emqx: '~> 5.0' },
      date: '2026-11-21',
      metadata_vsn: '0.1.0',
    };
    await installed(broker, pluginPackage('demo-1.0.0', IDLE, manifest, { 'README.md': '# Demo' }));
    const shown = {
      ...manifest,
      name: 'demo',
      rel_vsn: '1.0.0',
      description: 'A plugin',
      rel_apps: ['demo-1.0.0'],
    };
    expect(await list(broker)).toMatchObject([
      { ...shown, running_status: [{ node: 'mqdeck@127.0.0.1', status: 'stopped' }] },
    ]);
    expect((await broker.inject('GET', '/plugins/demo-1.0.0')).body).toMatchObject({
      ...shown,
      readme: '# Demo',
    });
    expect(await onDisk()).toEqual(['demo-1.0.0']);
  });

  test('that is made for another version of the broker is not installed, and told why', async () => {
    const broker = await machine({ version: '0.4.1' });
    const made = (mqdeck: string) => pluginPackage('demo-1.0.0', IDLE, { compatibility: { mqdeck } });
    for (const [range, why] of [
      ['>=0.5.0', /does not fit this broker: it is made for mqdeck >=0\.5\.0, and this is 0\.4\.1/],
      ['soon', /compatibility: mqdeck: "soon" is no range of versions/],
    ] as const) {
      const { status, body } = await install(broker, made(range));
      expect([status, body?.code]).toEqual([400, 'BAD_PLUGIN_INFO']);
      expect(body?.message).toMatch(why);
      expect(await onDisk()).toEqual([]);
    }
    await installed(broker, made('^0.4.0'));
  });

  test('that was installed does not start on a broker which it is not made for, and says so', async () => {
    const before = await machine({ version: '0.4.1' });
    await running(before, 'demo-1.0.0', IDLE, { compatibility: { mqdeck: '^0.4.0' } });
    await before.close();
    const after = await machine({ version: '0.5.0' });
    expect(await stateOf(after, 'demo-1.0.0')).toEqual([
      'stopped',
      'error',
      'it is made for mqdeck ^0.4.0, and this is 0.5.0 (it stays stopped)',
    ]);
    expect(await alarms(after)).toContain('plugin:demo-1.0.0');
  });

  test('is not installed twice, and one version of a name at a time', async () => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', IDLE));
    const again = await install(broker, pluginPackage('demo-1.0.0', IDLE));
    expect([again.status, again.body?.code]).toEqual([400, 'ALREADY_INSTALLED']);
    const other = await install(broker, pluginPackage('demo-1.1.0', IDLE));
    expect([other.status, other.body?.code]).toEqual([400, 'ALREADY_INSTALLED']);
    expect(other.body?.message).toContain('demo-1.0.0');
    expect(await onDisk()).toEqual(['demo-1.0.0']);
  });

  test('takes the place of another version when that is asked for, with its order, state and configuration', async () => {
    const broker = await machine();
    const schema = {
      config_schema: { type: 'object', properties: { word: { type: 'string', default: 'a' } } },
    };
    const speaks = on('message.publish', '() => ({ payload: broker.config.word })');
    const manifest = { ...schema, ...publishHook() };
    await running(broker, 'first-1.0.0', speaks, manifest);
    await installed(broker, pluginPackage('last-1.0.0', IDLE));
    await broker.inject('PUT', '/plugins/first-1.0.0/config', { body: { word: 'kept' } });
    expect((await install(broker, pluginPackage('first-2.0.0', speaks, manifest), true)).status).toBe(200);
    expect(await ids(broker)).toEqual(['first-2.0.0', 'last-1.0.0']);
    expect((await onDisk()).sort()).toEqual(['first-2.0.0', 'last-1.0.0']);
    const client = await broker.client('c');
    await client.subscribe('t');
    await client.publish('t', 'x');
    await client.expectMessage('kept');
  });

  test('of any version outlives a failed upload of another one, and a restart', async () => {
    const first = await machine();
    await installed(first, pluginPackage('demo-1.partial', IDLE));
    const { filename } = pluginPackage('demo-1', IDLE);
    const failed = await first.inject('POST', '/plugins/install', {
      ...pluginForm({ filename, content: Buffer.from('no archive') }),
      query: { replace: 'true' },
    });
    expect(failed.status).toBe(400);
    expect(await onDisk()).toEqual(['demo-1.partial']);
    await first.close();
    started.splice(0);
    await mkdir(path.join(folder, 'plugins', '.partial-late-1.0.0'));
    const second = await machine();
    expect(await ids(second)).toEqual(['demo-1.partial']);
    expect(await onDisk()).toEqual(['demo-1.partial']);
  });

  test('that an API key brings is refused: it is code that runs on this machine', async () => {
    const broker = await machine();
    const { body } = await broker.inject<{ api_key: string; api_secret: string }>('POST', '/api_key', {
      body: { name: 'ci', desc: '', enable: true },
    });
    const authorization = `Basic ${Buffer.from(`${body.api_key}:${body.api_secret}`).toString('base64')}`;
    const form = pluginForm(pluginPackage('demo-1.0.0', IDLE));
    const answer = await broker.inject<Failure>('POST', '/plugins/install', { ...form, authorization });
    expect([answer.status, answer.body.code]).toEqual([401, 'API_KEY_NOT_ALLOW']);
    expect(await ids(broker)).toEqual([]);
    expect((await broker.inject('POST', '/plugins/install', { ...form, authorization: null })).status).toBe(
      401,
    );
  });

  test('in the wrong field, or no form at all, is 400', async () => {
    const broker = await machine();
    const wrong = pluginForm(pluginPackage('demo-1.0.0', IDLE), 'file');
    expect((await broker.inject<Failure>('POST', '/plugins/install', wrong)).body.code).toBe('BAD_REQUEST');
    const json = await broker.inject<Failure>('POST', '/plugins/install', { body: { plugin: 'x' } });
    expect([json.status, json.body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  /** Each is refused with words that say why, and leaves nothing behind. */
  const release = (more: object = {}) =>
    JSON.stringify({ name: 'demo', rel_vsn: '1.0.0', main: 'main.mjs', ...more });
  const sound = { 'release.json': release(), 'main.mjs': IDLE };
  const files = (more: Record<string, string | Buffer>) => packed('demo-1.0.0', { ...sound, ...more });
  const withEntry = (type: string, name = 'demo-1.0.0/x') => {
    const header = Buffer.from(tarEntry(name, Buffer.alloc(0), 0));
    header.write(type, 156);
    let sum = 8 * 0x20;
    for (let i = 0; i < 512; i++) if (i < 148 || i >= 156) sum += header[i]!;
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const own = Object.entries(sound).map(([file, text]) =>
      tarEntry(`demo-1.0.0/${file}`, Buffer.from(text), 0),
    );
    return gzipSync(Buffer.concat([...own, header, TAR_END]));
  };
  const many = () =>
    gzipSync(
      Buffer.concat([
        ...Array.from({ length: 2001 }, (_, i) => tarEntry(`demo-1.0.0/${i}`, Buffer.alloc(0), 0)),
        TAR_END,
      ]),
    );
  const bomb = () => {
    const large = tarEntry('demo-1.0.0/a', Buffer.alloc(15 * 1024 ** 2), 0);
    const others = ['b', 'c', 'd', 'e'].map((name) =>
      tarEntry(`demo-1.0.0/${name}`, Buffer.alloc(15 * 1024 ** 2), 0),
    );
    return gzipSync(Buffer.concat([large, ...others, TAR_END]));
  };
  const config = (fields: object) =>
    files({ 'release.json': release({ config_schema: { type: 'object', properties: fields } }) });
  test.each<[what: string, filename: string, content: () => Buffer, why: RegExp]>([
    ['of another ending', 'demo-1.0.0.zip', () => files({}), /must be named/],
    ['without a version', 'demo.tar.gz', () => files({}), /must be named/],
    ['with two dots in its version', 'demo-1..0.tar.gz', () => files({}), /must be named/],
    ['with markup in its name', '<img src=x>-1.0.0.tar.gz', () => files({}), /must be named/],
    ['of no bytes', 'demo-1.0.0.tar.gz', () => Buffer.alloc(0), /gzip|early/],
    ['that is no archive', 'demo-1.0.0.tar.gz', () => Buffer.from('PK zip'), /no gzip archive/],
    ['cut off', 'demo-1.0.0.tar.gz', () => files({}).subarray(0, 100), /ends too early/],
    ['with another folder inside', 'other-1.0.0.tar.gz', () => files({}), /must be named other-1\.0\.0/],
    [
      'with a file above its folder',
      'demo-1.0.0.tar.gz',
      () => files({ '../evil': 'x' }),
      /no name of a file/,
    ],
    [
      'with a path upwards',
      'demo-1.0.0.tar.gz',
      () => files({ 'a/../../../evil': 'x' }),
      /no name of a file/,
    ],
    ['with an absolute path', 'demo-1.0.0.tar.gz', () => files({ '/tmp/evil': 'x' }), /no name of a file/],
    ['with a backslash', 'demo-1.0.0.tar.gz', () => files({ 'a\\b': 'x' }), /no name of a file/],
    ['with a symbolic link', 'demo-1.0.0.tar.gz', () => withEntry('2'), /no plain file/],
    ['with a hard link', 'demo-1.0.0.tar.gz', () => withEntry('1'), /no plain file/],
    ['with a device', 'demo-1.0.0.tar.gz', () => withEntry('3'), /no plain file/],
    ['with a file twice', 'demo-1.0.0.tar.gz', () => files({ 'MAIN.mjs': 'x' }), /is twice/],
    [
      'with a file that is a folder too',
      'demo-1.0.0.tar.gz',
      () => files({ a: '', 'a/b': '' }),
      /cannot be a file/,
    ],
    ['with too many files', 'demo-1.0.0.tar.gz', many, /more than 2000 files/],
    ['that unpacks without end', 'demo-1.0.0.tar.gz', bomb, /too large/],
    [
      'without a manifest',
      'demo-1.0.0.tar.gz',
      () => packed('demo-1.0.0', { 'main.mjs': IDLE }),
      /no release\.json/,
    ],
    ['with a manifest that is no JSON', 'demo-1.0.0.tar.gz', () => files({ 'release.json': '{' }), /no JSON/],
    [
      'with a manifest that is a list',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': '[]' }),
      /release\.json/,
    ],
    [
      'of another name',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': release({ name: 'other' }) }),
      /is of other-1\.0\.0/,
    ],
    [
      'of another version',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': release({ rel_vsn: '2' }) }),
      /is of demo-2/,
    ],
    [
      'without a module',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': release({ main: 'gone.mjs' }) }),
      /not in the package/,
    ],
    [
      'with a module elsewhere',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': release({ main: '../x.mjs' }) }),
      /path of a file/,
    ],
    [
      'for another broker',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': release({ main: undefined, rel_apps: ['x'] }) }),
      /main/,
    ],
    [
      'with an unknown hook',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': release({ hooks: [{ name: 'x' }] }) }),
      /hooks/,
    ],
    [
      'with a hook twice',
      'demo-1.0.0.tar.gz',
      () =>
        files({
          'release.json': release({ hooks: [{ name: 'message.publish' }, { name: 'message.publish' }] }),
        }),
      /named twice/,
    ],
    [
      'with a filter that is none',
      'demo-1.0.0.tar.gz',
      () => files({ 'release.json': release(publishHook({ topics: ['a/#/b'] })) }),
      /no topic filter/,
    ],
    [
      'with a rule for its configuration that nobody checks',
      'demo-1.0.0.tar.gz',
      () => config({ a: { type: 'string', pattern: '(a+)+' } }),
      /config_schema/,
    ],
    [
      'with a configuration that has a field __proto__',
      'demo-1.0.0.tar.gz',
      () => config(JSON.parse('{ "__proto__": { "type": "string" } }') as object),
      /__proto__/,
    ],
    [
      'with a default that is not what its field takes',
      'demo-1.0.0.tar.gz',
      () => config({ a: { type: 'integer', default: 5, maximum: 1 } }),
      /default/,
    ],
    [
      'with a secret whose name does not say so',
      'demo-1.0.0.tar.gz',
      () => config({ word: { type: 'string', format: 'password' } }),
      /name of a secret/,
    ],
  ])('%s is refused, and nothing of it stays', async (_, filename, content, why) => {
    const broker = await machine();
    const { status, body } = await install(broker, { filename, content: content() });
    expect([status, body?.code]).toEqual([400, 'BAD_PLUGIN_INFO']);
    expect(body?.message).toMatch(why);
    expect(await ids(broker)).toEqual([]);
    expect(await onDisk()).toEqual([]);
  });

  test('is named by the end of a path alone', async () => {
    const broker = await machine();
    const content = packed('demo-1.0.0', sound);
    expect((await install(broker, { filename: '../../demo-1.0.0.tar.gz', content })).status).toBe(200);
    expect(await onDisk()).toEqual(['demo-1.0.0']);
  });

  test('that is refused before it has come is read to its end, and then answered', async () => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', IDLE));
    const app = fastify();
    await app.register(broker.api);
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/plugins/install`;
    try {
      for (const [id, code] of [
        ['demo-1.0.0', 'ALREADY_INSTALLED'],
        ['other-1.0.0', 'BAD_PLUGIN_INFO'],
      ] as const) {
        const content = Buffer.alloc(12 * 1024 ** 2, 1);
        const { rawBody, headers } = pluginForm({ filename: `${id}.tar.gz`, content });
        const authorization = `Bearer ${broker.token}`;
        const post = request(url, { method: 'POST', headers: { ...headers, authorization } });
        post.write(rawBody.subarray(0, 1024 ** 2));
        const answered = once(post, 'response');
        post.end(rawBody.subarray(1024 ** 2));
        const [response] = (await answered) as [IncomingMessage];
        expect(JSON.parse(await text(response))).toMatchObject({ code });
        expect(post.writableFinished).toBe(true);
      }
    } finally {
      await app.close();
    }
  });

  test('that is larger than may be is 413', async () => {
    const broker = await machine();
    const content = Buffer.alloc(16 * 1024 ** 2 + 1, 1);
    const { status, body } = await install(broker, { filename: 'demo-1.0.0.tar.gz', content });
    expect([status, body?.code]).toEqual([413, 'EXCEED_LIMIT']);
    expect(await onDisk()).toEqual([]);
  });

  test('packed by a tool that names folders too is taken', async () => {
    const broker = await machine();
    expect(
      (await install(broker, { filename: 'demo-1.0.0.tar.gz', content: withEntry('5', 'demo-1.0.0/sub/') }))
        .status,
    ).toBe(200);
  });
});

describe('a plugin', () => {
  test('that is not there is 404', async () => {
    const broker = await machine();
    for (const [method, where, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', '/start'],
      ['PUT', '/stop'],
      ['GET', '/schema'],
      ['GET', '/config'],
      ['PUT', '/config', {}],
    ] as const) {
      const answer = await broker.inject<Failure>(method, `/plugins/none-1.0.0${where}`, { body });
      expect([method, where, answer.status, answer.body.code]).toEqual([method, where, 404, 'NOT_FOUND']);
    }
    const paused = await broker.inject<Failure>('PUT', '/plugins/none-1.0.0/pause');
    expect([paused.status, paused.body.code]).toEqual([400, 'BAD_REQUEST']);
    const moved = await broker.inject<Failure>('POST', '/plugins/none-1.0.0/move', {
      body: { position: 'front' },
    });
    expect([moved.status, moved.body.code]).toEqual([400, 'MOVE_FAILED']);
  });

  test('that has started may take its time from then on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const broker = await machine();
      await running(broker, 'demo-1.0.0', IDLE);
      vi.advanceTimersByTime(10 * LIMITS.startMs);
      expect(await stateOf(broker, 'demo-1.0.0')).toEqual(['running', 'ok', '']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is stopped also while it starts, and without a word', async () => {
    const broker = await machine({ pluginLimits: { ...LIMITS, startMs: 600_000 } });
    const module = `export default async (broker) => {
      await broker.publish({ topic: 'begun', payload: '', retain: true });
      await new Promise(() => undefined);
    };`;
    await installed(broker, pluginPackage('demo-1.0.0', module));
    const client = await broker.client('c');
    await client.subscribe('begun');
    const starting = start(broker, 'demo-1.0.0');
    await client.expectMessage();
    expect((await broker.inject('PUT', '/plugins/demo-1.0.0/stop')).status).toBe(204);
    expect((await starting).status).toBe(204);
    expect(await stateOf(broker, 'demo-1.0.0')).toEqual(['stopped', 'ok', '']);
    expect(await alarms(broker)).toEqual([]);
  });

  test('is told of in numbers, from its start on', async () => {
    const broker = await machine();
    const handler = `async ({ topic }) => {
      if (topic === 't/bad') throw new Error('no luck');
      if (topic === 't/late') await new Promise(() => undefined);
      if (topic === 't/say') await broker.publish({ topic: 'said', payload: new Uint8Array(1) });
    }`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook({ topics: ['t/#'] }));
    const metrics = async () => {
      const { body } = await broker.inject<{ metrics: PluginMetrics }>('GET', '/plugins/demo-1.0.0');
      return body.metrics;
    };
    const client = await broker.client('c');
    for (const topic of ['t/good', 't/bad', 't/late', 't/say', 'other'])
      await client.publish(topic, 'x', { qos: 1 });
    const done = { asked: 4, told: 0, failed: 1, timed_out: 1, published: 1, ended: 0, restarted: 0 };
    expect(await metrics()).toMatchObject({
      ...done,
      last_error: { reason: 'message.publish: no answer within 400 ms' },
    });
    await expect.poll(async () => (await metrics()).memory, PATIENCE).toBeGreaterThan(100_000);
    await broker.inject('PUT', '/plugins/demo-1.0.0/stop');
    expect(await metrics()).toMatchObject({ ...done, memory: null });
    await start(broker, 'demo-1.0.0');
    expect(await metrics()).toMatchObject({
      asked: 0,
      failed: 0,
      timed_out: 0,
      published: 0,
      last_error: null,
    });
  });

  test('is moved to the front, the rear, before and after another', async () => {
    const broker = await machine();
    for (const name of ['a', 'b', 'c']) await installed(broker, pluginPackage(`${name}-1.0.0`, IDLE));
    const moved = async (name: string, position: string) => {
      const { status } = await broker.inject('POST', `/plugins/${name}-1.0.0/move`, { body: { position } });
      return [status, (await ids(broker)).map((id) => id[0]).join('')];
    };
    expect(await moved('c', 'front')).toEqual([200, 'cab']);
    expect(await moved('c', 'rear')).toEqual([200, 'abc']);
    expect(await moved('c', 'before:b-1.0.0')).toEqual([200, 'acb']);
    expect(await moved('a', 'after:c-1.0.0')).toEqual([200, 'cab']);
    expect(await moved('a', 'before:none-1')).toEqual([400, 'cab']);
    expect(await moved('a', 'before:a-1.0.0')).toEqual([400, 'cab']);
    expect(await moved('a', 'top')).toEqual([400, 'cab']);
  });

  test('runs again after a restart, in its order; one that was deleted does not', async () => {
    const first = await machine();
    await running(first, 'b-1.0.0', IDLE);
    await running(first, 'a-1.0.0', IDLE);
    await installed(first, pluginPackage('c-1.0.0', IDLE));
    expect((await first.inject('DELETE', '/plugins/a-1.0.0')).status).toBe(204);
    await first.close();
    started.splice(0);
    const second = await machine();
    expect(await ids(second)).toEqual(['b-1.0.0', 'c-1.0.0']);
    expect((await stateOf(second, 'b-1.0.0'))[0]).toBe('running');
    expect((await stateOf(second, 'c-1.0.0'))[0]).toBe('stopped');
  });

  test('changes a message; stopped, it does not', async () => {
    const broker = await machine();
    const handler = `(message) => ({
      payload: new TextDecoder().decode(message.payload).toUpperCase(),
      properties: { ...message.properties, userProperty: [['seen-by', 'demo']] },
    })`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook({ topics: ['room/+'] }));
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('room/1', 'warm', { qos: 1 });
    const message = await client.expectMessage('WARM');
    expect(message.properties.userProperty).toEqual([['seen-by', 'demo']]);
    await client.publish('elsewhere', 'warm');
    await client.expectMessage('warm');
    await broker.inject('PUT', '/plugins/demo-1.0.0/stop');
    await client.publish('room/1', 'warm');
    await client.expectMessage('warm');
  });

  test('keeps the order of a publisher whose messages it holds up', async () => {
    const broker = await machine();
    const handler = '(m) => new Promise((done) => setTimeout(done, m.topic === "slow" ? 30 : 0))';
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    for (const [topic, payload] of [
      ['slow', '1'],
      ['fast', '2'],
      ['slow', '3'],
      ['fast', '4'],
    ] as const)
      await client.publish(topic, payload);
    expect(await client.expectMessages(4)).toEqual(['1', '2', '3', '4']);
  });

  test('drops a message, or refuses it', async () => {
    const broker = await machine();
    const handler = `({ topic }) => (topic === 'drop' ? { drop: true } : topic === 'refuse' ? { refuse: 'no' } : undefined)`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    expect(await client.publish('drop', 'x', { qos: 1 })).toBe(0);
    expect(await client.publish('refuse', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    await client.publish('through', 'y', { qos: 1 });
    expect((await client.expectMessage()).topic).toBe('through');
  });

  test('is asked in the order of the list, each after what those before it changed', async () => {
    const broker = await machine();
    const adds = (letter: string) =>
      on('message.publish', `(m) => ({ payload: new TextDecoder().decode(m.payload) + '${letter}' })`);
    await running(broker, 'a-1.0.0', adds('a'), publishHook());
    await running(broker, 'b-1.0.0', adds('b'), publishHook());
    const client = await broker.client('c');
    await client.subscribe('t');
    await client.publish('t', '-');
    await client.expectMessage('-ab');
    await broker.inject('POST', '/plugins/b-1.0.0/move', { body: { position: 'front' } });
    await client.publish('t', '-');
    await client.expectMessage('-ba');
  });

  test('authenticates, authorizes and subscribes clients, and refuses them', async () => {
    const broker = await machine();
    const module = `export default (broker) => {
      broker.on('client.connect', ({ clientid }) => (clientid === 'unwanted' ? { refuse: 'unwanted' } : undefined));
      broker.on('client.authenticate', (client, password) =>
        password && new TextDecoder().decode(password) === 'right' ? { allow: true } : { allow: false, why: 'wrong' });
      broker.on('client.authorize', (client, { topic }) => (topic === 'secret' ? 'deny' : 'allow'));
      broker.on('client.subscribe', (client, filters) => filters.map((filter) => filter.replace('mine', client.clientid)));
    };`;
    const hooks = ['client.connect', 'client.authenticate', 'client.authorize', 'client.subscribe'];
    await running(broker, 'demo-1.0.0', module, { hooks: hooks.map((name) => ({ name })) });
    const connect = async (clientid: string, password: string) =>
      (await dial(broker.core, clientid, { username: 'u', password }).client.connect()).reasonCode;
    expect(await connect('c1', 'wrong')).toBe(ReasonCode.NotAuthorized);
    expect(await connect('unwanted', 'right')).toBe(ReasonCode.NotAuthorized);
    const client = await broker.client('c2', { username: 'u', password: 'right' });
    expect(await client.subscribe('secret')).toEqual([ReasonCode.NotAuthorized]);
    expect(await client.subscribe('mine/x')).toEqual([0]);
    expect(await client.publish('secret', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    await client.publish('c2/x', 'hello');
    await client.expectMessage('hello');
  });

  test('looks on without holding anybody up, and publishes what it saw', async () => {
    const broker = await machine();
    const module = `export default (broker) => {
      let count = 0;
      broker.on('message.publish', () => broker.publish({ topic: 'count', payload: String(++count) }));
      broker.on('client.connected', ({ clientid }) => broker.publish({ topic: 'came', payload: clientid }));
    };`;
    await running(broker, 'demo-1.0.0', module, {
      hooks: [{ name: 'message.publish', observe: true }, { name: 'client.connected' }],
    });
    const client = await broker.client('c');
    await client.subscribe(['count', 'came']);
    await client.publish('t', 'x');
    await client.expect(PacketType.PUBLISH, ({ topic }) => topic === 'count');
    await broker.client('second');
    await client.expect(
      PacketType.PUBLISH,
      ({ topic, payload }) => topic === 'came' && Buffer.from(payload).toString() === 'second',
    );
  });

  test('is not asked about what it published itself, nor do two plugins answer each other for ever', async () => {
    const broker = await machine();
    const echo = (to: string) =>
      on('message.publish', `(m) => { broker.publish({ topic: '${to}', payload: m.payload }); }`);
    await running(broker, 'ping-1.0.0', echo('pong'), publishHook({ topics: ['ping', 'pong'] }));
    await running(broker, 'pong-1.0.0', echo('ping'), publishHook({ topics: ['ping', 'pong'] }));
    const client = await broker.client('c');
    await client.subscribe(['ping', 'pong']);
    await client.publish('ping', 'x');
    // The client's own, one answer of each, and each one's answer to that of the other.
    const topics: string[] = [];
    while (topics.length < 5) topics.push((await client.expectMessage()).topic);
    expect(topics.toSorted()).toEqual(['ping', 'ping', 'ping', 'pong', 'pong']);
    await client.expectNothing();
  });

  test('sees neither the environment of the broker nor publishes what no packet can carry', async () => {
    const broker = await machine();
    const module = `export default async (broker) => {
      const wrong = await broker.publish({ topic: 'a/#', payload: '' }).catch(({ message }) => message);
      await broker.publish({ topic: 'told', payload: JSON.stringify([Object.keys(process.env), wrong]), retain: true });
    };`;
    await running(broker, 'demo-1.0.0', module);
    const client = await broker.client('c');
    await client.subscribe('told');
    const [env, wrong] = JSON.parse(Buffer.from((await client.expectMessage()).payload).toString());
    expect(env).toEqual([]);
    expect(wrong).toMatch(/topic/i);
  });
});

describe('a configuration', () => {
  const SCHEMA = {
    type: 'object',
    properties: {
      word: { type: 'string', title: { en: 'Word', zh: '词' }, default: 'hello', maxLength: 10 },
      times: { type: 'integer', minimum: 1, maximum: 3, default: 1 },
      token: { type: 'string', format: 'password', default: '' },
    },
  };
  const says = `export default (broker) => {
    const tell = (config) => broker.publish({ topic: 'config', payload: JSON.stringify(config), retain: true });
    broker.onConfig(tell);
    return tell(broker.config);
  };`;

  test('has a schema and defaults; a change reaches the running plugin', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', says, { config_schema: SCHEMA });
    expect((await broker.inject('GET', '/plugins/demo-1.0.0/schema')).body).toMatchObject({
      avro: null,
      json: SCHEMA,
    });
    const before = { word: 'hello', times: 1, token: '' };
    expect((await broker.inject('GET', '/plugins/demo-1.0.0/config')).body).toEqual(before);
    const client = await broker.client('c');
    await client.subscribe('config');
    await client.expectMessage(JSON.stringify(before));
    const body = { word: 'hi', times: 2, token: 'geheim' };
    expect((await broker.inject('PUT', '/plugins/demo-1.0.0/config', { body })).status).toBe(204);
    await client.expectMessage(JSON.stringify(body));
    const shown = (await broker.inject('GET', '/plugins/demo-1.0.0/config')).body;
    expect(shown).toEqual({ ...body, token: '******' });
    await broker.inject('PUT', '/plugins/demo-1.0.0/config', {
      body: { word: 'ho', times: 2, token: '******' },
    });
    await client.expectMessage(JSON.stringify({ word: 'ho', times: 2, token: 'geheim' }));
  });

  test.each([
    [{ word: 'much too long a word' }, 'word'],
    [{ times: 4 }, 'times'],
    [{ times: 'x' }, 'times'],
    [{ unknown: 1 }, 'unknown'],
  ])('that is not what the plugin takes is refused: %j', async (body, field) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', says, { config_schema: SCHEMA }));
    const answer = await broker.inject<Failure>('PUT', '/plugins/demo-1.0.0/config', { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_CONFIG']);
    expect(JSON.parse(answer.body.message)).toMatchObject({ path: field });
  });

  test('of a plugin that takes none is refused', async () => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', IDLE));
    expect((await broker.inject<Failure>('GET', '/plugins/demo-1.0.0/schema')).body.code).toBe(
      'FILE_NOT_EXISTED',
    );
    expect((await broker.inject<Failure>('GET', '/plugins/demo-1.0.0/config')).body.code).toBe('BAD_CONFIG');
    const answer = await broker.inject<Failure>('PUT', '/plugins/demo-1.0.0/config', { body: {} });
    expect(answer.body.code).toBe('BAD_CONFIG');
  });

  test('with a field that must be set keeps the plugin stopped until it is', async () => {
    const broker = await machine();
    const schema = {
      type: 'object',
      properties: { url: { type: 'string', minLength: 1 } },
      required: ['url'],
    };
    await installed(broker, pluginPackage('demo-1.0.0', says, { config_schema: schema }));
    await start(broker, 'demo-1.0.0');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/configuration/);
    await broker.inject('PUT', '/plugins/demo-1.0.0/config', { body: { url: 'x' } });
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[0]).toBe('running'), PATIENCE);
  });
});

describe('a plugin that does harm stops alone', () => {
  test('one that throws when it starts', async () => {
    const broker = await machine();
    await installed(
      broker,
      pluginPackage('demo-1.0.0', `export default () => { throw new Error('no luck'); };`),
    );
    expect((await start(broker, 'demo-1.0.0')).status).toBe(204);
    const [status, health, reason] = await stateOf(broker, 'demo-1.0.0');
    expect([status, health]).toEqual(['stopped', 'error']);
    expect(reason).toMatch(/no luck/);
    expect(await alarms(broker)).toEqual(['plugin:demo-1.0.0']);
    await broker.inject('PUT', '/plugins/demo-1.0.0/stop');
    expect(await alarms(broker)).toEqual([]);
    expect(await stateOf(broker, 'demo-1.0.0')).toEqual(['stopped', 'ok', '']);
  });

  test.each([
    ['is no module', 'this is no JavaScript', /SyntaxError|Unexpected|missing/],
    ['exports nothing', 'export const a = 1;', /default export/],
    ['joins a hook that it did not name', on('message.publish', '() => undefined'), /does not name the hook/],
    ['imports what is not there', `import 'no-such-package'; ${IDLE}`, /no-such-package/],
    ['starts for ever', 'export default () => new Promise(() => undefined);', /did not start within 2 s/],
    ['ends its thread', 'export default () => process.exit(3);', /ended by itself/],
  ])('one that %s', async (_, module, why) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', module));
    await start(broker, 'demo-1.0.0');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(why);
  });

  test('one that loops is ended; who waits for it goes on, and the broker never stood still', async () => {
    const broker = await machine();
    const module = on('message.publish', `({ topic }) => { if (topic === 'loop') for (;;); }`);
    await running(broker, 'demo-1.0.0', module, publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('loop', 'x', { qos: 1 });
    await client.expectMessage('x');
    await vi.waitFor(
      async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/busy with itself/),
      PATIENCE,
    );
    expect(await alarms(broker)).toEqual(['plugin:demo-1.0.0']);
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[0]).toBe('running'), PATIENCE);
    expect(await alarms(broker)).toEqual([]);
  });

  test.each([
    [
      'its heap',
      'const kept = []; setInterval(() => kept.push(Array.from({ length: 1e5 }, Math.random)), 1);',
      /memory/,
    ],
    ['buffers', 'const kept = []; setInterval(() => kept.push(Buffer.alloc(4e6, 1)), 1);', /buffers/],
  ])('one that leaks %s', async (_, leak, why) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', `export default () => { ${leak} };`));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
    const client = await broker.client('c');
    await client.subscribe('t');
    await client.publish('t', 'alive');
    await client.expectMessage('alive');
  });

  test('one that throws outside of its handlers', async () => {
    const broker = await machine();
    const module = `export default () => { setTimeout(() => { throw new Error('later'); }, 10); };`;
    await installed(broker, pluginPackage('demo-1.0.0', module));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/later/), PATIENCE);
  });

  const later = (what: string) => `setTimeout(() => { ${what} }, 10)`;
  const posts = (...said: string[]) =>
    `import { parentPort } from 'node:worker_threads'; export default () => ${later(`parentPort.postMessage([${said.join()}])`)};`;
  test.each([
    ['what is no text', `export default () => ${later('throw { toString: null };')};`, /toString: null/],
    [
      'an error whose stack is no text',
      `export default () => ${later("throw Object.assign(new Error('odd'), { stack: 5 });")};`,
      /odd/,
    ],
    ['an error without end', `export default () => ${later("throw new Error('x'.repeat(1e7));")};`, /xxx/],
    [
      'what is no text, at its start',
      'export default () => { throw { toString: null }; };',
      /toString: null/,
    ],
  ])('one that throws %s, also when the broker starts with it', async (_, module, why) => {
    const first = await machine();
    await installed(first, pluginPackage('demo-1.0.0', module));
    await start(first, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(first, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
    expect((await stateOf(first, 'demo-1.0.0'))[2].length).toBeLessThan(1000);
    await first.close();
    started.splice(0);
    const second = await machine();
    await vi.waitFor(async () => expect((await stateOf(second, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
  });

  test.each([
    ['a reason that is no text', `{ did: 'fail', reason: { toString: null } }`],
    ['a count that is no number', `{ did: 'hear', count: { valueOf: null, toString: null } }`],
    ['a line that is no text', `{ did: 'log', level: 'info', text: { toString: null } }`],
    ['a level that there is not', `{ did: 'log', level: 'toString', text: 'x' }`],
    ['a trail that is none', `{ did: 'publish', id: 1, message: null, trail: 5 }`],
    ['an unknown field', `{ did: 'stop', more: 1 }`],
    ['nothing', 'null'],
  ])('one whose thread says %s', async (_, said) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', posts(said)));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(
      async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/understood/),
      PATIENCE,
    );
  });

  test('one whose answers fail again and again; a single one that fails only tells', async () => {
    const broker = await machine();
    const module = on(
      'message.publish',
      `({ topic }) => { if (topic === 'bad') throw new Error('bad message'); }`,
    );
    await running(broker, 'demo-1.0.0', module, publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('bad', '1', { qos: 1 });
    await client.expectMessage('1');
    const [status, , reason] = await stateOf(broker, 'demo-1.0.0');
    expect([status, reason]).toEqual(['running', 'message.publish: Error: bad message']);
    await client.publish('good', '2', { qos: 1 });
    for (let i = 0; i < LIMITS.failuresMax; i++) await client.publish('bad', 'x', { qos: 1 });
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/10 answers in a row failed/);
  });

  test('one that floods the broker with what it says', async () => {
    const broker = await machine({ pluginLimits: { ...LIMITS, saidPerSecondMax: 2000 } });
    const flood = `import { parentPort } from 'node:worker_threads';
      export default () => { setInterval(() => { for (let i = 0; i < 1000; i++) parentPort.postMessage([]); }, 1); };`;
    await installed(broker, pluginPackage('demo-1.0.0', flood));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(
      async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/more than anybody/),
      PATIENCE,
    );
  });

  test.each([
    [
      'with large messages',
      `setInterval(() => {
        for (let i = 0; i < 20; i++) parentPort.postMessage([{ did: 'answer', id: 0, answer: new Uint8Array(1e6) }]);
      }, 1)`,
      /more than anybody/,
    ],
    [
      'with small views of large buffers',
      `const small = new Uint8Array(1e6).subarray(0, 1);
      setInterval(() => { for (let i = 0; i < 20; i++) parentPort.postMessage([{ did: 'answer', id: 0, answer: { small } }]); }, 1)`,
      /more than anybody/,
    ],
    [
      'with bytes beside what it says',
      `const bytes = new Uint8Array(1e6);
      setTimeout(() => { for (;;) parentPort.postMessage([{ did: 'log', level: 'info', text: 'a', bytes }]); }, 10)`,
      /understood/,
    ],
    [
      'with long lines',
      `setTimeout(() => parentPort.postMessage([{ did: 'log', level: 'info', text: 'a'.repeat(1e6) }]), 10)`,
      /understood/,
    ],
    [
      'with more messages to publish than wait anywhere',
      `const one = { did: 'publish', id: 1, message: { topic: 't', payload: new Uint8Array(1) }, trail: [] };
      setTimeout(() => parentPort.postMessage(Array(1001).fill(one)), 10)`,
      /publishes more/,
    ],
  ])('one that floods the broker %s', async (_, flood, why) => {
    const broker = await machine({ pluginLimits: { ...LIMITS, saidBytesPerSecondMax: 8 * 1024 ** 2 } });
    const module = `import { parentPort } from 'node:worker_threads'; export default () => { ${flood} };`;
    await installed(broker, pluginPackage('demo-1.0.0', module));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
  });

  test('one that publishes faster than the broker takes it hears so', async () => {
    const broker = await machine();
    const module = `export default async (broker) => {
      const all = Array.from({ length: 5000 }, () => broker.publish({ topic: 'flood', payload: 'x' }));
      const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected').length;
      await broker.publish({ topic: 'refused', payload: String(refused), retain: true });
    };`;
    await running(broker, 'demo-1.0.0', module);
    const client = await broker.client('c');
    await client.subscribe('refused');
    await client.expectMessage('4000');
  });

  test.each([
    ['a topic with a wildcard', `{ topic: 'a/#' }`],
    ['a QoS that there is not', '{ qos: 3 }'],
    ['an unknown field', '{ colour: 1 }'],
    ['a payload larger than a packet', '{ payload: new Uint8Array(2 ** 21) }'],
    ['a number', '5'],
  ])('%s as an answer counts as none', async (_, answer) => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', on('message.publish', `() => (${answer})`), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('t', 'x', { qos: 1 });
    await client.expectMessage('x');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/cannot be used/);
  });

  test.each([
    ['of a topic with a wildcard', `{ topic: 'a/#' }`, /topic/],
    ['larger than a packet', '{ payload: new Uint8Array(2 ** 21) }', /larger than a packet/],
    ['larger than a packet, as a text,', `{ payload: 'x'.repeat(2 ** 21) }`, /larger than a packet/],
  ])('answers %s count to the failures in a row', async (_, answer, why) => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', on('message.publish', `() => (${answer})`), publishHook());
    const client = await broker.client('c');
    for (let i = 0; i < LIMITS.failuresMax; i++) await client.publish('t', 'x', { qos: 1 });
    const [, , reason] = await stateOf(broker, 'demo-1.0.0');
    expect(reason).toMatch(/10 answers in a row failed/);
    expect(reason).toMatch(why);
  });

  test.each([
    ['holds a function', '({ payload: () => 1 })', /cannot be sent.*could not be cloned/],
    ['fails when it is read', '({ get payload() { throw { toString: null }; } })', /toString: null/],
    ['fails when it is sent', '({ get topic() { throw { toString: null }; } })', /cannot be sent/],
    ['is a failure that is no text', '{ throw { toString: null }; }', /toString: null/],
  ])('one answer that %s fails alone, for a reason that can be read', async (_, body, why) => {
    const broker = await machine();
    const handler = `({ topic }) => topic === 'bad' ? (() => ${body})() : { payload: 'changed' }`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await Promise.all([client.publish('bad', 'x', { qos: 1 }), client.expectMessage('x')]);
    await client.publish('good', 'y', { qos: 1 });
    await client.expectMessage('changed');
    const [status, , reason] = await stateOf(broker, 'demo-1.0.0');
    expect(status).toBe('running');
    expect(reason).toMatch(why);
  });

  test('a message to publish that cannot be sent is refused to the plugin that made it', async () => {
    const broker = await machine();
    const module = `export default async (broker) => {
      const odd = { topic: 't', payload: 'x', retain: () => 1 };
      const why = await broker.publish(odd).catch(({ message }) => message);
      await broker.publish({ topic: 'why', payload: why, retain: true });
    };`;
    await running(broker, 'demo-1.0.0', module);
    const client = await broker.client('c');
    await client.subscribe('why');
    expect(Buffer.from((await client.expectMessage()).payload).toString()).toMatch(/cannot be sent/);
  });

  test('is not started again for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const broker = await machine();
      await installed(
        broker,
        pluginPackage('demo-1.0.0', `export default () => { throw new Error('no luck'); };`),
      );
      await start(broker, 'demo-1.0.0');
      for (const seconds of [1, 5, 30]) {
        expect((await stateOf(broker, 'demo-1.0.0'))[2]).toContain(`it starts again in ${seconds} s`);
        const before = (await stateOf(broker, 'demo-1.0.0'))[2];
        vi.advanceTimersByTime(seconds * 1000);
        await vi.waitFor(
          async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).not.toBe(before),
          PATIENCE,
        );
      }
      expect((await stateOf(broker, 'demo-1.0.0'))[2]).toContain('it stays stopped');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('while a plugin gives no answer', () => {
  const late = on('message.publish', '() => new Promise(() => undefined)');

  test('messages go on without it', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', late, publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    expect(await client.publish('t', 'x', { qos: 1 })).toBe(0);
    await client.expectMessage('x');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/no answer within 400 ms/);
  });

  test('they are refused where its manifest says deny, also when it has ended', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', late, publishHook({ failed_action: 'deny', topics: ['t'] }));
    const client = await broker.client('c');
    await client.subscribe('#');
    expect(await client.publish('t', 'x', { qos: 1 })).toBe(ReasonCode.ImplementationSpecificError);
    expect(await client.publish('other', 'y', { qos: 1 })).toBe(0);
    await client.expectMessage('y');

    await installed(
      broker,
      pluginPackage('dead-1.0.0', 'export default () => { throw new Error("x"); };', {
        hooks: [
          { name: 'client.authorize', failed_action: 'deny' },
          { name: 'client.authenticate', failed_action: 'deny' },
        ],
      }),
    );
    await start(broker, 'dead-1.0.0');
    expect((await dial(broker.core, 'd').client.connect()).reasonCode).toBe(ReasonCode.ServerUnavailable);
    expect(await client.publish('other', 'y', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    await broker.inject('PUT', '/plugins/dead-1.0.0/stop');
    expect(await client.publish('other', 'y', { qos: 1 })).toBe(0);
  });
});

describe('a backup', () => {
  const exported = async (of: TestBroker) =>
    (await of.inject<{ filename: string }>('POST', '/data/export')).body.filename;

  test('brings the packages with their order, state and configuration to an empty broker', async () => {
    const first = await machine();
    const schema = {
      config_schema: { type: 'object', properties: { word: { type: 'string', default: 'a' } } },
    };
    const speaks = on('message.publish', '() => ({ payload: broker.config.word })');
    await running(first, 'idle-1.0.0', IDLE);
    await first.inject('PUT', '/plugins/idle-1.0.0/stop');
    await running(first, 'demo-1.0.0', speaks, { ...schema, ...publishHook() });
    await first.inject('PUT', '/plugins/demo-1.0.0/config', { body: { word: 'kept' } });
    const filename = await exported(first);
    await first.close();
    started.splice(0);

    const importFile = path.join(folder, 'backup', filename);
    const second = await machine({ dataDir: path.join(folder, 'second'), importFile });
    expect(await ids(second)).toEqual(['idle-1.0.0', 'demo-1.0.0']);
    expect((await stateOf(second, 'idle-1.0.0'))[0]).toBe('stopped');
    const client = await second.client('c');
    await client.subscribe('t');
    await client.publish('t', 'x');
    await client.expectMessage('kept');
  });

  test('puts back the version that it has, and what it does not know stays', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', IDLE);
    const filename = await exported(broker);
    expect((await install(broker, pluginPackage('demo-2.0.0', IDLE), true)).status).toBe(200);
    await installed(broker, pluginPackage('late-1.0.0', IDLE));
    const { status } = await broker.inject('POST', '/data/import', { body: { filename } });
    expect(status).toBe(204);
    const token = await broker.tokens.issue('admin');
    const { body } = await broker.inject<Plugin[]>('GET', '/plugins', { token });
    expect(
      body.map(({ name, rel_vsn, running_status }) => [name, rel_vsn, running_status[0]!.status]),
    ).toEqual([
      ['demo', '1.0.0', 'running'],
      ['late', '1.0.0', 'stopped'],
    ]);
    expect((await onDisk()).sort()).toEqual(['demo-1.0.0', 'late-1.0.0']);
  });
});
