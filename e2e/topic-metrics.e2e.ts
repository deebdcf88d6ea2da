import { beforeEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

/** Every test begins with no topic. */
beforeEach(async () => {
  const token = await stage.token();
  const { body } = await callApi<{ topic: string }[]>(stage.server, 'GET', '/mqtt/topic_metrics', { token });
  for (const { topic } of body)
    await callApi(stage.server, 'DELETE', `/mqtt/topic_metrics/${encodeURIComponent(topic)}`, { token });
});

test('a topic added in the browser is counted, reset and deleted', async () => {
  const { page } = await stage.open('/topic-metrics', { clock: true });
  const notice = (text: string) =>
    page.getByRole('region', { name: 'Notices' }).getByText(text, { exact: false });
  await page.getByText('No topic is counted.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Add topic' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Topic').fill('room/#');
  await form.getByRole('button', { name: 'Add topic' }).click();
  await form.getByText('Wildcards are not supported', { exact: true }).waitFor();
  await form.getByLabel('Topic').fill('room/1');
  await form.getByRole('button', { name: 'Add topic' }).click();
  await notice('room/1 is counted from now on').waitFor();

  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('room/1', { qos: 1 });
  const sensor = await connectDevice(stage.server, 'sensor');
  for (let i = 0; i < 7; i++) await sensor.publishAsync('room/1', 'x', { qos: 1 });
  const row = page.getByRole('row').filter({ hasText: 'room/1' });
  await expectAfterRefresh(page, () => row.innerText()).toMatch(/\b7\b[\s\S]*\b7\b/);

  await page.getByRole('link', { name: 'room/1' }).click();
  const details = page.getByRole('dialog');
  await expect.poll(() => details.getByRole('row', { name: /^QoS 1/ }).innerText()).toContain('7');
  await details.getByRole('link', { name: 'Who subscribes to it' }).click();
  await page.getByRole('link', { name: 'screen' }).waitFor();
  await page.goBack();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');

  const menu = async (item: string, action: string) => {
    await row.getByRole('button').last().click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  };
  await menu('Reset', 'Reset');
  await notice('Reset successfully').waitFor();
  await expect.poll(() => row.innerText()).not.toMatch(/\b7\b/);
  await menu('Delete', 'Delete');
  await notice('Topic deleted').waitFor();
  await page.getByText('No topic is counted.', { exact: false }).waitFor();
});

test('a link to a topic opens it, or offers to count it', async () => {
  const { page } = await stage.open('/topic-metrics?topic=room%2F9');
  const form = page.getByRole('dialog');
  expect(await form.getByLabel('Topic').inputValue()).toBe('room/9');
  await form.getByRole('button', { name: 'Add topic' }).click();
  await page.getByRole('row').filter({ hasText: 'room/9' }).waitFor();
});
