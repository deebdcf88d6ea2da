import { expect, test } from 'vitest';
import { bodyFrom, nodesOf, worstOf } from './servers.ts';

const on = (...statuses: ('connected' | 'connecting' | 'disconnected' | 'disabled' | 'error')[]) => ({
  enable: true,
  node_status: statuses.map((status, i) => ({ node: `n${i}`, status })),
});

test('a node that is well hides no other one', () => {
  expect(worstOf(on('connected', 'connected'))).toBe('connected');
  expect(worstOf(on('connected', 'connecting', 'connected'))).toBe('connecting');
  expect(worstOf(on('connected', 'disconnected', 'connecting'))).toBe('stopped');
  expect(worstOf(on('error', 'connected', 'disconnected'))).toBe('error');
  expect(worstOf(on('connected', 'disabled'))).toBe('disabled');
});

test('a disabled server is disabled, and one of no node is nothing yet', () => {
  expect(worstOf({ ...on('connected'), enable: false })).toBe('disabled');
  expect(worstOf(on())).toBeUndefined();
});

test('each node has its state and its reason', () => {
  const node_status = [{ node: 'a', status: 'connecting' as const, status_reason: 'nobody listens' }];
  expect(nodesOf({ node_status })).toEqual([{ node: 'a', is: 'retrying', reason: 'nobody listens' }]);
});

test('a server that nobody has reached is not connected, whatever its state is called', () => {
  const node = { node: 'a', status: 'connecting' as const };
  expect(worstOf({ enable: true, node_status: [node] })).toBe('connecting');
  expect(worstOf({ enable: true, node_status: [{ ...node, status_reason: 'refused' }] })).toBe('retrying');
});

test('a switch in the form becomes the word of the API', () => {
  expect(bodyFrom({ name: 'a', reconnect: false, auto_reconnect: '60s' })).toEqual({
    name: 'a',
    auto_reconnect: false,
  });
  expect(bodyFrom({ name: 'a', reconnect: true, auto_reconnect: '5s' })).toEqual({
    name: 'a',
    auto_reconnect: '5s',
  });
});
