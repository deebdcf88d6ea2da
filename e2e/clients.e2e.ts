import fs from 'node:fs';
import net from 'node:net';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { expectAfterRefresh } from './support/browser.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice, disconnected } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const ADMINISTRATIVE_ACTION = 0x98;
const FLEET = 1000;

const stage = setStage({ args: ['--allow-host', 'console.test'] });
const sockets = new Map<string, net.Socket>();

afterEach(() => {
  for (const socket of sockets.values()) socket.destroy();
  sockets.clear();
});

/** Connects bare sockets that say no more than CONNECT: a fleet without the weight of a client library. */
async function connectFleet(count: number): Promise<void> {
  const one = (clientid: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect(stage.server.ports.tcp, '127.0.0.1', () => {
        const id = Buffer.from(clientid);
        // MQTT 3.1.1, clean session, no keepalive
        const head = Buffer.from([0x10, 12 + id.length, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0]);
        socket.write(Buffer.concat([head, Buffer.from([0, id.length]), id]));
      });
      socket.once('data', () => resolve());
      socket.once('error', reject);
      sockets.set(clientid, socket);
    });
  const ids = Array.from({ length: count }, (_, i) => `fleet-${String(i).padStart(4, '0')}`);
  for (let i = 0; i < ids.length; i += 100) await Promise.all(ids.slice(i, i + 100).map(one));
}

const rows = (page: Page) => page.locator('[data-row]');
const rowOf = (page: Page, clientid: string) =>
  rows(page).filter({ has: page.getByRole('link', { name: clientid, exact: true }) });
const firstId = (page: Page) => rows(page).first().getByRole('link').textContent();

async function act(page: Page, clientid: string, deed: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${clientid}`, exact: true }).click();
  await page.getByRole('menuitem', { name: deed, exact: true }).click();
}

async function confirm(page: Page, deed: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: deed, exact: true }).click();
}

const closed = (socket: net.Socket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

test('a thousand clients appear, are found, sorted, paged and exported, and some are kicked out', async () => {
  await connectFleet(FLEET);
  const { page } = await stage.open('/connections', { clock: true });
  await page.getByText('1,000 clients · 1,000 connected').waitFor();
  await expect.poll(() => rows(page).count()).toBe(50);

  await page.getByRole('button', { name: 'Client ID', exact: true }).click();
  await page.getByRole('button', { name: 'Client ID', exact: true }).click();
  await rowOf(page, 'fleet-0999').waitFor();
  await expect.poll(() => firstId(page)).toBe('fleet-0999');

  await page.getByRole('button', { name: 'Next page' }).click();
  await rowOf(page, 'fleet-0949').waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
  // A pasted address shows the same.
  await page.reload();
  await rowOf(page, 'fleet-0949').waitFor();
  await expect.poll(() => firstId(page)).toBe('fleet-0949');

  await page.getByRole('textbox', { name: 'Client ID contains' }).fill('fleet-012');
  await rowOf(page, 'fleet-0129').waitFor();
  await expect.poll(() => rows(page).count()).toBe(10);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: /^CSV/ }).click();
  const csv = fs
    .readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(csv).toHaveLength(11);
  expect(csv[0]).toContain('Client ID');
  expect(csv[1]).toMatch(/^fleet-0129,/);

  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await page.getByRole('checkbox', { name: 'Select fleet-0129' }).uncheck();
  await page.getByRole('button', { name: 'Kick out…' }).click();
  await page.getByText('Kick out 9 clients? They may reconnect at once.').waitFor();
  await confirm(page, 'Kick out');
  await page.getByText('9 clients kicked out').waitFor();
  await Promise.all(Array.from({ length: 9 }, (_, i) => closed(sockets.get(`fleet-012${i}`) as net.Socket)));
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(sockets.get('fleet-0129')?.closed).toBe(false);
  const counts = page.getByText('991 clients · 991 connected');
  await expectAfterRefresh(page, () => counts.count()).toBe(1);

  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(1);
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await page.getByRole('button', { name: 'Select all 991 that match' }).click();
  await page.getByRole('button', { name: 'Kick out…' }).click();
  await page.getByText('Kick out 991 clients? They may reconnect at once.').waitFor();
  await confirm(page, 'Kick out');
  await page.getByText('991 clients kicked out').waitFor();
  await page.getByText('No client has connected yet', { exact: false }).waitFor();
  await Promise.all([...sockets.values()].map(closed));
});

test('a client kicked out hears 0x98 and its will is published; another stays', async () => {
  const watcher = await connectDevice(stage.server, 'watcher', { version: 5 });
  await watcher.subscribeAsync('wills/#');
  const will = new Promise<string>((resolve) =>
    watcher.on('message', (topic, payload) => resolve(`${topic} ${payload}`)),
  );
  const sensor = await connectDevice(stage.server, 'sensor', {
    version: 5,
    properties: { sessionExpiryInterval: 600 },
    will: { topic: 'wills/sensor', payload: Buffer.from('gone'), qos: 1, retain: false },
  });
  const ended = disconnected(sensor);

  const opened = await stage.open('/connections');
  const { page } = opened;
  await rowOf(page, 'sensor').waitFor();
  await act(page, 'sensor', 'Kick out');
  await page.getByText('Kick out sensor?').waitFor();
  await confirm(page, 'Kick out');

  expect(await ended).toBe(ADMINISTRATIVE_ACTION);
  expect(await will).toBe('wills/sensor gone');
  await page.getByText('sensor is kicked out').waitFor();
  await expect.poll(() => rowOf(page, 'sensor').count()).toBe(0);
  expect(await rowOf(page, 'watcher').count()).toBe(1);
  expect(watcher.connected).toBe(true);
});

test('a session whose client is away is shown as such and can be cleaned', async () => {
  const reader = await connectDevice(stage.server, 'night-reader', { version: 4, clean: false });
  await reader.subscribeAsync('news/#', { qos: 1 });
  await reader.endAsync();

  const opened = await stage.open('/connections?conn_state=disconnected');
  const { page } = opened;
  await rowOf(page, 'night-reader').getByText('Disconnected').waitFor();
  await act(page, 'night-reader', 'Clean session');
  await page.getByText('Clean the session of night-reader?').waitFor();
  await confirm(page, 'Clean session');
  await page.getByText('The session of night-reader is cleaned').waitFor();
  await page.getByText('Nothing matches these filters.').waitFor();

  const again = await connectDevice(stage.server, 'night-reader', { version: 4, clean: false });
  expect(again.connected).toBe(true);
  await page.goto(`${stage.server.url}/connections/detail/night-reader`);
  await page.getByText('The client is subscribed to nothing.').waitFor();
});

test('filters by version, name and several exact ids live in the address', async () => {
  await connectDevice(stage.server, 'v31', { version: 3, username: 'fleet-a' });
  await connectDevice(stage.server, 'v311', { version: 4, username: 'fleet-a' });
  await connectDevice(stage.server, 'v5', { version: 5, username: 'fleet-b' });
  const opened = await stage.open('/connections?proto_ver=3');
  const { page } = opened;
  await rowOf(page, 'v31').getByText('MQTT 3.1', { exact: true }).waitFor();
  await expect.poll(() => rows(page).count()).toBe(1);

  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Client ID is' }).click();
  await page.getByRole('textbox', { name: 'Client ID is' }).fill('v5, v311');
  await expect.poll(() => rows(page).count()).toBe(2);
  expect(new URL(page.url()).searchParams.getAll('clientid')).toEqual(['v5', 'v311']);

  await page.getByRole('textbox', { name: 'Username contains' }).fill('fleet-b');
  await expect.poll(() => rows(page).count()).toBe(1);
  // Typing makes no steps: Back leads to before the filters were cleared.
  await page.goBack();
  await rowOf(page, 'v31').waitFor();
  await expect.poll(() => rows(page).count()).toBe(1);
});

test('the page of a client: subscriptions come and go, the keepalive changes, and the client may vanish', async () => {
  const device = await connectDevice(stage.server, 'pump', { version: 5, username: 'plant', keepalive: 60 });
  const heard: string[] = [];
  device.on('message', (topic) => heard.push(topic));
  const opened = await stage.open('/connections/detail/pump', { clock: true });
  const { page } = opened;
  await page.getByRole('heading', { name: 'pump' }).waitFor();
  await page.getByText('The client is subscribed to nothing.').waitFor();

  await page.getByRole('button', { name: 'Add subscription' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Add subscription' }).click();
  await form.getByText('Topic is required').waitFor();
  await form.getByLabel('Topic').fill('orders/#/x');
  await form.getByText(/^Not a topic filter/).waitFor();
  await form.getByLabel('Topic').fill('orders/+');
  await form.getByLabel('QoS').selectOption('1');
  await form.getByLabel('No local').check();
  await form.getByRole('button', { name: 'Add subscription' }).click();
  const row = page.locator('[data-row="orders/+"]');
  await row.waitFor();
  expect(await row.textContent()).toContain('Yes');

  const sender = await connectDevice(stage.server, 'sender');
  await sender.publishAsync('orders/7', 'x', { qos: 1 });
  await expect.poll(() => heard).toEqual(['orders/7']);

  // What the client does by itself shows with the next refresh.
  await device.subscribeAsync('own/topic');
  await expectAfterRefresh(page, () => page.locator('[data-row="own/topic"]').count()).toBe(1);

  await act(page, 'orders/+', 'Unsubscribe');
  await page.getByText('Unsubscribe pump from orders/+?').waitFor();
  await confirm(page, 'Unsubscribe');
  await row.waitFor({ state: 'detached' });
  await sender.publishAsync('orders/8', 'x', { qos: 1 });
  await sender.publishAsync('own/topic', 'x', { qos: 1 });
  await expect.poll(() => heard.at(-1)).toBe('own/topic');
  expect(heard).not.toContain('orders/8');

  await page.getByRole('button', { name: 'Change the keepalive' }).click();
  const keepalive = page.getByRole('textbox', { name: /^Keepalive/ });
  await keepalive.fill('70000');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Fill in the error: the number range is 0 - 65535').waitFor();
  await keepalive.fill('120');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The keepalive is changed').waitFor();
  await page.getByText('2m', { exact: true }).waitFor();

  const ended = disconnected(device);
  await page.getByRole('button', { name: 'Kick out' }).click();
  await confirm(page, 'Kick out');
  expect(await ended).toBe(ADMINISTRATIVE_ACTION);
  await page.getByText('The client does not exist any more.', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Kick out' }).isDisabled()).toBe(true);
  await page.getByText('Its subscriptions ended with its session.').waitFor();
  const session = page.locator('section', {
    has: page.getByRole('heading', { name: 'Session', exact: true }),
  });
  expect(await session.getByText('Subscriptions', { exact: true }).count()).toBe(0);

  // It connects again, and its page comes alive again.
  await connectDevice(stage.server, 'pump', { version: 5 });
  const gone = page.getByText('The client does not exist any more.', { exact: false });
  await expectAfterRefresh(page, () => gone.count()).toBe(0);

  await page.goto(`${stage.server.url}/connections/detail/nobody`);
  await page.getByText('The client does not exist', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Back to connections' }).click();
  await rowOf(page, 'pump').waitFor();
});

test('ids are texts, whatever stands in them: in the list, in the address and in a deed', async () => {
  const ids = [
    'a/b',
    '#',
    '50%25',
    ' two  spaces ',
    '泵-1',
    '<img src=x onerror=alert(1)>',
    '..',
    '.',
    '~x',
    '?q=1&r',
  ];
  const devices = new Map<string, Promise<number | null>>();
  for (const id of ids) devices.set(id, disconnected(await connectDevice(stage.server, id, { version: 5 })));
  const opened = await stage.open('/connections');
  const { page } = opened;
  for (const id of ids) {
    const row = page.locator(`[data-row=${JSON.stringify(id)}]`);
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1 }).getByText(id, { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Session', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Kick out' }).click();
    await confirm(page, 'Kick out');
    expect(await devices.get(id), id).toBe(ADMINISTRATIVE_ACTION);
    await page.getByText('The client does not exist any more.', { exact: false }).waitFor();
    // The list comes back as it was, and is read anew: then the rows below move up.
    await Promise.all([page.waitForResponse(/\/api\/v5\/clients\?/), page.goBack()]);
    await row.waitFor({ state: 'detached' });
  }
  expect(await page.locator('img[src="x"]').count()).toBe(0);
});

test('with the menu open the deeds of a row are in sight, and the rows move below them', async () => {
  await connectDevice(stage.server, 'sensor', { version: 5 });
  const opened = await stage.open('/connections');
  const { page } = opened;
  await rowOf(page, 'sensor').waitFor();
  await page.getByRole('button', { name: 'Expand the menu' }).click();
  await page.getByRole('button', { name: 'Collapse the menu' }).waitFor();
  const scroller = page.getByRole('region', { name: 'Clients, rows' });
  expect(await scroller.evaluate((it) => it.scrollWidth > it.clientWidth)).toBe(true);
  const deeds = page.getByRole('button', { name: 'Actions for sensor' });
  const inside = async () => {
    const [button, frame] = [await deeds.boundingBox(), await scroller.boundingBox()];
    return button && frame && button.x + button.width <= frame.x + frame.width;
  };
  expect(await inside()).toBe(true);
  await scroller.evaluate((it) => it.scrollTo(9999, 0));
  expect(await inside()).toBe(true);
  await act(page, 'sensor', 'Open');
  await page.getByRole('heading', { level: 1, name: 'sensor' }).waitFor();
});

test('at 390 pixels a client is found, opened and kicked out', async () => {
  const device = await connectDevice(stage.server, 'handheld', { version: 5 });
  const ended = disconnected(device);
  const opened = await stage.open('/connections', { width: 390, height: 844 });
  const { page } = opened;
  const row = rowOf(page, 'handheld');
  for (const fact of ['Queue', 'In/s', 'Out/s', 'Subs', 'Address']) {
    const [label, whole] = [
      await row.getByText(fact, { exact: true }).boundingBox(),
      await row.boundingBox(),
    ];
    if (!label || !whole) throw new Error(`no ${fact}`);
    expect(label.y + label.height, fact).toBeLessThanOrEqual(whole.y + whole.height);
    expect(label.x + label.width, fact).toBeLessThanOrEqual(390);
  }
  await row.getByRole('link').click();
  await page.getByRole('button', { name: 'Kick out' }).click();
  await confirm(page, 'Kick out');
  expect(await ended).toBe(ADMINISTRATIVE_ACTION);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wider).toBe(false);
});

test('over plain http under another name everything works as well', async () => {
  const device = await connectDevice(stage.server, 'plain', { version: 5 });
  const ended = disconnected(device);
  const origin = `http://console.test:${stage.server.ports.http}`;
  const opened = await stage.open('/connections', { origin });
  const { page } = opened;
  await rowOf(page, 'plain').waitFor();
  expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
  await act(page, 'plain', 'Copy client ID');
  await page.getByText('1 client ID copied').waitFor();
  await page.reload();
  await act(page, 'plain', 'Kick out');
  await confirm(page, 'Kick out');
  expect(await ended).toBe(ADMINISTRATIVE_ACTION);
});

/** A session of that id whose client is away, with messages waiting for it. */
async function fallAsleep(clientid: string, messages: number): Promise<void> {
  const reader = await connectDevice(stage.server, clientid, {
    version: 5,
    clean: false,
    properties: { sessionExpiryInterval: 600 },
  });
  await reader.subscribeAsync(['news/#', 'weather'], { qos: 1 });
  await reader.endAsync();
  const sender = await connectDevice(stage.server, `sender-of-${clientid}`, {
    version: 5,
    username: 'plant',
  });
  const numbers = Array.from({ length: messages }, (_, i) => i);
  await Promise.all(numbers.map((i) => sender.publishAsync(`news/${i}`, `{"number":${i}}`, { qos: 1 })));
}

/** A client that acknowledges nothing and takes no more than three at a time. */
async function connectSlow(clientid: string): Promise<void> {
  const slow = await connectDevice(stage.server, clientid, {
    version: 5,
    properties: { receiveMaximum: 3 },
    customHandleAcks: () => undefined,
  });
  await slow.subscribeAsync('work/#', { qos: 2 });
  const sender = await connectDevice(stage.server, `sender-of-${clientid}`, { version: 5 });
  for (let i = 0; i < 5; i++) await sender.publishAsync(`work/${i}`, `m${i}`, { qos: i === 0 ? 1 : 2 });
}

const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name });
const cells = async (page: Page, topic: string) =>
  (await rowOf(page, topic).getByRole('cell').allTextContents()).map((text) => text.trim());

/** Scrolls a list to its end until all of it has been loaded. */
async function readToTheEnd(page: Page, list: string, said: string): Promise<void> {
  const region = page.getByRole('region', { name: list });
  await expect
    .poll(
      async () => {
        const count = await page.getByText(said, { exact: true }).count();
        await region.evaluate((element) => element.scrollTo(0, element.scrollHeight)); // also of what came last
        return count;
      },
      { timeout: 15_000 },
    )
    .toBe(1);
}

test('a sleeping client: its full queue is read to the end, and each message with its payload while it is there', async () => {
  await fallAsleep('night-shift', 1001); // the queue takes a thousand
  const opened = await stage.open('/connections/detail/night-shift');
  const { page } = opened;
  const session = page.locator('section', {
    has: page.getByRole('heading', { name: 'Session', exact: true }),
  });
  await session.getByText('1,000 of 1,000 full').waitFor();
  await session.getByText('1 dropped').waitFor();
  const figure = (name: string) =>
    page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
  expect(await figure('Dropped, queue full').textContent()).toBe('1');
  expect(await figure('Dropped, other reasons').textContent()).toBe('0');

  await tab(page, /^Queue/).click();
  await page.getByText('200 of 1,000 messages shown').waitFor();
  await rowOf(page, 'news/1').waitFor(); // the oldest had to go
  expect(await rows(page).count()).toBeLessThan(200);
  expect((await cells(page, 'news/1')).slice(0, 6)).toEqual([
    'news/1',
    '1',
    'No',
    '12 B',
    'sender-of-night-shift',
    'plant',
  ]);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('400 of 1,000 messages shown').waitFor();
  await readToTheEnd(page, 'Queued messages of night-shift, rows', '1,000 messages shown');
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);

  await rowOf(page, 'news/1000').getByRole('link').click();
  const message = page.getByRole('dialog');
  await message.getByText('"number": 1000').waitFor();
  await message.getByRole('radio', { name: 'Hex' }).check();
  await message.getByText('7b 22 6e 75 6d 62 65 72', { exact: false }).waitFor();
  await page.reload(); // a link that is passed on shows the same
  await message.getByText('7b 22 6e 75 6d 62 65 72', { exact: false }).waitFor();

  let heard = 0;
  const reader = await connectDevice(stage.server, 'night-shift', {
    version: 5,
    clean: false,
    properties: { sessionExpiryInterval: 600 },
    onMessage: () => {
      heard += 1;
    },
  });
  await expect.poll(() => heard).toBe(1000);
  await page.reload();
  await message.getByText('This message is no longer there').waitFor();
  await message.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Nothing waits for this client.').waitFor();
  await reader.endAsync();
  await (await connectDevice(stage.server, 'late')).publishAsync('news/late', 'x', { qos: 1 });
  await page.getByRole('button', { name: 'Refresh', exact: true }).last().click();
  await rowOf(page, 'news/late').waitFor();

  // The queue moves on between the look at the list and the look at the message.
  const again = await connectDevice(stage.server, 'night-shift', {
    version: 5,
    clean: false,
    properties: { sessionExpiryInterval: 600 },
  });
  await again.endAsync();
  await rowOf(page, 'news/late').getByRole('link').click();
  await message.getByText('This message is no longer there').waitFor();
  await message.getByText('late', { exact: true }).waitFor(); // what the list told of it: who sent it
});

test('a slow client: what it has not acknowledged says what it waits for, the rest is queued', async () => {
  await connectSlow('slow');
  const opened = await stage.open('/connections/detail/slow?tab=inflight');
  const { page } = opened;
  await page.getByText('3 messages shown').waitFor();
  const facts = async (topic: string) => (await cells(page, topic)).slice(0, 4);
  expect(await facts('work/0')).toEqual(['work/0', '1', '1', 'PUBACK']);
  expect(await facts('work/1')).toEqual(['work/1', '2', '2', 'PUBREC']);
  await rowOf(page, 'work/2').getByRole('link').click();
  const message = page.getByRole('dialog');
  await message.getByText('m2', { exact: true }).waitFor();
  await message.getByText('PUBREC').waitFor();
  await page.keyboard.press('Escape');
  await tab(page, /^Queue/).click();
  await page.getByText('2 messages shown').waitFor();
  await rowOf(page, 'work/4').waitFor();
  await page.getByRole('button', { name: 'Kick out' }).click();
  await page.getByText(/its session ends: 1 subscription and 2 queued messages are lost/).waitFor();
  await confirm(page, 'Kick out');
  await page.getByText('Its messages ended with its session.').waitFor();
});

test('cleaning a session says what is lost, and loses nothing when one thinks better of it', async () => {
  await fallAsleep('day-shift', 3);
  const opened = await stage.open('/connections/detail/day-shift?tab=queue');
  const { page } = opened;
  await page.getByText('3 messages shown').waitFor();
  const clean = page.getByRole('button', { name: 'Clean session' });
  await clean.click();
  await page.getByText('Deleted with it: 2 subscriptions and 3 queued messages.', { exact: false }).waitFor();
  await confirm(page, 'Cancel');
  await page.reload();
  await page.getByText('3 messages shown').waitFor();

  await clean.click();
  await confirm(page, 'Clean session');
  await page.getByText('The session of day-shift is cleaned').waitFor();
  await page.getByText('Its messages ended with its session.').waitFor();
  const heard: string[] = [];
  const again = await connectDevice(stage.server, 'day-shift', {
    version: 5,
    clean: false,
    onMessage: (topic) => heard.push(topic),
  });
  await again.subscribeAsync('news/#'); // what was queued would come before this is answered
  expect(heard).toEqual([]);
});

test('a narrow screen shows the same messages, and only the lists scroll', async () => {
  await connectSlow('slow-two');
  const opened = await stage.open('/connections/detail/slow-two?tab=queue', {
    width: 390,
    height: 844,
  });
  const { page } = opened;
  await rowOf(page, 'work/4').getByText('Size').waitFor();
  expect(
    await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return [scrollWidth, scrollHeight];
    }),
  ).toEqual([390, 844]);
  await rowOf(page, 'work/4').getByRole('link').click();
  await page.getByRole('dialog').getByText('m4', { exact: true }).waitFor();
});

describe('in front of another cluster', () => {
  const cluster = setCluster(stage);

  const client = {
    clientid: 'far',
    username: null,
    connected: true,
    node: 'emqx@10.0.0.1',
    ip_address: '10.0.4.17',
    port: 50_122,
    proto_name: 'MQTT',
    proto_ver: 5,
    keepalive: 60,
    clean_start: false,
    expiry_interval: 600,
    is_bridge: true,
    zone: 'default',
    listener: 'ssl:default',
    peersni: 'broker.plant.example',
    created_at: '2026-11-21T02:36:21.594+00:00',
    connected_at: '2026-11-21T02:36:21.594+00:00',
    subscriptions_cnt: 0,
    subscriptions_max: 'infinity',
    inflight_cnt: 0,
    inflight_max: 32,
    mqueue_len: 250,
    mqueue_max: 1000,
    mqueue_dropped: 0,
    awaiting_rel_cnt: 0,
    awaiting_rel_max: 100,
    heap_size: 1598,
    reductions: 5971,
    mailbox_len: 7,
  };

  async function openFar(): Promise<Page> {
    cluster.on('GET /clients/far', () => ({ body: client }));
    cluster.on('GET /clients/far/subscriptions', () => ({ body: [] }));
    return (await cluster.open('/connections/detail/far?tab=queue')).page;
  }

  test('an older one has no lists of messages, and the page says so', async () => {
    const page = await openFar();
    await page.getByText('Not available on this broker').waitFor();
    const fact = (name: string) =>
      page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
    const facts = [
      ['Zone', 'default'],
      ['Bridge', 'Yes'],
      ['SSL/TLS', 'Yes'],
      ['Server name (SNI)', 'broker.plant.example'],
      ['Heap', '12.5 KB'],
      ['Mailbox', '7'],
      ['Reductions', '5,971'],
    ] as const;
    for (const [name, value] of facts) expect((await fact(name).textContent())?.trim(), name).toBe(value);
    await tab(page, /^Subscriptions/).click();
    await page.getByText('The client is subscribed to nothing.').waitFor();
  });

  test('what only this broker tells is left out, and a message is found by its place', async () => {
    const all = Array.from({ length: 250 }, (_, i) => ({
      msgid: `000611F460D57FA9F44500000D36${String(i).padStart(4, '0')}`,
      topic: `t/${i}`,
      qos: 0,
      from_clientid: 'mqttx_59ac0a87',
      from_username: 'undefined',
      publish_at: 1_709_055_346_487 + i,
      inserted_at: String(1_709_055_346_487_000_000n + BigInt(i)),
      mqueue_priority: i < 125 ? 'infinity' : 0,
    }));
    const placeOf = ({ inserted_at, mqueue_priority }: (typeof all)[number]) =>
      `${inserted_at}_${mqueue_priority}`;
    cluster.on('GET /clients/far/mqueue_messages', ({ query }) => {
      const [inserted = '', priority] = (query.get('position') ?? 'none').split('_');
      const begin = all.findIndex(
        (row) =>
          inserted === 'none' ||
          (String(row.mqueue_priority) === priority && BigInt(row.inserted_at) > BigInt(inserted)),
      );
      const page = (begin === -1 ? [] : all.slice(begin)).slice(0, Number(query.get('limit')));
      const data =
        query.get('payload') === 'none' ? page : page.map((row) => ({ ...row, payload: btoa(row.topic) }));
      const last = page.at(-1);
      return {
        body: {
          data,
          meta: { start: placeOf(all[0]!), position: last ? placeOf(last) : query.get('position') },
        },
      };
    });
    const page = await openFar();
    await page.getByText('200 of 250 messages shown').waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Topic',
      'QoS',
      'From client',
      'Published',
      'Queued',
      'Priority',
    ]);
    await readToTheEnd(page, 'Queued messages of far, rows', '250 messages shown');
    await rowOf(page, 't/249').getByRole('link').click();
    const message = page.getByRole('dialog');
    await message.getByText('t/249', { exact: true }).last().waitFor();
    await message.getByText('000611F460D57FA9F44500000D360249').waitFor();
    expect(await message.getByText('Retain').count()).toBe(0);
  });
});
