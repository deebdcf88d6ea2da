import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { httpUrl, parseServer, parseServers } from './servers.ts';

test('addresses of servers have a host, and a port when they say so', () => {
  expect(parseServer('db')).toEqual({ host: 'db', port: null });
  expect(parseServer('127.0.0.1:3306')).toEqual({ host: '127.0.0.1', port: 3306 });
  expect(parseServer('[::1]:27017')).toEqual({ host: '::1', port: 27_017 });
  const none = [
    '',
    ':',
    'a:0',
    'a:65536',
    'a:x',
    'a b',
    'http://a',
    'a/b',
    'u:p@a',
    '${host}:1',
    '::1',
    'a:1:2',
  ];
  for (const text of none) expect(parseServer(text), text).toBeNull();
  expect(parseServers('a:1, b:2,[::1]')).toHaveLength(3);
  expect(parseServers('a:1,,b')).toBeNull();
});

test('URLs say which host is asked; placeholders stand behind it', () => {
  const good = [
    'http://a',
    'https://a.example:8443/x?u=${username}&c=${clientid}',
    'http://127.0.0.1:1/auth/${clientid}',
    'http://[::1]:8080',
    'HTTP://A/',
  ];
  const wrong = [
    '',
    'nourl',
    'ftp://a',
    'file:///etc/passwd',
    'http://',
    'http:///x',
    'http://${host}/x',
    'http://a${x}/',
    'http://user:pw@a/',
    'http://a b/',
    'http://a:99999/',
    'http://a\\b/',
    ' http://a',
    'http://a/x y',
  ];
  for (const url of good) expect(z.safeParse(httpUrl, url).success, url).toBe(true);
  for (const url of wrong) expect(z.safeParse(httpUrl, url).success, url).toBe(false);
});
