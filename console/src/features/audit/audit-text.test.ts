import type { AuditEntry } from '@mqdeck/contract/audit';
import { expect, test } from 'vitest';
import {
  askedOf,
  changeText,
  failureText,
  isSecret,
  kindOf,
  operationText,
  sharedLength,
} from './audit-text.ts';

const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  created_at: '2026-01-01T00:00:00Z',
  node: 'n',
  from: 'dashboard',
  source: 'admin',
  source_ip: '127.0.0.1',
  operation_id: '/users',
  operation_type: 'users',
  operation_result: 'success',
  duration_ms: 1,
  ...more,
});

test('an operation is told with the names of its path, whoever writes them', () => {
  const http_request = { method: 'put', bindings: { username: 'ops', x: 1 } };
  const told = (operation_id: string) =>
    operationText(entry({ operation_id, http_method: 'put', http_request }));
  expect(told('/users/:username')).toBe('PUT /users/ops');
  expect(told('/users/{username}/change_pwd')).toBe('PUT /users/ops/change_pwd');
  expect(told('/users/:other')).toBe('PUT /users/:other');
  expect(operationText(entry({ operation_id: 'start', from: 'cli' }))).toBe('start');
});

test('what was sent is told where no value is known, and not where none differs', () => {
  const body = [{ clientid: 'a', rules: [] }];
  const asked = (more: Partial<AuditEntry>) =>
    askedOf(entry({ http_method: 'post', changes: [], http_request: { method: 'post', body }, ...more }));
  expect(asked({})).toBe(body);
  expect(asked({ http_method: 'put' })).toBeUndefined();
  expect(asked({ changes: [{ path: ['a'], after: 1 }] })).toBeUndefined();
  expect(asked({ failure: { code: 'BAD_REQUEST', message: 'x' } })).toBeUndefined();
  expect(asked({ http_request: { method: 'post', body: {} } })).toBeUndefined();
});

test('a change is new, gone or another value, on one line', () => {
  expect(changeText({ path: ['mqtt', 'max'], before: '1MB', after: '2MB' })).toBe('mqtt › max: 1MB → 2MB');
  expect(changeText({ path: ['a'], after: { b: 1 } })).toBe('a: + {"b":1}');
  expect(changeText({ path: ['a'], before: false })).toBe('a: − false');
  expect(changeText({ path: ['a'], before: '', after: 'x'.repeat(100) })).toBe(`a: "" → ${'x'.repeat(80)}…`);
  expect(kindOf({ path: [], before: 1, after: 2 })).toBe('changed');
  expect(isSecret({ path: ['p'], before: '******', after: '******' })).toBe(true);
  expect(isSecret({ path: ['p'], before: 'a', after: 'b' })).toBe(false);
});

test('what all paths begin with is said once', () => {
  const paths = (...all: string[][]) => sharedLength(all.map((path) => ({ path })));
  expect(paths(['a', 'b', 'c'], ['a', 'b', 'd'])).toBe(2);
  expect(paths(['a', 'b'], ['a', 'b', 'c'])).toBe(1);
  expect(paths(['a'], ['b'])).toBe(0);
  expect(paths(['a', 'b'])).toBe(0);
});

test('why something failed is told in words, where it is a fault of a field', () => {
  const message = JSON.stringify({ kind: 'validation_error', path: 'root.a', reason: 'too long' });
  expect(failureText({ code: 'BAD_REQUEST', message })).toBe('BAD_REQUEST: root.a: too long');
  expect(failureText({ code: 'BAD_REQUEST', message: '{"cut' })).toBe('BAD_REQUEST: {"cut');
  expect(failureText({ code: 'NOT_FOUND', message: 'no such user' })).toBe('NOT_FOUND: no such user');
  expect(failureText('timeout')).toBe('timeout');
  expect(failureText('')).toBe('');
});
