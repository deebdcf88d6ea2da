import { LimiterSettings } from '@mqdeck/contract/limiter';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { SettingsStore } from '../../settings/settings.ts';
import { LogBook } from '../../testing/log-book.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { startLimiter } from './limiter.ts';

const log = new LogBook();
const here = startTestCore({ log });
const settings = new SettingsStore(null);
const told: string[] = [];
const stop = startLimiter(here.core, settings, {
  activate: (name, _message, details) => told.push(`${name} ${JSON.stringify(details)}`),
  deactivate: (name) => told.push(`no ${name}`),
});
const set = (given: object) => settings.change('limiter', z.parse(LimiterSettings, given));
const come = (count: number) => {
  for (let i = 0; i < count; i++)
    here.core.limiter.admitsConnection(here.core.entrance('tcp:default'), '10.0.0.1');
};

afterEach(async () => {
  stop();
  await here.close();
});

test('an alarm begins with the first look after a limit was met, and ends after a calm minute', async () => {
  expect(told.splice(0)).toHaveLength(5); // those of an earlier run are taken back
  await set({ connection: { rate: '10/s' } });
  come(10);
  here.pass(2000);
  expect(told).toEqual([]);
  come(25);
  here.pass(1000);
  come(30);
  here.pass(1000);
  const details = { type: 'connection', node: 15, bucket: 0, listener: 0 };
  expect(told.splice(0)).toEqual([`limiter_connection ${JSON.stringify(details)}`]);
  here.pass(50_000);
  expect(told).toEqual([]);
  here.pass(12_000);
  expect(told.splice(0)).toEqual(['no limiter_connection']);

  await set({ connection: { bucket: { default: { per_client: { rate: '1/s' } } } } });
  come(500);
  here.pass(1100);
  come(500);
  here.pass(1100);
  expect(told).toEqual([]);
  const lines = log.lines.filter(({ text }) => text === 'clients meet the limit of a client');
  expect(lines).toMatchObject([{ level: 'info', facts: { limiter: 'connection', times: 499 } }]);
});
