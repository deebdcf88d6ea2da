import { expect, test } from 'vitest';
import { detailsText } from './details.ts';
import { subjectOf } from './subject.ts';

test('details are pairs, whatever a broker sends', () => {
  expect(detailsText({ usage: '98.9%', high_watermark: 80 })).toBe('usage: 98.9% · high_watermark: 80');
  expect(detailsText({ nested: { a: [1] } })).toBe('nested: {"a":[1]}');
  expect(detailsText('plain')).toBe('plain');
  expect(detailsText(null)).toBe('');
  expect(detailsText({ trick: 'pay\u202eexe' })).toBe('trick: pay\\u202eexe');
});

test('an alarm leads to what it is about, where that has a page', () => {
  const of = (name: string) => subjectOf({ name, node: 'n@h' });
  expect(of('bridge:webhook:orders')).toBe('/bridge/dataBridge/detail/webhook%3Aorders');
  expect(of('exhook:guard')).toBe('/exhook/detail/guard');
  expect(of('certificate_expiry:ssl:default')).toBe('/listener?open=ssl%3Adefault');
  expect(of('conn_congestion/sensor-1/user')).toBe('/connections/detail/sensor-1');
  expect(of('limiter_messages')).toBe('/limiter');
  expect(of('high_cpu_usage')).toBe('/dashboard/nodes/n%40h');
  expect(of('too_many_connections')).toBe('/connections');
  expect(of('partition')).toBeUndefined();
  expect(of('toString')).toBeUndefined();
});
