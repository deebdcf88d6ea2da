import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Alarm } from '@mqdeck/contract/alarms';
import type { Plugin } from '@mqdeck/contract/plugins';
import { afterEach, beforeEach, expect } from 'vitest';
import type { BrokerOptions } from '../broker.ts';
import { PLUGIN_LIMITS } from '../features/plugins/plugin-thread.ts';
import { pluginForm, pluginPackage } from './plugin-package.ts';
import { startTestBroker, type TestBroker } from './start-test-broker.ts';

/** Brokers with plugins, for the tests of plugins. */

export interface Failure {
  code: string;
  message: string;
}

export let folder: string;
export const started: TestBroker[] = [];
/** Called once by each test file: every test of the file has a folder of its own, and its brokers are closed at its end. */
export function setUpPluginTests(): void {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-plugins-test-'));
  });
  afterEach(async () => {
    for (const one of started.splice(0)) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** The thread has its time on a busy machine, and what is to be late is late soon. */
export const LIMITS = {
  ...PLUGIN_LIMITS,
  startMs: 2000,
  answerMs: 400,
  silenceMs: 1000,
  heapMb: 24,
  outsideMb: 64,
};
/** Of what needs a thread to fail, or to start again. */
export const PATIENCE = { timeout: 12_000, interval: 20 };

export async function machine(options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker({ dataDir: folder, pluginLimits: LIMITS, ...options });
  started.push(broker);
  return broker;
}

type Package = ReturnType<typeof pluginPackage>;
export const install = (to: TestBroker, what: Package, replace = false) =>
  to.inject<Failure | undefined>('POST', '/plugins/install', {
    ...pluginForm(what),
    ...(replace && { query: { replace: 'true' } }),
  });
export async function installed(to: TestBroker, what: Package): Promise<void> {
  const { status, body } = await install(to, what);
  expect([status, body]).toEqual([200, undefined]);
}
export const start = (of: TestBroker, id: string) => of.inject('PUT', `/plugins/${id}/start`);
export async function running(
  to: TestBroker,
  ...[id, ...rest]: Parameters<typeof pluginPackage>
): Promise<void> {
  await installed(to, pluginPackage(id, ...rest));
  expect((await start(to, id)).status).toBe(204);
  expect(await stateOf(to, id)).toEqual(['running', 'ok', '']);
}
export const list = async (of: TestBroker) => (await of.inject<Plugin[]>('GET', '/plugins')).body;
export const ids = async (of: TestBroker) =>
  (await list(of)).map(({ name, rel_vsn }) => `${name}-${rel_vsn}`);
export async function stateOf(of: TestBroker, id: string) {
  const { running_status } = (await of.inject<Plugin>('GET', `/plugins/${id}`)).body;
  const { status, health_status: health } = running_status[0]!;
  return [status, health!.status, health!.message] as const;
}
export const onDisk = async () =>
  (await readdir(path.join(folder, 'plugins'))).filter((name) => name !== '.packages');
export const alarms = async (of: TestBroker) =>
  (await of.inject<{ data: Alarm[] }>('GET', '/alarms')).body.data.map(({ name }) => name);

export const IDLE = 'export default () => undefined;';
export const on = (hook: string, handler: string) =>
  `export default (broker) => broker.on('${hook}', ${handler});`;
export const publishHook = (more: object = {}) => ({ hooks: [{ name: 'message.publish', ...more }] });
