import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { LogFile, LogLevel, LogLine, LogSettings } from '@mqdeck/contract/log';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mountSmallDisk } from '../../testing/small-disk.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let folder: string;
let onConsole: string[];
let broker: TestBroker;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mqdeck-log-'));
  onConsole = [];
  broker = await open();
});
afterEach(async () => {
  await broker.close();
  await rm(folder, { recursive: true, force: true });
});

const open = () =>
  startTestBroker({ dataDir: folder, console: (line) => onConsole.push(line), logRetryMs: 50 });

type Change = { [K in 'console' | 'throttling']?: Partial<LogSettings[K]> } & {
  file?: Record<string, Partial<LogSettings['file'][string]>>;
};
const put = (body: Change) =>
  broker.inject<LogSettings & { code: string; message: string }>('PUT', '/configs/log', { body });
async function change(body: Change): Promise<LogSettings> {
  const { status, body: answer } = await put(body);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
}
const inFile = async (name = 'emqx.log') => {
  await broker.log.settled();
  return readFile(path.join(folder, 'log', name), 'utf8');
};
const linesIn = async (name?: string) => (await inFile(name)).split('\n').slice(0, -1);
const filesThere = async () => {
  await broker.log.settled();
  return (await readdir(path.join(folder, 'log'))).sort();
};
const read = async (query: Record<string, string | number> = {}) =>
  (
    await broker.inject<{ data: LogLine[]; meta: { position: number; missed: number } }>(
      'GET',
      '/log/lines',
      { query },
    )
  ).body;
const alarms = async () =>
  (await broker.inject<{ data: { name: string }[] }>('GET', '/alarms')).body.data.map(({ name }) => name);

describe('settings', () => {
  const handler = {
    enable: true,
    formatter: 'text',
    level: 'warning',
    payload_encode: 'text',
    time_offset: 'system',
    timestamp_format: 'auto',
  };
  const file = {
    ...handler,
    enable: false,
    path: '${EMQX_LOG_DIR}/emqx.log',
    rotation_count: 10,
    rotation_size: '50MB',
  };

  test('are those of the contract until they are changed, and outlive a restart', async () => {
    const audit = { enable: true, max_filter_size: 5000, ignore_high_frequency_request: false };
    const throttling = { time_window: '1m' };
    const defaults = { console: handler, file: { default: file }, throttling, audit };
    expect((await broker.inject('GET', '/configs/log')).body).toEqual(defaults);
    expect(await change({})).toEqual(defaults);
    const changed = await change({ console: { level: 'error' }, throttling: { time_window: '5s' } });
    expect(changed).toEqual({
      console: { ...handler, level: 'error' },
      file: { default: file },
      throttling: { time_window: '5s' },
      audit,
    });
    await broker.close();
    broker = await open();
    expect((await broker.inject('GET', '/configs/log')).body).toEqual(changed);
  });

  test('of a handler that is not named anew it is the end; what is left out of a named one stays', async () => {
    await change({ file: { default: {}, audit: { path: 'audit.log', enable: true, level: 'debug' } } });
    const { file: two } = await change({ file: { default: { rotation_count: 3 }, audit: {} } });
    expect(two).toEqual({
      default: { ...file, rotation_count: 3 },
      audit: { ...file, path: 'audit.log', enable: true, level: 'debug' },
    });
    const { file: one } = await change({ file: { audit: { level: 'error' } } });
    expect(one).toEqual({ audit: { ...file, path: 'audit.log', enable: true, level: 'error' } });
  });

  const refused: [string, Change | object, string][] = [
    ['a level that is none', { console: { level: 'loud' } }, 'root.console.level'],
    ['a formatter that is none', { console: { formatter: 'xml' } }, 'root.console.formatter'],
    ['an offset beyond the earth', { console: { time_offset: '+15:00' } }, 'root.console.time_offset'],
    ['a format of time', { console: { timestamp_format: 'iso' } }, 'root.console.timestamp_format'],
    ['a way of payloads', { console: { payload_encode: 'base64' } }, 'root.console.payload_encode'],
    ['no files', { file: { default: { rotation_count: 0 } } }, 'root.file.default.rotation_count'],
    ['too many files', { file: { default: { rotation_count: 129 } } }, 'root.file.default.rotation_count'],
    [
      'a size that is none',
      { file: { default: { rotation_size: 'big' } } },
      'root.file.default.rotation_size',
    ],
    ['a tiny size', { file: { default: { rotation_size: '1' } } }, 'root.file.default.rotation_size'],
    ['a short window', { throttling: { time_window: '999ms' } }, 'root.throttling.time_window'],
    ['a name of a handler', { file: { '../x': {} } }, 'root.file'],
    ['an unknown field', { console: { chars_limit: 1 } }, 'root.console'],
  ];
  test.each(refused)('refuses %s, and says which field it is', async (_, body, field) => {
    const { status, body: answer } = await put(body as Change);
    expect([status, answer.code]).toEqual([400, 'BAD_REQUEST']);
    expect(JSON.parse(answer.message)).toMatchObject({ path: field });
    expect((await broker.inject<LogSettings>('GET', '/configs/log')).body.file.default).toEqual(file);
  });

  const paths = [
    '/etc/cron.d/x.log',
    '../x.log',
    'a/b.log',
    '${EMQX_LOG_DIR}/../x.log',
    '..log',
    'x.log\0',
    'x.log.1',
    'settings.json',
    '.hidden.log',
    '',
    `${'x'.repeat(200)}.log`,
  ];
  test.each(paths)('a file is in the log folder and nowhere else: %s', async (name) => {
    const { status, body } = await put({ file: { default: { path: name, enable: true } } });
    expect([status, JSON.parse(body.message).path]).toEqual([400, 'root.file.default.path']);
    expect(existsSync(path.join(folder, 'log'))).toBe(false);
  });

  test('the place that EMQX writes before a name is the log folder; with and without it is one file', async () => {
    await change({ file: { default: { path: '${EMQX_LOG_DIR}/emqx.log', enable: true } } });
    broker.log.warn({}, 'here');
    await change({ file: { default: { path: 'emqx.log' } } });
    broker.log.warn({}, 'and here');
    expect((await linesIn('emqx.log')).slice(-2)).toEqual([
      expect.stringContaining('] here'),
      expect.stringContaining('] and here'),
    ]);
  });

  test('two handlers of one file are refused', async () => {
    const { status, body } = await put({
      file: { default: {}, second: { path: 'EMQX.log' } },
    });
    expect([status, JSON.parse(body.message).path]).toEqual([400, 'root.file.second.path']);
  });

  test.each(['a folder', 'a link out of the folder'])('a path that is %s is refused', async (what) => {
    await mkdir(path.join(folder, 'log'));
    const there = path.join(folder, 'log', 'emqx.log');
    const outside = path.join(folder, 'outside.txt');
    await writeFile(outside, 'mine');
    await (what === 'a folder' ? mkdir(there) : symlink(outside, there));
    const { status, body } = await put({ file: { default: { enable: true } } });
    expect([status, JSON.parse(body.message).path]).toEqual([400, 'root.file.default.path']);
    expect(JSON.parse(body.message).reason).toContain('cannot be written');
    expect(await readFile(outside, 'utf8')).toBe('mine');
  });

  test('a broker without a data folder has no files, and says so', async () => {
    const without = await startTestBroker();
    const body = { file: { default: { enable: true } } };
    const { status, body: answer } = await without.inject<{ message: string }>('PUT', '/configs/log', {
      body,
    });
    expect([status, answer.message]).toEqual([400, expect.stringContaining('no data folder')]);
    expect((await without.inject('GET', '/log/files')).body).toEqual([]);
    await without.close();
  });
});

describe('a handler', () => {
  test('writes what is of its level or worse; a change is in force with the next line', async () => {
    await change({ file: { default: { enable: true, level: 'error' } } });
    const all = () => {
      broker.log.debug({}, 'a debug line');
      broker.log.info({}, 'an info line');
      broker.log.warn({}, 'a warning line');
      broker.log.error({}, 'an error line');
      broker.log.write('critical', {}, 'a critical line');
    };
    all();
    expect(onConsole.map((line) => /\[(\w+)\]/.exec(line)![1])).toEqual(['warning', 'error', 'critical']);
    expect((await linesIn()).map((line) => /\[(\w+)\]/.exec(line)![1])).toEqual(['error', 'critical']);

    onConsole = [];
    await change({ console: { level: 'emergency' }, file: { default: { level: 'all' } } });
    broker.log.debug({}, 'another debug line');
    broker.log.write('alert', {}, 'an alert');
    expect(onConsole).toEqual([]);
    expect((await linesIn()).slice(2)).toEqual([
      expect.stringContaining('[debug] another debug line'),
      expect.stringContaining('[alert] an alert'),
    ]);
  });

  test('is silent while it is off', async () => {
    await change({ console: { enable: false } });
    broker.log.error({}, 'nobody hears it');
    expect(onConsole).toEqual([]);
    expect(existsSync(path.join(folder, 'log'))).toBe(false);
    await change({ console: { enable: true } });
    broker.log.error({}, 'somebody hears it');
    expect(onConsole).toHaveLength(1);
  });

  test('writes JSON that programs read, with microseconds unless RFC 3339 is asked for', async () => {
    await change({ console: { formatter: 'json', time_offset: '+08:00' } });
    const before = Date.now();
    broker.log.warn({ clientid: 'a"b\n', reason: 'x', level: 'mine' }, 'something\nodd');
    const { time, ...rest } = JSON.parse(onConsole[0]!);
    expect(rest).toEqual({ level: 'warning', msg: 'something\nodd', clientid: 'a"b\n', reason: 'x' });
    expect(time).toBeGreaterThanOrEqual(before * 1000);
    expect(time).toBeLessThanOrEqual(Date.now() * 1000);

    await change({ console: { timestamp_format: 'rfc3339' } });
    broker.log.warn({}, 'in words');
    expect(JSON.parse(onConsole[1]!).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+08:00$/);
  });

  test.each([
    ['utc', 0],
    ['+08:00', 480],
    ['-03:30', -210],
    ['system', 0 - new Date().getTimezoneOffset()],
  ])('writes the time of %s', async (time_offset, minutes) => {
    await change({ console: { time_offset } });
    const before = Date.now();
    broker.log.warn({}, 'now');
    const [, clock, sign, hours, rest] = /^(\S+)([+-])(\d\d):(\d\d) \[warning\] now\n$/.exec(onConsole[0]!)!;
    expect((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(rest))).toBe(minutes);
    const at = Date.parse(`${clock}Z`) - minutes * 60_000;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  test('writes epoch in text when it is told to', async () => {
    await change({ console: { timestamp_format: 'epoch' } });
    broker.log.warn({}, 'now');
    expect(onConsole[0]).toMatch(/^\d{16} \[warning\] now\n$/);
  });

  test('shows payloads as text, as hex or not at all', async () => {
    const sensor = await broker.client('sensor');
    const payloadOf = (line: string) => JSON.parse(line).payload;
    await change({
      console: { level: 'debug', formatter: 'json' },
      file: { default: { enable: true, level: 'debug', formatter: 'json', payload_encode: 'hex' } },
    });
    await sensor.publish('room/1', '21.5°', { qos: 1 });
    await change({ console: { payload_encode: 'hidden' } });
    await sensor.publish('room/1', 'a canary', { qos: 1 });
    await sensor.publish('room/1', 'x'.repeat(5000), { qos: 1 });
    const published = onConsole.filter((line) => line.includes('a message is published'));
    expect(published.map(payloadOf)).toEqual(['21.5°', '******', '******']);
    expect(onConsole.join('')).not.toContain('canary');
    const hex = (await linesIn()).filter((line) => line.includes('a message is published')).map(payloadOf);
    expect(hex.slice(0, 2)).toEqual([
      Buffer.from('21.5°').toString('hex'),
      Buffer.from('a canary').toString('hex'),
    ]);
    expect(hex[2]).toMatch(/^(78){1024}… \(5000 bytes\)$/);
    // In memory as discreet as the most discreet of them.
    expect(JSON.stringify((await read({ limit: 1000 })).data)).not.toContain('canary');
  });

  test('keeps every entry on a line of its own, whatever names clients choose', async () => {
    broker.log.warn(
      { clientid: 'x\n2026-01-01 [error] forged', name: '\u001b[31m\u009b2J\u202e' },
      'odd\r\nname',
    );
    expect(onConsole).toHaveLength(1);
    expect(onConsole[0]!.match(/\n/g)).toHaveLength(1);
    expect(onConsole[0]!.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(onConsole[0]).toContain('clientid="x\\n2026-01-01 [error] forged"');
  });

  test('writes no secrets, neither of facts nor of what libraries hang on errors', async () => {
    const err = Object.assign(new Error('no way to mongodb://root:canary-1@db:27017/x'), {
      command: { name: 'AUTH', args: ['canary-2'] },
      cause: new Error('as postgres://u:canary-3@db'),
    });
    broker.log.error({ err, password: 'canary-4', config: { headers: { Authorization: 'canary-5' } } }, 'no');
    expect(onConsole[0]).toContain('mongodb://******@db:27017/x');
    expect(onConsole[0]).not.toContain('canary');
    expect(JSON.stringify((await read()).data)).not.toContain('canary');
  });

  test('cuts what is very long, and outlives what no JSON can say', async () => {
    const loop: Record<string, unknown> = { big: 1n, when: new Date(0), list: new Array(1000).fill(1) };
    loop.self = loop;
    broker.log.warn({ clientid: 'c'.repeat(65_535), loop }, 'long');
    expect(onConsole[0]!.length).toBeLessThan(10_000);
    expect(onConsole[0]).toContain('1970-01-01T00:00:00.000Z');
  });
});

describe('throttling', () => {
  test('tells the same trouble once, and then how often it came again', async () => {
    await change({ throttling: { time_window: '1s' } });
    for (let i = 0; i < 5; i += 1) broker.log.warn({ clientid: `c${i}`, backend: 'a' }, 'a backend is away');
    broker.log.warn({ backend: 'b' }, 'a backend is away');
    broker.log.error({ backend: 'a' }, 'a backend is away');
    expect(onConsole).toHaveLength(3); // another backend and another level are other events
    await vi.waitFor(() => expect(onConsole).toHaveLength(4), { timeout: 20_000 });
    expect(onConsole[3]).toContain('a backend is away clientid=c4 backend=a repeated=4');
    broker.log.warn({ backend: 'a' }, 'a backend is away');
    expect(onConsole).toHaveLength(5);
  });

  test('a shorter window ends the one that is open, and the end of the broker does', async () => {
    for (let i = 0; i < 3; i += 1) broker.log.warn({}, 'again');
    expect(onConsole).toHaveLength(1);
    await change({ throttling: { time_window: '30s' } });
    expect(onConsole[1]).toContain('again repeated=2');
    for (let i = 0; i < 3; i += 1) broker.log.warn({}, 'again');
    expect(onConsole).toHaveLength(3);
    await broker.endBroker();
    expect(onConsole[3]).toContain('again repeated=2');
  });

  test('takes a window that is longer than any timer', async () => {
    const warned: string[] = [];
    const onWarning = ({ name }: Error) => warned.push(name);
    process.on('warning', onWarning);
    await change({ throttling: { time_window: '30d' } });
    for (let i = 0; i < 3; i += 1) broker.log.warn({}, 'again');
    await setImmediate(); // warnings of Node come a turn later
    process.off('warning', onWarning);
    expect(warned).toEqual([]);
    expect(onConsole).toHaveLength(1);
  });

  test('leaves milder lines alone', async () => {
    await change({ console: { level: 'info' } });
    for (let i = 0; i < 3; i += 1) broker.log.info({}, 'the same');
    expect(onConsole).toHaveLength(3);
  });
});

describe('files', () => {
  const fill = (from: number, count: number) => {
    for (let i = from; i < from + count; i += 1) broker.log.info({ n: i }, 'a line to fill the file');
  };
  const numbersIn = async (names: string[]) =>
    (await Promise.all(names.map((name) => linesIn(name)))).flatMap((lines) =>
      lines.flatMap((line) => {
        const found = / n=(\d+)$/.exec(line);
        return found ? [Number(found[1])] : [];
      }),
    );
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
  /** The oldest first. */
  const inOrder = (names: string[]) =>
    [...names].sort((a, b) => Number(b.split('.')[2] ?? 0) - Number(a.split('.')[2] ?? 0));

  test('begin anew at their size, and no line is lost under load', async () => {
    await change({
      file: { default: { enable: true, level: 'info', rotation_size: '32KB', rotation_count: 128 } },
    });
    fill(0, 20_000);
    const names = await filesThere();
    expect(names.length).toBeGreaterThan(30);
    for (const name of names)
      expect(Buffer.byteLength(await inFile(name)), name).toBeLessThanOrEqual(32 * 1024);
    expect(await numbersIn(inOrder(names))).toEqual(upTo(20_000));
  });

  test('are as many as was set; fewer are enough at once', async () => {
    const size = { enable: true, level: 'info' as const, rotation_size: '1KB' };
    await change({ file: { default: { ...size, rotation_count: 4 } } });
    fill(0, 200);
    const four = ['emqx.log', 'emqx.log.1', 'emqx.log.2', 'emqx.log.3'];
    expect(await filesThere()).toEqual(four);
    const kept = await numbersIn(inOrder(four));
    expect(kept).toEqual(upTo(200).slice(-kept.length)); // the latest, without a gap
    await writeFile(path.join(folder, 'log', 'emqx.log.old'), 'not ours');
    await change({ file: { default: { rotation_count: 2 } } });
    await vi.waitFor(async () =>
      expect(await filesThere()).toEqual(['emqx.log', 'emqx.log.1', 'emqx.log.old']),
    );
    await change({ file: { default: { rotation_count: 1 } } });
    fill(0, 50);
    await vi.waitFor(async () => expect(await filesThere()).toEqual(['emqx.log', 'emqx.log.old']));
  });

  test('grow without end where that is wished', async () => {
    await change({ file: { default: { enable: true, level: 'info', rotation_size: 'infinity' } } });
    fill(0, 30_000);
    expect(await numbersIn(['emqx.log'])).toEqual(upTo(30_000));
    expect(await filesThere()).toEqual(['emqx.log']);
  });

  test('several handlers, another path and another size lose no line while the broker writes', async () => {
    const handlers: Change['file'] = { default: { enable: true, level: 'info', path: 'one.log' } };
    await change({ file: handlers });
    fill(0, 1000);
    const both = { ...handlers, second: { enable: true, level: 'info' as const, path: 'second.log' } };
    const switching = change({ file: both });
    fill(1000, 1000);
    await switching;
    fill(2000, 1000);
    const moving = change({
      file: { default: { ...handlers.default, path: 'two.log' }, second: { rotation_size: '64KB' } },
    });
    fill(3000, 1000);
    await moving;
    fill(4000, 1000);
    await change({ file: { default: {} } });
    fill(5000, 1000);

    expect(await numbersIn(['one.log', 'two.log'])).toEqual(upTo(6000));
    const names = (await filesThere()).filter((name) => name.startsWith('second'));
    const second = await numbersIn(inOrder(names));
    expect(names.length).toBeGreaterThan(1);
    expect(second.at(-1)).toBe(4999);
    expect(second).toEqual(upTo(5000).slice(second[0]));
  });

  test('a file that somebody moves or removes is there again with the next line', async () => {
    await change({ file: { default: { enable: true } } });
    const own = path.join(folder, 'log', 'emqx.log');
    broker.log.warn({}, 'the first');
    expect(await inFile()).toContain('the first');
    await rename(own, `${own}-moved`);
    broker.log.warn({}, 'the second');
    expect(await inFile()).toMatch(/\] the second\n$/);
    await rm(path.join(folder, 'log'), { recursive: true });
    broker.log.warn({}, 'the third');
    expect(await inFile()).toMatch(/\] the third\n$/);
  });

  test('go on after a restart, which they tell', async () => {
    await change({ file: { default: { enable: true, level: 'notice' } } });
    broker.log.warn({}, 'before');
    await broker.close();
    broker = await open();
    broker.log.warn({}, 'after');
    expect((await linesIn()).map((line) => line.slice(line.indexOf('[')))).toEqual([
      '[warning] before',
      '[notice] the broker ends node=mqdeck@127.0.0.1',
      '[notice] the broker is ready node=mqdeck@127.0.0.1 version=0.0.0-test',
      '[warning] after',
    ]);
  });

  test('one that cannot be written is an alarm and a line on the console; the broker goes on', async () => {
    await change({ file: { default: { enable: true } } });
    broker.log.warn({}, 'the first');
    await broker.log.settled();
    await broker.close();
    const own = path.join(folder, 'log', 'emqx.log');
    await rm(own);
    await mkdir(own);
    broker = await open();
    await vi.waitFor(async () => expect(await alarms()).toContain('log_not_writable'));
    expect(onConsole.join('')).toMatch(/\[error\] a log file cannot be written.* handler=default/);
    // What is wrong already keeps nobody from changing something else.
    await change({ console: { level: 'error' } });
    const sensor = await broker.client('sensor');
    await sensor.publish('room/1', 'x', { qos: 1 });

    await rm(own, { recursive: true });
    await vi.waitFor(async () => expect(await alarms()).not.toContain('log_not_writable'), {
      timeout: 20_000,
      interval: 100,
    });
    expect(await inFile()).toContain('a log file cannot be written'); // what waited meanwhile
    await change({ file: { default: { enable: false } } });
  });

  const disk = mountSmallDisk();
  test.skipIf(!disk)(
    'a full disk loses lines, and says how many when there is room again',
    async () => {
      const { free, fill: fillDisk } = disk!;
      await mkdir(path.join(disk!.folder, 'log'));
      await symlink(path.join(disk!.folder, 'log'), path.join(folder, 'log')); // elsewhere, as an operator may wish
      const small = { enable: true, level: 'info' as const, rotation_size: '512KB', rotation_count: 2 };
      await change({ file: { default: small } });
      fill(0, 10);
      await broker.log.settled();
      fillDisk();
      const tooMuch = (count: number) => {
        for (let i = 0; i < count; i += 1) broker.log.info({ text: 'x'.repeat(4000) }, 'too much');
      };
      tooMuch(40);
      await vi.waitFor(async () => expect(await alarms()).toContain('log_not_writable'), { timeout: 20_000 });
      tooMuch(3000); // of which 8 MB can wait
      const sensor = await broker.client('sensor');
      await sensor.publish('room/1', 'x', { qos: 1 });
      free();
      await vi.waitFor(async () => expect(await alarms()).not.toContain('log_not_writable'), {
        timeout: 20_000,
        interval: 100,
      });
      expect(await inFile()).toMatch(/a log file can be written again handler=default lost=\d{3,}\n/);
    },
    60_000,
  );
  afterAll(() => disk?.unmount());

  test('are listed with the handler they belong to, and fetched as they are', async () => {
    await change({
      file: { default: { enable: true, level: 'info', rotation_size: '1KB', rotation_count: 3 } },
    });
    fill(0, 100);
    await broker.log.settled();
    for (const name of ['old.log', 'secret.txt']) await writeFile(path.join(folder, 'log', name), 'old\n');
    await symlink('/etc/passwd', path.join(folder, 'log', 'link.log'));
    const { body } = await broker.inject<LogFile[]>('GET', '/log/files');
    expect(body.map(({ name, handler, current }) => [name, handler, current])).toEqual([
      ['emqx.log', 'default', true],
      ['emqx.log.1', 'default', false],
      ['emqx.log.2', 'default', false],
      ['old.log', null, false],
    ]);
    const content = await inFile('emqx.log.1');
    expect(body[1]!.size).toBe(Buffer.byteLength(content));
    const fetched = await broker.inject('GET', '/log/files/emqx.log.1');
    expect([fetched.status, fetched.body]).toEqual([200, content]);
    expect(fetched.headers['content-disposition']).toBe('attachment; filename="emqx.log.1"');
    expect(fetched.headers['x-content-type-options']).toBe('nosniff');
  });

  test.each([
    'none.log',
    'link.log',
    'folder.log',
    'secret.txt',
    '..%2Fsettings.json',
    '%2Fetc%2Fpasswd',
    'emqx.log%00',
    '..%2Flog%2Fold.log',
  ])('%s is no log file to be fetched', async (name) => {
    await mkdir(path.join(folder, 'log', 'folder.log'), { recursive: true });
    for (const other of ['secret.txt', 'old.log']) await writeFile(path.join(folder, 'log', other), 'x');
    await symlink('/etc/passwd', path.join(folder, 'log', 'link.log'));
    const { status, body } = await broker.inject<{ code: string }>('GET', `/log/files/${name}`);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('an empty one is fetched too', async () => {
    await change({ file: { default: { enable: true } } });
    expect(await broker.inject('GET', '/log/files/emqx.log')).toMatchObject({
      status: 200,
      body: undefined,
    });
  });
});

describe('the last lines', () => {
  test('are read, and followed from where the reader was', async () => {
    await change({ console: { level: 'info' } });
    for (const n of [1, 2, 3]) broker.log.info({ n }, 'a line');
    const { data, meta } = await read({ limit: 2 });
    expect(data).toEqual([
      {
        position: meta.position - 2,
        time: expect.any(String),
        level: 'info',
        msg: 'a line',
        facts: { n: 2 },
      },
      {
        position: meta.position - 1,
        time: expect.any(String),
        level: 'info',
        msg: 'a line',
        facts: { n: 3 },
      },
    ]);
    expect(await read({ position: meta.position })).toEqual({ data: [], meta });
    for (const n of [4, 5, 6]) broker.log.info({ n }, 'a line');
    const next = await read({ position: meta.position, limit: 2 });
    expect(next.data.map(({ facts }) => facts.n)).toEqual([4, 5]);
    const last = await read({ position: next.meta.position });
    expect(last.data.map(({ facts }) => facts.n)).toEqual([6]);
  });

  test('are those of a level and with a text, capitals or not', async () => {
    await change({ console: { level: 'debug' } });
    broker.log.info({ clientid: 'Sensor-1' }, 'came');
    broker.log.error({ clientid: 'sensor-2' }, 'failed');
    broker.log.warn({ clientid: 'other' }, 'SENSOR room');
    const found = async (query: Record<string, string>) => (await read(query)).data.map(({ msg }) => msg);
    expect(await found({ text: 'sensor' })).toEqual(['came', 'failed', 'SENSOR room']);
    expect(await found({ text: 'sensor', level: 'warning' })).toEqual(['failed', 'SENSOR room']);
    expect(await found({ text: 'clientid=sensor-2' })).toEqual(['failed']); // as it is read
    expect(await found({ text: '(a+)+$' })).toEqual([]);
    const { status } = await broker.inject('GET', '/log/lines', { query: { text: 'x'.repeat(201) } });
    expect(status).toBe(400);
  });

  test('have warnings in any case, and the rest when a handler writes it', async () => {
    await change({ console: { enable: false } });
    broker.log.info({}, 'too mild');
    broker.log.warn({}, 'a warning');
    expect((await read()).data.map(({ msg }) => msg)).toEqual(['a warning']);
    await change({ file: { default: { enable: true, level: 'info' } } });
    broker.log.info({}, 'not too mild');
    expect((await read()).data.at(-1)).toMatchObject({ msg: 'not too mild' });
  });

  test('are bounded in number and in size; a reader that was too slow is told', async () => {
    await change({ console: { level: 'info' } });
    const { meta } = await read();
    for (let i = 0; i < 2500; i += 1) broker.log.info({ i }, 'many');
    const many = await read({ position: meta.position, limit: 1000 });
    expect(many.meta.missed).toBe(500);
    expect(many.data[0]!.facts.i).toBe(500);
    for (let i = 0; i < 1500; i += 1) broker.log.info({ i, text: 'x'.repeat(4000) }, 'large');
    const large = await read({ position: many.meta.position, limit: 1000 });
    expect(large.data.length).toBeGreaterThan(200);
    expect(large.data.length).toBeLessThan(270); // of 4 KB each, kept twice in 2 MB
    expect(large.data.at(-1)!.facts.i).toBe(1499);
  });

  test.each([0, 1, 999_999_999_999_999])(
    'a position of another run begins with what there is (%i)',
    async (position) => {
      broker.log.warn({}, 'of this run');
      const { data, meta } = await read({ position });
      expect([data.map(({ msg }) => msg), meta.missed]).toEqual([['of this run'], 0]);
    },
  );
});

describe('what clients do', () => {
  const said = () => onConsole.map((line) => / \[(\w+)\] (.*)\n/.exec(line)!.slice(1).join(' '));

  test('is told at level debug, and costs no hook otherwise', async () => {
    const { hooks } = broker.core;
    const observers = () =>
      (Object.keys(hooks.used) as (keyof typeof hooks.used)[]).filter((name) =>
        hooks.used[name].some(({ owner }) => owner === 'log'),
      );
    expect(observers()).toEqual([]);
    for (const level of ['debug', 'all', 'debug'] satisfies (LogLevel | 'all')[])
      await change({ console: { level } });
    expect(observers()).toHaveLength(5);

    const sensor = await broker.client('sensor', { username: 'ada', password: 'canary' });
    await sensor.subscribe('room/#', { qos: 1 });
    await sensor.publish('room/1', '21.5', { qos: 1 });
    await sensor.unsubscribe('room/#');
    await sensor.disconnect();
    await vi.waitFor(() => expect(said().at(-1)).toContain('a client is disconnected clientid=sensor'));
    const own = said().filter((line) => line.includes('sensor'));
    expect(own[0]).toMatch(/^debug a client is connected clientid=sensor username=ada address=\S+ listener=/);
    expect(own.slice(1, 4)).toEqual([
      'debug a client has subscribed clientid=sensor filter=room/# qos=1',
      'debug a message is published clientid=sensor topic=room/1 qos=1 retain=false payload=21.5',
      'debug a client has unsubscribed clientid=sensor filter=room/#',
    ]);
    expect(onConsole.join('')).not.toContain('canary');

    await change({ console: { level: 'warning' } });
    expect(observers()).toEqual([]);
  });

  test('a client that is refused is told with the reason', async () => {
    await change({ console: { level: 'debug' } });
    const { status } = await broker.inject('POST', '/authentication', {
      body: {
        mechanism: 'password_based',
        backend: 'built_in_database',
        password_hash_algorithm: { name: 'plain', salt_position: 'disable' },
      },
    });
    expect(status).toBe(200);
    await expect(broker.client('stranger', { username: 'x', password: 'canary' })).rejects.toThrow();
    expect(said().join('\n')).toMatch(/a client is refused clientid=stranger/);
    expect(onConsole.join('')).not.toContain('canary');
  });
});

test('others on the machine see nothing of the log', async () => {
  await change({ file: { default: { enable: true } } });
  expect((await stat(path.join(folder, 'log'))).mode & 0o007).toBe(0);
  expect((await stat(path.join(folder, 'log', 'emqx.log'))).mode & 0o137).toBe(0);
});
