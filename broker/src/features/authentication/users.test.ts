import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { ImportReport } from '@mqdeck/contract/authentication';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../core/store/environment.ts';
import { memoryStore } from '../../core/store/memory-store.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { dial } from '../../testing/test-client.ts';
import type { PasswordUser } from './built-in-database.ts';
import { importUsers } from './import-users.ts';
import { AuthnUsers } from './users.ts';

const AT = '/authentication/password_based:built_in_database';
const builtIn = {
  mechanism: 'password_based',
  backend: 'built_in_database',
  password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
};

const SHA256 = { name: 'sha256', salt_position: 'suffix' } as const;

interface List {
  data: { user_id: string; is_superuser: boolean }[];
  meta: { count?: number; hasnext: boolean };
}

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
  await broker.inject('POST', '/authentication', { body: builtIn });
});
afterEach(() => broker.close());

async function login(username: string, password: string): Promise<number> {
  const { client } = dial(broker.core, 'device', { username, password });
  return (await client.connect()).reasonCode;
}
const list = async (query = {}) => (await broker.inject<List>('GET', `${AT}/users`, { query })).body;
const namesOf = ({ data }: List) => data.map(({ user_id }) => user_id);

/** A form with one file, as browsers send it. */
function form(filename: string, content: string, field = 'filename') {
  const rawBody = [
    '--frontier',
    `Content-Disposition: form-data; name="${field}"; filename="${filename}"`,
    'Content-Type: application/octet-stream',
    '',
    content,
    '--frontier--',
    '',
  ].join('\r\n');
  return { rawBody, headers: { 'content-type': 'multipart/form-data; boundary=frontier' } };
}
const upload = (filename: string, content: string, query: Record<string, string> = {}, field?: string) =>
  broker.inject<ImportReport & { code: string; message: string }>('POST', `${AT}/import_users`, {
    ...form(filename, content, field),
    query,
  });

/** Of the form that the authenticator's algorithm gives. */
const HASH = 'ab'.repeat(32);
const hashed = (password: string, salt: string) =>
  createHash('sha256')
    .update(password + salt)
    .digest('hex');

describe('the list of users', () => {
  beforeEach(async () => {
    for (const user_id of ['u1', 'u2', 'many0', 'many1', 'many2', 'ü/ 7'])
      await broker.inject('POST', `${AT}/users`, {
        body: { user_id, password: 'x', is_superuser: user_id.endsWith('1') },
      });
  });

  test('goes down from the highest id, in pages that are counted', async () => {
    expect(namesOf(await list())).toEqual(['ü/ 7', 'u2', 'u1', 'many2', 'many1', 'many0']);
    const second = await list({ page: 2, limit: 4 });
    expect(namesOf(second)).toEqual(['many1', 'many0']);
    expect(second.meta).toMatchObject({ count: 6, hasnext: false });
    expect((await list({ page: 9 })).data).toEqual([]);
  });

  test('is filtered by a part of the id, which is a text and no pattern, and by superusers', async () => {
    expect(await list({ like_user_id: 'any' })).toMatchObject({
      data: [{}, {}, {}],
      meta: { hasnext: false },
    });
    expect((await list({ like_user_id: 'any' })).meta.count).toBeUndefined();
    for (const pattern of ['.*', '((a+)+)+$', '%', '_', '[', '\\'])
      expect((await list({ like_user_id: pattern })).data).toEqual([]);
    expect(namesOf(await list({ is_superuser: 'true' }))).toEqual(['u1', 'many1']);
    expect((await list({ is_superuser: 'true' })).meta.count).toBe(2);
    expect(namesOf(await list({ is_superuser: 'false' }))).toEqual(['ü/ 7', 'u2', 'many2', 'many0']);
    expect((await list({ is_superuser: 'false' })).meta.count).toBe(4);
    expect(namesOf(await list({ is_superuser: 'false', like_user_id: 'u' }))).toEqual(['u2']);
    expect(namesOf(await list({ is_superuser: 'true', like_user_id: 'any' }))).toEqual(['many1']);
  });

  test('follows what changes', async () => {
    await broker.inject('PUT', `${AT}/users/u1`, { body: { password: 'x', is_superuser: false } });
    await broker.inject('PUT', `${AT}/users/u2`, { body: { password: 'x', is_superuser: true } });
    await broker.inject('DELETE', `${AT}/users/many1`);
    expect(namesOf(await list({ is_superuser: 'true' }))).toEqual(['u2']);
    expect((await list()).meta.count).toBe(5);
  });
});

describe('an import', () => {
  test('of JSON and of CSV, as form and as body, lets those users in', async () => {
    const json = JSON.stringify([
      { user_id: 'imp1', password_hash: hashed('p1', 's1'), salt: 's1', is_superuser: true },
      { user_id: 'imp2', password_hash: hashed('p2', 's2'), salt: 's2' },
    ]);
    const counted = { total: 2, success: 2, override: 0, skipped: 0, failed: 0 };
    expect(await upload('users.json', json)).toMatchObject({ status: 200, body: counted });
    const csv = `\ufeffuser_id,password_hash,salt,is_superuser\r\nimp3,${hashed('p3', 's3')},s3,true\r\n"imp,4",${hashed('p4', '')},,false\r\n`;
    expect(await upload('USERS.CSV', csv)).toMatchObject({ status: 200, body: counted });
    const again = await broker.inject('POST', `${AT}/import_users`, { rawBody: json });
    expect(again).toMatchObject({ status: 200, body: { total: 2, success: 0, skipped: 2 } });
    expect(await login('imp1', 'p1')).toBe(0);
    expect(await login('imp3', 'p3')).toBe(0);
    expect(await login('imp,4', 'p4')).toBe(0);
    expect(await login('imp3', 'p4')).toBe(0x86);
    expect(namesOf(await list({ is_superuser: 'true' }))).toEqual(['imp3', 'imp1']);
  });

  test('of passwords as they are, hashed like any other', async () => {
    const csv = 'user_id,password,is_superuser\nada,päss,true\nbob,word,\n';
    expect(await upload('u.csv', csv, { type: 'plain' })).toMatchObject({ body: { success: 2 } });
    expect(await login('ada', 'päss')).toBe(0);
    expect(await login('bob', 'word')).toBe(0);
  });

  test('keeps the users there are, or replaces them when it is told to', async () => {
    await broker.inject('POST', `${AT}/users`, { body: { user_id: 'ada', password: 'old' } });
    const csv = 'user_id,password\nada,new\nbob,new\n';
    expect((await upload('u.csv', csv, { type: 'plain' })).body).toMatchObject({ success: 1, skipped: 1 });
    expect(await login('ada', 'old')).toBe(0);
    const replaced = await upload('u.csv', csv, { type: 'plain', override: 'true' });
    expect(replaced.body).toMatchObject({ success: 0, override: 2, skipped: 0 });
    expect(await login('ada', 'new')).toBe(0);
    expect((await list()).meta.count).toBe(2);
  });

  test('refuses rows whose is_superuser is neither true nor false, and hashes and salts that no algorithm makes', async () => {
    const rows = [
      ['maybe', `maybe,${HASH},s,maybe`],
      ['hash', 'hash,zz,s,true'],
      ['short', `short,${HASH.slice(2)},s,true`],
      ['salt', `salt,${HASH},"a\tb",true`],
      ['', `words,${HASH},s, TRUE `],
      ['', `number,${HASH.toUpperCase()},s,0`],
    ];
    const { body } = await upload(
      'u.csv',
      ['user_id,password_hash,salt,is_superuser', ...rows.map(([, row]) => row)].join('\n'),
    );
    expect(body).toMatchObject({ total: 6, success: 2, failed: 4 });
    expect(body.rows?.map(({ user_id, reason }) => [user_id, reason])).toEqual([
      ['maybe', 'invalid_is_superuser'],
      ['hash', 'invalid_password_hash'],
      ['short', 'invalid_password_hash'],
      ['salt', 'invalid_salt'],
    ]);
    const users = [1, 'yes', [true], 2].map((is_superuser, i) => ({
      user_id: `json${i}`,
      password_hash: HASH,
      is_superuser,
    }));
    expect((await upload('u.json', JSON.stringify(users))).body).toMatchObject({ success: 1, failed: 3 });
  });

  test('that shall be all or nothing stores nothing when one row is faulty, and says which', async () => {
    const csv = (flag: string) =>
      `user_id,password_hash,is_superuser\nada,${HASH},true\nbob,${HASH},${flag}\n`;
    expect(await upload('u.csv', csv('maybe'), { all_or_nothing: 'true' })).toMatchObject({
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        total: 2,
        failed: 1,
        rows: [{ line: 3, user_id: 'bob', reason: 'invalid_is_superuser' }],
      },
    });
    expect((await list()).meta.count).toBe(0);
    const whole = await upload('u.csv', csv('false'), { all_or_nothing: 'true' });
    expect(whole).toMatchObject({ status: 200, body: { total: 2, success: 2 } });
  });

  test('of a file that ends its connection half way changes nothing', async () => {
    async function* broken() {
      yield Buffer.from(`user_id,password_hash\nada,${HASH}\n`);
      throw new Error('gone');
    }
    const store = memoryStore();
    const users = new AuthnUsers<PasswordUser>(store, 'x', 'password');
    const whenDone = importUsers(
      users,
      { filename: 'u.csv', content: broken(), signal: new AbortController().signal },
      { type: 'hash', override: false, all_or_nothing: false, algorithm: SHA256 },
      { folder: null, flushed: () => store.flushed() },
    );
    await expect(whenDone).rejects.toThrow('gone');
    expect(users.count).toBe(0);
  });

  test('stops when its sender is gone, unless it shall be all or nothing', async () => {
    for (const all_or_nothing of [false, true]) {
      const store = memoryStore();
      const users = new AuthnUsers<PasswordUser>(store, 'x', 'password');
      const sender = new AbortController();
      async function* content() {
        const rows = Array.from({ length: 2000 }, (_, i) => `u${i},${HASH}\n`);
        yield Buffer.from(`user_id,password_hash\n${rows.join('')}`);
      }
      await importUsers(
        users,
        { filename: 'u.csv', content: content(), signal: sender.signal },
        { type: 'hash', override: false, all_or_nothing, algorithm: SHA256 },
        { folder: null, flushed: async () => sender.abort() },
      );
      expect(users.count).toBe(all_or_nothing ? 2000 : 500);
    }
  });

  test('tells each row that failed, and why; the others are there', async () => {
    const csv = [
      'user_id,password_hash,salt',
      `good,${HASH},s`,
      `,${HASH},s`,
      'no-hash,,s',
      `${'x'.repeat(1025)},${HASH},s`,
      'short',
      `"with\nbreak",${HASH},s`,
      `last,${HASH},s`,
    ].join('\n');
    const { body } = await upload('u.csv', csv);
    expect(body).toMatchObject({ total: 7, success: 2, failed: 5 });
    expect(body.rows).toMatchObject([
      { line: 3, user_id: '', reason: 'invalid_user_id' },
      { line: 4, user_id: 'no-hash', reason: 'invalid_password_hash' },
      { line: 5, reason: 'invalid_user_id' },
      { line: 6, user_id: 'short', reason: 'hash_import_requires_password_hash_field' },
      { user_id: 'with\nbreak', reason: 'invalid_user_id' },
    ]);
    expect(namesOf(await list())).toEqual(['last', 'good']);
    const json = JSON.stringify([{ user_id: 'ok', password_hash: HASH }, { user_id: 7 }, null, 'x', []]);
    expect((await upload('u.json', json)).body).toMatchObject({ success: 1, failed: 4 });
  });

  test('of a file that cannot be read to its end changes nothing', async () => {
    const good = `{"user_id":"ada","password_hash":"${HASH}"}`;
    const files: [string, string][] = [
      ['u.json', `[${good},{"user_id":`],
      ['u.json', `[${good},`],
      ['u.json', `[${good}]x`],
      ['u.json', `[${good}}`],
      ['u.json', good],
      ['u.json', '[]'],
      ['u.json', ''],
      ['u.json', `[${good},]`],
      ['u.json', '[{"user_id":"ada"}]'],
      ['u.csv', ''],
      ['u.csv', 'user_id,password_hash\n'],
      ['u.csv', `user_id,password_hash\nada,${HASH}\n"bob,${HASH}\n`],
      ['u.csv', 'user_id,salt\nada,s\n'],
      ['u.csv', `user_id,password_hash\nada,${HASH}\n${'x'.repeat(300_000)},${HASH}\n`],
      ['u.txt', `[${good}]`],
      ['u', `[${good}]`],
      ['../../u.json.exe', `[${good}]`],
    ];
    for (const [name, content] of files)
      expect(await upload(name, content), `${name}: ${content.slice(0, 60)}`).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
    const other = await upload('u.json', `[${good}]`, {}, 'file');
    expect(other).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect((await list()).meta.count).toBe(0);
  });

  test('of bytes that are no text changes nothing', async () => {
    const at = 'user_id,password_hash,is_superuser\n';
    const upload = (bytes: Buffer) =>
      broker.inject<{ message: string }>('POST', `${AT}/import_users`, {
        rawBody: Buffer.concat([
          Buffer.from(
            `--b\r\nContent-Disposition: form-data; name="filename"; filename="u.csv"\r\n\r\n${at}`,
          ),
          bytes,
          Buffer.from('\r\n--b--\r\n'),
        ]),
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
    for (const id of [[0xff, 0xfe], [0xc3], [0xed, 0xa0, 0x80]]) {
      const answer = await upload(Buffer.concat([Buffer.from(id), Buffer.from(`,${HASH},true\n`)]));
      expect(answer).toMatchObject({ status: 400, body: { message: 'The file is not UTF-8' } });
    }
    expect((await list()).meta.count).toBe(0);
    expect(await upload(Buffer.from(`ü\ufffd,${HASH},true\n`))).toMatchObject({ status: 200 });
  });

  test('is refused to authenticators without users', async () => {
    const at = (id: string) =>
      broker.inject('POST', `/authentication/${id}/import_users`, form('u.json', '[]'));
    expect((await at('jwt')).status).toBe(404);
    await broker.inject('POST', '/authentication', {
      body: { mechanism: 'jwt', algorithm: 'hmac-based', secret: 'x' },
    });
    expect(await at('jwt')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  test('of no form but a file for this field is read; other content is 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect(
        await broker.inject('POST', `${AT}/import_users`, {
          rawBody: 'x',
          headers: { 'content-type': type },
        }),
      ).toMatchObject({ status: 415 });
    const broken = { rawBody: 'no form', headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    expect((await broker.inject('POST', `${AT}/import_users`, broken)).status).toBe(400);
  });
});

describe('an export', () => {
  test('gives back what an import takes, and nothing that a spreadsheet would compute', async () => {
    const ids = ['=1+1', '@sum', '+x', '-x', "'=quoted", 'a,"b"', 'plain', 'ü'];
    for (const user_id of ids)
      await broker.inject('POST', `${AT}/users`, {
        body: { user_id, password: 'secret', is_superuser: user_id === 'plain' },
      });
    const file = await broker.inject<string>('GET', `${AT}/export_users`);
    expect(file.headers['content-type']).toContain('text/csv');
    expect(file.headers['content-disposition']).toBe('attachment; filename="users.csv"');
    expect(file.body).not.toMatch(/(^|[,\n"])[=+@-]/m);
    for (const user_id of ids) await broker.inject('DELETE', `${AT}/users/${encodeURIComponent(user_id)}`);
    expect(await upload('users.csv', file.body)).toMatchObject({ body: { success: ids.length, failed: 0 } });
    for (const user_id of ids) expect(await login(user_id, 'secret'), user_id).toBe(0);
    expect(namesOf(await list({ is_superuser: 'true' }))).toEqual(['plain']);
  });
});

describe('many users', () => {
  /** Figures of the report are those of 100,000. */
  const COUNT = Number(process.env.MQDECK_AUTHN_USERS ?? 20_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'authn-users-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('are imported and listed while everybody else has his turn', async () => {
    const store = openStore(folder);
    const users = new AuthnUsers<PasswordUser>(store, 'x', 'password');
    const row = (i: number) => `user-${i},${'ab'.repeat(32)},salt,${i % 1000 === 0}`;
    const csv = Buffer.from(
      `user_id,password_hash,salt,is_superuser\n${Array.from({ length: COUNT }, (_, i) => row(i)).join('\n')}\n`,
    );
    // As it comes from a socket: one piece after the other, each in a turn of its own
    async function* pieces() {
      for (let at = 0; at < csv.length; at += 65_536) {
        await setImmediate();
        yield csv.subarray(at, at + 65_536);
      }
    }
    const timed = async <T>(run: () => Promise<T>) => {
      const before = performance.now();
      const result = await run();
      return { result, ms: Math.round(performance.now() - before) };
    };
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    const imported = await timed(() =>
      importUsers(
        users,
        { filename: 'u.csv', content: pieces(), signal: new AbortController().signal },
        { type: 'hash', override: false, all_or_nothing: false, algorithm: SHA256 },
        { folder, flushed: () => store.flushed() },
      ),
    );
    const page = (query: object) => timed(() => users.page({ page: 1, limit: 100, ...query }));
    const first = await page({});
    const superusers = await page({ is_superuser: true });
    const deep = await page({ page: COUNT / 200 });
    const like = await page({ like_user_id: `ser-${COUNT - 1}` });
    delays.disable();
    const longest = Math.round(delays.max / 1e6);
    console.info(
      `${COUNT} users: imported in ${imported.ms} ms; first page ${first.ms} ms, superusers ${superusers.ms} ms, page ${COUNT / 200} ${deep.ms} ms, one by a part of his id ${like.ms} ms; the longest turn of the event loop ${longest} ms`,
    );
    expect(imported.result).toMatchObject({ total: COUNT, success: COUNT, failed: 0 });
    expect(first.result.meta.count).toBe(COUNT);
    expect(superusers.result.meta.count).toBe(COUNT / 1000);
    expect(deep.result.data).toHaveLength(100);
    expect(like.result.data).toEqual([{ user_id: `user-${COUNT - 1}`, is_superuser: false }]);
    expect(superusers.ms).toBeLessThan(like.ms); // of an index; the other looks at all of them
    await users.clear();
    expect(users.count).toBe(0);
    await store.close();
  }, 120_000);

  test('survive a restart, and so does their number', async () => {
    const store = openStore(folder);
    const users = new AuthnUsers<PasswordUser>(store, 'x', 'password');
    for (let i = 0; i < 1000; i++) users.put(`u${i}`, { hash: 'h', salt: '', superuser: i < 10 });
    await store.close();
    const later = openStore(folder);
    const again = new AuthnUsers<PasswordUser>(later, 'x', 'password');
    expect(again.count).toBe(1000);
    expect((await again.page({ page: 1, limit: 5, is_superuser: true })).meta.count).toBe(10);
    expect(new AuthnUsers(later, 'x', 'scram').count).toBe(0);
    expect(new AuthnUsers(later, 'y', 'password').get('u1')).toBeUndefined();
    await again.clear();
    expect([again.count, again.get('u1')]).toEqual([0, undefined]);
    await later.close();
  });
});
