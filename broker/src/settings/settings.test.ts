import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SettingsError, SettingsFault, SettingsStore } from './settings.ts';
import { SETTINGS_BYTES_MAX } from './settings-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-settings-'));
  file = path.join(folder, 'settings.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('without a file everything has its default, and none is written', () => {
  expect(new SettingsStore(folder).get('dashboard')).toEqual({ token_expired_time: '60m' });
  expect(existsSync(file)).toBe(false);
});

test('only what differs from the defaults is written, and read again', async () => {
  const settings = new SettingsStore(folder);
  await settings.change('dashboard', { token_expired_time: '3s' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    version: 1,
    dashboard: { token_expired_time: '3s' },
  });
  expect(new SettingsStore(folder).get('dashboard').token_expired_time).toBe('3s');
  await settings.change('dashboard', { token_expired_time: '60m' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1 });
  expect(existsSync(`${file}.next`)).toBe(false);
});

test('whoever listens to a section hears of its changes, until he ends it', async () => {
  const settings = new SettingsStore(null);
  const heard: (string | number)[] = [];
  const off = settings.onChange('dashboard', ({ token_expired_time }) => heard.push(token_expired_time));
  await settings.change('dashboard', { token_expired_time: '3s' });
  await settings.change('retainer', { ...settings.get('retainer'), enable: false });
  await settings.change('dashboard', { token_expired_time: '4s' });
  off();
  await settings.change('dashboard', { token_expired_time: '5s' });
  expect(heard).toEqual(['3s', '4s']);
});

test('changes at the same time leave the last one', async () => {
  const settings = new SettingsStore(folder);
  await Promise.all(
    ['1m', '2m', '3m'].map((token_expired_time) => settings.change('dashboard', { token_expired_time })),
  );
  expect(new SettingsStore(folder).get('dashboard').token_expired_time).toBe('3m');
});

test('in memory nothing is written', async () => {
  const settings = new SettingsStore(null);
  await settings.change('dashboard', { token_expired_time: '1s' });
  expect(settings.get('dashboard').token_expired_time).toBe('1s');
});

describe('a broken file is refused with its line and the reason', () => {
  const cases: [string, string, RegExp][] = [
    ['no JSON', '{\n  "version": 1,\n  oops\n}', /settings\.json, line 3: /],
    ['half a file', '{\n  "version": 1,\n', /settings\.json, line 3: /],
    [
      'an unknown setting',
      '{\n "version": 1,\n "dashboard": {\n  "colour": 1\n }\n}',
      /line 4: dashboard\.colour: there is no such setting/,
    ],
    [
      'a wrong value',
      '{\n "version": 1,\n "dashboard": {\n  "token_expired_time": "soon"\n }\n}',
      /line 4: dashboard\.token_expired_time/,
    ],
    ['an older version', '{\n "version": 0\n}', /line 2: version/],
    ['no version', '{\n}', /line 1: version/],
    [
      'a newer version',
      '{\n "alarm": {},\n "version": 7\n}',
      /line 3: version: the file is of a newer program/,
    ],
    ['a list', '[]', /line 1: the whole file/],
    ['nothing at all', '', /line 1: /],
    ['an unknown section', '{\n "version": 1,\n "zzz": {}\n}', /line 3: zzz: there is no such setting/],
    ['a section of another kind', '{\n "version": 1,\n "alarm": []\n}', /line 3: alarm: .*expected object/],
    [
      'a name that stands elsewhere before',
      '{\n "version": 1,\n "prometheus": { "enable_basic_auth": true },\n "delayed": {\n  "enable": 7\n }\n}',
      /line 5: delayed\.enable/,
    ],
    [
      'a setting of a nested object',
      '{\n "version": 1,\n "sysmon": {\n  "os": {\n   "cpu_high": "1%"\n  }\n }\n}',
      /line 5: sysmon\.os\.cpu_high: there is no such setting/,
    ],
    [
      'an item of a list',
      '{\n "version": 1,\n "auto_subscribe": { "topics": [\n  { "topic": "a" },\n  { "topic": "b",\n    "qos": 3 }\n ] }\n}',
      /line 6: auto_subscribe\.topics\.2\.qos: expected 0\.\.2/,
    ],
    [
      'an item of a list that is no object',
      '{\n "version": 1,\n "rewrite": { "rules": [\n  17\n ] }\n}',
      /line 4: rewrite\.rules\.1/,
    ],
    [
      'a section that stands there twice',
      '{\n "version": 1,\n "alarm": { "size_limit": 5 },\n "alarm": {}\n}',
      /line 4: alarm: this stands here twice/,
    ],
    [
      'a name that is written with an escape',
      '{\n "version": 1,\n "alarm": {\n  "size\\u005flimit": 0\n }\n}',
      /line 4: alarm\.size_limit: expected 1\.\.3000/,
    ],
    [
      'lists without end in one another',
      `{"version":1,"alarm":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      /line 1: alarm/,
    ],
  ];
  for (const [name, text, message] of cases)
    test(name, () => {
      writeFileSync(file, text);
      expect(() => new SettingsStore(folder)).toThrow(SettingsError);
      expect(() => new SettingsStore(folder)).toThrow(message);
      expect(readFileSync(file, 'utf8')).toBe(text); // it is the operator's to mend
    });

  test('a file that no editor of texts wrote', () => {
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(() => new SettingsStore(folder)).toThrow(/no text in UTF-8/);
  });

  test('a folder in its place', () => {
    mkdirSync(file);
    expect(() => new SettingsStore(folder)).toThrow(/settings\.json cannot be read: it is a folder/);
  });

  test('a file that leads to itself, as one that may not be read', () => {
    symlinkSync(file, file);
    expect(() => new SettingsStore(folder)).toThrow(/settings\.json cannot be read: /);
  });

  test('a file that is larger than any settings, without reading it', () => {
    writeFileSync(file, '');
    truncateSync(file, SETTINGS_BYTES_MAX + 1);
    expect(() => new SettingsStore(folder)).toThrow(/larger than 64 MB/);
  });
});

test('the mark that some editors put before a text does no harm', () => {
  writeFileSync(file, '\uFEFF{"version":1,"alarm":{"size_limit":5}}');
  expect(new SettingsStore(folder).get('alarm').size_limit).toBe(5);
});

describe('what a feature knows better than the schema', () => {
  const inOrder = ({ size_limit }: { size_limit: number }) => {
    if (size_limit === 13) throw new SettingsFault(['size_limit'], 'not this number');
  };

  test('is told of the file with its line', () => {
    writeFileSync(file, '{\n "version": 1,\n "alarm": {\n  "size_limit": 13\n }\n}');
    const settings = new SettingsStore(folder);
    expect(() => settings.guard('alarm', inOrder)).toThrow(SettingsError);
    expect(() => settings.guard('alarm', inOrder)).toThrow(
      /settings\.json, line 4: alarm\.size_limit: not this number/,
    );
  });

  test('keeps several sections as they were', async () => {
    const settings = new SettingsStore(folder);
    settings.guard('alarm', inOrder);
    const { delayed, alarm } = settings.all;
    const wrong = { delayed: { ...delayed, enable: false }, alarm: { ...alarm, size_limit: 13 } };
    await expect(settings.changeAll(wrong)).rejects.toThrow(SettingsFault);
    expect(settings.get('delayed').enable).toBe(true);
    await settings.changeAll({ ...wrong, alarm: { ...alarm, size_limit: 14 } });
    expect(new SettingsStore(folder).get('delayed').enable).toBe(false);
  });
});
