import { expect, test } from 'vitest';
import { alarmText } from './alarm-text.ts';

const alarm = (name: string, details: unknown = {}, message = 'as the broker says it') => ({
  name,
  message,
  details,
});

const KNOWN = [
  alarm('high_cpu_usage', { usage: '98.9%', high_watermark: 80, low_watermark: 60 }),
  alarm('high_system_memory_usage', { usage: 70.13, high_watermark: 70 }),
  alarm('high_process_memory_usage', { usage: 70.13, high_watermark: 70 }),
  alarm('too_many_processes', { usage: '81%', high_watermark: '80%' }),
  alarm('too_many_connections', { usage: 80, connections: 800, files_max: 1000 }),
  alarm('high_event_loop_delay', { delay_ms: 300, high_watermark_ms: 240 }),
  alarm('store_not_writable', { folder: '/data', reason: 'no space' }),
  alarm('log_not_writable', { handlers: { file: 'no space' } }),
  alarm('rules_feed_each_other', { rules: ['a', 'b'] }),
  alarm('license_quota', { connections: 81, max_connections: 100 }),
  alarm('license_expiry', { expiry_at: '2026-12-01', days_left: 3 }),
  alarm('license_expiry', { expiry_at: '2026-12-01', days_left: 0 }),
  alarm('bridge:webhook:orders', { bridge: 'webhook:orders', reason: 'refused' }),
  alarm('plugin:p', { plugin: 'p', reason: 'threw' }),
  alarm('exhook:guard', { exhook: 'guard', reason: 'refused', refused: ['client.authorize'] }),
  alarm(
    'connector:mqtt:x',
    { resource_id: 'connector:mqtt:x', reason: 'resource_down' },
    'resource down: gone',
  ),
  alarm('gateway_down:stomp', { gateway: 'stomp' }, 'EADDRINUSE'),
  alarm('gateway_listener_down:stomp:tcp:default', {}, 'EADDRINUSE'),
  alarm('listener_down:tcp:default', {}, 'EADDRINUSE'),
  alarm('certificate_expiry:ssl:default', { days: 3 }),
  alarm('certificate_expiry:ssl:default', { days: -3 }),
  alarm('limiter_message_in', { type: 'message_in', zone: 3 }),
];

test('a known alarm is told in the language of its reader, with what it is about', () => {
  for (const one of KNOWN) {
    expect(alarmText(one, 'zh'), one.name).toMatch(/\p{Script=Han}/u);
    expect(alarmText(one, 'en'), one.name).not.toMatch(/\p{Script=Han}|\{|undefined/u);
    expect(alarmText(one, 'zh'), one.name).not.toMatch(/\{|undefined/);
  }
  expect(alarmText(KNOWN[0]!, 'zh')).toBe('CPU 使用率 98.9%，告警阈值 80%');
  expect(alarmText(KNOWN[1]!, 'en')).toBe('70.1% of the machine’s memory is in use; the alarm begins at 70%');
  expect(alarmText(alarm('bridge:webhook:orders', { reason: 'ECONNREFUSED' }), 'zh')).toBe(
    '数据桥接 webhook:orders 无法连接目标：ECONNREFUSED',
  );
  expect(alarmText(alarm('certificate_expiry:ssl:a', { days: 1 }), 'en')).toMatch(/in 1 day$/);
});

test('what a message says and details do not is not left out', () => {
  for (const name of ['gateway_down:stomp', 'listener_down:tcp:default'])
    expect(alarmText(alarm(name, {}, 'EADDRINUSE'), 'zh')).toContain('EADDRINUSE');
  const resource = { resource_id: 'connector:mqtt:x', reason: 'resource_down' };
  expect(alarmText(alarm('connector:mqtt:x', resource, 'resource down: #{error => e}'), 'zh')).toContain(
    '#{error => e}',
  );
  const refused = ['client.authorize', 'message.publish'];
  expect(alarmText(alarm('exhook:g', { reason: 'gone', refused }), 'zh')).toContain('发布与订阅、消息');
});

test('an unknown alarm, or one that lacks a part, is told as the broker tells it', () => {
  for (const one of [
    alarm('partition', { occurred: 1 }),
    alarm('toString'),
    alarm('high_cpu_usage'),
    alarm('high_cpu_usage', 'all of it'),
    alarm('high_cpu_usage', null),
    alarm('high_cpu_usage', { usage: 'much', high_watermark: 80 }),
    alarm('bridge:webhook:orders', { reason: 7 }),
    alarm('limiter_dreams'),
    alarm('connector:x', { resource_id: 'connector:x' }),
  ])
    expect(alarmText(one, 'zh'), one.name).toBe('as the broker says it');
  expect(alarmText(alarm('partition', {}, ''), 'zh')).toBe('partition');
});

test('what nobody could read in a text of others is made visible', () => {
  for (const one of [
    alarm('partition', {}, 'a\u202eb'),
    alarm('bridge:w:o\u202e', { reason: 'x\u202ey' }),
    alarm('listener_down:a\u202e', {}, 'x\u202ey'),
  ])
    expect(alarmText(one, 'en')).not.toContain('\u202e');
});
