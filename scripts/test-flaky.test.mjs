import { expect, test } from 'vitest';
import { parseArguments, runnerOf } from './test-flaky.mjs';

const anywhere = () => true;

test('a number of rounds comes first, then at least one file', () => {
  expect(parseArguments(['20', 'mqtt/src/framer.test.ts', './e2e/login.e2e.ts'], anywhere)).toEqual({
    rounds: 20,
    files: ['mqtt/src/framer.test.ts', 'e2e/login.e2e.ts'],
  });
  for (const wrong of [[], ['20'], ['0', 'a.test.ts'], ['a.test.ts', '20']])
    expect(() => parseArguments(wrong, anywhere)).toThrow('Usage');
});

test('a file that does not exist is named', () => {
  expect(() => parseArguments(['1', 'a.test.ts'], () => false)).toThrow('There is no file a.test.ts');
});

test('each kind of file has its configuration; only browser tests need a browser', () => {
  expect(runnerOf('mqtt/src/framer.test.ts')).toEqual({
    args: ['mqtt/src/framer.test.ts'],
    env: {},
    browser: false,
  });
  expect(runnerOf('broker/src/core/store/crash.full.ts')).toEqual({
    args: ['--config', 'vitest.full.config.ts', 'broker/src/core/store/crash.full.ts'],
    env: { MQDECK_FULL: '1' },
    browser: false,
  });
  expect(runnerOf('e2e/login.e2e.ts').browser).toBe(true);
  expect(runnerOf('e2e/bridge-types.full.e2e.ts').env).toEqual({ MQDECK_FULL: '1' });
});
