import fc from 'fast-check';
import { expect, test } from 'vitest';
import { upstreamPath } from './upstream-path.ts';

test.each([
  '/api/v5/clients',
  '/api/v5/clients?like_clientid=..%2F&page=1?2',
  '/api/v5/topics/t%2F1',
  '/api/v5/clients/%E4%BD%A0%20+%25',
  '/api/v5/clients/50%2525',
  '/api/v5/clients/...',
  '/api/v5/clients/.a',
  '/api/v5/clients/',
  '/api/v5/clients/a%3Bb',
])('%s passes unchanged', (url) => {
  expect(upstreamPath(url, '')).toBe(url);
  expect(upstreamPath(url, '/emqx')).toBe(`/emqx${url}`);
});

test.each([
  '/api/v5/../../admin',
  '/api/v5/./clients',
  '/api/v5/%2e%2e/admin',
  '/api/v5/%2E./admin',
  '/api/v5/%252e%252e/admin',
  '/api/v5/..%2f..%2fadmin',
  '/api/v5/a%2f..%2f..%2fadmin',
  '/api/v5/..%5cadmin',
  '/api/v5/..\\admin',
  '/api/v5//clients',
  '/api/v5/clients/%zz',
  '/api/v5/clients/%00',
  '/api/v5/clients/a b',
  '/api/v5/clients\r\nx: y',
  '/api/v5/clients#x',
  '/api/v5/..;/..;/admin',
  '/api/v5/.;/clients',
])('%j is refused', (url) => {
  expect(upstreamPath(url, '')).toBeNull();
});

test('no path that passes leaves the API, however it is normalised', () => {
  const step = fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%2e',
    '%2f',
    '/',
    '\\',
    '%5c',
    'a',
    '%252e',
    '%',
    '?',
    '',
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const path = upstreamPath(`/api/v5/${steps.join('')}`, '/base');
      if (path === null) return;
      const decoded = decodeURIComponent(path.split('?')[0]!);
      expect(new URL(path, 'http://x').pathname).toMatch(/^\/base\/api\/v5\//);
      expect(new URL(decoded.replaceAll('?', ''), 'http://x').pathname).toMatch(/^\/base\/api\/v5\//);
    }),
  );
});
