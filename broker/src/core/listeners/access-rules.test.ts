import { expect, test } from 'vitest';
import { accessBy } from './access-rules.ts';

const network = (allow: boolean, address: string, prefix: number) => ({
  allow,
  network: { address, prefix },
});
const everybody = (allow: boolean) => ({ allow, network: null });

test('the first rule that fits decides, and nobody comes in where none does', () => {
  const admits = accessBy([
    network(false, '10.1.0.0', 16),
    network(true, '10.0.0.0', 8),
    network(true, '2001:db8::', 32),
  ]);
  expect(['10.2.3.4', '2001:db8::1'].map(admits)).toEqual([true, true]);
  expect(['10.1.2.3', '192.0.2.1', '2001:db9::1', '::1', ''].map(admits)).toEqual(Array(5).fill(false));
  expect(accessBy([network(false, '127.0.0.1', 32), everybody(true)])('127.0.0.1')).toBe(false);
  expect(accessBy([everybody(false)])('127.0.0.1')).toBe(false);
  expect(accessBy([])('127.0.0.1')).toBe(false);
  expect(accessBy([network(true, '0.0.0.0', 0)])('203.0.113.9')).toBe(true);
});
