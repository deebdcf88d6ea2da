import { expect, test } from 'vitest';
import { bindFault, sentBind, shownBind } from './bind.ts';

test('a bind is a port, or an address and a port from 0 to 65535', () => {
  for (const bind of ['0', '1883', ':1883', '65535', '127.0.0.1:1883', '0.0.0.0:0', '[::1]:1883', ' 1883 '])
    expect([bind, bindFault(bind)]).toEqual([bind, null]);
  expect(bindFault(1883)).toBeNull();
  for (const bind of ['', 'x', '127.0.0.1', '127.0.0.1:', '1.2.3:1883', '256.1.1.1:1', '::1:1883', '[::1]'])
    expect([bind, bindFault(bind)]).toEqual([bind, 'format']);
  for (const bind of ['a b:1', '-1', '1.5', '1883 tcp', '256.1.1.1:70000'])
    expect([bind, bindFault(bind)]).toEqual([bind, 'format']);
  for (const bind of ['65536', ':70000', '127.0.0.1:70000', '[::1]:99999', '9999999'])
    expect([bind, bindFault(bind)]).toEqual([bind, 'port']);
});

test('a port of every address is shown without its colon, and sent as a number', () => {
  expect(shownBind(':1883')).toBe('1883');
  expect(shownBind(1883)).toBe('1883');
  expect(shownBind('127.0.0.1:1883')).toBe('127.0.0.1:1883');
  expect(sentBind(' 1883 ')).toBe(1883);
  expect(sentBind(':1883')).toBe(1883);
  expect(sentBind('[::1]:1883')).toBe('[::1]:1883');
});
