import type { IConnackPacket, MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice, disconnected } from './support/devices.ts';
import { setStage } from './support/stage.ts';

interface GlobalZone {
  mqtt: Record<string, unknown>;
  flapping_detect: Record<string, unknown>;
}
type Zones = Record<string, { mqtt?: Record<string, unknown> }>;

const stage = setStage();
const cluster = setCluster(stage);
let token: string;
let standards: GlobalZone;

const get = async <T>(path: string) => (await callApi<T>(stage.server, 'GET', path, { token })).body;
async function put(path: string, body: unknown): Promise<void> {
  const answer = await callApi(stage.server, 'PUT', path, { token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}
const global = () => get<GlobalZone>('/configs/global_zone');
const zones = () => get<Zones>('/configs/zones');
const zoneOf = (id: string, zone: string) => put(`/listeners/${id}`, { type: id.split(':')[0], zone });

beforeEach(async () => {
  token = await stage.token();
  standards ??= await global();
});
afterEach(async () => {
  await put('/configs/global_zone', standards);
  await put('/configs/zones', Object.fromEntries(Object.keys(await zones()).map((name) => [name, null])));
  await zoneOf('tcp:default', 'default');
});

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const choice = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true });
const unit = (page: Page, name: string) => choice(page, `Unit of ${name}`);
const switchOf = (page: Page, name: string) => page.getByRole('switch', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
/** The bar goes when what is on screen is what is stored. */
async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
}
const at = (page: Page, address: string) => page.waitForURL((url) => url.pathname + url.search === address);

/** A client and what it was told when it connected. */
async function greeted(
  clientid: string,
  options: Parameters<typeof connectDevice>[2] = {},
): Promise<[MqttClient, NonNullable<IConnackPacket['properties']>]> {
  let told: IConnackPacket['properties'];
  const client = await connectDevice(stage.server, clientid, {
    version: 5,
    ...options,
    onConnack: ({ properties }) => {
      told = properties;
    },
  });
  return [client, told ?? {}];
}
const granted = async (client: MqttClient, filter: string, qos: 0 | 1 | 2 = 2) =>
  (await client.subscribeAsync(filter, { qos }))[0]!.qos;

test('the highest QoS is told to who connects, and granted to who subscribes', async () => {
  const [before, told] = await greeted('before');
  expect(told.maximumQoS).not.toBe(1);
  expect(await granted(before, 'room/1')).toBe(2);

  const { page } = await stage.open('/mqtt/general');
  await choice(page, 'Max QoS').selectOption('QoS 1');
  await page.getByText('1 field changed').click();
  await page.getByText('from QoS 2 to QoS 1').waitFor();
  await save(page);

  const [after, toldAfter] = await greeted('after');
  expect(toldAfter.maximumQoS).toBe(1);
  expect(await granted(after, 'room/1')).toBe(1);
  // MQTT 5: who was told otherwise keeps it. MQTT 3 was told nothing, so it holds at once.
  expect(await granted(before, 'room/2')).toBe(2);
  const old = await connectDevice(stage.server, 'old', { version: 4 });
  const end = disconnected(old);
  old.publish('room/1', 'x', { qos: 2 });
  await end;
});

test('what is switched off is refused, what is limited told', async () => {
  const { page } = await stage.open('/mqtt/general');
  await switchOf(page, 'Wildcard subscriptions').click();
  await switchOf(page, 'Retained messages').click();
  await field(page, 'Max topic levels').fill('2');
  await field(page, 'Max topic aliases').fill('7');
  await field(page, 'Max packet size').fill('2');
  await unit(page, 'Max packet size').selectOption('KB');
  await unit(page, 'Server keepalive').selectOption('seconds');
  await field(page, 'Server keepalive').fill('77');
  await field(page, 'Response information').fill('replies/here');
  await save(page);

  const [client, told] = await greeted('client', {
    properties: { requestResponseInformation: true },
    keepalive: 30,
  });
  expect(told).toMatchObject({
    retainAvailable: false,
    wildcardSubscriptionAvailable: false,
    topicAliasMaximum: 7,
    maximumPacketSize: 2048,
    serverKeepAlive: 77,
    responseInformation: 'replies/here',
  });
  await expect(client.subscribeAsync('room/+')).rejects.toThrow();
  await expect(client.subscribeAsync('a/b/c')).rejects.toThrow();
  expect(await granted(client, 'a/b', 1)).toBe(1);
  const end = disconnected(client);
  client.publish('a/b', 'x'.repeat(3000), { qos: 0 });
  await end;
});

test('a client is called as an expression or its username says', async () => {
  const { page } = await stage.open('/mqtt/general');
  await choice(page, 'Client ID by expression').selectOption('By expression');
  await field(page, 'Expression').fill("concat([username, '-', clientid])");
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.keyboard.type("nth(1, tokens(clientid, '-'))"); // the new row has the focus
  await field(page, 'Attribute 1').fill('site');
  await save(page);
  await connectDevice(stage.server, 'hall-7', { username: 'fleet' });
  const client = await get<{ clientid: string; client_attrs: unknown }>('/clients/fleet-hall-7');
  expect(client).toMatchObject({ clientid: 'fleet-hall-7', client_attrs: { site: 'fleet' } });

  await choice(page, 'Client ID by expression').selectOption('Disabled');
  await switchOf(page, 'Username as client ID').click();
  await save(page);
  await connectDevice(stage.server, 'hall-8', { username: 'fleet' });
  expect((await get<{ clientid: string }>('/clients/fleet')).clientid).toBe('fleet');
});

test('messages leave the queue by the priorities entered in the browser', async () => {
  const { page } = await stage.open('/mqtt/session');
  await choice(page, 'Topic priorities').selectOption('By topic');
  await field(page, 'Topic 1').fill('alarm');
  await field(page, 'Priority 1').fill('300');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Fill in the error: the number range is 1 - 255').waitFor();
  await field(page, 'Priority 1').fill('255');
  await page.getByRole('button', { name: 'Add topic' }).click();
  await field(page, 'Topic 2').fill('news');
  await field(page, 'Priority 2').fill('1');
  await field(page, 'Queue length').fill('2');
  await save(page);
  expect((await global()).mqtt).toMatchObject({
    mqueue_priorities: { alarm: 255, news: 1 },
    max_mqueue_len: 2,
  });

  const away = await connectDevice(stage.server, 'away', { clean: false });
  await away.subscribeAsync(['alarm', 'news', 'data'], { qos: 1 });
  await away.endAsync();
  const sensor = await connectDevice(stage.server, 'sensor');
  for (const topic of ['data', 'news', 'alarm']) await sensor.publishAsync(topic, 'x', { qos: 1 });
  const came: string[] = [];
  await new Promise<void>((resolve) => {
    void connectDevice(stage.server, 'away', {
      clean: false,
      onMessage: (topic) => {
        came.push(topic);
        if (topic === 'end') resolve();
      },
    }).then(async (back) => {
      await back.subscribeAsync('end', { qos: 1 });
      await back.publishAsync('end', '', { qos: 1 });
    });
  });
  expect(came[0]).toBe('alarm');
  expect(came.indexOf('news')).toBe(1);

  await choice(page, 'Topic priorities').selectOption('By topic, as JSON');
  await page.getByRole('textbox', { name: 'By topic, as JSON' }).fill('{"news": 9}');
  await save(page);
  expect((await global()).mqtt.mqueue_priorities).toEqual({ news: 9 });
});

test('a limit of subscriptions holds for a client that is connected, until it is unlimited again', async () => {
  const client = await connectDevice(stage.server, 'client');
  await client.subscribeAsync('a');
  const { page } = await stage.open('/mqtt/session');
  await unit(page, 'Max subscriptions').selectOption('subscriptions');
  await field(page, 'Max subscriptions').fill('0');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Please enter a number greater than or equal 1').waitFor();
  await field(page, 'Max subscriptions').fill('1');
  await save(page);
  await expect(client.subscribeAsync('b')).rejects.toThrow();
  await page.getByRole('button', { name: /^Max subscriptions: Restore the default/ }).click();
  await save(page);
  await client.subscribeAsync('b');
});

test('a zone made in the browser overrides what is global for the clients of its listener', async () => {
  const { page } = await stage.open('/mqtt/general');
  await page.getByRole('button', { name: 'New zone' }).click();
  const dialog = page.getByRole('dialog', { name: 'New zone' });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Zone name is required').waitFor();
  await dialog.getByRole('textbox').fill('no name');
  await dialog.getByText('Invalid zone name').waitFor();
  await dialog.getByRole('textbox').fill('sensors');
  await dialog.getByRole('textbox').press('Enter');
  await at(page, '/mqtt/general?zone=sensors');
  await choice(page, 'Max QoS').selectOption('QoS 0');
  await page.getByText('Own value').waitFor();
  await save(page);
  expect(await zones()).toEqual({ sensors: { mqtt: { max_qos_allowed: 0 } } });

  await zoneOf('tcp:default', 'sensors');
  const [inside, told] = await greeted('inside');
  expect(told.maximumQoS).toBe(0);
  expect(await granted(inside, 'room/1')).toBe(0);
  const [outside] = await greeted('outside', { websocket: true });
  expect(await granted(outside, 'room/1')).toBe(2);

  // Deleted, its clients have what is global.
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Delete the zone sensors?' });
  await question
    .getByText('1 listener uses it (tcp:default), with 1 connection.', { exact: false })
    .waitFor();
  await question.getByRole('button', { name: 'Delete' }).click();
  await at(page, '/mqtt/general');
  await tab(page, 'sensors').waitFor({ state: 'detached' });
  expect(await zones()).toEqual({});
  const [again] = await greeted('again');
  expect(await granted(again, 'room/1')).toBe(2);
});

test('a zone follows what is global in all that it does not say itself', async () => {
  await put('/configs/zones', { hall: { mqtt: { max_qos_allowed: 1, max_topic_levels: 3 } } });
  await zoneOf('tcp:default', 'hall');
  const { page } = await stage.open('/mqtt/general?zone=hall');
  await page.getByRole('button', { name: 'Max QoS: Reset to inherited: QoS 2' }).click();
  // Meanwhile a colleague changes what is global, and another zone.
  const now = await global();
  await put('/configs/global_zone', {
    ...now,
    mqtt: { ...now.mqtt, max_topic_alias: 3 },
    flapping_detect: { ...now.flapping_detect, max_count: 99 },
  });
  await put('/configs/zones', { attic: {} });
  await save(page);
  expect(await zones()).toEqual({ attic: {}, hall: { mqtt: { max_topic_levels: 3 } } });
  const [client, told] = await greeted('client');
  expect(told.topicAliasMaximum).toBe(3);
  expect(await granted(client, 'a/b/c')).toBe(2);
  await expect(client.subscribeAsync('a/b/c/d')).rejects.toThrow();

  // The global form, opened before, keeps what the colleague has set elsewhere.
  await tab(page, 'Global').click();
  await at(page, '/mqtt/general');
  await field(page, 'Max topic levels').fill('9');
  await save(page);
  expect(await global()).toMatchObject({
    mqtt: { max_topic_levels: 9, max_topic_alias: 3 },
    flapping_detect: { max_count: 99 },
  });
});

test('a copy of a zone begins with its own values', async () => {
  await put('/configs/zones', { hall: { mqtt: { max_inflight: 3 } } });
  const { page } = await stage.open('/mqtt/session?zone=hall');
  await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await at(page, '/mqtt/session?zone=hall_duplication');
  await page.getByText('Own value').waitFor();
  expect(await field(page, 'Inflight window').inputValue()).toBe('3');
  expect((await zones()).hall_duplication).toEqual({ mqtt: { max_inflight: 3 } });
});

test('what two operators change at once is asked about', async () => {
  const { page } = await stage.open('/mqtt/session');
  await field(page, 'Inflight window').fill('40');
  const now = await global();
  await put('/configs/global_zone', { ...now, mqtt: { ...now.mqtt, max_inflight: 50 } });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const notice = page.getByText('Somebody else has changed what you are changing');
  await notice.waitFor();
  // In sight together with the field, although the form goes on far below the window.
  for (const shown of [notice, field(page, 'Inflight window')]) {
    const { y, height } = (await shown.boundingBox())!;
    expect([y > 0, y + height < 900]).toEqual([true, true]);
  }
  expect((await global()).mqtt.max_inflight).toBe(50);
  await page.getByRole('button', { name: 'Save yours' }).click();
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  expect((await global()).mqtt.max_inflight).toBe(40);
});

test('nothing typed is lost unasked, on another page as on another tab', async () => {
  await put('/configs/zones', { hall: {} });
  const { page } = await stage.open('/mqtt/session');
  await field(page, 'Inflight window').fill('0');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const error = page.getByText('Fill in the error: the number range is 1 - 65535');
  await error.waitFor();
  await expect
    .poll(() => field(page, 'Inflight window').evaluate((it) => it === document.activeElement))
    .toBe(true);
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByRole('link', { name: 'General', exact: true }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await tab(page, 'hall').click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await field(page, 'Inflight window').inputValue()).toBe('0');
  await tab(page, 'hall').click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await at(page, '/mqtt/session?zone=hall');
  expect(await field(page, 'Inflight window').inputValue()).toBe('32');
  await page.getByRole('link', { name: 'General', exact: true }).click();
  await at(page, '/mqtt/general');
  await page.getByRole('link', { name: 'Flapping detection' }).click();
  await at(page, '/blacklist?tab=flapping');
});

test('everything is done by keyboard', async () => {
  await put('/configs/zones', { hall: {} });
  const { page } = await stage.open('/mqtt/session');
  await tab(page, 'Global').focus();
  await page.keyboard.press('ArrowRight');
  await at(page, '/mqtt/session?zone=hall');
  await expect.poll(() => tab(page, 'hall').evaluate((it) => it === document.activeElement)).toBe(true);
  await switchOf(page, 'Upgrade QoS').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  expect(await zones()).toEqual({ hall: { mqtt: { upgrade_qos: true } } });
  await page.getByRole('button', { name: 'Upgrade QoS: Reset to inherited: off' }).press('Enter');
  await field(page, 'Inflight window').press('Enter');
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  expect(await zones()).toEqual({ hall: {} });
});

test('in front of a cluster without zones there are no tabs, and the settings are sent whole', async () => {
  let stored = { ...standards, roots_of_tomorrow: { a: 1 } } as unknown as GlobalZone;
  cluster.on('GET /configs/global_zone', () => ({ body: stored }));
  cluster.on('PUT /configs/global_zone', ({ body }) => {
    stored = JSON.parse(body);
    return { body: stored };
  });
  const { page } = await cluster.open('/mqtt/general');
  await field(page, 'Max topic levels').fill('9');
  expect(await page.getByRole('tab').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New zone' }).count()).toBe(0);
  await save(page);
  expect(stored).toEqual({
    ...standards,
    roots_of_tomorrow: { a: 1 },
    mqtt: { ...standards.mqtt, max_topic_levels: 9 },
  });
});

test('at 390 px the tab that is open is in sight, however many there are', async () => {
  await put('/configs/zones', {
    'a-zone-with-a-rather-long-name-of-some-plant-far-away': {},
    z: { mqtt: { upgrade_qos: true } },
  });
  const { page } = await stage.open('/mqtt/session?zone=z', { width: 390, height: 844 });
  await page.getByText('Own value').waitFor();
  const { x, width } = (await tab(page, 'z').boundingBox())!;
  expect(x + width).toBeLessThanOrEqual(390);
});
