import { JwtAuthenticator } from '@mqdeck/contract/authentication';
import { duration, flag, intBetween, percent } from '@mqdeck/contract/kit/values';
import { LogSettings } from '@mqdeck/contract/log';
import { RetainerSettings } from '@mqdeck/contract/retainer';
import { SysTopicsSettings } from '@mqdeck/contract/sys-topics';
import { AlarmSettings } from '@mqdeck/contract/sysmon';
import { RewriteSettings } from '@mqdeck/contract/topic-rewrite';
import { expect, test } from 'vitest';
import { commentsOf, rowsOf, typeOf, unwrapped } from './settings-doc.mjs';

test('types are told in words, with their range', () => {
  const { delivery_rate, max_payload_size, backend } = RetainerSettings.shape;
  const cases = [
    [duration, 'duration'],
    [SysTopicsSettings.shape.sys_msg_interval, 'duration, or `disabled`'],
    [percent, 'share'],
    [flag, 'yes or no'],
    [max_payload_size, 'size'],
    [delivery_rate, 'rate'],
    [intBetween(1, 3000), 'number, 1 to 3000'],
    [unwrapped(backend).schema._zod.def.shape.storage_type, '`ram`, `disc`'],
  ];
  for (const [schema, words] of cases) expect(typeOf(schema)).toBe(words);
});

test('every setting has a row: of objects, lists, maps and choices', () => {
  const rows = (schema) => Array.from(rowsOf(schema, '', undefined, new Map()));
  const names = (schema) => rows(schema).map(({ name }) => name);
  expect(names(RewriteSettings)).toEqual([
    'rules',
    'rules[].action',
    'rules[].source_topic',
    'rules[].re',
    'rules[].dest_topic',
  ]);
  expect(names(LogSettings)).toEqual(
    expect.arrayContaining(['console.level', 'file', 'file.NAME.level', 'throttling.time_window']),
  );
  const hours = rows(AlarmSettings).find(({ name }) => name === 'validity_period');
  expect(hours).toMatchObject({ type: 'duration', usual: '24h' });
  const secret = rows(JwtAuthenticator).find(({ name }) => name === 'secret');
  expect(secret.told).toContain('algorithm = hmac-based');
});

test('comments are found above what they speak of, not those of endpoints', () => {
  const source = [
    'const fields = {',
    '  /** 0 = never. */',
    '  interval: duration,',
    '  /**',
    '   * Two',
    '   * lines.',
    '   */',
    '  other: flag,',
    '  plain: flag,',
    '};',
    'const list = endpoint({',
    '  /** A query. */',
    '  plain: 1,',
  ].join('\n');
  expect(Array.from(commentsOf(source))).toEqual([
    ['interval', '0 = never.'],
    ['other', 'Two lines.'],
  ]);
});
