import path from 'node:path';
import type { Plugin } from '@mqdeck/contract/plugins';
import { describe, expect, test } from 'vitest';
import {
  folder,
  IDLE,
  ids,
  install,
  installed,
  machine,
  on,
  onDisk,
  publishHook,
  running,
  setUpPluginTests,
  started,
  stateOf,
} from '../../testing/plugin-machines.ts';
import { pluginPackage } from '../../testing/plugin-package.ts';
import type { TestBroker } from '../../testing/start-test-broker.ts';

setUpPluginTests();

describe('a backup', () => {
  const exported = async (of: TestBroker) =>
    (await of.inject<{ filename: string }>('POST', '/data/export')).body.filename;

  test('brings the packages with their order, state and configuration to an empty broker', async () => {
    const first = await machine();
    const schema = {
      config_schema: { type: 'object', properties: { word: { type: 'string', default: 'a' } } },
    };
    const speaks = on('message.publish', '() => ({ payload: broker.config.word })');
    await running(first, 'idle-1.0.0', IDLE);
    await first.inject('PUT', '/plugins/idle-1.0.0/stop');
    await running(first, 'demo-1.0.0', speaks, { ...schema, ...publishHook() });
    await first.inject('PUT', '/plugins/demo-1.0.0/config', { body: { word: 'kept' } });
    const filename = await exported(first);
    await first.close();
    started.splice(0);

    const importFile = path.join(folder, 'backup', filename);
    const second = await machine({ dataDir: path.join(folder, 'second'), importFile });
    expect(await ids(second)).toEqual(['idle-1.0.0', 'demo-1.0.0']);
    expect((await stateOf(second, 'idle-1.0.0'))[0]).toBe('stopped');
    const client = await second.client('c');
    await client.subscribe('t');
    await client.publish('t', 'x');
    await client.expectMessage('kept');
  });

  test('puts back the version that it has, and what it does not know stays', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', IDLE);
    const filename = await exported(broker);
    expect((await install(broker, pluginPackage('demo-2.0.0', IDLE), true)).status).toBe(200);
    await installed(broker, pluginPackage('late-1.0.0', IDLE));
    const { status } = await broker.inject('POST', '/data/import', { body: { filename } });
    expect(status).toBe(204);
    const token = await broker.tokens.issue('admin');
    const { body } = await broker.inject<Plugin[]>('GET', '/plugins', { token });
    expect(
      body.map(({ name, rel_vsn, running_status }) => [name, rel_vsn, running_status[0]!.status]),
    ).toEqual([
      ['demo', '1.0.0', 'running'],
      ['late', '1.0.0', 'stopped'],
    ]);
    expect((await onDisk()).sort()).toEqual(['demo-1.0.0', 'late-1.0.0']);
  });
});
