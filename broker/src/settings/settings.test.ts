import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SettingsError, SettingsStore } from './settings.ts';

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
    ['another version', '{\n "version": 7\n}', /line 2: version/],
    ['a list', '[]', /line 1: the whole file/],
  ];
  for (const [name, text, message] of cases)
    test(name, () => {
      writeFileSync(file, text);
      expect(() => new SettingsStore(folder)).toThrow(SettingsError);
      expect(() => new SettingsStore(folder)).toThrow(message);
    });
});
