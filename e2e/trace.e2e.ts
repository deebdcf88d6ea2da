import fs from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
let token = '';

/** Every test begins without traces. */
beforeEach(async () => {
  token = await stage.token();
  await call('DELETE', '/trace');
});

const call = (method: string, path: string, body?: unknown) =>
  callApi(stage.server, method, path, { token, ...(body !== undefined && { body }) });
const create = (body: Record<string, unknown>) => call('POST', '/trace', body);
const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notices' }).getByText(text, { exact: true });
const log = (page: Page) => page.getByRole('log');
const way = (page: Page) => page.getByRole('complementary', { name: 'Way of one message' });

/** The button of the first line that says this. */
const messageOf = (page: Page, text: string) =>
  log(page).locator('[data-index]').filter({ hasText: text }).first().getByRole('button');

describe('a fault is found', () => {
  test('a subscriber who is denied: who said so, for which topic', async () => {
    await call('POST', '/authorization/sources', { type: 'built_in_database', enable: true });
    await call('POST', '/authorization/sources/built_in_database/rules/clients', [
      { clientid: 'screen', rules: [{ topic: 'secret/#', permission: 'deny', action: 'subscribe' }] },
    ]);
    await call('POST', '/authorization/sources/built_in_database/move', { position: 'front' });
    const { page } = await stage.open('/log-trace');
    await page.getByRole('button', { name: 'Create trace' }).click();
    const form = page.getByRole('dialog', { name: 'Create trace' });
    await form.getByLabel('Name').fill('denied');
    await form.getByLabel('Client ID', { exact: false }).last().fill('screen');
    await form.getByRole('button', { name: 'Create trace' }).click();
    await notice(page, 'Create Log Trace Successfully').waitFor();

    const screen = await connectDevice(stage.server, 'screen');
    await screen.subscribeAsync('secret/1').catch(() => undefined); // 3.1.1 tells of it by 0x80
    await page.getByRole('link', { name: 'denied' }).click();
    const line = log(page).locator('[data-index]').filter({ hasText: 'denied' }).first();
    await line.waitFor();
    const said = await line.innerText();
    for (const part of ['screen', 'subscribe', 'secret/1', 'built_in_database']) expect(said).toContain(part);
    await call('DELETE', '/authorization/sources/built_in_database');
  });

  test('a rule that fails on a message: the way of that message says where and why', async () => {
    await call('POST', '/rules', {
      id: 'copies',
      sql: 'SELECT payload.place as place FROM "plant/#"',
      actions: [{ function: 'republish', args: { topic: 'copy/${place}', payload: '${place}' } }],
    });
    const { page } = await stage.open('/rules/detail/copies/info');
    await page.getByRole('link', { name: 'Trace', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Create trace' });
    expect(await form.getByLabel('Rule ID', { exact: false }).last().inputValue()).toBe('copies');
    await form.getByLabel('Name').fill('rule');
    await form.getByRole('button', { name: 'Create trace' }).click();
    await page.getByRole('link', { name: 'rule', exact: true }).click();
    await log(page).getByText('trace_started').waitFor();

    const sensor = await connectDevice(stage.server, 'sensor');
    await sensor.publishAsync('plant/1', '{"place":"hall"}', { qos: 1 });
    await sensor.publishAsync('plant/1', '{"place":"#"}', { qos: 1 });
    await page.getByRole('searchbox', { name: 'Find in the log' }).fill('failed');
    await page.getByRole('status').filter({ hasText: '1 of 1' }).waitFor();
    await messageOf(page, 'failed').click();
    const steps = way(page).getByRole('listitem');
    await steps.filter({ hasText: 'Rule matched' }).waitFor();
    await steps.filter({ hasText: 'Action failed' }).filter({ hasText: 'TopicNameInvalid' }).waitFor();
    expect(await steps.filter({ hasText: 'Action done' }).count()).toBe(0);
    await call('DELETE', '/rules/copies');
  });

  test('a message that is dropped because the queue is full, from publisher to drop', async () => {
    const { body: zone } = await call('GET', '/configs/global_zone');
    const { mqtt } = zone as { mqtt: Record<string, unknown> };
    await call('PUT', '/configs/global_zone', { ...(zone as object), mqtt: { ...mqtt, max_mqueue_len: 1 } });
    const away = await connectDevice(stage.server, 'away', { clean: false });
    await away.subscribeAsync('t/1', { qos: 1 });
    await away.endAsync();
    await create({ name: 'full', type: 'topic', topic: 't/#' });
    const sensor = await connectDevice(stage.server, 'sensor');
    await sensor.publishAsync('t/1', 'first', { qos: 1 });
    await sensor.publishAsync('t/1', 'second', { qos: 1 });

    const { page } = await stage.open('/log-trace/detail/full');
    await messageOf(page, 'dropped').click();
    const steps = way(page).getByRole('listitem');
    await expect.poll(() => steps.count()).toBe(4);
    const names = await steps.getByRole('button').allInnerTexts();
    expect(names).toEqual(['Received', 'Authorized', 'Queued', 'Dropped: the queue is full']);
    expect(await steps.nth(0).innerText()).toContain('first');
    await steps
      .nth(3)
      .getByRole('link', { name: 'away' })
      .or(steps.nth(2).getByRole('link', { name: 'away' }))
      .first()
      .waitFor();
    // The link shows the same to somebody else
    expect(new URL(page.url()).searchParams.get('message')).toMatch(/^[0-9A-F]{32}$/);
    await call('PUT', '/configs/global_zone', zone);
  });
});

test('a trace is created, read while it runs, stopped, downloaded and deleted', async () => {
  const { page } = await stage.open('/log-trace', { clock: true });
  await page.getByText('No trace is waiting or running', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Create trace' }).click();
  const form = page.getByRole('dialog', { name: 'Create trace' });
  const submit = form.getByRole('button', { name: 'Create trace' });
  await form.getByLabel('Name').fill('1a');
  const packets = form.getByRole('group', { name: 'Packet types' }).getByRole('checkbox');
  await expect.poll(() => packets.count()).toBe(5);
  for (const one of await packets.all()) await one.uncheck();
  await form.getByLabel('Start time').fill('');
  await form.getByLabel('End time').fill('');
  await submit.click();
  await form.getByText('A name begins with a letter', { exact: false }).waitFor();
  await form.getByText('Client ID is required').waitFor();
  await form.getByText('Start time is required').waitFor();
  await form.getByText('End time is required').waitFor();
  await form.getByText('Choose at least one packet type').waitFor();
  for (const one of await packets.all()) await one.check();
  await form.getByLabel('Name').fill('mine');
  await form.getByRole('combobox', { name: 'Type' }).selectOption({ label: 'Topic' });
  await form.getByLabel('Topic', { exact: false }).last().fill('a/#/b');
  await form.getByLabel('Start time').fill('2026-01-01T10:00:00');
  await form.getByRole('button', { name: '10 min' }).click();
  await submit.click();
  await form.getByText('No topic filter').waitFor();
  await form.getByText('The end has passed already').waitFor();
  await form.getByLabel('Topic', { exact: false }).last().fill('t/#');
  await form.getByLabel('End time').fill('2099-01-01T10:00:00');
  await submit.click();
  await notice(page, 'Create Log Trace Successfully').waitFor();
  const active = page.getByRole('region', { name: 'Active' });
  const finished = page.getByRole('region', { name: 'Finished' });
  await active.getByRole('row').filter({ hasText: 'mine' }).filter({ hasText: 'Running' }).waitFor();

  await active.getByRole('link', { name: 'mine' }).click();
  await log(page).getByText('trace_started').waitFor();
  const sensor = await connectDevice(stage.server, 'sensor');
  await sensor.publishAsync('t/1', 'while it is read', { qos: 1 });
  await expectAfterRefresh(page, () => log(page).getByText('while it is read').count()).toBe(1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await sensor.publishAsync('t/2', 'in the pause', { qos: 1 });
  await expect.poll(async () => fs.readFileSync(traceFile('mine'), 'utf8')).toContain('in the pause');
  expect(await log(page).getByText('in the pause').count()).toBe(0);
  await page.getByRole('button', { name: 'Follow' }).click();
  await expectAfterRefresh(page, () => log(page).getByText('in the pause').count()).toBe(1);

  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await notice(page, 'Stop Log Trace Successfully').waitFor();
  await expectAfterRefresh(page, () => log(page).getByText('trace_stopped').count()).toBe(1);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe('mine.zip');
  expect(
    fs
      .readFileSync((await file.path())!)
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
  await page.getByRole('link', { name: 'Back to the trace list' }).click();
  await finished
    .getByRole('row')
    .filter({ hasText: 'mine' })
    .getByRole('button', { name: /actions|more/i })
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await notice(page, 'Delete Log Trace Successfully').waitFor();
  await finished.getByText('No trace has finished').waitFor();
  expect(fs.existsSync(traceFile('mine'))).toBe(false);
});

test('on a narrow screen all of a line can be read: it wraps, or scrolls where that is wanted', async () => {
  const now = Date.now();
  const times = { start_at: new Date(now).toISOString(), end_at: new Date(now + 600_000).toISOString() };
  await create({ name: 'narrow', type: 'clientid', clientid: 'talker', ...times });
  const talker = await connectDevice(stage.server, 'talker');
  await talker.publishAsync('a/long/topic', `${'word '.repeat(60)}END`, { qos: 1 });
  const { page } = await stage.open('/log-trace/detail/narrow', { width: 390, height: 844 });
  const said = log(page).getByText('END', { exact: false }).first();
  await said.waitFor();
  const beyond = () => log(page).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(await beyond()).toBe(0);
  await page.getByLabel('Wrap lines').uncheck();
  await expect.poll(beyond).toBeGreaterThan(0);
});

function traceFile(name: string): string {
  const folder = `${stage.server.dataDir}/trace`;
  const found = fs.readdirSync(folder).find((file) => file.startsWith(`trace_${name}_`));
  return `${folder}/${found ?? 'none'}`;
}

test('a client leads to the form that traces it, and a download that takes too long says where the log is', async () => {
  await connectDevice(stage.server, 'sensor-7');
  const { page } = await stage.open('/connections/detail/sensor-7', { clock: true });
  await page.getByRole('link', { name: 'Trace', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Create trace' });
  expect(await form.getByLabel('Client ID', { exact: false }).last().inputValue()).toBe('sensor-7');
  await form.getByLabel('Name').fill('slow');
  await form.getByRole('button', { name: 'Create trace' }).click();
  await page.getByRole('link', { name: 'slow' }).waitFor();

  await page.route('**/download*', () => undefined); // nobody answers
  await page.goto(`${stage.server.url}/log-trace/detail/slow`);
  await log(page).getByText('trace_started').waitFor();
  await page.getByRole('button', { name: 'Download' }).click();
  await page.clock.fastForward(21_000);
  await notice(
    page,
    'Trace download timeout: the log can be found in the data/trace path of the server',
  ).waitFor();
});

test('a long trace shows its end, and offers the download', async () => {
  await call('POST', '/rules', { id: 'wordy', sql: 'SELECT payload FROM "long/#"', actions: [] });
  await create({ name: 'long', type: 'topic', topic: 'long/#' });
  const sensor = await connectDevice(stage.server, 'sensor');
  const payload = 'x'.repeat(4000);
  await Promise.all(
    Array.from({ length: 1100 }, (_, n) => sensor.publishAsync(`long/${n}`, payload, { qos: 1 })),
  );
  await sensor.publishAsync('long/last', 'the end', { qos: 1 });
  await expect.poll(() => fs.readFileSync(traceFile('long'), 'utf8').includes('the end')).toBe(true);
  expect(fs.statSync(traceFile('long')).size).toBeGreaterThan(5 * 1024 * 1024);
  const { page } = await stage.open('/log-trace/detail/long');
  await page.getByText('The Trace is too long, you better download to view', { exact: false }).waitFor();
  await log(page).getByText('the end').first().waitFor();
  expect(await log(page).locator('[data-index]').count()).toBeLessThan(200);
  await call('DELETE', '/rules/wordy');
});

describe('in front of a cluster of several nodes', () => {
  const cluster = setCluster(stage);

  test('the node that logged last is shown first, then any other, or all in the order of time', async () => {
    const [early, late] = ['emqx@10.0.0.1', 'emqx@10.0.0.2'];
    const at = new Date(Date.now() - 60_000).toISOString();
    const line = (second: number, msg: string) =>
      `2026-11-21T10:00:0${second}.000000+00:00 [MQTT] c@10.1.1.1:7 msg: ${msg}, packet: PINGREQ(Q0, R0, D0), username: u\n`;
    const logs = new Map([
      [early, line(1, 'first_one') + line(3, 'third_one')],
      [late, line(2, 'second_one') + line(4, 'fourth_one')],
    ]);
    const trace = {
      name: 'far',
      type: 'clientid',
      clientid: 'c',
      status: 'stopped',
      start_at: at,
      end_at: at,
    };
    cluster.on('GET /trace', () => ({ body: [{ ...trace, log_size: { [early]: 200, [late]: 200 } }] }));
    cluster.on('GET /trace/far/log_detail', () => ({
      body: [
        { node: early, size: 200, mtime: 1_795_228_600 },
        { node: late, size: 200, mtime: 1_795_228_615 },
      ],
    }));
    cluster.on('GET /trace/far/log', ({ query }) => {
      const text = logs.get(query.get('node') ?? '') ?? '';
      const from = Number(query.get('position') ?? 0);
      return { body: { items: text.slice(from), meta: { position: text.length, bytes: 1000 } } };
    });
    const { page } = await cluster.open('/log-trace/detail/far');
    const node = page.getByRole('combobox', { name: 'Node' });
    await log(page).getByText('fourth_one').waitFor();
    expect(await node.inputValue()).toBe(late);
    expect(await log(page).getByText('first_one').count()).toBe(0);
    await node.selectOption({ label: early });
    await log(page).getByText('third_one').waitFor();
    expect(await log(page).getByText('fourth_one').count()).toBe(0);
    await node.selectOption({ label: 'All nodes' });
    await expect
      .poll(async () => (await log(page).innerText()).match(/\w+_one/g))
      .toEqual(['first_one', 'second_one', 'third_one', 'fourth_one']);
    // Lines of others have no message to follow
    expect(await log(page).getByRole('button').count()).toBe(0);
  });

  test('one that has no traces says so', async () => {
    const { page } = await cluster.open('/log-trace');
    await page.getByText('not available on this broker', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Create trace' }).count()).toBe(0);
  });
});

test('a trace that does not exist leads back to the list', async () => {
  const { page } = await stage.open('/log-trace/detail/nothing');
  await page.getByText('There is no trace nothing').waitFor();
  await page.getByRole('link', { name: 'Back to the trace list' }).click();
  await page.getByRole('heading', { level: 1, name: 'Log trace' }).waitFor();
});
