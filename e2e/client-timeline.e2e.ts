import type { NewApiKey } from '@mqdeck/contract/api-keys';
import { expect, test } from 'vitest';
import { callApi, tokenOf } from './support/api.ts';
import { expectAfterRefresh, type OpenConsole } from './support/browser.ts';
import { connectDevice, disconnected } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const timeline = ({ page }: Pick<OpenConsole, 'page'>) => page.getByRole('list', { name: 'Timeline' });
const event = (opened: Pick<OpenConsole, 'page'>, text: string) =>
  timeline(opened).getByRole('listitem').filter({ hasText: text });

test('who kicked a device out is found from a search for it: a program, by its key', async () => {
  const token = await tokenOf(stage.server);
  const body = { name: 'cleaner', desc: '', enable: true };
  const { api_key, api_secret } = (
    await callApi<NewApiKey>(stage.server, 'POST', '/api_key', { token, body })
  ).body;
  const device = await connectDevice(stage.server, 'press-7', { version: 5, username: 'plant' });
  await device.subscribeAsync('cmd/press-7', { qos: 1 });
  const gone = disconnected(device);
  // The fault
  await fetch(`http://127.0.0.1:${stage.server.ports.http}/api/v5/clients/press-7`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${Buffer.from(`${api_key}:${api_secret}`).toString('base64')}` },
  });
  expect(await gone).toBe(0x98);

  const opened = await stage.open('/connections');
  const { page } = opened;
  await page.getByRole('textbox', { name: 'Client ID contains' }).fill('press');
  await page.getByText('No connected client and no kept session matches').waitFor();
  await page.getByRole('link', { name: 'What happened to press-7' }).click();
  const kicked = event(opened, 'Disconnected: it was kicked out');
  await kicked.getByText(`with the API key ${api_key}, from 127.0.0.1`).waitFor();
  await event(opened, 'Connected from 127.0.0.1').getByText('as plant').waitFor();
  await event(opened, 'Subscribed to cmd/press-7').getByText('QoS 1').waitFor();
  await kicked.getByRole('link', { name: `All by ${api_key}` }).click();
  await page.getByRole('row').filter({ hasText: 'DELETE /clients/press-7' }).waitFor();
});

test('two devices with one id are found as what they are, live', async () => {
  const one = await connectDevice(stage.server, 'twin', { version: 5 });
  const opened = await stage.open('/connections/detail/twin?tab=timeline', { clock: true });
  await event(opened, 'Connected from').waitFor();
  // The fault: another one comes with the same id, and the first comes back
  const taken = disconnected(one);
  await connectDevice(stage.server, 'twin', { version: 5 });
  expect(await taken).toBe(0x8e);
  await connectDevice(stage.server, 'twin', { version: 5 });
  const wars = event(opened, 'Disconnected: another connection with the same client ID took over');
  await expectAfterRefresh(opened.page, () => wars.count()).toBe(2);
  await event(opened, 'took over from 127.0.0.1').first().waitFor();
  await opened.page.getByText('Connections', { exact: true }).last().click();
  await opened.page.waitForURL(/events=connections/);
  await wars.first().waitFor();
});

test('a device that is never let in has a timeline too, and says why', async () => {
  const token = await tokenOf(stage.server);
  const ban = { as: 'clientid', who: 'thief', reason: 'stolen in May' };
  await callApi(stage.server, 'POST', '/banned', { token, body: ban });
  for (let i = 0; i < 3; i++)
    await expect(connectDevice(stage.server, 'thief', { version: 5 })).rejects.toThrow();
  const opened = await stage.open('/connections/detail/thief');
  const { page } = opened;
  await page.getByText('The client does not exist').waitFor();
  const refused = event(opened, 'Not let in: it is banned');
  await refused.getByText('stolen in May', { exact: false }).waitFor();
  await refused.getByText('3 times, the last', { exact: false }).waitFor();
  await page.getByText('Subscriptions', { exact: true }).last().click();
  await page.getByText('No event of this kind').waitFor();
});

test('what a device may not is there with who denied it, and leads to its rules', async () => {
  const token = await tokenOf(stage.server);
  const body = { type: 'file', enable: true, rules: '{deny, all, all, ["secret/#"]}.\n{allow, all}.' };
  const source = '/authorization/sources/file';
  expect((await callApi(stage.server, 'PUT', source, { token, body })).status).toBe(204);
  const device = await connectDevice(stage.server, 'curious', { version: 5 });
  await expect(device.publishAsync('secret/plan', 'x', { qos: 1 })).rejects.toThrow();
  const opened = await stage.open('/connections/detail/curious?tab=timeline');
  const denied = event(opened, 'May not publish to secret/plan');
  await denied.getByText('{deny, all, all, ["secret/#"]}').waitFor();
  await denied.getByRole('link', { name: 'denied by the ACL file' }).click();
  await opened.page.waitForURL('**/authorization/detail/file');
});

test('of somebody nobody has heard of it says that', async () => {
  const { page } = await stage.open('/connections/detail/never-heard-of');
  await page.getByText('Nothing is remembered of this client ID').waitFor();
  await page.getByText('Nobody with this ID has tried to connect', { exact: false }).waitFor();
});
