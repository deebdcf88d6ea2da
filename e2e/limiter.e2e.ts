import type { MqttClient } from 'mqtt';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
let token: string;
const TYPES = ['bytes_in', 'message_in', 'connection', 'message_routing', 'internal'];
const put = (type: string, body: unknown) =>
  callApi(stage.server, 'PUT', `/configs/limiter/${type}`, { token, body });
const bucketsOf = async (type: string) =>
  (
    await callApi<{
      bucket: Record<string, { rate: string; listeners?: string[]; per_client: { rate: string } }>;
    }>(stage.server, 'GET', `/configs/limiter/${type}`, { token })
  ).body.bucket;

beforeEach(async () => {
  token = await stage.token();
  for (const type of TYPES)
    await put(type, {
      rate: 'infinity',
      burst: '0',
      bucket: { [type === 'internal' ? 'retainer' : 'default']: {} },
    });
});

const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Notices' }).getByText(text);
const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}( ?\\d+)?$`) });
const group = (page: Page, title: string) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: title, exact: true, level: 2 }) })
    .last();
const field = (scope: Page | Locator, name: string) =>
  scope.getByRole('textbox', { name: new RegExp(`^${name}( \\*)?$`) });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const counted = (client: MqttClient) => {
  const got: string[] = [];
  client.on('message', (_topic, payload) => got.push(payload.toString()));
  return got;
};

test('a limit of each client that is set in the browser slows a real one, which the page shows; lifted, it is free', async () => {
  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('burst');
  const got = counted(screen);
  const sensor = await connectDevice(stage.server, 'sensor');

  const { page } = await stage.open('/limiter?type=message_in', { clock: true });
  const each = group(page, 'Each client');
  await each.getByText('No limit for a single one.').waitFor();
  await field(each, 'Rate').fill('3/1d');
  await field(each, 'Capacity').fill('4');
  await field(each, 'Initial').fill('4');
  await each
    .getByText('A client may send 4 messages at once, then 3 messages per day. It begins with 4 messages.')
    .waitFor();
  await field(each, 'Longest wait').fill('1');
  await each.getByLabel('Unit of Longest wait').selectOption('h');
  await save(page);
  await toast(page, 'Saved').waitFor();

  const sent = Promise.all(
    Array.from({ length: 20 }, (_, i) => sensor.publishAsync('burst', `${i}`, { qos: 1 })),
  );
  const waiting = page.getByRole('table', { name: 'Clients that wait' });
  const sensorWaits = waiting.getByRole('row').filter({ hasText: 'sensor' }).getByText('its own');
  await expectAfterRefresh(page, () => sensorWaits.count()).toBe(1);
  await page.getByText('1 client waits because of a limit.').waitFor();
  await expect.poll(() => got.length).toBe(4);
  await tab(page, 'Messages in 1').waitFor();
  const detail = await stage.open('/connections/detail/sensor');
  await detail.page
    .getByText('Held back: it has reached the limit of a client for messages in.', { exact: false })
    .waitFor();

  await field(each, 'Rate').fill('infinity');
  await save(page);
  await sent;
  await expect.poll(() => got).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`));
  await expectAfterRefresh(page, () => page.getByText('Nobody waits because of a limit.').count()).toBe(1);
});

test('buckets are made, copied, bound to a listener and deleted', async () => {
  const { page } = await stage.open('/limiter?type=message_in');
  await page.getByRole('button', { name: 'New bucket' }).click();
  const dialog = page.getByRole('dialog');
  const create = dialog.getByRole('button', { name: 'Create' });
  await create.click();
  await dialog.getByText('Bucket name is required').waitFor();
  await dialog.getByLabel('Bucket name').fill('fast-lane');
  await dialog.getByText('Limiter name: letters and numbers only').waitFor();
  await dialog.getByLabel('Bucket name').fill('default');
  await dialog.getByText('Bucket name already exists').waitFor();
  await dialog.getByLabel('Bucket name').fill('fast1');
  await create.click();
  await toast(page, 'Bucket fast1 created').waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get('bucket')).toBe('fast1');

  const all = group(page, 'All clients of the bucket');
  await field(all, 'Rate').fill('0/s');
  await save(page);
  await all.getByText('Please enter a number greater than or equal 1').waitFor();
  await field(all, 'Rate').fill('soon');
  await all.getByText('Please enter the value in the correct format').waitFor();
  await field(all, 'Rate').fill('100/10s');
  await all
    .getByText('Its clients together may send 100 messages at once, then 100 messages every 10 seconds.')
    .waitFor();
  await field(page, 'Listeners').fill('tcp:default');
  await field(page, 'Listeners').press('Enter');
  await save(page);
  await toast(page, 'Saved').waitFor();
  expect((await bucketsOf('message_in')).fast1).toMatchObject({
    rate: '100/10s',
    listeners: ['tcp:default'],
  });

  await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
  expect(await dialog.getByLabel('Bucket name').inputValue()).toBe('fast1_duplication');
  await create.click();
  await toast(page, 'Bucket fast1_duplication created').waitFor();
  const copy = (await bucketsOf('message_in')).fast1_duplication!;
  expect([copy.rate, copy.listeners]).toEqual(['100/10s', undefined]);

  await field(page, 'Listeners').fill('tcp:default');
  await field(page, 'Listeners').press('Enter');
  await save(page);
  await page.getByText('A listener or zone takes from one bucket only', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByText('Delete the bucket fast1_duplication?').waitFor();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await toast(page, 'Bucket fast1_duplication deleted').waitFor();
  expect(Object.keys(await bucketsOf('message_in'))).toEqual(['default', 'fast1']);
  await expect.poll(() => tab(page, 'default').getAttribute('aria-selected')).toBe('true');
  expect(await page.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true);
});

test('what is typed is not lost by a change of tab, and a bucket that somebody else removed is not brought back', async () => {
  await put('connection', { bucket: { default: {}, other: {} } });
  const { page } = await stage.open('/limiter?type=connection&bucket=other');
  const all = group(page, 'All clients of the bucket');
  await field(all, 'Rate').fill('7/s');
  await tab(page, 'Bytes in').click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Stay|Cancel/ })
    .click();
  expect(await field(all, 'Rate').inputValue()).toBe('7/s');
  await put('connection', { bucket: { default: {} } });
  await save(page);
  await page.getByText('Somebody else has changed or deleted it meanwhile.', { exact: false }).waitFor();
  expect(Object.keys(await bucketsOf('connection'))).toEqual(['default']);
});

test('the node’s own rate, in bytes, is saved and is what newer brokers call bytes_rate', async () => {
  const { page } = await stage.open('/limiter');
  const node = group(page, 'Whole node');
  await field(node, 'Rate').fill('10MB/s');
  await field(node, 'Burst').fill('5MB');
  await node.getByText('All clients together may send 15 MB at once, then 10 MB per second.').waitFor();
  await save(page);
  await toast(page, 'Saved').waitFor();
  const { body } = await callApi(stage.server, 'GET', '/configs/limiter', { token });
  expect(body).toEqual({ bytes_rate: '10MB/s' });
  await tab(page, 'Internal').click();
  await page.getByText('Holds for retained messages to new subscribers.').waitFor();
  expect(await page.getByRole('button', { name: 'New bucket' }).isDisabled()).toBe(true);
  expect(new URL(page.url()).searchParams.get('type')).toBe('internal');
});

describe('in front of a cluster without buckets', () => {
  const cluster = setCluster(stage);

  test('there are the three rates of the node, and only what changed is sent', async () => {
    let rates: Record<string, string> = { messages_rate: '1000/1m' };
    const bodies: unknown[] = [];
    cluster.on('GET /configs/limiter', () => ({ body: rates }));
    cluster.on('PUT /configs/limiter', ({ body }) => {
      bodies.push(JSON.parse(body));
      rates = { ...rates, ...(JSON.parse(body) as Record<string, string>) };
      return { body: rates };
    });
    const { page } = await cluster.open('/limiter');
    expect(await field(page, 'Messages in').inputValue()).toBe('1000/1m');
    expect(await page.getByRole('tab').count()).toBe(0);
    await field(page, 'Connections').fill('500/s');
    await field(page, 'Bytes in').fill('1GB/s');
    await save(page);
    await toast(page, 'Saved').waitFor();
    expect(bodies).toEqual([{ max_conn_rate: '500/s', bytes_rate: '1GB/s' }]);
    expect(cluster.calls.filter((call) => call.includes('/limiter/status'))).toEqual([]);
  });
});
