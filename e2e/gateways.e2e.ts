import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { CoapDevice } from '@mqdeck/broker/testing/coap-device';
import { describeWith } from '@mqdeck/broker/testing/engines/engine';
import { exprotoHandler } from '@mqdeck/broker/testing/engines/exproto-handler';
import { LIBCOAP_PROGRAMS, runCoapClient } from '@mqdeck/broker/testing/engines/libcoap';
import { SnDevice } from '@mqdeck/broker/testing/sn-device';
import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';
import { connectStomp, disconnectStomp } from './support/stomp.ts';

const stage = setStage();
afterEach(disconnectStomp);

/** The API, past the screens. */
async function operator() {
  const token = await stage.token();
  return <T>(method: string, path: string, body?: unknown) =>
    callApi<T>(stage.server, method, path, { token, ...(body === undefined ? {} : { body }) });
}

/** Where a listener of a gateway listens now; port 0 has become a real one. */
async function portOf(gateway: string): Promise<number> {
  const call = await operator();
  const { body } = await call<{ bind: string }[]>('GET', `/gateways/${gateway}/listeners`);
  return Number(/\d+$/.exec(body[0]!.bind)?.[0]);
}

/** A gateway as it is set up past the screens, unless it is. */
async function withGateway(name: string, type: string): Promise<void> {
  const call = await operator();
  const { body } = await call<{ status: string }>('GET', `/gateways/${name}`);
  if (body.status !== 'unloaded') return;
  const listeners = [{ type, name: 'default', bind: '127.0.0.1:0' }];
  expect((await call('PUT', `/gateways/${name}`, { name, listeners })).status).toBe(204);
}
const withStomp = () => withGateway('stomp', 'tcp');

/** The next message that comes: its topic and its text. */
const heard = (client: MqttClient): Promise<[topic: string, text: string]> =>
  new Promise((resolve) => client.once('message', (topic, payload) => resolve([topic, String(payload)])));

const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notices' }).getByText(text, { exact: false }).last();
const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Through the three steps; the listener takes any free port of this machine. */
async function setUp(
  page: Page,
  name: string,
  title: string,
  { basics, bind = '127.0.0.1:0' }: { basics?: () => Promise<unknown>; bind?: string } = {},
): Promise<void> {
  await page.getByRole('heading', { level: 1, name: `Set up ${title}` }).waitFor();
  await basics?.();
  await button(page, 'Next').click();
  await page.getByRole('button', { name: /^Edit .*:default$/ }).click();
  const drawer = dialog(page, /^Listener /);
  await drawer.getByRole('textbox', { name: /^Bind address/ }).fill(bind);
  await drawer.getByRole('button', { name: 'Done' }).click();
  await drawer.waitFor({ state: 'detached' });
  await button(page, 'Next').click();
  await page.getByText('Without authentication every device', { exact: false }).waitFor();
  await button(page, 'Set up').click();
  await notice(page, `${title} is set up`).waitFor();
  await row(page, `${name}:${name === 'stomp' || name === 'exproto' ? 'tcp' : 'udp'}:default`)
    .getByText('Running')
    .waitFor();
}

test('STOMP: set up in the wizard, messages cross both ways, devices are seen, kicked out and locked out', async () => {
  const { page } = await stage.open('/gateway', { clock: true });
  await row(page, 'stomp').getByRole('link', { name: 'Set up STOMP' }).click();
  await setUp(page, 'stomp', 'STOMP', {
    basics: () => page.getByRole('textbox', { name: /^Mountpoint/ }).fill('st/'),
  });

  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('st/#');
  const pump = await connectStomp(await portOf('stomp'), { login: 'pump' });
  const up = heard(screen);
  pump.publish('up', 'from stomp');
  expect(await up).toEqual(['st/up', 'from stomp']);

  await page.getByRole('tab', { name: 'Connections' }).click();
  const shown = page.getByRole('row').filter({ hasText: 'pump' });
  await shown.getByText('Connected', { exact: true }).waitFor();
  await shown.getByRole('link').click();
  const drawer = dialog(page, /^Device /);
  await drawer.getByText('STOMP 1.2').waitFor();
  // Subscribed by the device, and on its behalf.
  const down = pump.next('down');
  await button(page, 'Add subscription').click();
  const form = dialog(page, 'Add subscription');
  await form.getByRole('textbox', { name: /^Topic filter/ }).fill('other');
  await form.getByRole('button', { name: 'Subscribe' }).click();
  await drawer.getByText('st/other').waitFor();
  await drawer.getByText('st/down').waitFor();
  await screen.publishAsync('st/down', 'from mqtt');
  expect(await down).toBe('from mqtt');

  await drawer.getByRole('button', { name: 'Kick out' }).click();
  await dialog(page, /^Kick out /)
    .getByRole('button', { name: 'Kick out' })
    .click();
  await pump.ended;
  await page.getByText('No device is connected.', { exact: false }).waitFor();

  const again = await connectStomp(await portOf('stomp'), { login: 'again' });
  await page.getByRole('switch', { name: 'Enable STOMP' }).click();
  const question = dialog(page, 'Disable STOMP?');
  await question.getByText('1 device is connected', { exact: false }).waitFor();
  await question.getByRole('button', { name: 'Disable' }).click();
  await again.ended;
  await notice(page, 'STOMP is stopped').waitFor();
  await page.getByRole('link', { name: 'Gateway' }).first().click();
  await row(page, 'stomp').getByText('Stopped').waitFor();
  await page.getByRole('switch', { name: 'Enable STOMP' }).click();
  await notice(page, 'STOMP is started').waitFor();
  await connectStomp(await portOf('stomp'));
  await expectAfterRefresh(page, () => row(page, 'stomp').innerText()).toContain('1 of');
});

test('authentication that is added on the page is obeyed, until it is deleted', async () => {
  await withStomp();
  const { page } = await stage.open('/gateway/detail/stomp/auth');
  await page.getByText('Every device is let in').waitFor();
  await connectStomp(await portOf('stomp'), { login: 'nobody' });
  await button(page, 'Add authentication').click();
  const drawer = dialog(page, 'Add authentication to STOMP');
  expect(await drawer.getByText('SCRAM').count()).toBe(0);
  await drawer.getByRole('button', { name: 'Next' }).click();
  await drawer.getByRole('radio', { name: 'Built-in database' }).waitFor();
  await drawer.getByRole('button', { name: 'Next' }).click();
  await drawer.getByRole('button', { name: 'Create' }).click();
  await notice(page, 'checks devices from now on').waitFor();
  await expect(connectStomp(await portOf('stomp'), { login: 'pump', passcode: 'secret' })).rejects.toThrow();

  await page.getByRole('button', { name: 'Add user' }).click();
  const form = dialog(page, 'Add user');
  await form.getByRole('textbox', { name: /^Username/ }).fill('pump');
  await form.locator('input[name=password]').fill('secret');
  await form.getByRole('button', { name: 'Add user' }).click();
  await page.getByRole('row').filter({ hasText: 'pump' }).waitFor();
  await connectStomp(await portOf('stomp'), { login: 'pump', passcode: 'secret' });
  await expect(connectStomp(await portOf('stomp'), { login: 'pump', passcode: 'guess' })).rejects.toThrow();

  await button(page, 'Import').click();
  const importing = dialog(page, 'Import users');
  const csv = 'user_id,password,is_superuser\nvalve,open-1,false\npump-2,turn-2,true\n';
  await importing
    .locator('input[type=file]')
    .setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await importing.getByRole('button', { name: 'Import 2 users' }).click();
  await importing.getByText('Added').waitFor();
  await importing.getByRole('button', { name: 'Close' }).last().click();
  await row(page, 'valve').waitFor();
  await connectStomp(await portOf('stomp'), { login: 'valve', passcode: 'open-1' });
  await connectStomp(await portOf('stomp'), { login: 'pump', passcode: 'secret' });

  await button(page, 'Delete').click();
  await dialog(page, /^Delete /)
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByText('Every device is let in').waitFor();
  await connectStomp(await portOf('stomp'), { login: 'nobody' });
});

test('settings restart the gateway after a question with the number of its devices', async () => {
  await withStomp();
  const device = await connectStomp(await portOf('stomp'));
  const { page } = await stage.open('/gateway/detail/stomp/settings');
  await page.getByRole('textbox', { name: /^Mountpoint/ }).fill('moved/');
  await button(page, 'Save').click();
  const question = dialog(page, 'Save and restart STOMP?');
  await question.getByText('1 device is disconnected', { exact: false }).waitFor();
  await question.getByRole('button', { name: 'Save' }).click();
  await device.ended;
  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('moved/#');
  const back = await connectStomp(await portOf('stomp'));
  const up = heard(screen);
  back.publish('up', 'x');
  expect((await up)[0]).toBe('moved/up');
});

test('a second listener lets devices in; a port in use and a name that is taken are told of beside their fields', async () => {
  await withStomp();
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as { port: number };
  const { page } = await stage.open('/gateway/detail/stomp/listeners', { clock: true });
  await button(page, 'Add listener').click();
  const form = dialog(page, 'Add listener');
  await form.getByRole('textbox', { name: /^Name/ }).fill('default');
  await form.getByRole('textbox', { name: /^Bind address/ }).fill(`127.0.0.1:${port}`);
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('There is a listener of this type and name already').waitFor();
  await form.getByRole('textbox', { name: /^Name/ }).fill('second');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('The port is in use.', { exact: false }).waitFor();
  taken.close();
  await once(taken, 'close');
  await form.getByRole('button', { name: 'Create' }).click();
  await row(page, 'stomp:tcp:second').getByText('Running').waitFor();
  const device = await connectStomp(port);
  await expectAfterRefresh(page, () => row(page, 'stomp:tcp:second').innerText()).toContain('1 of');

  await page.getByRole('button', { name: 'Actions for stomp:tcp:second' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = dialog(page, 'Delete stomp:tcp:second?');
  await question.getByText('1 device is connected through it', { exact: false }).waitFor();
  await question.getByRole('button', { name: 'Delete' }).click();
  await device.ended;
  await row(page, 'stomp:tcp:second').waitFor({ state: 'detached' });
});

test('MQTT-SN: a predefined topic of the form is known, and messages cross both ways', async () => {
  const { page } = await stage.open('/gateway/create/mqttsn');
  await setUp(page, 'mqttsn', 'MQTT-SN', {
    basics: async () => {
      await button(page, 'Add topic').click();
      await page.getByRole('textbox', { name: 'Row 1: topic' }).fill('sn/predefined');
    },
  });
  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('sn/predefined');
  const sensor = await SnDevice.open(await portOf('mqttsn'));
  await sensor.connect('sensor-1');
  const up = heard(screen);
  sensor.send(0x0c, 0x01, [1], [0], 'from sn'); // PUBLISH, QoS 0, predefined topic 1
  expect(await up).toEqual(['sn/predefined', 'from sn']);
  const topicId = await sensor.subscribe('sn/down');
  await screen.publishAsync('sn/down', 'from mqtt');
  await sensor.expect(0x0c, 0x00, [topicId], [0], 'from mqtt');

  await page.getByRole('tab', { name: 'Connections' }).click();
  await page
    .getByRole('row')
    .filter({ hasText: 'sensor-1' })
    .getByText('Connected', { exact: true })
    .waitFor();
  sensor.close();
});

describeWith('libcoap', LIBCOAP_PROGRAMS, () => {
  test('CoAP: a client of another maker puts and observes', async () => {
    const { page } = await stage.open('/gateway/create/coap');
    await setUp(page, 'coap', 'CoAP');
    const port = await portOf('coap');
    const screen = await connectDevice(stage.server, 'screen');
    await screen.subscribeAsync('coap/up');
    const up = heard(screen);
    const uri = (topic: string) => `coap://127.0.0.1:${port}/ps/${topic}?clientid=meter-1`;
    await runCoapClient(['-m', 'put', '-e', 'from coap', uri('coap/up')]).ended;
    expect(await up).toEqual(['coap/up', 'from coap']);
    const observer = runCoapClient(['-s', '60', uri('coap/down')]);
    await page.getByRole('tab', { name: 'Connections' }).click();
    await page.getByRole('link', { name: 'meter-1' }).waitFor();
    const call = await operator();
    await expect
      .poll(async () => {
        const { body } = await call<{ topic: string }[]>(
          'GET',
          '/gateways/coap/clients/meter-1/subscriptions',
        );
        return body;
      })
      .toMatchObject([{ topic: 'coap/down' }]);
    await screen.publishAsync('coap/down', 'from mqtt');
    await observer.shows('from mqtt');
    await observer.stop();
  });
});

/** UDP has no port that nobody takes between two looks; one that was free a moment ago will do. */
async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

test('LwM2M: a device that registers is listed with its lifetime, and MQTT is told', async () => {
  const { page } = await stage.open('/gateway/create/lwm2m');
  const port = await freePort();
  await setUp(page, 'lwm2m', 'LwM2M', { bind: `127.0.0.1:${port}` });
  const screen = await connectDevice(stage.server, 'screen');
  await screen.subscribeAsync('lwm2m/+/up/#');
  const told = heard(screen);
  const device = await CoapDevice.open(port);
  const answer = await device.ask({
    method: 'POST',
    uri: '/rd?ep=pump&lt=300&lwm2m=1.0&b=U',
    payload: '</1/0>,</3/0>',
    options: [['Content-Format', 40]],
  });
  expect(answer.code).toBe('2.01');
  expect((await told)[0]).toBe('lwm2m/pump/up/resp');
  await page.getByRole('tab', { name: 'Connections' }).click();
  const shown = page.getByRole('row').filter({ hasText: 'pump' });
  await shown.getByText('5m').waitFor();

  // Its objects are read on the page, and written.
  await shown.getByRole('link').click();
  const drawer = dialog(page, 'Device pump');
  await drawer.getByLabel('Path', { exact: true }).fill('/3/0/14');
  await drawer.getByRole('button', { name: 'Read' }).click();
  device.answer(await device.asked('/3/0/14'), { code: '2.05', payload: '+00:00' });
  await drawer.getByText('UTC Offset').waitFor();
  await drawer.getByRole('button', { name: 'Write /3/0/14' }).click();
  const form = dialog(page, 'Write /3/0/14');
  await form.getByRole('textbox', { name: /^Value/ }).fill('+01:00');
  await form.getByRole('button', { name: 'Write' }).click();
  const written = await device.asked('/3/0/14');
  expect(written.payload.toString()).toContain('+01:00');
  device.answer(written, { code: '2.04' });
  await drawer.getByText('2.04 changed', { exact: false }).waitFor();
  await device.close();
});

test('ExProto: a handler in another process speaks a protocol of its own with the devices', async () => {
  const adapter = `127.0.0.1:${await freePort()}`;
  const handler = await exprotoHandler({ adapterAddress: adapter });
  try {
    const { page } = await stage.open('/gateway/create/exproto');
    await setUp(page, 'exproto', 'ExProto', {
      basics: async () => {
        await page.getByRole('textbox', { name: /^Address/ }).fill(handler.url);
        await page.getByRole('textbox', { name: /^Bind address/ }).fill(adapter);
      },
    });
    const screen = await connectDevice(stage.server, 'screen');
    await screen.subscribeAsync('lines/up');
    const socket = connect(await portOf('exproto'), '127.0.0.1');
    await once(socket, 'connect');
    const line = async (text: string): Promise<string> => {
      socket.write(`${text}\n`);
      return String((await once(socket, 'data'))[0]).trim();
    };
    expect(await line('HELLO machine-1')).toBe('OK');
    const up = heard(screen);
    expect(await line('PUB lines/up from exproto')).toBe('OK');
    expect(await up).toEqual(['lines/up', 'from exproto']);
    expect(await line('SUB lines/down')).toBe('OK');
    const down = once(socket, 'data');
    await screen.publishAsync('lines/down', 'from mqtt');
    expect(String((await down)[0]).trim()).toBe('MSG lines/down from mqtt');
    await page.getByRole('tab', { name: 'Connections' }).click();
    await page.getByRole('link', { name: 'machine-1' }).waitFor();
    socket.destroy();
  } finally {
    await handler.close();
  }
});

test('a listener of DTLS is added on the page and runs', async () => {
  await withGateway('mqttsn', 'udp');
  const { page } = await stage.open('/gateway/detail/mqttsn/listeners?add=1');
  const form = dialog(page, 'Add listener');
  await form.getByRole('textbox', { name: /^Name/ }).fill('safe');
  await form.getByRole('combobox', { name: /^Type/ }).selectOption('dtls');
  await form.getByRole('textbox', { name: /^Bind address/ }).fill('127.0.0.1:0');
  await form.getByRole('button', { name: 'Create' }).click();
  await row(page, 'mqttsn:dtls:safe').getByText('Running').waitFor();
});
