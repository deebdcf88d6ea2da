import { expect, test } from 'vitest';
import { safeTarget } from './safe-target.ts';

test.each([
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' //evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '%2F%2Fevil.example',
  '/%2Fevil.example',
  '/%5Cevil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/a/%2e%2e//evil.example',
  'evil',
  '?to=x',
  '',
  '/login?to=/login',
  '/login',
])('%j does not lead away from the console', (to) => {
  expect(safeTarget(to)).toBe('/dashboard');
});

test.each(['/users', '/connections/detail/a%2Fb?tab=x&page=2#frag', '/subscriptions/topics?topic=%23'])(
  '%s is where the sign-in leads',
  (to) => expect(safeTarget(to)).toBe(to),
);
