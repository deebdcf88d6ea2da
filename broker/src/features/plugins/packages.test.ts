import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { TAR_END, tarEntry } from '../../archive/tar.ts';
import {
  alarms,
  type Failure,
  folder,
  IDLE,
  ids,
  install,
  installed,
  list,
  machine,
  on,
  onDisk,
  publishHook,
  running,
  setUpPluginTests,
  started,
  stateOf,
} from '../../testing/plugin-machines.ts';
import { packed, pluginForm, pluginPackage } from '../../testing/plugin-package.ts';

setUpPluginTests();

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
