import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice, disconnected } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const RULES = '/authorization/sources/built_in_database/rules';
const SETTINGS = {
  no_match: 'allow',
  deny_action: 'ignore',
  cache: { enable: true, max_size: 32, ttl: '1m', excludes: [] },
};
const ALLOW_ALL = { type: 'file', enable: true, rules: '{allow, all}.' };
const BUILT_IN = { type: 'built_in_database', enable: true };
const NOT_AUTHORIZED = 0x87;

interface Sources {
  sources: { type: string }[];
}

/** The API, past the screens. */
let call: Awaited<ReturnType<typeof operatorOf>>;
beforeAll(async () => {
  call = await operatorOf(stage.server);
});

/** Every test begins with a file that allows everything, and no rules elsewhere. */
beforeEach(async () => {
  const { sources } = await call<Sources>('GET', '/authorization/sources');
  for (const { type } of sources) await call('DELETE', `/authorization/sources/${type}`);
  await call('POST', '/authorization/sources', { ...BUILT_IN, enable: false });
  await call('DELETE', RULES);
  await call('DELETE', '/authorization/sources/built_in_database');
  await call('POST', '/authorization/sources', ALLOW_ALL);
  await call('PUT', '/authorization/settings', SETTINGS);
});

const device = (clientId: string, username?: string) =>
  connectDevice(stage.server, clientId, { version: 5, ...(username === undefined ? {} : { username }) });

/** The reason code of the next packet of this kind. */
const answered = (client: MqttClient, kind: 'suback' | 'puback'): Promise<number | undefined> =>
  new Promise((resolve) => {
    client.on('packetreceive', (packet) => {
      if (packet.cmd !== kind) return;
      if (packet.cmd === 'suback') resolve(packet.granted[0] as number);
      if (packet.cmd === 'puback') resolve(packet.reasonCode ?? 0);
    });
  });
const subscribe = (client: MqttClient, filter: string): Promise<number | undefined> => {
  const code = answered(client, 'suback');
  client.subscribe(filter, { qos: 1 }, () => undefined); // a refusal is what some tests want
  return code;
};
const publish = (client: MqttClient, topic: string): Promise<number | undefined> => {
  const code = answered(client, 'puback');
  client.publish(topic, 'x', { qos: 1 }, () => undefined);
  return code;
};

const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
const figure = (page: Page, label: string) =>
  page
    .locator('dl > div', { has: page.getByText(label, { exact: true }) })
    .locator('dd > span')
    .first();
/** The page must be opened with `clock`. */
const expectFigures = async (page: Page, wanted: Record<string, string>) => {
  for (const [label, value] of Object.entries(wanted))
    await expectAfterRefresh(page, () => figure(page, label).innerText(), label).toBe(value);
};
const choose = async (page: Page, source: string) => {
  await page.getByRole('radio', { name: source }).check();
  await page.getByRole('button', { name: 'Next' }).click();
};
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Notices' }).getByText(text);

test('rules written in the browser stop one client and let another through, and both are counted', async () => {
  const { page } = await stage.open('/authorization', { clock: true });
  await page.getByText('When no rule fits, it is allowed.').waitFor();
  await page.getByRole('button', { name: 'Add source' }).click();
  await choose(page, 'Built-in database');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expectAfterRefresh(page, () => row(page, 'built_in_database').getByText('Connected').count()).toBe(1);
  await page.getByRole('button', { name: 'Actions for built_in_database' }).click();
  await page.getByRole('menuitem', { name: 'Permissions' }).click();

  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Client ID' }).fill('blocked');
  await form.getByRole('combobox', { name: 'Rule 1: Permission' }).selectOption('Deny');
  await form.getByRole('textbox', { name: 'Rule 1: Topic' }).fill('plant/#/x');
  await form.getByText('This is not a topic filter', { exact: false }).first().waitFor();
  await form.getByRole('textbox', { name: 'Rule 1: Topic' }).fill('plant/#');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Rules of blocked', exact: true }).click();
  await page
    .getByRole('table', { name: 'Rules of blocked' })
    .getByRole('cell', { name: 'plant/#' })
    .waitFor();

  await page.getByText('Username', { exact: true }).click();
  await page.getByText('No username has rules of its own.').waitFor();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await form.getByRole('textbox', { name: 'Username' }).fill('olga');
  await form.getByRole('textbox', { name: 'Rule 1: Topic' }).fill('plant/${username}/#');
  await form.getByRole('button', { name: 'Create' }).click();
  await toast(page, 'The rules of olga are saved').waitFor();

  const blocked = await device('blocked', 'olga');
  expect(await publish(blocked, 'plant/olga/1')).toBe(NOT_AUTHORIZED);
  expect(await subscribe(blocked, 'plant/olga/+')).toBe(NOT_AUTHORIZED);
  const free = await device('free', 'olga');
  expect(await subscribe(free, 'plant/olga/+')).toBe(1);
  expect(await publish(free, 'plant/olga/1')).toBe(0);
  expect(await publish(free, 'elsewhere')).not.toBe(NOT_AUTHORIZED); // no rule fits; the file allows it

  await page.getByRole('tab', { name: 'Overview' }).click();
  await expectFigures(page, { Allowed: '2', Denied: '2', 'No match': '1' });
});

test('the file shows an error with its line, reads its rules aloud, and is obeyed once it is right', async () => {
  const { page } = await stage.open('/authorization/detail/file?tab=settings');
  const editor = page.getByRole('textbox', { name: 'Rules' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('%% who may do what\n{deny, all, subscribe, ["secret/#"}.\n{allow, all}.');
  const problem = page.getByRole('list', { name: 'Problems in Rules' }).getByRole('button');
  await problem.filter({ hasText: 'Line 2' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'Line 2:' }).waitFor();
  const watcher = await device('watcher');
  expect(await subscribe(watcher, 'secret/1')).toBe(1);

  await problem.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('%% who may do what\n{deny, all, subscribe, ["secret/#"]}.\n{allow, all}.');
  await problem.waitFor({ state: 'detached' });
  await page.getByText('Everybody may not subscribe to secret/#').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await subscribe(watcher, 'secret/2')).toBe(NOT_AUTHORIZED);
  expect(await subscribe(watcher, 'open/2')).toBe(1);

  // What only the broker can judge is shown at its line too.
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{allow, all}.\n\n{deny, {username, {re, "a("}}, all, ["#"]}.');
  await page.getByRole('button', { name: 'Save' }).click();
  await problem.filter({ hasText: 'Line 3' }).waitFor();

  await page.getByRole('link', { name: 'Authorization' }).first().click();
  await page.getByText('Leave without saving?').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Restore default' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore default' }).click();
  await page.getByText('Everybody may not subscribe to $SYS/#, exactly #, exactly +/#').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('Everybody may not subscribe to secret/#').waitFor();
});

test('the editor of rules suggests who, actions and placeholders', async () => {
  const { page } = await stage.open('/authorization/detail/file?tab=settings');
  const editor = page.getByRole('textbox', { name: 'Rules' });
  const option = (name: string) => page.getByRole('option', { name });
  const problems = page.getByRole('list', { name: 'Problems in Rules' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Control+Space');
  await option('{deny, …}.').click();
  await page.keyboard.press('Control+Space');
  await problems.waitFor(); // what is found meanwhile closes no suggestions
  await option('clientid').click();
  await page.keyboard.type('c1');
  await expect.poll(() => editor.textContent()).toContain('{deny, {clientid, "c1"}, all, ["#"]}.');
  await page.getByText('The client ID c1 may not publish or subscribe to').waitFor();
});

test('moving a source by keyboard changes who decides', async () => {
  await call('PUT', '/authorization/sources/file', { ...ALLOW_ALL, rules: '{deny, all, all, ["a/#"]}.' });
  await call('POST', '/authorization/sources', BUILT_IN);
  await call('POST', `${RULES}/all`, { rules: [{ permission: 'allow', action: 'all', topic: 'a/#' }] });
  const sensor = await device('sensor');
  expect(await subscribe(sensor, 'a/1')).toBe(1);

  const { page } = await stage.open('/authorization');
  await row(page, 'file').focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('File is now 1 of 2').waitFor();
  await expect
    .poll(async () => (await call<Sources>('GET', '/authorization/sources')).sources.map(({ type }) => type))
    .toEqual(['file', 'built_in_database']);
  expect(await subscribe(sensor, 'a/2')).toBe(NOT_AUTHORIZED);
  await page.getByRole('button', { name: 'Actions for file' }).click();
  await page.getByRole('menuitem', { name: 'Move to bottom' }).click();
  await expect.poll(() => subscribe(sensor, 'a/3')).toBe(1);
});

test('the rules for all are reordered, and the first that fits decides', async () => {
  await call('POST', '/authorization/sources', BUILT_IN);
  const { page } = await stage.open('/authorization/detail/built_in_database?tab=permissions&who=all');
  for (const [permission, topic] of [
    ['Allow', 'a/#'],
    ['Deny', 'a/b'],
  ] as const) {
    await page.getByRole('button', { name: 'Add rule' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Permission' }).selectOption(permission);
    await form.getByRole('textbox', { name: 'Topic' }).fill(topic);
    await form.getByRole('button', { name: 'Add rule' }).click();
    await form.waitFor({ state: 'detached' });
  }
  const sensor = await device('sensor');
  expect(await subscribe(sensor, 'a/b')).toBe(1);
  const denied = page.getByRole('row').filter({ hasText: 'a/b' });
  await denied.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('a/b is now 1 of 2').waitFor();
  await expect
    .poll(async () =>
      (await call<{ rules: { topic: string }[] }>('GET', `${RULES}/all`)).rules.map(({ topic }) => topic),
    )
    .toEqual(['a/b', 'a/#']);
  await sensor.unsubscribeAsync('a/b');
  expect(await subscribe(sensor, 'a/b')).toBe(NOT_AUTHORIZED);
});

test('with deny action disconnect a client that is denied loses its connection', async () => {
  const { page } = await stage.open('/authorization');
  await page.getByText('Who is denied stays connected.').waitFor();
  await call('PUT', '/authorization/sources/file', { ...ALLOW_ALL, rules: '{deny, all, publish, ["no"]}.' });
  const patient = await device('patient');
  expect(await publish(patient, 'no')).toBe(NOT_AUTHORIZED);
  expect(patient.connected).toBe(true);

  await page.getByRole('button', { name: 'Settings' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('combobox', { name: 'When a client is denied' }).selectOption('Disconnect the client');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Who is denied is disconnected.').waitFor();
  const gone = disconnected(patient);
  patient.publish('no', 'x', { qos: 1 }, () => undefined);
  expect(await gone).toBe(NOT_AUTHORIZED);

  await page.getByRole('button', { name: 'Settings' }).click();
  await form.getByRole('combobox', { name: 'When no rule fits' }).selectOption('Deny');
  await form
    .getByRole('combobox', { name: 'When a client is denied' })
    .selectOption('Only refuse the request');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('When no rule fits, it is denied.').waitFor();
  expect(await subscribe(await device('nobody'), 'any')).toBe(NOT_AUTHORIZED);
});

test('an answer that is kept is forgotten when the cache is cleared', async () => {
  const kept = async () =>
    (await call<{ topic: string }[]>('GET', '/clients/sensor/authorization/cache')).map(({ topic }) => topic);
  expect(await subscribe(await device('sensor'), 'a/1')).toBe(1);
  expect(await kept()).toEqual(['a/1']);
  const { page } = await stage.open('/authorization');
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Clear the cache' }).click();
  await page
    .getByRole('dialog', { name: 'Clear the cache of all clients?' })
    .getByRole('button', { name: 'Clear the cache' })
    .click();
  await toast(page, 'The cache is cleared').waitFor();
  expect(await kept()).toEqual([]);
});

test('all rules are deleted after the source was disabled, which the page offers', async () => {
  await call('POST', '/authorization/sources', BUILT_IN);
  await call('POST', `${RULES}/clients`, [
    { clientid: 'c1', rules: [{ permission: 'deny', action: 'all', topic: 'a' }] },
  ]);
  const { page } = await stage.open('/authorization/detail/built_in_database?tab=permissions');
  await page.getByRole('button', { name: 'Rules of c1', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete all rules' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable and delete all' }).click();
  await page.getByText('No client ID has rules of its own.').waitFor();
  await page.getByRole('button', { name: 'Enable again' }).click();
  await expect
    .poll(async () => (await call<typeof BUILT_IN>('GET', '/authorization/sources/built_in_database')).enable)
    .toBe(true);
});

test('rules are searched, and the page is in the address', async () => {
  await call('POST', '/authorization/sources', BUILT_IN);
  await call(
    'POST',
    `${RULES}/clients`,
    Array.from({ length: 45 }, (_, i) => ({
      clientid: `c-${String(i).padStart(2, '0')}`,
      rules: [{ permission: 'allow', action: 'all', topic: 'a' }],
    })),
  );
  const { page } = await stage.open('/authorization/detail/built_in_database?tab=permissions');
  await page.getByText('1–20 of 45').waitFor();
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('button', { name: 'Page 3', exact: true })
    .click();
  await page.getByText('41–45 of 45').waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('3');
  await page.goBack();
  await page.getByText('1–20 of 45').waitFor();
  await page.getByRole('textbox', { name: 'Client ID' }).fill('c-4');
  await page.getByRole('button', { name: 'Rules of c-44', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Rules of c-00', exact: true }).waitFor({ state: 'detached' });
});

test('an HTTP server of the operator decides, and both verdicts are counted', async () => {
  const asked: unknown[] = [];
  const judge = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as { topic: string };
      asked.push(body);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ result: body.topic.startsWith('good/') ? 'allow' : 'deny' }));
    });
  });
  await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve));
  try {
    const { page } = await stage.open('/authorization/create', { clock: true });
    await choose(page, 'HTTP server');
    const url = page.getByRole('textbox', { name: 'URL' });
    await url.fill(`http://127.0.0.1:${(judge.address() as AddressInfo).port}/acl`);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await expectAfterRefresh(page, () => row(page, 'http').getByText('Connected').count()).toBe(1);

    const sensor = await device('sensor', 'olga');
    expect(await subscribe(sensor, 'good/#')).toBe(1);
    expect(await publish(sensor, 'bad/1')).toBe(NOT_AUTHORIZED);
    expect(asked).toEqual([
      { username: 'olga', topic: 'good/#', action: 'subscribe' },
      { username: 'olga', topic: 'bad/1', action: 'publish' },
    ]);
    await page.getByRole('link', { name: 'HTTP server' }).click();
    await expectFigures(page, { Allowed: '1', Denied: '1', 'No match': '0' });
  } finally {
    judge.close();
    judge.closeAllConnections();
  }
});
