import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { callApi, tokenOf } from './support/api.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const check = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });

async function look(page: Page, [publisher, topic, subscriber]: readonly [string, string, string]) {
  await page.getByLabel(/^Publisher/).fill(publisher);
  await page.getByLabel(/^Topic/).fill(topic);
  await page.getByLabel(/^Subscriber/).fill(subscriber);
  await page.getByRole('button', { name: 'Look', exact: true }).click();
}

test('a filter in the wrong case is found, and so is that the message arrives once it is right', async () => {
  const pump = await connectDevice(stage.server, 'pump');
  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('Plant/#', { qos: 1 });
  const opened = await stage.open('/delivery');
  const { page } = opened;
  await page.getByText('Name who publishes, to which topic, and who should get it.').waitFor();
  await look(page, ['pump', 'plant/+', 'screen']);
  await page.getByText('A topic to publish to has no wildcards').waitFor();

  await look(page, ['pump', 'plant/1', 'screen']);
  await page.getByText('It does not arrive').waitFor();
  await check(page, 'Subscription')
    .getByText(/Plant\/# differs from plant\/1 in upper and lower case/)
    .waitFor();

  await screen.subscribeAsync('plant/#', { qos: 1 });
  await page.getByRole('button', { name: 'Look', exact: true }).click();
  await page.getByText('It should arrive').waitFor();

  const got = new Promise<string>((resolve) => {
    screen.on('message', (topic, payload) => resolve(`${topic} ${payload}`));
  });
  await page.getByLabel('Payload', { exact: true }).fill('is it you?');
  await page.getByRole('button', { name: 'Send one now' }).click();
  await page
    .getByRole('dialog')
    .getByText(/in the name of pump/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Send one now' }).click();
  expect(await got).toBe('plant/1 is it you?');
  await page.getByText(/^It was sent to the subscriber\. QoS 0/).waitFor();

  await page.getByRole('button', { name: 'Wait for the next one' }).click();
  await page.getByText('Waiting up to 15 s …').waitFor();
  await pump.publishAsync('plant/1', 'by itself');
  await page.getByText('Received from the publisher').waitFor();
});

test('a rule that denies, a ban and a rewrite are found, each with its evidence and a way to it', async () => {
  await connectDevice(stage.server, 'pump');
  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('plant/#');
  const token = await tokenOf(stage.server);
  const call = async (method: string, path: string, body: unknown) =>
    expect((await callApi(stage.server, method, path, { token, body })).status).toBeLessThan(300);
  await call('PUT', '/mqtt/topic_rewrite', [
    { action: 'publish', source_topic: 'plant/#', re: '^plant/(.+)$', dest_topic: 'works/$1' },
  ]);
  await call('POST', '/authorization/sources', { type: 'built_in_database', enable: true });
  await call('POST', '/authorization/sources/built_in_database/rules/clients', [
    { clientid: 'pump', rules: [{ topic: 'plant/#', permission: 'deny', action: 'publish' }] },
  ]);
  const opened = await stage.open('/delivery?publisher=pump&topic=plant/1&subscriber=screen');
  const { page } = opened;
  await page.getByText('It does not arrive').waitFor();
  await check(page, 'May it publish there').getByText('Denied by the built-in database.').waitFor();
  await check(page, 'Topic rewrite').getByText('The topic becomes works/1.').waitFor();
  await check(page, 'Subscription')
    .getByText(/It has 1 subscription; none matches works\/1/)
    .waitFor();
  await page.getByRole('link', { name: 'See: May it publish there' }).click();
  await page.waitForURL('**/authorization/detail/built_in_database');

  await call('POST', '/banned', { as: 'clientid', who: 'absent', reason: 'stolen' });
  await opened.goto('/delivery?publisher=pump&topic=plant/1&subscriber=absent');
  await check(page, 'Blacklist, subscriber')
    .getByText(/banned by clientid absent until .* stolen/)
    .waitFor();
});
