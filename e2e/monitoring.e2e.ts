import fs from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const usual: Record<string, unknown> = {};

/** Every test begins as a new broker does. */
beforeEach(async () => {
  const token = await stage.token();
  for (const path of ['/configs/sysmon', '/prometheus']) {
    const { body } = await callApi<object>(stage.server, 'GET', path, { token });
    usual[path] ??= body;
    await callApi(stage.server, 'PUT', path, { token, body: usual[path] });
  }
});
const stats = () => fetch(`${stage.server.url}/api/v5/prometheus/stats`);

test('thresholds set in the browser raise a real alarm', async () => {
  const { page } = await stage.open('/monitoring/alarm-settings');
  const field = (name: string) => page.getByRole('textbox', { name });
  await field('Memory high watermark of the broker').fill('0.1');
  await field('Memory check interval').fill('1');
  await page.getByRole('combobox', { name: 'Memory check interval' }).selectOption('s');
  await field('CPU low watermark').fill('90');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be below', { exact: false }).waitFor(); // the low watermark above the high one
  await field('CPU low watermark').fill('60');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'Notices' }).getByText('Saved').waitFor();
  const token = await stage.token();
  const names = async () =>
    (await callApi<{ data: { name: string }[] }>(stage.server, 'GET', '/alarms', { token })).body.data.map(
      ({ name }) => name,
    );
  await expect.poll(names, { timeout: 10_000 }).toContain('high_process_memory_usage');
  await page.getByRole('link', { name: 'Alarms', exact: true }).last().click();
  await page.getByText(/The broker takes [\d.]+% of the memory; the alarm begins at 0\.1%/).waitFor();
});

test('figures are open until a key is wanted, and the files for Prometheus and Grafana are right', async () => {
  const { page } = await stage.open('/monitoring/integration');
  expect((await stats()).status).toBe(200);
  await page.getByText(`targets: ['${new URL(stage.server.url).host}']`, { exact: false }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the Grafana dashboard' }).click(),
  ]);
  const dashboard = JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
  const text = await (await stats()).text();
  const used = JSON.stringify(dashboard).match(/emqx_[a-z0-9_]+/g) ?? [];
  expect(used.length).toBeGreaterThan(10);
  for (const name of used) expect(text, name).toContain(`# TYPE ${name} `);

  await page.getByRole('switch', { name: 'Only with an API key' }).press(' ');
  await page.getByText('basic_auth:', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'Notices' }).getByText('Saved').waitFor();
  expect((await stats()).status).toBe(401);
});
