import { expect, test } from 'vitest';
import { misfit } from './compatibility.ts';

test.each([
  ['>=0.1.0', '0.1.0', true],
  ['>=0.1.0', '1.0.0', true],
  ['>= 0.2.0', '0.1.9', false],
  ['>0.1', '0.1.9', false],
  ['>0.1', '0.2.0', true],
  ['<=0.1', '0.1.9', true],
  ['<=0.1', '0.2.0', false],
  ['<0.2.0', '0.2.0', false],
  ['0.1.0', '0.1.0', true],
  ['=0.1.0', '0.1.1', false],
  ['0.1', '0.1.7', true],
  ['0.1.x', '0.2.0', false],
  ['^0.1.2', '0.1.9', true],
  ['^0.1.2', '0.2.0', false],
  ['^1.2', '1.9.0', true],
  ['^1.2', '2.0.0', false],
  ['^0.0.3', '0.0.4', false],
  ['~1.2.3', '1.2.9', true],
  ['~1.2.3', '1.3.0', false],
  ['~1', '1.9.9', true],
  ['>=0.1.0 <0.3.0', '0.2.5', true],
  ['>=0.1.0 <0.3.0', '0.3.0', false],
  ['0.1 || >=2', '2.1.0', true],
  ['0.1 || >=2', '1.0.0', false],
  ['*', '7.0.0', true],
  ['', '7.0.0', true],
  ['>=0.1.0', '0.1.0-rc.1', true],
])('%s takes %s: %s', (range, version, fits) => {
  expect(misfit({ mqdeck: range }, version)).toBe(
    fits ? null : `it is made for mqdeck ${range}, and this is ${version}`,
  );
});

test.each(['latest', '>=', '1.2.3.4', 'a.b.c'])('"%s" is no range of versions', (range) => {
  expect(misfit({ mqdeck: range }, '1.0.0')).toBe(
    `compatibility: mqdeck: "${range}" is no range of versions`,
  );
});

test('what a plugin says of others, or not at all, binds nobody', () => {
  expect(misfit({ emqx: '~> 5.0' }, '0.1.0')).toBeNull();
  expect(misfit({}, '0.1.0')).toBeNull();
});
