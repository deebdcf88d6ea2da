import { expect, test } from 'vitest';
import { jsonIn, licenceFaults, vulnerabilitiesOf } from './supply-chain.mjs';

const part = (name, licenses) => ({ name, version: '1.0.0', purl: `pkg:npm/${name}@1.0.0`, licenses });

test('a package is named when none of its licences may be used, or it has none', () => {
  const components = [
    part('free', [{ license: { id: 'MIT' } }]),
    part('choice', [{ expression: '(GPL-3.0-only OR MIT)' }]),
    part('copyleft', [{ license: { id: 'AGPL-3.0-only' } }]),
    part('both', [{ expression: 'MIT AND GPL-3.0-only' }]),
    part('silent'),
    part('own', [{ license: { name: 'SEE LICENSE IN LICENSE' } }]),
  ];
  expect(licenceFaults({ components })).toEqual([
    'copyleft 1.0.0: AGPL-3.0-only',
    'both 1.0.0: MIT AND GPL-3.0-only',
    'silent 1.0.0: no licence',
    'own 1.0.0: SEE LICENSE IN LICENSE',
  ]);
});

test('vulnerabilities count from high on', () => {
  const of = (name, severity) => [name, { name, severity, range: '<2' }];
  const vulnerabilities = Object.fromEntries([of('a', 'moderate'), of('b', 'high'), of('c', 'critical')]);
  expect(vulnerabilitiesOf({ vulnerabilities })).toEqual(['b <2: high', 'c <2: critical']);
});

test('the report is found among the warnings of npm, and what is none is null', () => {
  expect(jsonIn('npm warn x\n{"a": {"b": 1}}\n')).toEqual({ a: { b: 1 } });
  expect(jsonIn('npm error audit endpoint returned an error')).toBeNull();
});
