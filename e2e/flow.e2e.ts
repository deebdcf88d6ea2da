import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const republish = (topic: string) => ({ function: 'republish', args: { topic } });

let call: Awaited<ReturnType<typeof operatorOf>>;
beforeAll(async () => {
  call = await operatorOf(stage.server);
});
const rule = (id: string, sql: string, actions: unknown[], enable = true) =>
  call('POST', '/rules', { id, sql, actions, enable });

/** Every test begins with no rule and no bridge. */
beforeEach(async () => {
  const { data } = await call<{ data: { id: string }[] }>('GET', '/rules?limit=1000');
  for (const { id } of data) await call('DELETE', `/rules/${id}`);
  for (const { type, name } of await call<{ type: string; name: string }[]>('GET', '/bridges'))
    await call('DELETE', `/bridges/${type}:${name}`);
});

async function makeSome(): Promise<void> {
  await call('POST', '/bridges', { type: 'webhook', name: 'store', url: `${stage.server.url}/status` });
  await call('POST', '/bridges', {
    type: 'webhook',
    name: 'resting',
    url: 'http://127.0.0.1:9',
    enable: false,
  });
  await rule('hot', 'SELECT payload FROM "room/+/t"', ['webhook:store', republish('alarms/hot')]);
  await rule('alarms', 'SELECT * FROM "alarms/#"', [{ function: 'console' }]);
  await rule('lost', 'SELECT * FROM "$events/client_connected"', ['mysql:gone']);
  await rule('echo', 'SELECT * FROM "echo/+"', [republish('echo/1')]);
  await rule('asleep', 'SELECT * FROM "asleep"', ['webhook:resting'], false);
}

test('without rules and bridges it explains itself, and offers to create a rule', async () => {
  const { page } = await stage.open('/flow');
  await page.getByText('No data is handled yet').waitFor();
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.waitForURL('**/rules/create/form');
});

test('rules and bridges are drawn with what they do, and a click opens them', async () => {
  await makeSome();
  const { page } = await stage.open('/flow');
  const hot = page.getByRole('link', { name: /^hot\s*, Rule\. Enabled/ });
  await hot.waitFor();
  expect(await hot.textContent()).toMatch(
    /Comes from: room\/\+\/t\. Goes to: (webhook:store, alarms\/hot|alarms\/hot, webhook:store)/,
  );
  await page.getByRole('button', { name: /^mysql:gone\s*, Data bridge\. does not exist/ }).waitFor();
  await page.getByRole('link', { name: /^webhook:resting\s*, Data bridge\. Disabled/ }).waitFor();
  await page.getByRole('link', { name: /^asleep\s*, Rule\. Disabled/ }).waitFor();
  await page.getByRole('link', { name: /^echo\s*, Rule\. .*loop/ }).waitFor();
  await page.getByRole('button', { name: /^alarms\/hot\s*, Republish.*Goes to: alarms\/#/ }).waitFor();

  const sensor = await connectDevice(stage.server, 'sensor');
  for (let i = 0; i < 5; i++) await sensor.publishAsync('room/1/t', '1', { qos: 1 });
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: /^Refresh / }).click();
      return hot.innerText();
    })
    .toMatch(/5 passed/);
  await hot.hover();
  const facts = page.getByRole('region', { name: 'Facts' });
  await facts.getByRole('heading', { name: 'hot' }).waitFor();
  await facts.getByText('SELECT payload FROM "room/+/t"').waitFor();
  await facts.getByRole('button', { name: 'alarms/hot' }).click();
  await facts.getByRole('heading', { name: 'alarms/hot' }).waitFor();
  await hot.click();
  await page.waitForURL('**/rules/detail/hot/info');
  await page.goBack();
  await page.getByRole('link', { name: /^webhook:store\s*, Data bridge/ }).click();
  await page.waitForURL('**/bridge/dataBridge/detail/webhook%3Astore');
});

test('arrow keys go along the edges, and Enter opens what they lead to', async () => {
  await makeSome();
  const { page } = await stage.open('/flow');
  const source = page.getByRole('button', { name: /^room/ });
  await source.waitFor();
  await source.focus();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.keyboard.press('ArrowRight');
  await expect.poll(focused).toMatch(/^hot\s*, Rule/);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(focused).toMatch(/^room/);
  await page.keyboard.press('ArrowLeft');
  expect(await focused()).toMatch(/^room/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Home');
  await expect.poll(focused).toMatch(/, Rule\./);
  const first = await focused();
  await page.keyboard.press('ArrowDown');
  await expect.poll(focused).not.toBe(first);
  expect(await focused()).toMatch(/, Rule\./);
  await page.keyboard.press('ArrowUp');
  await expect.poll(focused).toBe(first);
  // One stop of Tab leads through the whole graph.
  expect(await page.locator('[data-card][tabindex="0"]').count()).toBe(1);
  await page.getByRole('link', { name: /^hot\s*, Rule/ }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/rules/detail/hot/info');
});

test('with many rules they are drawn together, and what is searched for is jumped to', async () => {
  for (let i = 0; i < 48; i++) await rule(`r${i}`, `SELECT * FROM "site/${i % 4}"`, [republish(`out/${i}`)]);
  const { page } = await stage.open('/flow');
  await page.getByRole('button', { name: /^site\/3\s*, Rules\. 12 rules/ }).waitFor();
  expect(await page.getByRole('link', { name: /, Rule\./ }).count()).toBe(0);
  expect(await page.getByLabel('Draw rules together').inputValue()).toBe('source');

  const find = page.getByRole('searchbox', { name: 'Find topic, rule or bridge' });
  await find.fill('out/47');
  await page.getByText('1 hit', { exact: true }).waitFor();
  const hit = page.locator('[data-hit]');
  await expect.poll(() => hit.count()).toBe(1);
  await expect.poll(() => page.locator('[data-card]:not([data-dim])').count()).toBe(1);
  await find.press('Enter');
  const found = page.getByRole('button', { name: /^out\/47\s*, Republish/ });
  await expect.poll(() => found.evaluate((card) => card === document.activeElement)).toBe(true);
  await page.getByText('1 of 1', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('out/47');
  await expect.poll(() => page.getByRole('link', { name: /, Rule\./ }).count()).toBe(12);

  // A link shows the same to somebody else; then it is folded again.
  await page.reload();
  await found.waitFor();
  await page.getByRole('button', { name: 'Fold site/3', exact: true }).click();
  await page.getByRole('button', { name: /^site\/3\s*, Rules/ }).waitFor();
  await find.fill('nowhere');
  await page.getByText('Nothing found').waitFor();
  await page.getByLabel('Draw rules together').selectOption({ label: 'Each by itself' });
  await expect.poll(() => page.getByRole('link', { name: /, Rule\./ }).count()).toBe(48);
});

test('filters leave what has trouble or what is enabled, and stay in the address', async () => {
  await makeSome();
  const { page } = await stage.open('/flow');
  await page.getByRole('link', { name: /^hot\s*, Rule/ }).waitFor();
  await page.getByRole('checkbox', { name: 'Only with trouble' }).check();
  await page.getByRole('link', { name: /^hot\s*, Rule/ }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^lost\s*, Rule/ }).waitFor();
  await page.getByRole('link', { name: /^echo\s*, Rule/ }).waitFor();
  expect(new URL(page.url()).searchParams.get('trouble')).toBe('true');
  await page.goBack();
  await page.getByRole('link', { name: /^hot\s*, Rule/ }).waitFor();
  await page.getByRole('checkbox', { name: 'Only enabled' }).check();
  await page.getByRole('link', { name: /^asleep\s*, Rule/ }).waitFor({ state: 'detached' });
  await call('DELETE', '/rules/lost');
  await call('DELETE', '/rules/echo');
  await page.getByRole('checkbox', { name: 'Only with trouble' }).check();
  await page.getByRole('button', { name: /^Refresh / }).click();
  await page.getByText('Nothing matches these filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: /^asleep\s*, Rule/ }).waitFor();
});

test('the list says the same as the graph', async () => {
  await makeSome();
  const { page } = await stage.open('/flow');
  await page.getByRole('link', { name: /^hot\s*, Rule/ }).waitFor();
  await page.getByRole('button', { name: 'List', exact: true }).click();
  const row = (text: RegExp) => page.getByRole('row', { name: text });
  await row(/room\/\+\/t hot Enabled webhook:store Connected/).waitFor();
  await row(/room\/\+\/t hot Enabled alarms\/hot – .*alarms\/#/).waitFor();
  await row(/lost Enabled mysql:gone does not exist/).waitFor();
  await row(/echo .*loop/).waitFor();
  await row(/asleep asleep Disabled webhook:resting Disabled/).waitFor();
  await page.getByRole('link', { name: 'hot', exact: true }).first().click();
  await page.waitForURL('**/rules/detail/hot/info');
});

describe('in front of a cluster that counts each by itself', () => {
  const cluster = setCluster(stage);

  test('only what is looked at is counted', async () => {
    cluster.on('GET /rules', () => ({
      body: {
        data: ['one', 'two', 'three'].map((id) => ({
          id,
          name: '',
          sql: 'SELECT * FROM "a"',
          actions: ['http:out'],
          enable: true,
          description: '',
          from: ['a'],
          created_at: '2026-01-01T00:00:00.000Z',
        })),
        meta: { page: 1, limit: 1000, count: 3, hasnext: false },
      },
    }));
    cluster.on('GET /bridges', () => ({
      body: [{ type: 'webhook', name: 'out', enable: true, status: 'connected', node_status: [] }],
    }));
    cluster.on('GET /rules/two/metrics', () => ({
      body: {
        id: 'two',
        metrics: { matched: 9, passed: 7, failed: 2, 'matched.rate': 0.5 },
        node_metrics: [],
      },
    }));
    const { page } = await cluster.open('/flow');
    const two = page.getByRole('link', { name: /^two\s*, Rule/ });
    await two.waitFor();
    await two.focus();
    await expect.poll(() => two.innerText()).toContain('7 passed');
    expect(cluster.calls.filter((one) => /^GET \/rules\/.*\/metrics/.test(one))).toEqual([
      'GET /rules/two/metrics',
    ]);
    expect(cluster.calls.filter((one) => /^GET \/bridges\//.test(one))).toEqual([]);
  });
});
