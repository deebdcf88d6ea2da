import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
let token: string;

beforeEach(async () => {
  token = await stage.token();
  const put = (path: string, body: unknown) => callApi(stage.server, 'PUT', path, { token, body });
  await put('/mqtt/topic_rewrite', []);
  await put('/mqtt/auto_subscribe', []);
  await put('/mqtt/delayed', { enable: false });
  await put('/mqtt/delayed', { enable: true, max_delayed_messages: 0 });
});

const received = (client: MqttClient): Promise<string> =>
  new Promise((resolve) => client.once('message', (topic) => resolve(topic)));
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Notices' }).getByText(text);
const confirmIn = (page: Page, action: string) =>
  page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
const rowMenu = async (page: Page, row: string, item: string) => {
  await page
    .getByRole('row')
    .filter({ hasText: row })
    .getByRole('button', { name: /Actions|Menu/ })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

test('a topic is rewritten as the rule says that was tried and added in the browser', async () => {
  const { page } = await stage.open('/mqtt/extension');
  await page.getByText('No topic is rewritten.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Add rule' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Source topic').fill('old/#/x');
  await form.getByLabel('Regular expression').fill('^old/(');
  await form.getByLabel('Destination topic').fill('new/$1');
  await form.getByRole('button', { name: 'Add rule' }).click();
  await form.getByText('Not a topic filter', { exact: false }).waitFor();
  await form.getByLabel('Source topic').fill('old/#');
  await form.getByRole('button', { name: 'Add rule' }).click();
  // Said by the broker, beside the field
  await form.getByText(/^Not a regular expression: .*missing closing \)/).waitFor();
  await form.getByLabel('Regular expression').fill('^old/(.+)$');
  await form.getByLabel('Topic', { exact: true }).fill('old/7');
  await form.getByText('new/7', { exact: true }).waitFor();
  await form.getByRole('button', { name: 'Add rule' }).click();
  await toast(page, 'Rule added').waitFor();

  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('new/#');
  const topic = received(screen);
  const sensor = await connectDevice(stage.server, 'sensor');
  await sensor.publishAsync('old/7', 'x', { qos: 1 });
  expect(await topic).toBe('new/7');

  await rowMenu(page, 'old/#', 'Delete');
  await confirmIn(page, 'Delete');
  await toast(page, 'Rule deleted').waitFor();
  await page.getByText('No topic is rewritten.', { exact: false }).waitFor();
});

test('the order of rules decides, and is changed by the keyboard', async () => {
  const rule = (re: string, dest_topic: string) => ({ action: 'all', source_topic: 'a/#', re, dest_topic });
  await callApi(stage.server, 'PUT', '/mqtt/topic_rewrite', {
    token,
    body: [rule('^a/1$', 'first'), rule('^a/.$', 'second')],
  });
  const { page } = await stage.open('/mqtt/extension');
  await rowMenu(page, 'second', 'Move to top');
  const order = async () => {
    const { body } = await callApi<{ dest_topic: string }[]>(stage.server, 'GET', '/mqtt/topic_rewrite', {
      token,
    });
    return body.map(({ dest_topic }) => dest_topic);
  };
  await expect.poll(order).toEqual(['second', 'first']);
});

test('a client is subscribed to what was added in the browser, and nobody else’s change is undone', async () => {
  const { page } = await stage.open('/mqtt/extension?tab=auto-subscribe');
  await page.getByRole('button', { name: 'Add topic' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Topic').fill('to/${clientid}');
  await form.getByRole('combobox', { name: 'QoS' }).selectOption('1');
  // Meanwhile a colleague adds another one
  await callApi(stage.server, 'PUT', '/mqtt/auto_subscribe', { token, body: [{ topic: 'all' }] });
  await form.getByRole('button', { name: 'Add topic' }).click();
  await toast(page, 'Topic added').waitFor();
  await page.getByRole('row').filter({ hasText: 'to/${clientid}' }).waitFor();

  await connectDevice(stage.server, 'device-1');
  const { body } = await callApi<{ topic: string; qos: number }[]>(
    stage.server,
    'GET',
    '/clients/device-1/subscriptions',
    { token },
  );
  expect(body.map(({ topic, qos }) => `${topic} ${qos}`).sort()).toEqual(['all 0', 'to/device-1 1']);
});

test('what a colleague has changed of a topic that is being edited is not overwritten unasked', async () => {
  const list = (qos: number) =>
    callApi(stage.server, 'PUT', '/mqtt/auto_subscribe', { token, body: [{ topic: 'all', qos }] });
  await list(0);
  const { page } = await stage.open('/mqtt/extension?tab=auto-subscribe');
  await rowMenu(page, 'all', 'Edit');
  const form = page.getByRole('dialog');
  await form.getByRole('combobox', { name: 'QoS' }).selectOption('1');
  await list(2);
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  await form.getByText('Somebody else has changed what you are changing').waitFor();
  await form.getByRole('button', { name: 'Take theirs' }).click();
  expect(await form.getByRole('combobox', { name: 'QoS' }).inputValue()).toBe('2');
});

test('exclusive subscriptions are for one at a time, once they are allowed in the browser', async () => {
  const [first, second] = await Promise.all(
    ['first', 'second'].map((clientid) => connectDevice(stage.server, clientid, { version: 5 })),
  );
  const subscribe = (client: MqttClient | undefined) => client!.subscribeAsync('$exclusive/room/1');
  await expect(subscribe(first)).rejects.toThrow();
  const { page } = await stage.open('/mqtt/extension?tab=exclusive');
  const allowed = page.getByRole('switch', { name: 'Allow exclusive subscriptions' });
  const save = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  };
  await allowed.press(' ');
  await save();
  await subscribe(first);
  await expect(subscribe(second)).rejects.toThrow();
  await first!.unsubscribeAsync('$exclusive/room/1');
  await subscribe(second);
  await allowed.press(' ');
  await save();
  await expect(first!.subscribeAsync('$exclusive/room/2')).rejects.toThrow();
});

test('messages that wait are listed, opened and deleted; disabling deletes the rest after a warning', async () => {
  const sensor = await connectDevice(stage.server, 'sensor', { username: 'fleet' });
  for (const name of ['one', 'two', 'three'])
    await sensor.publishAsync(`$delayed/600/room/${name}`, `{"name":"${name}"}`, { qos: 1 });
  const { page } = await stage.open('/mqtt/extension?tab=delayed-messages');
  await rowMenu(page, 'room/one', 'Show');
  await page.getByRole('dialog').getByText('"one"', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await rowMenu(page, 'room/one', 'Delete');
  await confirmIn(page, 'Delete');
  await toast(page, 'Message deleted').waitFor();
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'room/' }).count()).toBe(2);

  await page.getByRole('tab', { name: 'Delayed publish' }).click();
  const enabled = page.getByRole('switch', { name: 'Enable delayed publish' });
  await enabled.press(' ');
  await page
    .getByRole('dialog')
    .getByText('2 messages wait and are deleted for good', { exact: false })
    .waitFor();
  await confirmIn(page, 'Cancel');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await enabled.isChecked()).toBe(true);
  await enabled.press(' ');
  await confirmIn(page, 'Disable');
  await toast(page, 'Delayed publish is disabled').waitFor();
  await page.getByRole('tab', { name: 'Delayed messages' }).click();
  await page.getByText('No message waits.', { exact: false }).waitFor();
});

test('a limit saved in the browser holds', async () => {
  const { page } = await stage.open('/mqtt/extension?tab=delayed');
  await page.getByRole('combobox', { name: 'Max delayed messages' }).selectOption({ index: 0 });
  await page.getByRole('textbox', { name: 'Max delayed messages' }).fill('1');
  await page.getByRole('button', { name: 'Save' }).click();
  await toast(page, 'Saved').waitFor();
  const sensor = await connectDevice(stage.server, 'sensor', { version: 5 });
  await sensor.publishAsync('$delayed/600/t', 'x', { qos: 1 });
  await expect(sensor.publishAsync('$delayed/600/t', 'x', { qos: 1 })).rejects.toMatchObject({ code: 0x97 });
});

test('event messages that are switched on are published', async () => {
  const { page } = await stage.open('/mqtt/system-topic');
  await page.getByRole('switch', { name: 'Client subscribed' }).click({ force: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await toast(page, 'Saved').waitFor();
  const watcher = await connectDevice(stage.server, 'watcher');
  await watcher.subscribeAsync('$SYS/brokers/+/clients/sensor/subscribed');
  const topic = received(watcher);
  const sensor = await connectDevice(stage.server, 'sensor');
  await sensor.subscribeAsync('t');
  expect(await topic).toContain('/clients/sensor/subscribed');
});
