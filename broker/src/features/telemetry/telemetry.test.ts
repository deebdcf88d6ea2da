import type { TelemetryData } from '@mqdeck/contract/telemetry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

test('is off until somebody switches it on, and tells nothing before', async () => {
  expect((await broker.inject('GET', '/telemetry/status')).body).toEqual({ enable: false });
  expect((await broker.inject('GET', '/telemetry/data')).status).toBe(404);
  expect((await broker.inject('PUT', '/telemetry/status', { body: { enable: false } })).status).toBe(400);
  expect((await broker.inject('PUT', '/telemetry/status', { body: { enable: true } })).body).toEqual({
    enable: true,
  });
  expect((await broker.inject('PUT', '/telemetry/status', { body: { enable: true } })).status).toBe(400);
  const { body } = await broker.inject<TelemetryData>('GET', '/telemetry/data');
  expect(body).toMatchObject({
    emqx_version: '0.0.0-test',
    num_clients: 0,
    license: { edition: 'opensource' },
  });
  await broker.client('sensor');
  const later = (await broker.inject<TelemetryData>('GET', '/telemetry/data')).body;
  expect([later.num_clients, later.uuid]).toEqual([1, body.uuid]);
});

test('is shown to operators and sent nowhere', async () => {
  const asked = vi.spyOn(globalThis, 'fetch');
  await broker.inject('PUT', '/telemetry/status', { body: { enable: true } });
  await broker.inject('GET', '/telemetry/data');
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

test('no upgrade of the running broker is under way', async () => {
  expect((await broker.inject('GET', '/relup/status')).body).toEqual([
    {
      node: broker.core.node,
      role: 'core',
      status: 'idle',
      current_vsn: '0.0.0-test',
      live_connections: 0,
      upgrade_history: [],
    },
  ]);
});
