import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const at = (page: Page, path: string) => page.waitForURL((url) => url.pathname + url.search === path);
const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL', exact: true });

async function writeSql(page: Page, sql: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
}

/** One call past the console. */
async function api<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await callApi<T>(stage.server, method, path, { token: await stage.token(), body });
  expect(answer.status, `${method} ${path}`).toBeLessThan(300);
  return answer.body;
}
const make = (id: string, more: object = {}) =>
  api('POST', '/rules', { id, sql: `SELECT * FROM "${id}/#"`, actions: [], ...more });

/** The messages that a client has got, as they come. */
async function listen(client: MqttClient, filter: string) {
  const got: { topic: string; payload: string; qos: number; retain: boolean }[] = [];
  client.on('message', (topic, payload, { qos, retain }) => {
    got.push({ topic, payload: payload.toString(), qos, retain });
  });
  await client.subscribeAsync(filter, { qos: 2 });
  return got;
}

test('a rule made in the browser republishes what a device sends, counts it, and stops when it is disabled', async () => {
  const device = await connectDevice(stage.server, 'pump-7');
  const got = await listen(await connectDevice(stage.server, 'screen'), 'alarms/#');
  const { page } = await stage.open('/rules');
  await page.getByRole('button', { name: 'Create rule' }).click();
  await at(page, '/rules/create/form');
  await editor(page).waitFor();
  await page.getByRole('textbox', { name: 'ID' }).fill('too-high');
  await writeSql(
    page,
    'SELECT clientid, payload.pressure as bar FROM "pumps/+/state" WHERE payload.pressure > 6.5',
  );
  await page.getByRole('button', { name: 'Add action' }).click();
  const drawer = page.getByRole('dialog', { name: 'Add action' });
  await drawer.getByRole('textbox', { name: 'Topic' }).fill('alarms/${clientid}');
  await drawer.getByLabel(/^QoS/).selectOption('1');
  await drawer.getByRole('textbox', { name: 'Payload template' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"bar":${bar}}');
  await drawer.getByRole('button', { name: 'Apply' }).click();
  await drawer.waitFor({ state: 'detached' });
  await page.getByText('alarms/${clientid}').waitFor();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await at(page, '/rules/detail/too-high/info');

  await device.publishAsync('pumps/7/state', '{"pressure":3}');
  await device.publishAsync('pumps/7/state', '{"pressure":7.25}', { qos: 1 });
  await expect
    .poll(() => got)
    .toEqual([{ topic: 'alarms/pump-7', payload: '{"bar":7.25}', qos: 1, retain: false }]);

  await page.getByRole('button', { name: /^Refresh/ }).click();
  const node = page.getByRole('row', { name: /^mqdeck@/ });
  // Matched, passed, failed, no result; then the rate.
  await expect.poll(() => node.innerText()).toMatch(/^\S+\s+2\s+1\s+0\s+1\s/);

  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
  await page.getByText('Reset successfully').waitFor();
  await expect.poll(() => node.innerText()).toMatch(/^\S+\s+0\s+0\s+0\s+0\s/);

  await page.getByRole('switch', { name: 'Enable too-high' }).press('Space');
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('The rule is disabled: nothing is handled.').waitFor();
  // Another rule shows that the message has been handled by then.
  await make('witness', {
    sql: 'SELECT * FROM "pumps/#"',
    actions: [{ function: 'republish', args: { topic: 'alarms/seen', payload: 'x' } }],
  });
  await device.publishAsync('pumps/7/state', '{"pressure":9}', { qos: 1 });
  await expect.poll(() => got.map(({ topic }) => topic)).toEqual(['alarms/pump-7', 'alarms/seen']);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Delete the rule too-high?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await at(page, '/rules');
  await row(page, 'witness').waitFor();
  expect(await row(page, 'too-high').count()).toBe(0);
  await api('DELETE', '/rules/witness');
});

test('a rule is found, duplicated, and the page steps back when its last row goes', async () => {
  const { data } = await api<{ data: { id: string }[] }>('GET', '/rules?limit=1000');
  for (const { id } of data) await api('DELETE', `/rules/${id}`);
  for (let nr = 10; nr < 31; nr++) await make(`many${nr}`);
  await make('lone', { sql: 'SELECT * FROM "lonely/+/topic"', description: 'one of a kind' });
  const { page } = await stage.open('/rules?limit=20');
  await page.getByRole('textbox', { name: 'ID contains' }).fill('lon');
  await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
  await page.getByRole('textbox', { name: 'ID contains' }).fill('');
  await page.getByRole('textbox', { name: 'Source contains' }).fill('lonely');
  await row(page, 'lone').waitFor();
  await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
  await page.getByRole('textbox', { name: 'Source contains' }).fill('');
  await page.getByRole('textbox', { name: 'Source matches' }).fill('lonely/#');
  await expect.poll(() => page.locator('[data-row]').count()).toBe(1);
  await page.getByRole('textbox', { name: 'Source matches' }).fill('');
  await expect.poll(() => page.locator('[data-row]').count()).toBe(20);

  // The oldest two stand on the second page.
  await page.getByRole('button', { name: 'Page 2' }).click();
  await row(page, 'many10').waitFor();
  for (const id of ['many11', 'many10']) {
    await page.getByRole('button', { name: `Actions for ${id}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row(page, id).waitFor({ state: 'detached' });
  }
  await row(page, 'many30').waitFor();
  expect(new URL(page.url()).search).toBe('?limit=20');

  for (const copy of ['lone_duplication', 'lone_duplication_1']) {
    await page.getByRole('textbox', { name: 'ID contains' }).fill('lone');
    await row(page, 'lone').waitFor();
    await page.getByRole('button', { name: 'Actions for lone', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'ID' }).inputValue()).toBe(copy);
    await expect.poll(() => editor(page).innerText()).toContain('lonely/+/topic');
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('one of a kind');
    await page.getByRole('button', { name: 'Create rule' }).click();
    await at(page, `/rules/detail/${copy}/info`);
    await page.getByRole('banner').getByRole('link', { name: 'Rules', exact: true }).click();
    await at(page, '/rules');
  }
});

test('the test takes a message that really came, shows what becomes of it, and warns of another source', async () => {
  const device = await connectDevice(stage.server, 'meter-2');
  const { page } = await stage.open('/rules/create/form', { clock: true });
  await writeSql(page, 'SELECT clientid, payload.kwh * 2 as twice FROM "meters/#"');
  await page.getByRole('switch', { name: 'Test the SQL' }).click({ force: true });
  await page.getByText('Waiting for a message…').waitFor();
  await device.publishAsync('meters/2', '{"kwh":21,"deep":{"er":[1]}}');
  const use = page.getByRole('button', { name: 'Use the message of meters/2' });
  await expectAfterRefresh(page, () => use.count()).toBe(1);
  await use.click();
  await expect.poll(() => page.getByRole('textbox', { name: 'clientid' }).inputValue()).toBe('meter-2');
  await page.getByRole('button', { name: 'Run Test' }).click();
  await page.getByText('The SQL gives a result').waitFor();
  const output = page.getByRole('region', { name: 'Output result' }).last();
  expect(await output.innerText()).toMatch(/clientid\s+meter-2\s+twice\s+42/);
  await page.getByRole('tab', { name: 'JSON' }).click();
  expect(JSON.parse(await page.getByRole('region', { name: 'Output result' }).last().innerText())).toEqual({
    clientid: 'meter-2',
    twice: 42,
  });

  await writeSql(page, 'SELECT payload.kwh as k FROM "$events/client_connected"');
  await page.getByLabel('Data source', { exact: true }).selectOption('$events/message_publish');
  await page.getByText("Data source doesn't match the entered SQL").waitFor();
  await page.getByRole('button', { name: 'Run Test' }).click();
  await page.getByText('No result: the source does not fit, or WHERE is not true.').waitFor();

  await writeSql(page, 'SELECT abs(payload) as a FROM "t/#"');
  await page.getByRole('button', { name: 'Run Test' }).click();
  await page.getByText(/^The SQL failed: abs cannot take .* \(in the fields\)$/).waitFor();
  await page.getByRole('textbox', { name: 'clientid' }).fill('changed');
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.getByText('Reset the test data?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'clientid' }).inputValue()).toBe('c_sensor');
});

test('the editor suggests, explains, finds faults, and becomes a form and back', async () => {
  const { page } = await stage.open('/rules/create/form');
  // In the first moment of a list, Enter still belongs to the text, so that nobody takes what they did not see.
  await expect
    .poll(async () => {
      await writeSql(page, 'SELECT ');
      await page.keyboard.type('conc');
      await page
        .getByRole('option', { name: /^concat\b/ })
        .first()
        .waitFor();
      await page.getByText('Two values joined to one text.').waitFor();
      await page.keyboard.press('Enter');
      return editor(page).innerText();
    })
    .toContain('SELECT concat(');
  await page.keyboard.insertText("clientid, 'x') as a FROM ");
  await page.keyboard.type('"$events/client_conn');
  const event = page.getByRole('option', { name: /^\$events\/client_connected/ });
  await event.waitFor();
  // While the list is made anew for the last letter, a click does nothing.
  await expect
    .poll(async () => {
      if (await event.isVisible()) await event.click({ timeout: 1000 }).catch(() => undefined);
      return editor(page).innerText();
    })
    .toContain(`SELECT concat(clientid, 'x') as a FROM "$events/client_connected"`);

  // The pointer rests on the name of the function, then moves a little.
  const middleOf = (word: string) =>
    editor(page).evaluate((it, text) => {
      const nodes = document.createTreeWalker(it, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode() && !nodes.currentNode.textContent?.includes(text));
      const range = document.createRange();
      const from = nodes.currentNode.textContent!.indexOf(text);
      range.setStart(nodes.currentNode, from);
      range.setEnd(nodes.currentNode, from + text.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }, word);
  let step = 0;
  await expect
    .poll(
      async () => {
        const { x, y } = await middleOf('concat');
        step = 1 - step;
        await page.mouse.move(x + step, y);
        return page.getByText('concat(value, value)').isVisible();
      },
      { interval: 600 },
    )
    .toBe(true);

  await writeSql(page, 'SELECT nofun(a) as b FROM "t"');
  const problems = page.getByRole('list', { name: 'Problems in SQL' });
  await problems.getByText('There is no function nofun').first().waitFor();
  await writeSql(page, 'SELECT a FORM "t"');
  await problems.getByText('This cannot stand here').waitFor();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByRole('alert').getByText('Line 1: This cannot stand here').waitFor();
  await at(page, '/rules/create/form');

  await page.getByRole('button', { name: 'SQL examples' }).click();
  await page.getByRole('button', { name: /^Use Only some items of a list/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Write it as a form' }).click();
  const condition = page.getByRole('textbox', { name: 'Condition of each item (INCASE)' });
  await expect.poll(() => condition.innerText()).toBe('reading.value > 5');
  await condition.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('reading.value > 50');
  await page.getByRole('tab', { name: 'Data sources' }).click();
  await page.getByText('Client disconnected').click();
  await page.getByRole('button', { name: 'Use Client disconnected' }).click();
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Data source 2' }).inputValue())
    .toBe('$events/client_disconnected');
  await page.getByRole('button', { name: 'Write it as SQL' }).click();
  const written = () => editor(page).innerText();
  await expect.poll(written).toContain('reading.value > 50');
  await expect.poll(written).toContain('"$events/client_disconnected"');
});

test('settings are saved or saved as a copy, and leaving with changes asks', async () => {
  await make('kept', { description: 'before' });
  const { page } = await stage.open('/rules/detail/kept/info?tab=settings');
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.fill('after');
  await page.getByRole('tab', { name: 'Data bridges' }).click();
  const ask = page.getByRole('dialog');
  await ask
    .getByRole('button', { name: 'Stay' })
    .or(ask.getByRole('button', { name: 'Cancel' }))
    .click();
  await at(page, '/rules/detail/kept/info?tab=settings');
  expect(await note.inputValue()).toBe('after');

  await page.getByRole('button', { name: 'Save as copy' }).click();
  const copy = page.getByRole('dialog', { name: 'Save as another rule' });
  expect(await copy.getByRole('textbox', { name: 'ID of the copy' }).inputValue()).toBe('kept_duplication');
  await copy.getByRole('textbox', { name: 'ID of the copy' }).fill('kept');
  await copy.getByRole('button', { name: 'Save as copy' }).click();
  await copy.getByText('There is a rule of this ID already').waitFor();
  await copy.getByRole('textbox', { name: 'ID of the copy' }).fill('other');
  await copy.getByRole('button', { name: 'Save as copy' }).click();
  await at(page, '/rules/detail/other/info');
  expect(await api('GET', '/rules/other')).toMatchObject({ description: 'after' });
  expect(await api('GET', '/rules/kept')).toMatchObject({ description: 'before' });

  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Rule other saved').waitFor();
  expect(await api('GET', '/rules/other')).toMatchObject({ description: '' });
  // Nothing is unsaved any more.
  await page.getByRole('tab', { name: 'Data bridges' }).click();
  await page.getByText('This rule uses no data bridges.').waitFor();
});

test('a rule for a bridge delivers to it, and its page shows the bridge with its counters', async () => {
  const bodies: string[] = [];
  const target = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/in`;
    await api('POST', '/bridges', { type: 'webhook', name: 'office', url, body: '${.}' });
    const { page } = await stage.open('/rules/create/form?bridgeId=webhook%3Aoffice');
    await page.getByRole('button', { name: 'Edit webhook:office' }).waitFor();
    await page.getByRole('textbox', { name: 'ID' }).fill('to-office');
    await writeSql(page, 'SELECT topic FROM "letters/#"');
    await page.getByRole('button', { name: 'Create rule' }).click();
    await at(page, '/rules/detail/to-office/info');
    const device = await connectDevice(stage.server, 'writer');
    await device.publishAsync('letters/1', 'x', { qos: 1 });
    await expect.poll(() => bodies).toEqual(['{"topic":"letters/1"}']);
    await page.getByRole('tab', { name: 'Data bridges' }).click();
    await at(page, '/rules/detail/to-office/bridge');
    const line = page.getByRole('row', { name: /webhook:office/ });
    await expect.poll(() => line.innerText()).toMatch(/Sends to\s+Connected\s+1\s+1\s+0/);
  } finally {
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  }
});

test('a rule is made by keyboard alone', async () => {
  const { page } = await stage.open('/rules');
  await page.getByRole('button', { name: 'Create rule' }).focus();
  await page.keyboard.press('Enter');
  await at(page, '/rules/create/form');
  await editor(page).waitFor();
  await page.getByRole('textbox', { name: 'ID' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('by-keys');
  await page.getByRole('button', { name: 'Add action' }).focus();
  await page.keyboard.press('Enter');
  const kind = page.getByRole('dialog', { name: 'Add action' }).getByLabel(/^Kind of action/);
  await kind.focus();
  await page.keyboard.press('c'); // the choice that begins with it
  await page.getByText('Writes each result to the output of the broker').waitFor();
  await page.getByRole('button', { name: 'Apply' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'ID' }).focus();
  await page.keyboard.press('Enter');
  await at(page, '/rules/detail/by-keys/info');
  expect(await api('GET', '/rules/by-keys')).toMatchObject({ actions: [{ function: 'console' }] });
});
