import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  bindText,
  ListenerConfig,
  ListenersSection,
  listenerRate,
  parseAccessRule,
  parseBind,
  WssListener,
} from './listeners.ts';

test('a bind is a port, or an address and a port; what is wrong is told in the words of the API', () => {
  const good: [string | number, string][] = [
    [1883, ':1883'],
    ['0', ':0'],
    [':65535', ':65535'],
    ['127.0.0.1:1883', '127.0.0.1:1883'],
    ['[::1]:1883', '[::1]:1883'],
    ['[fe80::1%eth0]:1', '[fe80::1%eth0]:1'],
    ['localhost:1', 'localhost:1'],
    ['broker-1.example:8883', 'broker-1.example:8883'],
  ];
  for (const [value, text] of good) {
    const bind = parseBind(value);
    expect(typeof bind === 'object' && bindText(bind), String(value)).toBe(text);
  }
  for (const value of ['', 'here', '65536', -1, 1.5, '0x1', '１８８３', '1e3'])
    expect(parseBind(value), String(value)).toBe('bad_port_number');
  for (const value of [
    'a:b',
    '127.0.0.1:65536',
    '256.1.1.1:1',
    '1.2.3:4',
    '::1:5',
    '[::1]',
    'a..b:1',
    'a b:1',
    'a/b:1',
    '-a:1',
    'a.:1',
  ])
    expect(parseBind(value), value).toBe('bad_ip_port');
});

test('rules name everybody, an address or a network', () => {
  expect(parseAccessRule('allow all')).toEqual({ allow: true, network: null });
  expect(parseAccessRule('deny 10.0.0.0/8')).toEqual({
    allow: false,
    network: { address: '10.0.0.0', prefix: 8 },
  });
  expect(parseAccessRule('allow 2001:db8::1')).toEqual({
    allow: true,
    network: { address: '2001:db8::1', prefix: 128 },
  });
  for (const rule of [
    '',
    'maybe',
    'allow',
    'allow nobody',
    'deny 10.0.0.0/33',
    'deny 10.0.0/8',
    'deny ::/129',
    'deny 1.2.3.4/',
    'deny 1.2.3.4/8/8',
    'allow all all',
    'Allow all',
  ])
    expect(parseAccessRule(rule), rule).toBeNull();
});

test('rates are amounts in a time; nothing at all is none', () => {
  for (const rate of ['infinity', '100/s', '1MB/10s'])
    expect(z.safeParse(listenerRate, rate).success, rate).toBe(true);
  for (const rate of ['', 'fast', '100', '0/s', '1/0s', '-1/s', '1.5/s', '1/s/s', '1TB/s', '1/ s'])
    expect(z.safeParse(listenerRate, rate).success, rate).toBe(false);
});

test('each type has its defaults, and the section none', () => {
  expect(z.parse(WssListener, { type: 'wss' })).toMatchObject({
    bind: ':8084',
    enable: true,
    max_connections: 'infinity',
    tcp_options: { send_timeout: '15s' },
    ssl_options: { verify: 'verify_none', ocsp: { enable_ocsp_stapling: false } },
    websocket: { mqtt_path: '/mqtt', deflate_opts: { mem_level: 8 } },
  });
  expect(z.parse(ListenersSection, {})).toEqual({ tcp: {}, ssl: {}, ws: {}, wss: {} });
  expect(z.safeParse(ListenerConfig, { type: 'tcp', websocket: {} }).success).toBe(false);
});

describe('texts made to take long', () => {
  const long = 200_000;
  test.each([
    ['a name', () => parseBind(`${'a'.repeat(250)}!:1`)],
    ['dots', () => parseBind(`${'a.'.repeat(long)}!:1`)],
    ['colons', () => parseAccessRule(`allow ${':'.repeat(long)}x`)],
    ['blanks', () => parseAccessRule(`allow${' '.repeat(long)}`)],
    ['digits', () => z.safeParse(listenerRate, `${'1'.repeat(long)}/${'1'.repeat(long)}x`).data],
  ])('%s are refused at once', (_name, parse) => {
    // With a square of these lengths this test would not end within its time limit
    expect(['bad_ip_port', null, undefined]).toContain(parse());
  });
});
