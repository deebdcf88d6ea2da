import { describe, expect, test, vi } from 'vitest';
import {
  type Failure,
  IDLE,
  installed,
  machine,
  PATIENCE,
  running,
  setUpPluginTests,
  start,
  stateOf,
} from '../../testing/plugin-machines.ts';
import { pluginPackage } from '../../testing/plugin-package.ts';

setUpPluginTests();

describe('a configuration', () => {
  const SCHEMA = {
    type: 'object',
    properties: {
      word: { type: 'string', title: { en: 'Word', zh: '词' }, default: 'hello', maxLength: 10 },
      times: { type: 'integer', minimum: 1, maximum: 3, default: 1 },
      token: { type: 'string', format: 'password', default: '' },
    },
  };
  const says = `export default (broker) => {
    const tell = (config) => broker.publish({ topic: 'config', payload: JSON.stringify(config), retain: true });
    broker.onConfig(tell);
    return tell(broker.config);
  };`;

  test('has a schema and defaults; a change reaches the running plugin', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', says, { config_schema: SCHEMA });
    expect((await broker.inject('GET', '/plugins/demo-1.0.0/schema')).body).toMatchObject({
      avro: null,
      json: SCHEMA,
    });
    const before = { word: 'hello', times: 1, token: '' };
    expect((await broker.inject('GET', '/plugins/demo-1.0.0/config')).body).toEqual(before);
    const client = await broker.client('c');
    await client.subscribe('config');
    await client.expectMessage(JSON.stringify(before));
    const body = { word: 'hi', times: 2, token: 'geheim' };
    expect((await broker.inject('PUT', '/plugins/demo-1.0.0/config', { body })).status).toBe(204);
    await client.expectMessage(JSON.stringify(body));
    const shown = (await broker.inject('GET', '/plugins/demo-1.0.0/config')).body;
    expect(shown).toEqual({ ...body, token: '******' });
    await broker.inject('PUT', '/plugins/demo-1.0.0/config', {
      body: { word: 'ho', times: 2, token: '******' },
    });
    await client.expectMessage(JSON.stringify({ word: 'ho', times: 2, token: 'geheim' }));
  });

  test.each([
    [{ word: 'much too long a word' }, 'word'],
    [{ times: 4 }, 'times'],
    [{ times: 'x' }, 'times'],
    [{ unknown: 1 }, 'unknown'],
  ])('that is not what the plugin takes is refused: %j', async (body, field) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', says, { config_schema: SCHEMA }));
    const answer = await broker.inject<Failure>('PUT', '/plugins/demo-1.0.0/config', { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_CONFIG']);
    expect(JSON.parse(answer.body.message)).toMatchObject({ path: field });
  });

  test('of a plugin that takes none is refused', async () => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', IDLE));
    expect((await broker.inject<Failure>('GET', '/plugins/demo-1.0.0/schema')).body.code).toBe(
      'FILE_NOT_EXISTED',
    );
    expect((await broker.inject<Failure>('GET', '/plugins/demo-1.0.0/config')).body.code).toBe('BAD_CONFIG');
    const answer = await broker.inject<Failure>('PUT', '/plugins/demo-1.0.0/config', { body: {} });
    expect(answer.body.code).toBe('BAD_CONFIG');
  });

  test('with a field that must be set keeps the plugin stopped until it is', async () => {
    const broker = await machine();
    const schema = {
      type: 'object',
      properties: { url: { type: 'string', minLength: 1 } },
      required: ['url'],
    };
    await installed(broker, pluginPackage('demo-1.0.0', says, { config_schema: schema }));
    await start(broker, 'demo-1.0.0');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/configuration/);
    await broker.inject('PUT', '/plugins/demo-1.0.0/config', { body: { url: 'x' } });
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[0]).toBe('running'), PATIENCE);
  });
});
