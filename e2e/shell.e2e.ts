import type { Page, Response } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { navigate, policyViolations } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { gate } from './support/fake-cluster.ts';
import { startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const at = (page: Page, path: string) => page.waitForURL((url) => url.pathname + url.search === path);
/** The title of a page; that of a thing has a sign for copying behind its name. */
const heading = (page: Page, name: string) =>
  page
    .getByRole('heading', { level: 1, name, exact: true })
    .or(page.getByRole('heading', { level: 1, name: `${name} Copy ${name}`, exact: true }));

/** What a page says of itself, all at once. */
const shownBy = (page: Page) =>
  page.evaluate(() => ({
    path: location.pathname,
    heading: document.querySelector('h1')?.textContent,
    title: document.title,
    focused: document.activeElement?.tagName,
  }));

/** Every page of the menu: its group, its entry, where it is, and its title where that is another one. */
const MENU: readonly [group: string, entry: string, path: string, title?: string][] = [
  ['Monitoring', 'Overview', '/dashboard/overview'],
  ['Monitoring', 'Connections', '/connections'],
  ['Monitoring', 'Subscriptions', '/subscriptions/subscription'],
  ['Monitoring', 'Retained messages', '/retained'],
  ['Monitoring', 'Alarms', '/alarm/current-alarm', 'Current alarms'],
  ['Access control', 'Authentication', '/authentication'],
  ['Access control', 'Authorization', '/authorization'],
  ['Access control', 'Blacklist', '/blacklist'],
  ['Data integration', 'Rules', '/rules'],
  ['Data integration', 'Data bridges', '/bridge/dataBridge'],
  ['Data integration', 'Flow', '/flow'],
  ['Management', 'Listeners', '/listener'],
  ['Management', 'MQTT', '/mqtt/general', 'MQTT general'],
  ['Management', 'Limiter', '/limiter'],
  ['Management', 'Log', '/log'],
  ['Management', 'Monitoring', '/monitoring/alarm-settings', 'Alarm settings'],
  ['Management', 'Gateway', '/gateway'],
  ['Management', 'Exhook', '/exhook'],
  ['Management', 'Plugins', '/plugins'],
  ['Diagnose', 'WebSocket client', '/websocket/client'],
  ['Diagnose', "Why didn't it arrive?", '/delivery'],
  ['Diagnose', 'Topic explorer', '/topics'],
  ['Diagnose', 'Topic metrics', '/topic-metrics'],
  ['Diagnose', 'Slow subscriptions', '/slow-sub'],
  ['Diagnose', 'Log trace', '/log-trace'],
  ['System', 'Users', '/users'],
  ['System', 'API keys', '/APIKey'],
  ['System', 'Audit', '/audit'],
  ['System', 'Backup', '/backup'],
  ['System', 'Settings', '/settings'],
  ['System', 'Help', '/help'],
];

/** Addresses that stand for another one. */
const FORWARDS = [
  ['/', '/dashboard/overview'],
  ['/dashboard', '/dashboard/overview'],
  ['/alarm', '/alarm/current-alarm'],
  ['/subscriptions', '/subscriptions/subscription'],
  ['/mqtt', '/mqtt/general'],
  ['/monitoring', '/monitoring/alarm-settings'],
  ['/websocket', '/websocket/client'],
  ['/rules/create', '/rules/create/form'],
] as const;

/** Every other address of the product, with its title. */
const FURTHER = [
  ['/dashboard/nodes', 'Nodes'],
  ['/dashboard/metrics', 'Metrics'],
  ['/alarm/history-alarm', 'Alarm history'],
  ['/connections/detail/nobody-of-that-id', 'nobody-of-that-id'],
  ['/dashboard/nodes/no-such-node', 'no-such-node'],
  ['/subscriptions/topics', 'Topics'],
  ['/authentication/create', 'Add authenticator'],
  ['/authentication/detail/password_based%3Abuilt_in_database', 'password_based:built_in_database'],
  ['/authorization/create', 'Add source'],
  ['/authorization/detail/file', 'File'],
  ['/listener/detail/tcp%3Adefault/authentication', 'Authentication of tcp:default'],
  ['/listener/detail/tcp%3Adefault/authentication/create', 'Add authenticator to tcp:default'],
  ['/gateway/create/stomp', 'Set up STOMP'],
  ['/gateway/detail/stomp/settings', 'STOMP'],
  ['/gateway/detail/stomp/listeners', 'STOMP'],
  ['/gateway/detail/stomp/auth', 'STOMP'],
  ['/gateway/detail/stomp/connections', 'STOMP'],
  ['/plugins/install', 'Install plugin'],
  ['/plugins/detail/some_plugin-1.0.0', 'some_plugin-1.0.0'],
  ['/exhook/create', 'Add server'],
  ['/exhook/detail/my-hook', 'my-hook'],
  ['/rules/create/form', 'Create rule'],
  ['/rules/detail/rule_1/info', 'rule_1'],
  ['/rules/detail/rule_1/bridge', 'rule_1'],
  ['/bridge/dataBridge/create', 'Create bridge'],
  ['/bridge/dataBridge/detail/mqtt%3Aremote', 'mqtt:remote'],
  ['/mqtt/session', 'MQTT session'],
  ['/mqtt/retainer', 'Retainer'],
  ['/mqtt/system-topic', 'System topics'],
  ['/mqtt/extension', 'MQTT extension'],
  ['/monitoring/integration', 'Monitoring integration'],
  ['/slow-sub/config', 'Slow subscriptions: settings'],
  ['/log-trace/detail/t1', 't1'],
] as const;

describe('the main menu', () => {
  test('begins as a narrow bar, opens, and stays as it was left', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    const bar = page.getByRole('navigation', { name: 'Main menu' });
    const toggle = bar.getByRole('button', { name: 'Expand the menu' });
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
    expect(await bar.getByText('Overview').isVisible()).toBe(false);
    const narrow = (await bar.boundingBox())?.width ?? 0;
    await toggle.click();
    await bar.getByRole('link', { name: 'Overview' }).waitFor();
    expect((await bar.boundingBox())?.width ?? 0).toBeGreaterThan(2 * narrow);
    expect(await bar.getByRole('link', { name: 'Settings' }).getAttribute('aria-current')).toBe('page');
    await page.reload();
    await bar.getByRole('link', { name: 'Overview' }).waitFor();
    await bar.getByRole('button', { name: 'Management' }).click();
    await bar.getByRole('link', { name: 'Listeners' }).click();
    await at(page, '/listener');
    await bar.getByRole('button', { name: 'Collapse the menu' }).click();
    await page.reload();
    await bar.getByRole('button', { name: 'Expand the menu' }).waitFor();
    await heading(page, 'Listeners').waitFor();
    await page.keyboard.press('[');
    await bar.getByRole('button', { name: 'Collapse the menu' }).waitFor();
  });

  test('leads to every page within two clicks, and the page it leads to takes the focus', async () => {
    const { page } = await stage.open('/retained');
    await heading(page, 'Retained messages').waitFor();
    const bar = page.getByRole('navigation', { name: 'Main menu' });
    for (const [group, entry, path, title = entry] of MENU) {
      await bar.getByRole('button', { name: group, exact: true }).click();
      await page
        .getByRole('menu', { name: group, exact: true })
        .getByRole('menuitem', { name: entry, exact: true })
        .click();
      const shown = { path, heading: title, title: `${title} · mqdeck`, focused: 'H1' };
      await expect.poll(() => shownBy(page), { message: path }).toEqual(shown);
    }
  });

  test('flies out where the pointer rests, and its tabs are one click further', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    const bar = page.getByRole('navigation', { name: 'Main menu' });
    for (const [entry, tab, path] of [
      ['Overview', 'Nodes', '/dashboard/nodes'],
      ['Overview', 'Metrics', '/dashboard/metrics'],
      ['Subscriptions', 'Topics', '/subscriptions/topics'],
      ['Alarms', 'Alarm history', '/alarm/history-alarm'],
    ] as const) {
      await bar.getByRole('button', { name: 'Monitoring', exact: true }).hover();
      await page.getByRole('menuitem', { name: entry, exact: true }).click();
      await page.getByRole('navigation', { name: entry }).getByRole('link', { name: tab }).click();
      await at(page, path);
      await heading(page, tab).waitFor();
    }
  });

  test('is used by keyboard alone: Enter, arrows, Escape', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    const sign = page.getByRole('button', { name: 'Access control', exact: true });
    await sign.focus();
    await page.keyboard.press('Enter');
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    await item('Authentication').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe('Authentication');
    await page.keyboard.press('ArrowUp');
    await expect.poll(focused).toBe('Blacklist');
    await page.keyboard.press('Escape');
    await item('Blacklist').waitFor({ state: 'detached' });
    await expect.poll(() => sign.evaluate((it) => it === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Authentication');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Authorization');
    await page.keyboard.press('Enter');
    await at(page, '/authorization');
    await heading(page, 'Authorization').waitFor();
  });

  test('is a sheet behind ☰ on a screen of 390 pixels, and closes when it has led somewhere', async () => {
    const { page, expectAccessible } = await stage.open('/settings', { width: 390, height: 800 });
    await heading(page, 'Settings').waitFor();
    expect(await page.getByRole('button', { name: 'Expand the menu' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    const sheet = page.getByRole('dialog', { name: 'mqdeck' });
    await sheet.waitFor();
    await expectAccessible();
    expect(await sheet.getByRole('link').count()).toBe(MENU.length);
    await sheet.getByRole('link', { name: 'Users' }).click();
    await at(page, '/users');
    await sheet.waitFor({ state: 'detached' });
    await heading(page, 'Users').waitFor();
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await sheet.waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  });
});

describe('addresses', () => {
  test('every one of the product shows its page under its own title', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    for (const [path, title] of FURTHER) {
      await navigate(page, path);
      await heading(page, title).waitFor();
      await expect.poll(() => shownBy(page), { message: path }).toMatchObject({ title: `${title} · mqdeck` });
      expect(new URL(page.url()).pathname).toBe(path);
      // Something stands below the heading.
      await expect.poll(() => page.locator('main').innerText(), { message: path }).toMatch(/\S[\s\S]{20}/);
    }
  });

  test('one that stands for another leads there, and Back does not come to a halt at it', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    for (const [from, to] of FORWARDS) {
      await navigate(page, '/help');
      await heading(page, 'Help').waitFor();
      await navigate(page, from);
      await at(page, to);
      await page.goBack();
      await at(page, '/help');
    }
    // The first address that is opened is no other.
    await page.goto(`${stage.server.url}/mqtt`);
    await at(page, '/mqtt/general');
    await heading(page, 'MQTT general').waitFor();
  });

  test.each([true, false])(
    'one that does not exist says so inside the frame (signed in: %s)',
    async (signIn) => {
      const { page, goto } = await stage.open('/no/such/page', { signIn });
      for (const path of ['/no/such/page', '/connectionz', '/rules/detail/x']) {
        await navigate(page, path);
        await heading(page, 'Page not found').waitFor();
        expect(await page.title()).toBe('Page not found · mqdeck');
        await page.getByRole('navigation', { name: 'Main menu' }).waitFor();
      }
      await goto('/<img src=x onerror=alert(1)>');
      await heading(page, 'Page not found').waitFor();
      await page.getByText('img src=x onerror=alert(1)', { exact: false }).waitFor();
      expect(await page.locator('img').count()).toBe(0);
      await page.getByRole('button', { name: 'Go to the overview' }).click();
      await at(page, signIn ? '/dashboard/overview' : '/login?to=%2F');
    },
  );

  test('the help needs no sign-in and leads to one', async () => {
    const { page } = await stage.open('/help', { signIn: false });
    await heading(page, 'Help').waitFor();
    for (const link of await page.locator('main a').all()) {
      const href = new URL((await link.getAttribute('href')) ?? '', stage.server.url);
      if (href.origin === stage.server.url) expect((await fetch(href)).status, href.pathname).toBe(200);
      else expect(await link.getAttribute('rel')).toContain('noopener');
    }
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await at(page, '/login');
  });

  test('below a prefix the way in and out is the same', async () => {
    const own = await startServer({ args: ['--base', '/ops/mqdeck'] });
    try {
      const opened = await stage.openAt(own, '/ops/mqdeck/users?x=1', { signIn: false });
      const { page } = opened;
      await at(page, '/ops/mqdeck/login?to=%2Fusers%3Fx%3D1');
      await page.getByLabel('Username').fill('admin');
      await page.getByLabel('Password', { exact: true }).fill('public');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Skip for now' }).click();
      await at(page, '/ops/mqdeck/users?x=1');
      await heading(page, 'Users').waitFor();
      await page.getByRole('button', { name: 'Monitoring', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Connections' }).click();
      await at(page, '/ops/mqdeck/connections');
      await opened.goto('/ops/mqdeck/nowhere');
      await heading(page, 'Page not found').waitFor();
      await opened.goto('/ops/mqdeck');
      await at(page, '/ops/mqdeck/dashboard/overview');
      expect(await policyViolations(own)).toBe(0);
      await opened.close();
    } finally {
      await own.stop();
    }
  });
});

describe('the palette', () => {
  const field = (page: Page) => page.getByRole('combobox', { name: 'Search pages, actions and clients' });

  test('finds a page, an action and a connected client, and goes there', async () => {
    await connectDevice(stage.server, 'pump-17');
    await connectDevice(stage.server, 'valve-3');
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();

    await page.keyboard.press('Control+k');
    await field(page).fill('slow subs');
    await page.getByRole('option', { name: /^Slow subscriptions/ }).waitFor();
    await page.keyboard.press('Enter');
    await at(page, '/slow-sub');
    await field(page).waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await field(page).fill('light');
    await page.getByRole('option', { name: 'Switch to the light theme' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light');

    await page.getByRole('button', { name: /Search or jump to/ }).click();
    await field(page).fill('ump-1');
    const client = page.getByRole('option', { name: /^pump-17/ });
    await client.getByText('Connected').waitFor();
    expect(await page.getByRole('option', { name: /^valve-3/ }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await at(page, '/connections/detail/pump-17');
    await heading(page, 'pump-17').waitFor();

    // By the word of the other language too, by address, and by pointer.
    await page.keyboard.press('Control+k');
    await field(page).fill('黑名单');
    await page.getByRole('option', { name: /^Blacklist/ }).click();
    await at(page, '/blacklist');
  });

  test.each(['/connections', '/settings'])(
    'has every key typed after the one that opens it, however late its list arrives (%s)',
    async (path) => {
      await connectDevice(stage.server, 'gateway-00');
      const { opened: released, open } = gate();
      const { page } = await stage.open(path, {
        before: (opening) =>
          opening.route('**/PaletteResults*', async (route) => {
            await released;
            await route.continue();
          }),
      });
      await page.getByRole('button', { name: /Search or jump to/ }).waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('gateway-00?[g');
      expect(await field(page).inputValue()).toBe('gateway-00?[g');
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
      for (let nr = 0; nr < 3; nr++) await page.keyboard.press('Backspace');
      await page.keyboard.press('Enter');
      expect(await page.locator('dialog [role=option]').count()).toBe(0);
      open();
      await at(page, '/connections/detail/gateway-00');
      await field(page).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Expand the menu' }).waitFor();
    },
  );

  test('walks by arrows, says when nothing is found, and leaves without a trace', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    await page.keyboard.press('Control+k');
    const chosen = () => page.locator('[role=option][aria-selected=true]').innerText();
    await expect.poll(chosen).toContain('Overview');
    await page.keyboard.press('ArrowDown');
    await expect.poll(chosen).toContain('Connections');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(chosen).toContain('Log out'); // round to the last
    await field(page).fill('no such thing');
    await page.getByText('Nothing matches “no such thing”').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await at(page, '/settings');
  });

  test('is not there for who is not signed in', async () => {
    const { page } = await stage.open('/help', { signIn: false });
    await heading(page, 'Help').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await field(page).count()).toBe(0);
  });
});

describe('keys', () => {
  test('? lists them, g and a letter jumps, and none of them acts while somebody types', async () => {
    const { page } = await stage.open('/connections');
    await heading(page, 'Connections').waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Search pages, actions and clients').waitFor();
    await list.getByText('Go to the filter of a list').waitFor();
    await list.getByText('Go to: Nodes').waitFor();
    await list.getByText('Go to: Blacklist').waitFor();
    await list.getByText('Go to: Rules').waitFor();
    await list.getByText('Go to: Log trace').waitFor();
    expect(await list.getByText('Go to: Help').count()).toBe(0); // a rare page has no key
    // Nothing behind the list hears a key.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ga/');
    await at(page, '/connections');
    expect(await page.getByRole('combobox', { name: /Search pages/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });

    const search = page.getByRole('textbox', { name: 'Client ID contains' });
    await search.focus();
    await page.keyboard.type('go?[');
    await at(page, '/connections?like_clientid=go%3F%5B');
    expect(await search.inputValue()).toBe('go?[');
    expect(await list.count()).toBe(0);
    await page.getByRole('button', { name: 'Expand the menu' }).waitFor();

    await page.getByRole('button', { name: 'Expand the menu' }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await at(page, '/dashboard/nodes');
  });

  test('the first Tab offers the way past the menu, into the page', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    expect(await skip.evaluate((it) => it === document.activeElement)).toBe(true);
    expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    expect(await page.locator('main').evaluate((it) => it === document.activeElement)).toBe(true);
    await at(page, '/settings');
    await page.keyboard.press('Tab');
    expect(await page.locator('main').evaluate((it) => it.contains(document.activeElement))).toBe(true);
  });
});

describe('the frame', () => {
  test('says how many alarms the broker has and leads to them', async () => {
    let answered: Promise<Response> | undefined;
    const { page } = await stage.open('/settings', {
      before: async (opening) => {
        answered = opening.waitForResponse((response) => response.url().includes('/api/v5/alarms?'));
      },
    });
    // A machine under load may well raise one: the broker's own count is the measure.
    const { meta } = (await (await answered!).json()) as { meta: { count: number } };
    const name = meta.count === 0 ? 'No alarms' : meta.count === 1 ? '1 alarm' : `${meta.count} alarms`;
    await page.getByRole('link', { name, exact: true }).click();
    await at(page, '/alarm/current-alarm');
  });

  test('shows a line of progress while a call is slow, and none afterwards', async () => {
    const { page } = await stage.open('/settings');
    await heading(page, 'Settings').waitFor();
    const { opened: released, open } = gate();
    await page.route('**/api/v5/users', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'System', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Users' }).click();
    await page.getByRole('progressbar', { name: 'Loading' }).waitFor();
    open();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.getByText('admin', { exact: true }).first().waitFor();
  });

  test('changes language and theme in the header without a reload', async () => {
    const { page } = await stage.open('/dashboard/nodes');
    await heading(page, 'Nodes').waitFor();
    await page.evaluate(() => Object.assign(window, { untouched: true }));
    await page.getByRole('button', { name: '切换为中文' }).click();
    await heading(page, '节点').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh');
    await page.getByRole('button', { name: '访问控制', exact: true }).click();
    await page.getByRole('menuitem', { name: '黑名单', exact: true }).click();
    await heading(page, '黑名单').waitFor();
    await page.getByRole('button', { name: '切换为浅色主题' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.getByRole('button', { name: 'Switch to English' }).click();
    await heading(page, 'Blacklist').waitFor();
    expect(await page.evaluate(() => 'untouched' in window)).toBe(true);
  });

  test.each([
    { theme: 'light', language: 'zh' },
    { theme: 'dark', language: 'en' },
  ] as const)(
    'is painted in the chosen $theme theme and language $language from the first moment on',
    async (look) => {
      const { page } = await stage.open('/settings', { ...look, fresh: true });
      await page.addInitScript(() => {
        const seen: string[] = [];
        const note = (when: string) => {
          const { theme } = document.documentElement.dataset;
          seen.push(`${when} ${theme} ${document.documentElement.lang}`);
        };
        Object.assign(window, { seen });
        new MutationObserver(() => {
          if (document.body) note('later');
        }).observe(document, { attributes: true, attributeFilter: ['data-theme', 'lang'], subtree: true });
        document.addEventListener('DOMContentLoaded', () => note('loaded'));
        new PerformanceObserver(() => note('painted')).observe({ type: 'paint', buffered: true });
      });
      await page.reload();
      await page.getByRole('switch').first().waitFor();
      const seen = () => page.evaluate(() => (window as unknown as { seen: string[] }).seen);
      await expect.poll(async () => (await seen()).some((moment) => moment.startsWith('painted'))).toBe(true);
      const looks = (await seen()).map((moment) => moment.replace(/^\w+ /, ''));
      expect(looks).toContain(`${look.theme} ${look.language}`);
      expect(new Set(looks).size, (await seen()).join(', ')).toBe(1);
      const surface = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const [red = 0] = surface.match(/\d+/g)?.map(Number) ?? [];
      expect(red > 127 ? 'light' : 'dark').toBe(look.theme);
    },
  );
});
