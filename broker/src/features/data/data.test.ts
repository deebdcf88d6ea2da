import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BACKUP_UPLOAD_BYTES_MAX, type BackupFile, type BackupPreview } from '@mqdeck/contract/data';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTar, TAR_END, tarEntry } from '../../archive/tar.ts';
import type { BrokerOptions } from '../../broker.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { dial } from '../../testing/test-client.ts';

interface Failure {
  code: string;
  message: string;
}

let folder: string;
const started: TestBroker[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-data-'));
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A broker with a data folder of its own. */
async function machine(name: string, options: Partial<BrokerOptions> = {}) {
  const dataDir = path.join(folder, name);
  const broker = await startTestBroker({ dataDir, ...options });
  started.push(broker);
  const self = {
    ...broker,
    backups: path.join(dataDir, 'backup'),
    /** As a user who signs in again when a backup has brought another password. */
    inject: <T>(...[method, where, given]: Parameters<TestBroker['inject']>) =>
      broker.inject<T>(method, where, { token: self.token, ...given }),
  };
  return self;
}
type Machine = Awaited<ReturnType<typeof machine>>;

const exported = async (from: Machine) =>
  (await from.inject<BackupFile>('POST', '/data/export')).body.filename;
async function restore(to: Machine, filename: string) {
  const answer = await to.inject<Failure>('POST', '/data/import', { body: { filename } });
  to.token = await to.tokens.issue('admin');
  return answer;
}
const preview = async (to: Machine, filename: string) =>
  (await to.inject<BackupPreview>('POST', '/data/preview', { body: { filename } })).body;
const names = async (of: Machine) =>
  (await of.inject<{ data: BackupFile[] }>('GET', '/data/files')).body.data.map(({ filename }) => filename);

function form(filename: string, content: Buffer, field = 'filename') {
  const head = `--frontier\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\n\r\n`;
  const rawBody = Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--frontier--\r\n')]);
  return { rawBody, headers: { 'content-type': 'multipart/form-data; boundary=frontier' } };
}
const upload = (to: TestBroker, filename: string, content: Buffer, field?: string) =>
  to.inject<Failure>('POST', '/data/files', form(filename, content, field));

async function carry(filename: string, from: Machine, to: Machine): Promise<void> {
  expect((await upload(to, filename, await readFile(path.join(from.backups, filename)))).status).toBe(204);
}

/** An archive of these files, in a folder of this name. */
const archive = (name: string, files: Record<string, string | Buffer>): Buffer =>
  gzipSync(
    Buffer.concat([
      ...Object.entries(files).map(([file, content]) => tarEntry(`${name}/${file}`, Buffer.from(content), 0)),
      TAR_END,
    ]),
  );
const META = JSON.stringify({
  format: 1,
  product: 'mqdeck',
  version: '1.0.0',
  node: 'a@b',
  created_at: '2026-11-21T10:00:00.000+00:00',
});
const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const sound = { 'META.json': META, 'settings.json': '{}' };

/** Something of every kind. */
async function fill(broker: TestBroker): Promise<void> {
  const post = async (where: string, body: unknown) => {
    const { status } = await broker.inject('POST', where, { body });
    expect([where, status < 300]).toEqual([where, true]);
  };
  const put = async (where: string, body: unknown) => {
    const { status } = await broker.inject('PUT', where, { body });
    expect([where, status < 300]).toEqual([where, true]);
  };
  await post('/users', { username: 'eva', password: 'secret_123', description: 'night shift' });
  await post('/banned', { as: 'clientid', who: 'intruder', reason: 'noise' });
  await post('/banned', { as: 'peerhost_net', who: '10.0.0.0/8' });
  const builtIn = { mechanism: 'password_based', backend: 'built_in_database' };
  await post('/authentication', {
    ...builtIn,
    password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
  });
  await post('/authentication', { mechanism: 'scram', backend: 'built_in_database', algorithm: 'sha256' });
  const users = (id: string) => `/authentication/${id}/users`;
  await post(users('password_based:built_in_database'), {
    user_id: 'pump',
    password: 'p',
    is_superuser: true,
  });
  await post(users('scram:built_in_database'), { user_id: 'valve', password: 'v' });
  await post('/authorization/sources', { type: 'built_in_database', enable: true });
  await put('/authorization/settings', {
    no_match: 'deny',
    deny_action: 'ignore',
    cache: { enable: true, max_size: 32, ttl: '1m', excludes: [] },
  });
  const rules = [{ topic: 'plant/#', permission: 'allow', action: 'all' }];
  await post('/authorization/sources/built_in_database/rules/users', [{ username: 'gauge', rules }]);
  await post('/authorization/sources/built_in_database/rules/all', { rules });
  await put('/mqtt/topic_rewrite', [
    { action: 'all', source_topic: 'old/#', dest_topic: 'new/$1', re: '^old/(.+)$' },
  ]);
  await put('/mqtt/auto_subscribe', [{ topic: 'c/${clientid}', qos: 1 }]);
  await post('/mqtt/topic_metrics', { topic: 'plant/line' });
  await put('/mqtt/retainer', { max_payload_size: '2MB' });
}

const PLAIN = { mechanism: 'password_based', backend: 'built_in_database' };

async function retain(broker: TestBroker, topic: string, payload: string): Promise<void> {
  const client = await broker.client(`publisher-${randomUUID()}`, { username: 'pump', password: 'p' });
  await client.publish(topic, payload, { retain: true, qos: 1 });
  await client.disconnect();
}

/** What stands in the settings, the chains and the lists, as the API tells it. */
async function standing(broker: TestBroker) {
  const get = async (where: string) => (await broker.inject<unknown>('GET', where)).body;
  const rows = async (where: string) => (await broker.inject<{ data: unknown[] }>('GET', where)).body.data;
  return {
    users: await get('/users'),
    bans: ((await rows('/banned')) as { as: string; who: string }[])
      .map(({ as, who }) => `${as} ${who}`)
      .sort(),
    keys: await get('/api_key'),
    chain: await get('/authentication'),
    passwords: await rows('/authentication/password_based:built_in_database/users'),
    scram: await rows('/authentication/scram:built_in_database/users'),
    access: await get('/authorization/settings'),
    sources: await get('/authorization/sources'),
    userRules: await rows('/authorization/sources/built_in_database/rules/users'),
    allRules: await get('/authorization/sources/built_in_database/rules/all'),
    rewrite: await get('/mqtt/topic_rewrite'),
    subscribe: await get('/mqtt/auto_subscribe'),
    retainer: await get('/mqtt/retainer'),
    topics: ((await get('/mqtt/topic_metrics')) as { topic: string }[]).map(({ topic }) => topic),
    retained: ((await rows('/mqtt/retainer/messages')) as { topic: string }[]).filter(
      ({ topic }) => !topic.startsWith('$SYS'), // what each broker tells of itself
    ),
  };
}

describe('a backup', () => {
  test('restores on a second, empty broker, in force at once, and back', async () => {
    const first = await machine('first');
    await fill(first);
    const key = await first.inject<{ api_key: string; api_secret: string }>('POST', '/api_key', {
      body: { name: 'scraper', desc: '', enable: true },
    });
    await retain(first, 'plant/line', 'runs');
    const before = await standing(first);
    const filename = await exported(first);

    const second = await machine('second');
    await carry(filename, first, second);
    expect(await restore(second, filename)).toMatchObject({ status: 204 });
    expect(await standing(second)).toEqual(before);

    // In force: each with somebody who notices
    const { client: wrong } = dial(second.core, 'a', { username: 'pump', password: 'no' });
    expect((await wrong.connect()).reasonCode).toBe(ReasonCode.BadUserNameOrPassword);
    const { client: intruder } = dial(second.core, 'intruder', { username: 'pump', password: 'p' });
    expect((await intruder.connect()).reasonCode).toBe(ReasonCode.Banned);
    const pump = await second.client('pump', { username: 'pump', password: 'p' });
    await pump.subscribe('plant/line');
    expect((await pump.expectMessage()).topic).toBe('plant/line');
    await pump.subscribe('new/#');
    await pump.publish('old/x', 'rewritten');
    expect((await pump.expectMessage('rewritten')).topic).toBe('new/x');
    await pump.publish('c/pump', 'automatically');
    await pump.expectMessage('automatically');
    const basic = Buffer.from(`${key.body.api_key}:${key.body.api_secret}`).toString('base64');
    expect((await second.inject('GET', '/nodes', { authorization: `Basic ${basic}` })).status).toBe(200);
    const login = { username: 'eva', password: 'secret_123' };
    expect((await second.inject('POST', '/login', { body: login, authorization: null })).status).toBe(200);

    // And back, over what has changed here since
    await first.inject('DELETE', '/banned');
    await first.inject('DELETE', '/authentication/password_based:built_in_database');
    await first.inject('DELETE', '/mqtt/retainer/messages');
    await first.inject('PUT', '/mqtt/topic_rewrite', { body: [] });
    const other = await exported(second);
    await carry(other, second, first);
    expect((await restore(first, other)).status).toBe(204);
    expect(await standing(first)).toEqual(before);
  });

  test('is there after a restart too', async () => {
    const first = await machine('first');
    await fill(first);
    const filename = await exported(first);
    const second = await machine('second');
    await carry(filename, first, second);
    await restore(second, filename);
    const before = await standing(second);
    await started.pop()!.close();
    expect(await standing(await machine('second'))).toEqual(before);
  });

  test('brings listeners with their certificates and keys', async () => {
    const first = await machine('first');
    const { generate } = await import('selfsigned');
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'plant' }], {
      keyType: 'ec',
    });
    const body = {
      type: 'ssl',
      name: 'own',
      bind: '127.0.0.1:0',
      ssl_options: { certfile: cert, keyfile: key },
    };
    expect((await first.inject('POST', '/listeners', { body })).status).toBe(200);
    const filename = await exported(first);
    const second = await machine('second');
    await carry(filename, first, second);
    expect((await preview(second, filename)).kinds).toContainEqual({
      kind: 'certificates',
      added: 2,
      changed: 0,
      unchanged: 0,
    });
    expect((await restore(second, filename)).status).toBe(204);
    await expect
      .poll(async () => (await second.inject('GET', '/listeners/ssl:own')).body)
      .toMatchObject({ running: true });
    const kept = await readdir(path.join(folder, 'second', 'certs', 'ssl-own'));
    expect(kept.map((name) => name.replace(/-.*/, '')).sort()).toEqual(['cert', 'key']);
    for (const name of kept)
      expect((await stat(path.join(folder, 'second', 'certs', 'ssl-own', name))).mode & 0o777).toBe(0o600);
  });

  test('leaves what is only here, and takes its rows for those of their name', async () => {
    const broker = await machine('one');
    await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'both', reason: 'then' } });
    const filename = await exported(broker);
    await broker.inject('DELETE', '/banned/clientid/both');
    await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'both', reason: 'now' } });
    await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'later' } });
    await restore(broker, filename);
    const { data } = (await broker.inject<{ data: { who: string; reason: string }[] }>('GET', '/banned'))
      .body;
    expect(data.map(({ who, reason }) => [who, reason]).sort()).toEqual([
      ['both', 'then'],
      ['later', ''],
    ]);
  });

  test('ends the connections of those whom it bans, and the sessions of users whose password it changes', async () => {
    const broker = await machine('one');
    await broker.inject('POST', '/users', {
      body: { username: 'eva', password: 'first_123', description: '' },
    });
    await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'noisy' } });
    const filename = await exported(broker);
    await broker.inject('DELETE', '/banned');
    await broker.inject('POST', '/users/eva/change_pwd', {
      body: { old_pwd: 'first_123', new_pwd: 'second_123' },
    });
    const body = { username: 'eva', password: 'second_123' };
    const { token } = (await broker.inject<{ token: string }>('POST', '/login', { body })).body;
    const own = broker.token;
    const noisy = await broker.client('noisy');
    const calm = await broker.client('calm');
    expect((await broker.inject('GET', '/nodes', { token })).status).toBe(200);
    expect((await restore(broker, filename)).status).toBe(204);
    await noisy.expectDisconnect(ReasonCode.AdministrativeAction);
    await calm.ping();
    expect((await broker.inject('GET', '/nodes', { token })).status).toBe(401);
    expect((await broker.inject('GET', '/nodes', { token: own })).status).toBe(200); // his password is the same
  });

  test('tells beforehand what it will change, and changes nothing by that', async () => {
    const first = await machine('first');
    await fill(first);
    await retain(first, 'plant/line', 'runs');
    const filename = await exported(first);
    const kinds = ({ kinds }: BackupPreview) =>
      Object.fromEntries(
        kinds.map(({ kind, added, changed, unchanged }) => [kind, [added, changed, unchanged]]),
      );
    const same = await preview(first, filename);
    expect(same.settings).toEqual([]);
    expect(kinds(same)).toEqual({
      users: [0, 0, 2],
      banned: [0, 0, 2],
      authn_users: [0, 0, 2],
      authz_rules: [0, 0, 2],
      retained: [0, 0, 1],
    });

    const second = await machine('second');
    await carry(filename, first, second);
    const before = await second.inject('GET', '/banned');
    const told = await preview(second, filename);
    expect(kinds(told)).toMatchObject({ users: [1, 1, 0], banned: [2, 0, 0], retained: [1, 0, 0] });
    expect(told.settings).toContainEqual({ section: 'rewrite', keys: ['rules'] });
    expect(told.settings).toContainEqual({ section: 'retainer', keys: ['max_payload_size'] });
    expect(told).toMatchObject({ filename, version: '0.0.0-test', node: 'mqdeck@127.0.0.1' });
    expect((await second.inject('GET', '/banned')).body).toEqual(before.body);
  });

  test('is readable by nobody else, and holds secrets in clear', async () => {
    const broker = await machine('one');
    await broker.inject('POST', '/authentication', {
      body: { mechanism: 'jwt', use_jwks: false, algorithm: 'hmac-based', secret: 'the-very-secret' },
    });
    const filename = await exported(broker);
    const file = path.join(broker.backups, filename);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(broker.backups)).mode & 0o777).toBe(0o700);
    expect(gunzipSync(await readFile(file)).includes('the-very-secret')).toBe(true);
  });

  test('of many rows keeps nobody waiting, neither when it is made nor when it is restored', async () => {
    const first = await machine('first');
    const many = 20_000;
    const csv = ['user_id,password_hash,salt,is_superuser']
      .concat(Array.from({ length: many }, (_, i) => `device-${i},${'ab'.repeat(32)},salt,false`))
      .join('\n');
    await first.inject('POST', '/authentication', {
      body: { ...PLAIN, password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' } },
    });
    const users = '/authentication/password_based:built_in_database';
    await first.inject('POST', `${users}/import_users`, form('users.csv', Buffer.from(csv)));
    const filename = await inTurns(() => exported(first));
    const second = await machine('second');
    await mkdir(second.backups, { recursive: true });
    await copyFile(path.join(first.backups, filename), path.join(second.backups, filename));
    expect((await inTurns(() => restore(second, filename))).status).toBe(204);
    const { meta } = (await second.inject<{ meta: { count: number } }>('GET', `${users}/users`)).body;
    expect(meta.count).toBe(many);
  }, 60_000);
});

describe('an encrypted backup', () => {
  const PASSPHRASE = 'correct horse battery';
  const encrypted = async (from: Machine) =>
    (await from.inject<BackupFile>('POST', '/data/export', { body: { passphrase: PASSPHRASE } })).body
      .filename;
  const ask = (to: Machine, where: '/data/import' | '/data/preview', body: object) =>
    to.inject<Failure>('POST', where, { body });

  test('holds nothing in clear, and restores on another broker with its passphrase alone', async () => {
    const one = await machine('one');
    await one.inject('POST', '/banned', { body: { as: 'clientid', who: 'intruder' } });
    const filename = await encrypted(one);
    expect(filename).toMatch(/\.tar\.gz\.enc$/);
    const bytes = await readFile(path.join(one.backups, filename));
    expect(bytes.subarray(0, 8).toString()).toBe('MQDECKBK');
    expect((await one.inject('GET', `/data/files/${filename}`)).headers['content-type']).not.toContain(
      'gzip',
    );

    const other = await machine('other');
    const { status } = await other.inject('POST', '/data/files', form(filename, bytes));
    expect(status).toBe(204);
    const wrong = [
      [{ filename }, 'its passphrase is needed'],
      [{ filename, passphrase: 'correct horse' }, 'The passphrase is wrong'],
    ] as const;
    for (const where of ['/data/preview', '/data/import'] as const)
      for (const [body, why] of wrong) {
        const { status, body: answer } = await ask(other, where, body);
        expect([status, answer.code]).toEqual([400, 'BAD_REQUEST']);
        expect(JSON.parse(answer.message)).toMatchObject({
          path: 'root.passphrase',
          reason: expect.stringContaining(why),
        });
      }
    const banned = async () =>
      (await other.inject<{ data: { who: string }[] }>('GET', '/banned')).body.data.map(({ who }) => who);
    expect(await banned()).toEqual([]);
    const right = { filename, passphrase: PASSPHRASE };
    expect(await ask(other, '/data/preview', right)).toMatchObject({
      status: 200,
      body: {
        filename,
        kinds: expect.arrayContaining([{ kind: 'banned', added: 1, changed: 0, unchanged: 0 }]),
      },
    });
    expect((await ask(other, '/data/import', right)).status).toBe(204);
    other.token = await other.tokens.issue('admin');
    expect(await banned()).toEqual(['intruder']);
  });

  test('that is cut off changes nothing, and what is none is no upload', async () => {
    const one = await machine('one');
    await one.inject('POST', '/banned', { body: { as: 'clientid', who: 'intruder' } });
    const filename = await encrypted(one);
    await one.inject('DELETE', '/banned/clientid/intruder');
    const { size } = await stat(path.join(one.backups, filename));
    await truncate(path.join(one.backups, filename), size - 1);
    const cut = await ask(one, '/data/import', { filename, passphrase: PASSPHRASE });
    expect(cut).toMatchObject({ status: 400 });
    expect((await one.inject<{ data: [] }>('GET', '/banned')).body.data).toEqual([]);
    const plain = await readFile(path.join(one.backups, await exported(one)));
    const upload = await one.inject<Failure>('POST', '/data/files', form('x.tar.gz.enc', plain));
    expect(upload).toMatchObject({ status: 400, body: { message: 'The file is no encrypted archive' } });
  });

  test('wants a passphrase of 12 characters, which stands in no entry of the audit log', async () => {
    const one = await machine('one');
    for (const passphrase of ['', 'eleven char', 'x'.repeat(1025)])
      expect((await one.inject('POST', '/data/export', { body: { passphrase } })).status).toBe(400);
    await encrypted(one);
    const { body } = await one.inject('GET', '/audit');
    expect(JSON.stringify(body)).toContain('/data/export');
    expect(JSON.stringify(body)).not.toContain(PASSPHRASE);
  });
});

describe('the files', () => {
  test('are listed with the latest first, in pages, downloaded and deleted', async () => {
    const broker = await machine('one');
    const made = [await exported(broker), await exported(broker), await exported(broker)];
    expect(await names(broker)).toEqual([...made].reverse());
    const page = await broker.inject<{ data: BackupFile[]; meta: object }>('GET', '/data/files', {
      query: { page: 2, limit: 2 },
    });
    expect(page.body.data.map(({ filename }) => filename)).toEqual([made[0]]);
    expect(page.body.meta).toEqual({ page: 2, limit: 2, count: 3, hasnext: false });
    const by = async (sort: string, order: string) => {
      const { data } = (
        await broker.inject<{ data: BackupFile[] }>('GET', '/data/files', { query: { sort, order } })
      ).body;
      return data.map(({ filename }) => filename);
    };
    expect(await by('filename', 'asc')).toEqual(made);
    expect(await by('created_at', 'desc')).toEqual([...made].reverse());
    const download = await broker.inject('GET', `/data/files/${made[0]}`);
    expect(download.headers).toMatchObject({
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="${made[0]}"`,
    });
    expect((await broker.inject('DELETE', `/data/files/${made[0]}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE'])
      expect((await broker.inject(method, `/data/files/${made[0]}`)).status).toBe(404);
    expect(await names(broker)).toEqual([made[2], made[1]]);
  });

  test('have names of one part, in letters that no system takes amiss', async () => {
    const broker = await machine('one');
    await exported(broker);
    await writeFile(path.join(folder, 'outside.tar.gz'), 'x');
    await symlink(path.join(folder, 'outside.tar.gz'), path.join(broker.backups, 'link.tar.gz'));
    const bad = [
      '../x.tar.gz',
      'a/b.tar.gz',
      'none.txt',
      '.tar.gz',
      'a\u0000b.tar.gz',
      'a..tar.gz',
      '<i>.tar.gz',
    ];
    for (const name of bad) {
      const at = `/data/files/${encodeURIComponent(name)}`;
      expect([name, (await broker.inject('GET', at)).status]).toEqual([name, 400]);
      expect([name, (await broker.inject('DELETE', at)).status]).toEqual([name, 400]);
      expect([name, (await restore(broker, name)).status]).toEqual([name, 400]);
    }
    expect((await broker.inject('GET', '/data/files/link.tar.gz')).status).toBe(404);
    expect(await names(broker)).toHaveLength(1); // a link is no backup
  });

  test('are of this node; one that is not there cannot be restored', async () => {
    const broker = await machine('one');
    const filename = await exported(broker);
    const asked = { filename, node: 'emqx9@127.0.0.9' };
    for (const where of ['/data/import', '/data/preview']) {
      expect((await broker.inject<Failure>('POST', where, { body: asked })).status).toBe(400);
      const missing = await broker.inject<Failure>('POST', where, { body: { filename: 'none.tar.gz' } });
      expect(missing).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    }
    const elsewhere = await broker.inject('GET', `/data/files/${filename}`, { query: { node: asked.node } });
    expect(elsewhere.status).toBe(400);
    expect(
      (await broker.inject('POST', '/data/import', { body: { filename, node: broker.core.node } })).status,
    ).toBe(204);
  });

  test('are no business of an API key: they hold secrets, and bring users and keys', async () => {
    const broker = await machine('one');
    const filename = await exported(broker);
    const { body } = await broker.inject<{ api_key: string; api_secret: string }>('POST', '/api_key', {
      body: { name: 'k', desc: '', enable: true },
    });
    const authorization = `Basic ${Buffer.from(`${body.api_key}:${body.api_secret}`).toString('base64')}`;
    const refused = { status: 401, body: { code: 'API_KEY_NOT_ALLOW' } };
    for (const where of ['/data/import', '/data/preview'])
      expect(await broker.inject('POST', where, { body: { filename }, authorization })).toMatchObject(
        refused,
      );
    expect(await broker.inject('POST', '/data/export', { authorization })).toMatchObject(refused);
    expect(await broker.inject('GET', `/data/files/${filename}`, { authorization })).toMatchObject(refused);
    expect((await broker.inject('GET', '/data/files', { authorization })).status).toBe(200);
  });

  test('go with a broker that keeps nothing', async () => {
    const broker = await startTestBroker();
    const { filename } = (await broker.inject<BackupFile>('POST', '/data/export')).body;
    expect((await broker.inject('POST', '/data/import', { body: { filename } })).status).toBe(204);
    await broker.close();
    const left = await readdir(tmpdir());
    for (const name of left.filter((one) => one.startsWith('mqdeck-backup-')))
      expect(await readdir(path.join(tmpdir(), name)).catch(() => [])).not.toContain(filename);
  });
});

describe('an upload', () => {
  let broker: Machine;
  beforeEach(async () => {
    broker = await machine('one');
  });

  test('is kept under the name of the folder inside, once', async () => {
    expect((await upload(broker, 'mine.tar.gz', archive('mine', sound))).status).toBe(204);
    const again = await upload(broker, 'mine.tar.gz', archive('mine', sound));
    expect(again).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(await names(broker)).toEqual(['mine.tar.gz']);
  });

  test('without a file, or in another field, is refused', async () => {
    expect((await upload(broker, 'a.tar.gz', archive('a', sound), 'file')).status).toBe(400);
    expect((await broker.inject('POST', '/data/files', { body: { filename: 'x' } })).status).toBe(400);
  });

  test('that is larger than may be points to the command line with 413', async () => {
    const answer = await upload(broker, 'big.tar.gz', Buffer.alloc(BACKUP_UPLOAD_BYTES_MAX + 1));
    expect(answer).toMatchObject({ status: 413, body: { code: 'EXCEED_LIMIT' } });
    expect(await readdir(broker.backups)).toEqual([]);
  });

  const row = (kind: string, ...rows: unknown[]) => ({
    ...sound,
    [`${kind}/000001.jsonl`]: rows.map((one) => `${JSON.stringify(one)}\n`).join(''),
  });
  const raw = (...entries: Buffer[]) => gzipSync(Buffer.concat([...entries, TAR_END]));
  const typed = (type: string, name = 'a/link'): Buffer => {
    const entry = tarEntry(name, Buffer.alloc(0), 0);
    entry.write(type, 156);
    entry.write('/etc/passwd', 157);
    return withSum(entry);
  };
  const meta = tarEntry('a/META.json', Buffer.from(META), 0);
  const settings = tarEntry('a/settings.json', Buffer.from('{}'), 0);
  const hash = `scrypt$16384$8$1$${'A'.repeat(22)}==$${'A'.repeat(43)}=`;
  const hugeSize = () => {
    const entry = tarEntry('a/users/000001.jsonl', Buffer.alloc(0), 0);
    entry.write('77777777777\0', 124);
    return withSum(entry);
  };

  const manyFiles = () => {
    const entries = Array.from({ length: 100_000 }, (_, i) =>
      tarEntry(`a/users/${String(i).padStart(6, '0')}.jsonl`, Buffer.alloc(0), 0),
    );
    return gzipSync(Buffer.concat([meta, settings, ...entries, TAR_END]), { level: 1 });
  };

  test.each<[string, () => Buffer, RegExp]>([
    ['is no gzip', () => Buffer.from('junk'), /no gzip archive/],
    ['is empty', () => Buffer.alloc(0), /gzip|too early/],
    ['is cut off', () => archive('a', sound).subarray(0, -20), /too early/],
    ['ends within a file', () => gzipSync(meta.subarray(0, 600)), /too early/],
    ['holds nothing', () => gzipSync(Buffer.alloc(1024)), /no META\.json/],
    ['has another folder inside', () => archive('b', sound), /must be named a/],
    [
      'climbs out of its folder',
      () => raw(meta, settings, tarEntry('a/../../x', meta, 0)),
      /no name of a file/,
    ],
    [
      'has an absolute path',
      () => raw(meta, settings, tarEntry('/etc/cron.d/x', meta, 0)),
      /no name of a file/,
    ],
    [
      'has a name with control characters',
      () => raw(meta, settings, tarEntry('a/x\u001b[2J', meta, 0)),
      /no name/,
    ],
    ['has a symbolic link', () => raw(meta, settings, typed('2')), /no plain file/],
    ['has a hard link', () => raw(meta, settings, typed('1')), /no plain file/],
    ['has a device', () => raw(meta, settings, typed('3')), /no plain file/],
    ['has a long name of GNU tar', () => raw(meta, settings, typed('L')), /no plain file/],
    ['has a file twice', () => raw(meta, settings, settings), /twice/],
    ['has a file that claims to be huge', () => raw(meta, settings, hugeSize()), /larger than/],
    ['has more files than there may be', () => manyFiles(), /more than 100000 files/],
    ['has a damaged header', () => raw(meta, settings, Buffer.alloc(512, 65)), /damaged/],
    [
      'goes on after its end',
      () => gzipSync(Buffer.concat([meta, settings, Buffer.alloc(3 * 1024 ** 2)])),
      /follows/,
    ],
    [
      'has a certificate for a place that is none',
      () => archive('a', row('certificates', { file: 'certs/../../key-0123456789abcdef.pem', text: PEM })),
      /no certificate is kept/,
    ],
    [
      'has a certificate that is none',
      () => archive('a', row('certificates', { file: 'certs/ssl-a/key-0123456789abcdef.pem', text: 'x' })),
      /PEM/,
    ],
    [
      'has a kind that nobody knows',
      () => archive('a', row('oranges', {})),
      /nothing that this version knows/,
    ],
    [
      'has a file that nobody knows',
      () => archive('a', { ...sound, 'x.sh': 'rm' }),
      /nothing that this version/,
    ],
    [
      'was made by another product',
      () => archive('a', { ...sound, 'META.json': '{"product":"x"}' }),
      /META\.json/,
    ],
    [
      'was made by a later version',
      () => archive('a', { ...sound, 'META.json': META.replace('"format":1', '"format":2') }),
      /another version/,
    ],
    [
      'was made by somebody with too much to say',
      () => archive('a', { ...sound, 'META.json': META.replace('{', `{"note":"${'x'.repeat(64 * 1024)}",`) }),
      /META\.json is larger/,
    ],
    ['has no settings', () => archive('a', { 'META.json': META }), /no settings\.json/],
    [
      'has a setting that nobody knows',
      () => archive('a', { ...sound, 'settings.json': '{"nope":{}}' }),
      /nope/,
    ],
    [
      'has a setting out of range',
      () => archive('a', { ...sound, 'settings.json': '{"dashboard":{"token_expired_time":"1ms"}}' }),
      /dashboard\.token_expired_time/,
    ],
    [
      'has a mask for a secret',
      () =>
        archive('a', {
          ...sound,
          'settings.json': JSON.stringify({ authentication: { global: [{ secret: '******' }] } }),
        }),
      /authentication\.global\.0\.secret/,
    ],
    [
      'has settings nested very deep',
      () => archive('a', { ...sound, 'settings.json': `${'['.repeat(100_000)}${']'.repeat(100_000)}` }),
      /deep/,
    ],
    ['has settings that are no JSON', () => archive('a', { ...sound, 'settings.json': '{' }), /no JSON/],
    ['has a row that is no JSON', () => archive('a', { ...sound, 'users/000001.jsonl': '{"a"' }), /line 1/],
    [
      'has a row that is no text',
      () => archive('a', { ...sound, 'users/000001.jsonl': Buffer.from([0xff]) }),
      /line 1/,
    ],
    [
      'has a user with a name that nobody can have',
      () => archive('a', row('users', { username: '../x', description: '', password_hash: hash })),
      /username/,
    ],
    [
      'has a password that would take minutes to check',
      () =>
        archive(
          'a',
          row('users', {
            username: 'x',
            description: '',
            password_hash: hash.replace('16384', '1073741824'),
          }),
        ),
      /password_hash/,
    ],
    [
      'has a user with a field more',
      () => archive('a', row('users', { username: 'x', description: '', password_hash: hash, role: 'root' })),
      /users/,
    ],
    [
      'has a retained message of a topic with wildcards',
      () =>
        archive(
          'a',
          row('retained', {
            id: '00',
            topic: 'a/#',
            qos: 0,
            payload: '',
            properties: {},
            from: '',
            username: null,
            timestamp: 0,
            expires_at: 0,
          }),
        ),
      /topic/,
    ],
    [
      'bans by a pattern that cannot be understood',
      () =>
        archive('a', row('banned', { as: 'clientid_re', who: '(', by: '', reason: '', at: 0, until: null })),
      /nobody can be banned/,
    ],
    [
      'bans until a year that no calendar has',
      () =>
        archive('a', row('banned', { as: 'clientid', who: 'a', by: '', reason: '', at: 0, until: 8.65e12 })),
      /until/,
    ],
    [
      'has a message of a year that no calendar has',
      () =>
        archive(
          'a',
          row('retained', {
            id: '00',
            topic: 'a',
            qos: 0,
            payload: '',
            properties: {},
            from: '',
            username: null,
            timestamp: 8.65e15,
            expires_at: 0,
          }),
        ),
      /timestamp/,
    ],
    [
      'bans by more patterns than there may be',
      () =>
        archive(
          'a',
          row(
            'banned',
            ...Array.from({ length: 1001 }, (_, i) => ({
              as: 'clientid_re',
              who: `p${i}`,
              by: '',
              reason: '',
              at: 0,
              until: null,
            })),
          ),
        ),
      /line 1001: there can be 1000/,
    ],
  ])('that %s is refused, and leaves nothing behind', async (_, make, why) => {
    const { status, body } = await upload(broker, 'a.tar.gz', make());
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.message).toMatch(why);
    expect(await readdir(broker.backups)).toEqual([]);
  });

  test('in a name that is none is refused', async () => {
    for (const name of ['a.txt', 'a.tar', 'a b.tar.gz', '<img>.tar.gz'])
      expect([name, (await upload(broker, name, archive('a', sound))).status]).toEqual([name, 400]);
  });
});

test('a retained message that expires after the end of time is in a backup as one that never does', async () => {
  const first = await machine('first');
  await first.inject('PUT', '/mqtt/retainer', { body: { msg_expiry_interval: `${'9'.repeat(400)}d` } });
  const sensor = await first.client('sensor');
  await sensor.publish('kept', 'x', { retain: true, qos: 1 });
  const filename = await exported(first);
  await first.inject('DELETE', '/mqtt/retainer/message/kept');
  expect((await restore(first, filename)).status).toBe(204);
  expect((await first.inject('GET', '/mqtt/retainer/message/kept')).status).toBe(200);
});

test('what cannot be restored to its end changes nothing', async () => {
  const first = await machine('first');
  await fill(first);
  const good = await exported(first);
  const entries: Buffer[] = [];
  for await (const { name, content } of readTar(
    chunksOf(gunzipSync(await readFile(path.join(first.backups, good)))),
    { entryBytesMax: 1024 ** 2, entriesMax: 100 },
  )) {
    entries.push(tarEntry(name, content, 0));
  }
  entries.push(
    tarEntry(`${good.replace('.tar.gz', '')}/retained/000009.jsonl`, Buffer.from('{"topic":1}\n'), 0),
  );
  const second = await machine('second');
  const before = await second.inject('GET', '/banned');
  await exported(second); // makes the folder
  await writeFile(path.join(second.backups, good), gzipSync(Buffer.concat([...entries, TAR_END])));
  expect((await restore(second, good)).body.message).toMatch(/retained\/000009\.jsonl, line 1: id/);
  expect((await second.inject('GET', '/banned')).body).toEqual(before.body);
  expect((await second.inject('GET', '/authentication')).body).toEqual([]);
  await truncate(path.join(second.backups, good), 100);
  expect((await restore(second, good)).status).toBe(400);
});

/** Some 15 ms at a time on a quiet machine; on a busy one a turn is as long as it lets it be, but there are many. */
async function inTurns<T>(work: () => Promise<T>): Promise<T> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const began = performance.now();
  delay.enable();
  const result = await work();
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(Math.max(50, (performance.now() - began) / 2));
  return result;
}

test('settings that no feature can follow leave everything as it was', async () => {
  const broker = await machine('one');
  await exported(broker); // makes the folder
  const rules = [{ action: 'all', source_topic: 'a/#', dest_topic: 'b', re: '(' }];
  const bans = `${JSON.stringify({ as: 'clientid', who: 'x', by: '', reason: '', at: 0, until: null })}\n`;
  const files = {
    'META.json': META,
    'settings.json': JSON.stringify({ delayed: { enable: false }, rewrite: { rules } }),
    'banned/000001.jsonl': bans,
  };
  await writeFile(path.join(broker.backups, 'a.tar.gz'), archive('a', files));
  expect(await restore(broker, 'a.tar.gz')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect((await broker.inject('GET', '/mqtt/topic_rewrite')).body).toEqual([]);
  expect((await broker.inject('GET', '/mqtt/delayed')).body).toMatchObject({ enable: true });
  expect((await broker.inject<{ data: unknown[] }>('GET', '/banned')).body.data).toEqual([]);
});

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}

/** A header whose sum is right again. */
function withSum(entry: Buffer): Buffer {
  entry.fill(' ', 148, 156);
  const sum = entry.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  entry.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
  return entry;
}
