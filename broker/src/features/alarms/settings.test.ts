import { afterEach, expect, test, vi } from 'vitest';
import { memoryStore } from '../../core/store/memory-store.ts';
import { SettingsStore } from '../../settings/settings.ts';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { Alarms } from './alarms.ts';
import { tellOwnTrouble } from './own-trouble.ts';
import { startSystemChecks } from './system-checks.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('checks are made at the interval that is set, and a change is in force at once', async () => {
  const { core, pass, close } = startTestCore();
  const settings = new SettingsStore(null);
  const alarms = new Alarms(memoryStore(), core.node);
  const cpuUsedPercent = vi.fn(() => 95);
  const measure = {
    cpuUsedPercent,
    memoryUsedPercent: () => 95,
    processMemoryPercent: () => 1,
    eventLoopDelayMs: () => 0,
    filesMax: null,
  };
  ends.push(close, startSystemChecks(core, alarms, settings, measure));
  pass(59_000);
  expect(cpuUsedPercent).not.toHaveBeenCalled();
  pass(2000);
  expect(cpuUsedPercent).toHaveBeenCalledOnce();
  const names = () =>
    alarms
      .listActive()
      .map(({ name }) => name)
      .sort();
  expect(names()).toEqual(['high_cpu_usage', 'high_system_memory_usage']);

  const { os, ...rest } = settings.get('sysmon');
  await settings.change('sysmon', {
    ...rest,
    os: {
      ...os,
      cpu_check_interval: '1s',
      cpu_high_watermark: '99%',
      cpu_low_watermark: '96%',
      mem_check_interval: 'disabled',
    },
  });
  expect(names()).toEqual(['high_cpu_usage']); // nobody looks at the memory any more
  pass(1000);
  expect(names()).toEqual([]);
});

test('a turn of the event loop that takes too long is told below $SYS', async () => {
  const { core, client, pass, close } = startTestCore();
  const settings = new SettingsStore(null);
  const { vm, ...rest } = settings.get('sysmon');
  await settings.change('sysmon', { ...rest, vm: { ...vm, long_schedule: '50ms' } });
  ends.push(close, tellOwnTrouble(core, settings));
  const watcher = await client('watcher');
  await watcher.subscribe('$SYS/brokers/+/sysmon/#');
  // The measuring needs a turn to begin, and one behind the long one to notice
  const beBusy = async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    const until = performance.now() + 200;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 60));
    pass(1000);
  };
  await beBusy(); // as it is while it starts, of which nobody hears
  await watcher.expectNothing();
  let heard = false;
  const told = watcher.expectMessage().finally(() => {
    heard = true;
  });
  while (!heard) await beBusy();
  const { topic, payload } = await told;
  expect(topic).toBe(`$SYS/brokers/${core.node}/sysmon/long_schedule`);
  expect(JSON.parse(Buffer.from(payload).toString()).duration_ms).toBeGreaterThanOrEqual(100);
});

test('the API keeps what is set, and refuses marks that would make an alarm flutter', async () => {
  const broker = await startTestBroker();
  ends.push(() => broker.close());
  const { body: usual } = await broker.inject<{ os: object; vm: object }>('GET', '/configs/sysmon');
  const put = (body: object) => broker.inject('PUT', '/configs/sysmon', { body });
  const changed = {
    ...usual,
    os: { ...usual.os, mem_check_interval: 'disabled', cpu_high_watermark: '90%' },
  };
  expect((await put(changed)).body).toEqual(changed);
  expect((await broker.inject('GET', '/configs/sysmon')).body).toEqual(changed);
  expect(await put({ ...usual, os: { ...usual.os, cpu_high_watermark: '50%' } })).toMatchObject({
    status: 400,
    body: { code: 'UPDATE_FAILED' },
  });
  for (const os of [
    { cpu_check_interval: '0s' },
    { cpu_high_watermark: '101%' },
    { mem_check_interval: 'x' },
  ])
    expect(await put({ ...usual, os: { ...usual.os, ...os } })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });

  const alarm = { actions: ['log'], size_limit: 5, validity_period: '12h' };
  expect((await broker.inject('PUT', '/configs/alarm', { body: alarm })).body).toEqual(alarm);
  for (const size_limit of [0, 3001])
    expect((await broker.inject('PUT', '/configs/alarm', { body: { ...alarm, size_limit } })).status).toBe(
      400,
    );
});
