import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { navigate } from './support/browser.ts';
import { ALARM } from './support/cluster-alarms.ts';
import { connectDevice, disconnected } from './support/devices.ts';
import { ABSENT, type FakeCluster, gate, startFakeCluster } from './support/fake-cluster.ts';
import { type RunningServer, startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

const ADMINISTRATIVE_ACTION = 0x98;

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const notices = (page: Page) => page.getByRole('region', { name: 'Notices' });
const rowOf = (page: Page, clientid: string) => page.locator(`[data-row=${JSON.stringify(clientid)}]`);

describe('in front of a cluster', () => {
  let cluster: RunningServer;
  const stage = setStage({
    async start() {
      cluster = await startServer();
      const { http, ws } = cluster.ports;
      const socket = `ws://127.0.0.1:${ws}/mqtt`;
      return startServer({
        args: ['--upstream', `plant-1=http://127.0.0.1:${http}`, '--upstream-ws', socket],
      });
    },
  });
  afterAll(() => cluster?.stop());

  test('the console says whose it is, shows its clients and kicks one out', async () => {
    const ended = disconnected(await connectDevice(cluster, 'far-pump', { version: 5 }));
    const stays = await connectDevice(cluster, 'far-valve', { version: 4 });
    const { page } = await stage.open('/connections', { signIn: false });
    const name = `http://127.0.0.1:${cluster.ports.http}`;
    await page.getByText(`Console of ${name}`).or(page.getByText('Console of plant-1')).waitFor();
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('public');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Skip for now' }).click();
    await rowOf(page, 'far-pump').getByText('Connected').waitFor();
    await page.getByTitle(/^Cluster /).waitFor();

    await page.getByRole('button', { name: 'Actions for far-pump', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Kick out', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Kick out', exact: true }).click();
    expect(await ended).toBe(ADMINISTRATIVE_ACTION);
    await notices(page).getByText('far-pump is kicked out').waitFor();
    await rowOf(page, 'far-pump').waitFor({ state: 'detached' });
    expect(stays.connected).toBe(true);
  });

  test('MQTT over WebSocket reaches it through the origin of the console', async () => {
    const device = await connectDevice(
      { ports: { ...stage.server.ports, ws: stage.server.ports.http } },
      'through',
      {
        version: 5,
        websocket: true,
      },
    );
    const heard = new Promise<string>((resolve) =>
      device.on('message', (topic, payload) => resolve(`${topic} ${payload}`)),
    );
    await device.subscribeAsync('far/#', { qos: 1 });
    await (await connectDevice(cluster, 'sender')).publishAsync('far/a', 'hello', { qos: 1 });
    expect(await heard).toBe('far/a hello');
    const { page } = await stage.open('/subscriptions/subscription');
    await page.getByText('far/#', { exact: true }).first().waitFor();
  });

  test('every screen with data works through it', async () => {
    await (await connectDevice(cluster, 'far-sensor', { version: 5 })).subscribeAsync('far/+/x');
    const { page } = await stage.open('/connections/detail/far-sensor');
    await page.locator('[data-row="far/+/x"]').waitFor();
    for (const [path, title, shown] of [
      ['/dashboard/overview', 'Overview', 'mqdeck@127.0.0.1'],
      ['/dashboard/nodes', 'Nodes', 'mqdeck@127.0.0.1'],
      ['/dashboard/metrics', 'Metrics', 'messages.received'],
      ['/subscriptions/topics', 'Topics', 'far/+/x'],
      ['/users', 'Users', 'administrator'],
    ] as const) {
      await navigate(page, path);
      await heading(page, title).waitFor();
      await page.locator('main').getByText(shown, { exact: false }).first().waitFor();
      expect(await page.getByRole('alert').count(), path).toBe(0);
    }
  });
});

describe('a cluster', () => {
  let cluster: FakeCluster;
  const stage = setStage({
    async start() {
      cluster = await startFakeCluster();
      return startServer({ args: ['--upstream', cluster.url] });
    },
  });
  afterEach(() => cluster.reset());
  afterAll(() => cluster?.stop());

  const client = (clientid: string, more: object = {}) => ({
    clientid,
    username: null,
    connected: true,
    node: 'emqx@10.0.0.5',
    ip_address: '10.0.0.9',
    port: 40_000,
    proto_name: 'MQTT',
    proto_ver: 5,
    keepalive: 60,
    clean_start: true,
    connected_at: '2026-01-01T00:00:00.000+00:00',
    created_at: '2026-01-01T00:00:00.000+00:00',
    ...more,
  });
  const listOf = (...rows: object[]) => ({
    body: { data: rows, meta: { page: 1, limit: 50, count: rows.length, hasnext: false } },
  });

  test.each([
    ['JSON', ABSENT.json],
    ["a proxy's page", ABSENT.html],
  ])(
    'that has hardly anything, and says so with %s, leaves no screen broken, blank or in error',
    async (_how, absent) => {
      cluster.absent = absent;
      const { page } = await stage.open('/settings');
      await heading(page, 'Settings').waitFor();
      for (const [path, title] of [
        ['/connections', 'Connections'],
        ['/subscriptions/subscription', 'Subscriptions'],
        ['/subscriptions/topics', 'Topics'],
        ['/alarm/current-alarm', 'Current alarms'],
        ['/dashboard/nodes', 'Nodes'],
        ['/dashboard/metrics', 'Metrics'],
        ['/users', 'Users'],
      ] as const) {
        await navigate(page, path);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await page.getByText('Not available on this broker').first().waitFor();
        expect(await page.getByText('404').count(), path).toBe(0);
        expect(await notices(page).innerText(), path).toBe('');
      }

      const asked = () => cluster.calls.filter((call) => call === 'GET /alarms').length;
      await navigate(page, '/dashboard/overview');
      await heading(page, 'Overview').waitFor();
      await expect.poll(asked).toBeGreaterThan(0);
      await expect.poll(() => cluster.calls.includes('GET /monitor_current')).toBe(true);
      await page.getByText('Not available on this broker').first().waitFor();
      expect(await page.getByRole('link', { name: /alarm/i }).count()).toBe(0);
      expect(await notices(page).innerText()).toBe('');
      expect(await page.getByText('404').count()).toBe(0);
      // The rest of the console is alive.
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages, actions and clients' }).fill('settings');
      await page.keyboard.press('Enter');
      await heading(page, 'Settings').waitFor();
    },
  );

  test('that lacks what a button does says so', async () => {
    cluster.on('GET /clients', () => listOf(client('stays')));
    const { page } = await stage.open('/connections');
    await page.getByRole('button', { name: 'Actions for stays', exact: true }).click();
    cluster.absent = ABSENT.html;
    await page.getByRole('menuitem', { name: 'Kick out', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Kick out', exact: true }).click();
    await notices(page).getByText('Not available on this broker', { exact: true }).waitFor();
    expect(await rowOf(page, 'stays').count()).toBe(1);
  });

  test('that takes its time shows what is coming, with a line of progress, and then the rows', async () => {
    const { opened: released, open } = gate();
    cluster.on('GET /clients', async () => {
      await released;
      return listOf(client('slow-one'));
    });
    const { page } = await stage.open('/connections');
    await heading(page, 'Connections').waitFor();
    await page.getByRole('progressbar').waitFor();
    await page.locator('[aria-busy=true]').first().waitFor();
    open();
    await rowOf(page, 'slow-one').waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
  });

  test.each([
    [
      'a refusal in JSON',
      { status: 503, body: { code: 'SERVICE_UNAVAILABLE', message: 'node is starting' } },
      /^503 SERVICE_UNAVAILABLE:node is starting$/,
    ],
    ['an error without a word', { status: 500, type: 'text/plain', body: '' }, /^500 Network error$/],
    [
      "a proxy's page",
      {
        status: 502,
        type: 'text/html',
        body: '<html><head><title>x</title><style>b{}</style></head><body><h1>Bad <b>Gateway</b></h1><script>alert(1)</script></body></html>',
      },
      /^502 :Bad Gateway$/,
    ],
    [
      'a page in place of data',
      {
        status: 200,
        type: 'text/html',
        body: '<html><body>Welcome to the hotel <img src=x onerror=alert(1)></body></html>',
      },
      /^200 :Welcome to the hotel$/,
    ],
    [
      'half an answer',
      { status: 200, type: 'application/json; charset=utf-8', body: '{"data":[{"clientid":' },
      /^The broker's answer could not be understood/,
    ],
  ] as const)(
    'that answers with %s is quoted readably, and works again after a retry',
    async (_what, answer, said) => {
      cluster.on('GET /clients', () => answer);
      const { page } = await stage.open('/connections');
      await page.getByRole('alert').getByText(said).waitFor();
      cluster.on('GET /clients', () => listOf(client('back-again')));
      await page.getByRole('button', { name: 'Try again' }).click();
      await rowOf(page, 'back-again').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await page.locator('img[src="x"]').count()).toBe(0);
    },
  );

  test('that answers pages in place of everything leaves the overview standing', async () => {
    cluster.absent = {
      status: 200,
      type: 'text/html',
      body: '<html><body>Hotel network: please sign in</body></html>',
    };
    const { page } = await stage.open('/dashboard/overview');
    await heading(page, 'Overview').waitFor();
    await page
      .getByText(/Hotel network/)
      .first()
      .waitFor();
    expect(await page.getByText('This page could not be shown').count()).toBe(0);
    await navigate(page, '/dashboard/nodes');
    await heading(page, 'Nodes').waitFor();
    await page
      .getByText(/Hotel network/)
      .first()
      .waitFor();
  });

  test('takes a node in by its name, and lets one go', async () => {
    const figures = { version: '5.8.9', uptime: 60_000, memory_used: '1G', memory_total: '4G', role: 'core' };
    const counts = { load1: 0, load5: 0, load15: 0, process_used: 1, process_available: 9, max_fds: 9 };
    const members = ['emqx@10.0.0.5'];
    cluster.on('GET /nodes', () => ({
      body: members.map((node) => ({
        node,
        node_status: 'running',
        connections: 0,
        live_connections: 0,
        otp_release: '26',
        ...figures,
        ...counts,
      })),
    }));
    const refuse = (message: string) => () => ({ status: 400, body: { code: 'BAD_REQUEST', message } });
    cluster.on('PUT /cluster/emqx%4010.0.0.6/invite', refuse('nodedown'));
    const { page } = await stage.open('/dashboard/nodes');
    await rowOf(page, 'emqx@10.0.0.5').waitFor();
    const invite = page.getByRole('button', { name: 'Invite a node' });
    await invite.click();
    const form = page.getByRole('dialog');
    const send = form.getByRole('button', { name: 'Invite a node' });
    const name = form.getByLabel('Node name');
    await send.click();
    await form.getByText('Node name is required', { exact: true }).waitFor();
    for (const [typed, said] of [
      ['edge-2', 'A node name is a name and a host'],
      ['emqx@10.0.0.5', 'is a member already'],
      ['emqx@10.0.0.6', 'No node of this name answers'],
    ] as const) {
      await name.fill(typed);
      await send.click();
      await form.getByText(said, { exact: false }).waitFor();
    }
    cluster.on('PUT /cluster/emqx%4010.0.0.6/invite', () => {
      members.push('emqx@10.0.0.6');
      return { status: 200 };
    });
    await send.click();
    await rowOf(page, 'emqx@10.0.0.6').waitFor();
    await notices(page).getByText('emqx@10.0.0.6 has joined the cluster').waitFor();

    cluster.on('DELETE /cluster/emqx%4010.0.0.6/force_leave', () => {
      members.pop();
      return { status: 204 };
    });
    await page.getByRole('button', { name: 'Actions for emqx@10.0.0.6', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Remove from the cluster' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await rowOf(page, 'emqx@10.0.0.6').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for emqx@10.0.0.5', exact: true }).click();
    const last = page.getByRole('menuitem', { name: 'Remove from the cluster' });
    expect(await last.getAttribute('aria-disabled')).toBe('true');
  });

  test('that does not sort is said not to, and its order is kept', async () => {
    cluster.on('GET /clients', () => listOf(client('m'), client('z'), client('a')));
    const { page } = await stage.open('/connections');
    await rowOf(page, 'm').waitFor();
    await page.getByRole('button', { name: 'Client ID', exact: true }).click();
    await page.getByText('This broker does not sort lists; rows come in its own order.').waitFor();
    expect(
      await page.locator('[data-row]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row'))),
    ).toEqual(['m', 'z', 'a']);
    expect(await page.locator('[aria-sort=ascending], [aria-sort=descending]').count()).toBe(0);
  });

  test.each([
    [{ page: 1, limit: 100, count: 117, hasnext: true }, '117 alarms'],
    [{ page: 1, limit: 100 }, '2 alarms'],
  ])('with alarms shows how many, counted as it does (%j)', async (meta, said) => {
    cluster.on('GET /alarms', ({ query }) => ({
      body: { data: query.get('activated') === 'true' ? [ALARM, { ...ALARM, name: 'other' }] : [], meta },
    }));
    const { page } = await stage.open('/settings');
    const link = page.getByRole('link', { name: said, exact: true });
    await link.getByText(said).waitFor();
    await link.click();
    await page.waitForURL((url) => url.pathname === '/alarm/current-alarm');
  });

  test('that names itself an enterprise edition is remembered as one; when it forgets all tokens, the login comes once', async () => {
    const { page } = await stage.open('/help', { fresh: true });
    expect(await page.evaluate(() => localStorage.getItem('edition'))).toBe('1');
    cluster.on('GET /users', () => ({
      status: 401,
      body: { code: 'TOKEN_TIME_OUT', message: 'Token expired, get new token by POST /login' },
    }));
    await navigate(page, '/users');
    await page.waitForURL((url) => url.pathname + url.search === '/login?to=%2Fusers');
    await notices(page).getByText('Login has expired, please login again', { exact: true }).waitFor();
  });

  // The last one: the cluster stays away.
  test('that is gone is named in the error, and the rows of before stay', async () => {
    cluster.on('GET /clients', () => listOf(client('was-here')));
    const { page } = await stage.open('/connections');
    await rowOf(page, 'was-here').waitFor();
    await cluster.stop();
    await page.getByRole('button', { name: /^Refresh/ }).click();
    await page
      .getByText(/502 UPSTREAM_UNREACHABLE:127\.0\.0\.1:\d+ does not answer/)
      .first()
      .waitFor();
    expect(await rowOf(page, 'was-here').count()).toBe(1);
  });
});
