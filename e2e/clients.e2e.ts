import fs from 'node:fs';
import net from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LOOKS, launchBrowser, type OpenConsole, openConsole, policyViolations } from './support/browser.ts';
import { connectDevice, disconnectDevices, disconnected } from './support/devices.ts';
import { type RunningServer, startServer } from './support/server.ts';

const ADMINISTRATIVE_ACTION = 0x98;
const FLEET = 1000;

let server: RunningServer;
let browser: Browser;
let opened: OpenConsole | undefined;
const sockets = new Map<string, net.Socket>();

beforeAll(async () => {
  [server, browser] = await Promise.all([
    startServer({ args: ['--allow-host', 'console.test'] }),
    launchBrowser(),
  ]);
});

afterEach(async () => {
  expect(opened?.problems ?? []).toEqual([]);
  expect(await policyViolations(server)).toBe(0);
  await opened?.context.close();
  opened = undefined;
  await disconnectDevices();
  for (const socket of sockets.values()) socket.destroy();
  sockets.clear();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Connects bare sockets that say no more than CONNECT: a fleet without the weight of a client library. */
async function connectFleet(count: number): Promise<void> {
  const one = (clientid: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect(server.ports.tcp, '127.0.0.1', () => {
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
  opened = await openConsole(browser, server, '/connections');
  const { page } = opened;
  await page.getByText('1,000 clients · 1,000 connected').waitFor();
  expect(await rows(page).count()).toBe(50);

  await page.getByRole('button', { name: 'Client ID', exact: true }).click();
  await page.getByRole('button', { name: 'Client ID', exact: true }).click();
  await rowOf(page, 'fleet-0999').waitFor();
  expect(await firstId(page)).toBe('fleet-0999');

  await page.getByRole('button', { name: 'Next page' }).click();
  await rowOf(page, 'fleet-0949').waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
  // A pasted address shows the same.
  await page.reload();
  await rowOf(page, 'fleet-0949').waitFor();
  expect(await firstId(page)).toBe('fleet-0949');

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
  await page.getByText('991 clients · 991 connected').waitFor();

  await page.getByRole('button', { name: 'Clear all' }).click();
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
  const watcher = await connectDevice(server, 'watcher', { version: 5 });
  await watcher.subscribeAsync('wills/#');
  const will = new Promise<string>((resolve) =>
    watcher.on('message', (topic, payload) => resolve(`${topic} ${payload}`)),
  );
  const sensor = await connectDevice(server, 'sensor', {
    version: 5,
    properties: { sessionExpiryInterval: 600 },
    will: { topic: 'wills/sensor', payload: Buffer.from('gone'), qos: 1, retain: false },
  });
  const ended = disconnected(sensor);

  opened = await openConsole(browser, server, '/connections');
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
  const reader = await connectDevice(server, 'night-reader', { version: 4, clean: false });
  await reader.subscribeAsync('news/#', { qos: 1 });
  await reader.endAsync();

  opened = await openConsole(browser, server, '/connections?conn_state=disconnected');
  const { page } = opened;
  await rowOf(page, 'night-reader').getByText('Disconnected').waitFor();
  await act(page, 'night-reader', 'Clean session');
  await page.getByText('Clean the session of night-reader?').waitFor();
  await confirm(page, 'Clean session');
  await page.getByText('The session of night-reader is cleaned').waitFor();
  await page.getByText('Nothing matches these filters.').waitFor();

  const again = await connectDevice(server, 'night-reader', { version: 4, clean: false });
  expect(again.connected).toBe(true);
  await page.goto(`${server.url}/connections/detail/night-reader`);
  await page.getByText('The client is subscribed to nothing.').waitFor();
});

test('filters by version, name and several exact ids live in the address', async () => {
  await connectDevice(server, 'v31', { version: 3, username: 'fleet-a' });
  await connectDevice(server, 'v311', { version: 4, username: 'fleet-a' });
  await connectDevice(server, 'v5', { version: 5, username: 'fleet-b' });
  opened = await openConsole(browser, server, '/connections?proto_ver=3');
  const { page } = opened;
  await rowOf(page, 'v31').getByText('MQTT 3.1', { exact: true }).waitFor();
  expect(await rows(page).count()).toBe(1);

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
  expect(await rows(page).count()).toBe(1);
});

test('the page of a client: subscriptions come and go, the keepalive changes, and the client may vanish', async () => {
  const device = await connectDevice(server, 'pump', { version: 5, username: 'plant', keepalive: 60 });
  const heard: string[] = [];
  device.on('message', (topic) => heard.push(topic));
  opened = await openConsole(browser, server, '/connections/detail/pump');
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

  const sender = await connectDevice(server, 'sender');
  await sender.publishAsync('orders/7', 'x', { qos: 1 });
  await expect.poll(() => heard).toEqual(['orders/7']);

  // What the client does by itself shows with the next refresh.
  await device.subscribeAsync('own/topic');
  await page.locator('[data-row="own/topic"]').waitFor();

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
  await connectDevice(server, 'pump', { version: 5 });
  await page
    .getByText('The client does not exist any more.', { exact: false })
    .waitFor({ state: 'detached' });

  await page.goto(`${server.url}/connections/detail/nobody`);
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
  for (const id of ids) devices.set(id, disconnected(await connectDevice(server, id, { version: 5 })));
  opened = await openConsole(browser, server, '/connections');
  const { page } = opened;
  for (const id of ids) {
    await page.goto(`${server.url}/connections`);
    await rows(page).first().waitFor();
    await page.locator(`[data-row=${JSON.stringify(id)}] a`).click();
    await page.getByRole('heading', { level: 1 }).getByText(id, { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Session', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Kick out' }).click();
    await confirm(page, 'Kick out');
    expect(await devices.get(id), id).toBe(ADMINISTRATIVE_ACTION);
    await page.getByText('The client does not exist any more.', { exact: false }).waitFor();
  }
  expect(await page.locator('img[src="x"]').count()).toBe(0);
});

test.each(LOOKS)('the screens are accessible in $language, $theme', async ({ language, theme }) => {
  const device = await connectDevice(server, 'sensor-0042', { version: 5, username: 'fleet-a' });
  await device.subscribeAsync('cmd/0042/#', { qos: 1 });
  opened = await openConsole(browser, server, '/connections', { language, theme });
  const { page } = opened;
  await rowOf(page, 'sensor-0042').waitFor();
  await opened.expectAccessible();
  await rowOf(page, 'sensor-0042').getByRole('link').click();
  await page.locator('[data-row="cmd/0042/#"]').waitFor();
  await opened.expectAccessible();
  await page.getByRole('button', { name: language === 'zh' ? '添加订阅' : 'Add subscription' }).click();
  await page.getByRole('dialog').getByLabel('QoS').waitFor();
  await opened.expectAccessible();
});

test('with the menu open the deeds of a row are in sight, and the rows move below them', async () => {
  await connectDevice(server, 'sensor', { version: 5 });
  opened = await openConsole(browser, server, '/connections');
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
  const device = await connectDevice(server, 'handheld', { version: 5 });
  const ended = disconnected(device);
  opened = await openConsole(browser, server, '/connections', { width: 390, height: 844 });
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
  const device = await connectDevice(server, 'plain', { version: 5 });
  const ended = disconnected(device);
  const origin = `http://console.test:${server.ports.http}`;
  opened = await openConsole(browser, server, '/connections', { origin });
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
