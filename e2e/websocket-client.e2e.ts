import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import type { OpenOptions } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { type RunningServer, startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const PATH = '/websocket/client';

const openClient = async (options?: OpenOptions): Promise<Page> => (await stage.open(PATH, options)).page;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const panel = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) });
const connectionPanel = (page: Page) => panel(page, 'Connection');
const publishPanel = (page: Page) => panel(page, 'Publish');
const received = (page: Page) => page.getByRole('table', { name: 'Received' });
const published = (page: Page) => page.getByRole('table', { name: 'Published' });
/** A line of a table, by what it says. */
const line = (table: ReturnType<typeof received>, text: string) =>
  table.getByRole('row').filter({ hasText: text });

async function connect(
  page: Page,
  clientid: string,
  version: '3.1' | '3.1.1' | '5.0' = '5.0',
): Promise<void> {
  await page.getByLabel('Client ID', { exact: true }).fill(clientid);
  await page.getByLabel('MQTT version').selectOption({ label: version });
  await button(page, 'Connect').click();
  await connectionPanel(page).getByText('Connected', { exact: true }).waitFor();
}

async function subscribe(page: Page, filter: string, qos = 0): Promise<void> {
  await page.getByLabel('Topic filter').fill(filter);
  await panel(page, 'Subscriptions').getByLabel('QoS').selectOption(String(qos));
  await button(page, 'Subscribe').click();
  await button(page, `Unsubscribe from ${filter}`).waitFor();
  await panel(page, 'Subscriptions').getByText(`QoS ${qos}`, { exact: true }).first().waitFor();
}

async function publish(page: Page, topic: string, text: string, { format = 'Plaintext', qos = 0 } = {}) {
  const form = publishPanel(page);
  await form.getByLabel('Topic', { exact: true }).fill(topic);
  await form.getByLabel('QoS').selectOption(String(qos));
  await form.getByLabel('Payload', { exact: true }).fill('');
  await form.getByRole('radio', { name: format }).check({ force: true });
  await form.getByLabel('Payload', { exact: true }).fill(text);
  await button(page, 'Publish').click();
}

/** What a WebSocket server adds to the key of a handshake (RFC 6455, section 1.3). */
const HANDSHAKE = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A broker that answers every CONNECT with this code, whatever the CONNECT says. */
async function startRefusing(version: ProtocolVersion, reasonCode: number) {
  const connack = encodePacket(
    { type: PacketType.CONNACK, sessionPresent: false, reasonCode, properties: {} },
    version,
  );
  const listener = http.createServer();
  listener.on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${HANDSHAKE}`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n`,
    );
    // One binary frame with the refusal, then one that closes.
    socket.once('data', () =>
      socket.end(Buffer.concat([Buffer.of(0x82, connack.length), connack, Buffer.of(0x88, 0)])),
    );
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return { port, stop: () => new Promise<void>((resolve) => listener.close(() => resolve())) };
}

test.each(['3.1', '3.1.1', '5.0'] as const)(
  'subscribes and publishes in MQTT %s, in every QoS',
  async (version) => {
    const page = await openClient();
    await connect(page, `v-${version}`, version);
    await page.getByText(`Connection is successful: v-${version}`).waitFor();
    await subscribe(page, 'testtopic/#', 2);
    for (const qos of [0, 1, 2]) await publish(page, `testtopic/${qos}`, `hello ${qos}`, { qos });
    for (const qos of [0, 1, 2]) {
      const row = line(received(page), `hello ${qos}`);
      await row.waitFor();
      expect(await row.getByRole('cell').nth(2).textContent()).toBe(String(qos));
    }
    await line(published(page), 'hello 0').getByText('sent').waitFor();
    await line(published(page), 'hello 2').getByText('yes').waitFor();

    await button(page, 'Unsubscribe from testtopic/#').click();
    await page.getByText('No subscriptions yet').waitFor();
    await button(page, 'Disconnect').click();
    await button(page, 'Connect').waitFor();
  },
);

test('sends each payload format as the bytes it means, and refuses what is none', async () => {
  const sensor = await connectDevice(stage.server, 'listener', { version: 5 });
  const heard: Buffer[] = [];
  sensor.on('message', (_, payload) => heard.push(payload));
  await sensor.subscribeAsync('formats');
  const page = await openClient();
  await connect(page, 'formats');
  await publish(page, 'formats', 'grüß 你好');
  await publish(page, 'formats', 'AAEC/w==', { format: 'Base64' });
  await publish(page, 'formats', '{ "a": 1 }', { format: 'JSON' });
  await publish(page, 'formats', '00 01 fe', { format: 'Hex' });
  await expect
    .poll(() => heard.map((bytes) => bytes.toString('hex')))
    .toEqual(
      [
        Buffer.from('grüß 你好'),
        Buffer.of(0, 1, 2, 255),
        Buffer.from('{ "a": 1 }'),
        Buffer.of(0, 1, 254),
      ].map((bytes) => bytes.toString('hex')),
    );
  await publishPanel(page).getByLabel('Payload', { exact: true }).fill('0g');
  await button(page, 'Publish').click();
  await publishPanel(page).getByRole('alert').waitFor();
  expect(heard).toHaveLength(4);
});

test('a topic that cannot be is refused beside the field, and what is shared or special is said', async () => {
  const page = await openClient();
  await connect(page, 'topics');
  const subscriptions = panel(page, 'Subscriptions');
  await page.getByLabel('Topic filter').fill('a/#/b');
  await subscriptions.getByText(/Not a valid filter/).waitFor();
  await button(page, 'Subscribe').click();
  await page.getByText('No subscriptions yet').waitFor();
  await page.getByLabel('Topic filter').fill('$share/g1/a/+');
  await subscriptions.getByText('each message goes to one member of the group “g1” only').waitFor();
  await subscriptions.getByText('Options', { exact: true }).click();
  await subscriptions.getByLabel('No local').check();
  await subscriptions.getByText(/a protocol error/).waitFor();
  const topic = publishPanel(page).getByLabel('Topic', { exact: true });
  await topic.fill('a/+');
  await publishPanel(page)
    .getByText(/Not a valid topic/)
    .waitFor();
  await topic.fill('$share/g1/a');
  await publishPanel(page)
    .getByText(/for subscribing/)
    .waitFor();
  await connectionPanel(page).getByText('Connected', { exact: true }).waitFor();
});

test('what cannot be done is told, with the reason', async () => {
  const page = await openClient();
  await publishPanel(page).getByLabel('Payload', { exact: true }).press('Control+Enter');
  await page.getByText('Client not connected', { exact: true }).waitFor();
  await connect(page, 'refused');
  await page.getByLabel('Topic filter').fill('$exclusive/mine');
  await button(page, 'Subscribe').click();
  await page.getByText('Subscription failure: Topic filter invalid (0x8F)').waitFor();
  await publishPanel(page).getByText('Properties', { exact: true }).click();
  await publishPanel(page).getByLabel('Topic alias').fill('5');
  await publish(page, '', 'to whom');
  await page
    .getByText('Publishing failure: This alias stands for no topic yet: publish once with both')
    .waitFor();
  await line(published(page), 'to whom').getByText('failed').waitFor();
});

test('properties and retain travel with a message, there and back', async () => {
  const page = await openClient();
  await connect(page, 'asker');
  await subscribe(page, 'requests/#');
  const form = publishPanel(page);
  await form.getByText('Properties', { exact: true }).click();
  await form.getByLabel('Response topic').fill('answers/1');
  await form.getByLabel('Correlation data').fill('no. 7');
  await form.getByLabel('Content type').fill('application/json');
  await form.getByLabel('Message expiry interval').fill('3600');
  for (const row of [1, 2]) {
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByLabel(`Name of property ${row}`).fill('unit');
    await form.getByLabel(`Value of property ${row}`).fill(`value ${row}`);
  }
  await form.getByLabel('Retain').check();
  await publish(page, 'requests/1', '{"t":1}', { format: 'JSON', qos: 1 });
  await received(page).getByRole('button', { name: 'requests/1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('answers/1').waitFor();
  await dialog.getByText('no. 7').waitFor();
  await dialog.getByText('application/json').waitFor();
  await dialog.getByText('2 user properties').click();
  await dialog.getByText('value 1').waitFor();
  await dialog.getByText('value 2').waitFor();
  await page.keyboard.press('Escape');

  // A new subscription finds it retained.
  await button(page, 'Unsubscribe from requests/#').click();
  await page.getByRole('button', { name: 'Clear the received messages' }).click();
  await subscribe(page, 'requests/+');
  await line(received(page), 'requests/1').getByTitle('retained').waitFor();
});

test('the broker sends the will when the connection breaks, and not after a good-bye', async () => {
  const watcher = await connectDevice(stage.server, 'watcher', { version: 5 });
  const heard: string[] = [];
  watcher.on('message', (topic, payload) => heard.push(`${topic} ${payload}`));
  await watcher.subscribeAsync('wills/#');
  const page = await openClient();
  await page.getByLabel('Will message').check();
  await page.getByLabel('Will topic').fill('wills/console');
  await page.getByLabel('Will payload').fill('gone');
  await page.getByLabel('Will QoS').selectOption('1');
  await connect(page, 'mortal');
  await button(page, 'Disconnect').click();
  await button(page, 'Connect').click();
  await button(page, 'Drop').click();
  await expect.poll(() => heard).toEqual(['wills/console gone']);
  await connect(page, 'mortal');
  // As a tab that crashed: nobody says good-bye.
  await page.close();
  await expect.poll(() => heard).toEqual(['wills/console gone', 'wills/console gone']);
});

test('the reason of the broker takes the place of a mere disconnect', async () => {
  const page = await openClient();
  await connect(page, 'wanted');
  const token = await stage.token();
  expect((await callApi(stage.server, 'DELETE', '/clients/wanted', { token })).status).toBe(204);
  const alert = connectionPanel(page).getByRole('alert');
  await alert.getByText(/an operator ended the connection \(0x98\)/).waitFor();
  await connectionPanel(page).getByText('Disconnected', { exact: true }).waitFor();

  await connect(page, 'wanted');
  await connectDevice(stage.server, 'wanted', { version: 5 });
  await alert.getByText(/Session taken over: another connection uses the same client ID \(0x8E\)/).waitFor();
  // It does not throw the other one out in turn.
  await connectionPanel(page).getByText('Disconnected', { exact: true }).waitFor();
});

test.each([
  [
    '5.0',
    0x8a,
    /The broker refused the connection\. Banned.* \(0x8A\)/,
    /Broker 拒绝了连接。已被封禁.*（0x8A）/,
  ],
  ['5.0', 0x86, /Bad username or password \(0x86\)/, /用户名或密码错误（0x86）/],
  ['3.1.1', 5, /Not authorized \(5\)/, /未授权（5）/],
] as const)('a refusal is explained: MQTT %s, code %i', async (version, reasonCode, en, zh) => {
  const refusing = await startRefusing(version === '5.0' ? 5 : 4, reasonCode);
  const page = await openClient();
  await page.getByLabel('Port', { exact: true }).fill(String(refusing.port));
  await page.getByLabel('MQTT version').selectOption({ label: version });
  await button(page, 'Connect').click();
  await connectionPanel(page).getByRole('alert').getByText(en).waitFor();
  await connectionPanel(page).getByText('Disconnected', { exact: true }).waitFor();
  await page.evaluate(() => localStorage.setItem('language', 'zh'));
  await page.reload();
  await button(page, '连接').click();
  await page.locator('section').getByRole('alert').getByText(zh).waitFor();
  await refusing.stop();
});

test('connections live on while other pages are open, and end with the session', async () => {
  const page = await openClient({ fresh: true });
  await connect(page, 'traveller');
  await subscribe(page, 'travel/#');
  await page.getByRole('link', { name: 'mqdeck' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: '1 WebSocket connection open' }).waitFor();
  const sensor = await connectDevice(stage.server, 'postman', { version: 5 });
  await sensor.publishAsync('travel/card', 'from afar', { qos: 1 });
  await page.goBack();
  await line(received(page), 'from afar').waitFor();
  await connectionPanel(page).getByText('Connected', { exact: true }).waitFor();

  await page.getByRole('button', { name: /admin/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL(/login/);
  const token = await stage.token();
  await expect
    .poll(async () => {
      const { status, body } = await callApi<{ connected?: boolean }>(
        stage.server,
        'GET',
        '/clients/traveller',
        {
          token,
        },
      );
      return status === 404 || body.connected === false;
    })
    .toBe(true);
});

test('six extra connections, no seventh; closing a connected one asks', async () => {
  const page = await openClient();
  await connect(page, 'first');
  for (let extra = 1; extra <= 6; extra += 1) await button(page, 'New connection').click();
  expect(await page.getByRole('tab').count()).toBe(7);
  await page.getByText('At most 6 extra connections. Close one to open another.').waitFor();
  expect(await button(page, 'New connection').isDisabled()).toBe(true);
  await button(page, 'Close Connection 7').click();
  await expect.poll(() => page.getByRole('tab').count()).toBe(6);
  expect(await button(page, 'New connection').isEnabled()).toBe(true);

  await page.getByRole('tab', { name: /Connection 1/ }).click();
  await button(page, 'Close Connection 1').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Close Connection 1?').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await connectionPanel(page).getByText('Connected', { exact: true }).waitFor();
});

test('nothing secret stays in the browser; the rest of the form outlives a reload', async () => {
  const page = await openClient();
  await page.getByLabel('Username').fill('fleet');
  await page.getByLabel('Password', { exact: true }).fill('hush-hush-1');
  await connect(page, 'forgetful');
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).toContain('forgetful');
  expect(kept).not.toContain('hush-hush-1');
  expect(page.url()).not.toContain('hush');
  await page.reload();
  await expect.poll(() => page.getByLabel('Client ID', { exact: true }).inputValue()).toBe('forgetful');
  expect(await page.getByLabel('Username').inputValue()).toBe('fleet');
  expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
});

test('a payload is text whatever is in it, and a topic shows what it hides', async () => {
  const page = await openClient();
  await connect(page, 'target');
  await subscribe(page, 'hostile/#');
  const attacker = await connectDevice(stage.server, 'attacker', { version: 5 });
  const markup = '<img src=x onerror="document.title=1"><svg onload=alert(1)>';
  await attacker.publishAsync('hostile/\u202egnp.exe', markup, { qos: 1 });
  await line(received(page), markup).waitFor();
  await line(received(page), '\\u202egnp.exe').getByRole('button').click();
  await page.getByRole('dialog').getByText(markup).waitFor();
  expect(await page.locator('main img, [role=dialog] img').count()).toBe(0);
});

test('a thousand messages per second are counted, bounded and found, and the page answers', async () => {
  const page = await openClient();
  await connect(page, 'busy');
  await subscribe(page, 'load/#');
  const source = await connectDevice(stage.server, 'source', { version: 5 });
  const rounds = 60;
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < 100; i += 1) source.publish(`load/${round}`, `message ${round * 100 + i}`);
    await source.publishAsync('load/beat', `beat ${round}`, { qos: 1 });
    // In the middle of it the page still takes what is typed.
    if (round === rounds / 2)
      await publishPanel(page).getByLabel('Topic', { exact: true }).fill('typed/meanwhile');
  }
  await page.getByText(/6,060 messages/).waitFor();
  await page.getByText(/the newest 5,000 are kept/).waitFor();
  expect(await published(page).count()).toBe(0);
  expect(await received(page).getByRole('row').count()).toBeLessThan(60);
  expect(await received(page).getAttribute('aria-rowcount')).toBe('5001');
  expect(await publishPanel(page).getByLabel('Topic', { exact: true }).inputValue()).toBe('typed/meanwhile');
  await page.getByRole('searchbox', { name: 'Find in topics and payloads' }).first().fill('message 5999');
  await page.getByText('1 of 5,000 shown').waitFor();
});

test('a pause holds what is shown, and goes on with what came meanwhile', async () => {
  const page = await openClient();
  await connect(page, 'patient');
  await subscribe(page, 'pause/#');
  const sensor = await connectDevice(stage.server, 'ticker', { version: 5 });
  await sensor.publishAsync('pause/1', 'before', { qos: 1 });
  await line(received(page), 'before').waitFor();
  await button(page, 'Pause').click();
  await sensor.publishAsync('pause/2', 'meanwhile', { qos: 1 });
  await page.getByText('Paused, 1 new').waitFor();
  expect(await line(received(page), 'meanwhile').count()).toBe(0);
  await button(page, 'Go on').click();
  await line(received(page), 'meanwhile').waitFor();
});

test('a message of the history is published again, and edited; Ctrl+Enter publishes', async () => {
  const page = await openClient();
  await connect(page, 'writer');
  await publish(page, 'history/1', 'first draft', { qos: 1 });
  await button(page, 'Publish again to history/1').click();
  await expect.poll(() => line(published(page), 'first draft').count()).toBe(2);
  await publish(page, 'history/2', 'other');
  await button(page, 'Edit and publish to history/1').first().click();
  const payload = publishPanel(page).getByLabel('Payload', { exact: true });
  await expect.poll(() => payload.inputValue()).toBe('first draft');
  await payload.fill('second draft');
  await payload.press('Control+Enter');
  await line(published(page), 'second draft').getByText('history/1').waitFor();
});

/** The browser has its own lines about addresses where nobody is. */
function expectNoOther(problems: string[]): void {
  const others = problems.splice(0).filter((one) => !one.startsWith('console: WebSocket connection to'));
  expect(others).toEqual([]);
}

describe('when the broker goes', () => {
  let own: RunningServer;
  beforeAll(async () => {
    own = await startServer();
  });
  afterAll(async () => {
    await own?.stop();
  });

  test('the client waits, comes back and subscribes again', async () => {
    const { page, problems } = await stage.openAt(own, PATH, { clock: true });
    await connect(page, 'faithful');
    await subscribe(page, 'after/#');
    await own.kill();
    await connectionPanel(page).getByText('Reconnecting', { exact: true }).waitFor();
    await connectionPanel(page)
      .getByText(/Attempt \d+ in/)
      .waitFor();
    const { http, tcp, ws } = own.ports;
    own = await startServer({
      dataDir: own.dataDir,
      args: ['--http', `${http}`, '--tcp', `${tcp}`, '--ws', `${ws}`],
    });
    const attempt = connectionPanel(page).getByText(/Attempt \d+ in/);
    await expect
      .poll(async () => {
        if (await attempt.isVisible()) await page.clock.fastForward(30_000);
        return connectionPanel(page).getByText('Connected', { exact: true }).isVisible();
      })
      .toBe(true);
    const sensor = await connectDevice(own, 'later', { version: 5 });
    await expect
      .poll(async () => {
        await sensor.publishAsync('after/restart', 'still here', { qos: 1 });
        return line(received(page), 'still here').count();
      })
      .toBeGreaterThan(0);
    expectNoOther(problems);
  });
});

test('an address where nothing listens is explained, and so is one that speaks no MQTT', async () => {
  const { page, problems } = await stage.open(PATH);
  await page.getByLabel('Path').fill('/api/v5/status');
  await button(page, 'Connect').click();
  const alert = connectionPanel(page).getByRole('alert');
  await alert.getByText(/Something answers there, but not MQTT over WebSocket/).waitFor();
  await page.getByLabel('Port', { exact: true }).fill('1');
  await button(page, 'Connect').click();
  await alert.getByText(/cannot be reached|does not take this address/).waitFor();
  await page.getByLabel('Port', { exact: true }).fill(String(stage.server.ports.ws));
  await page.getByLabel('Path').fill('/mqtt');
  await connect(page, 'other-listener');
  expectNoOther(problems);
});
