import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const operator = { username: 'operator', password: 'night-shift-7' };

beforeAll(async () => {
  const body = { ...operator, description: '' };
  const token = await stage.token();
  expect((await callApi(stage.server, 'POST', '/users', { token, body })).status).toBe(200);
});

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username', { exact: true }).fill(operator.username);
  await page.getByLabel('Password', { exact: true }).fill(operator.password);
  await page.keyboard.press('Enter');
}

describe('a browser that blocks storage', () => {
  /** Runs in the page, before its first script. */
  const blocks = {
    'reading localStorage, sessionStorage and indexedDB': () => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('The operation is insecure.', 'SecurityError');
          },
        });
    },
    'writing to them': () => {
      const refuse = () => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      };
      Storage.prototype.setItem = refuse;
      IDBFactory.prototype.open = refuse;
    },
  };

  test.each(Object.keys(blocks) as (keyof typeof blocks)[])(
    '%s: signs in and works for this tab, and says so',
    async (kind) => {
      await connectDevice(stage.server, 'seen-without-storage');
      const opened = await stage.open('/login', {
        signIn: false,
        before: (page) => page.addInitScript(blocks[kind]),
      });
      const { page } = opened;
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
      if (kind.startsWith('reading')) await page.getByText('This browser blocks storage').waitFor();
      await signIn(page);
      await page.waitForURL((url) => url.pathname === '/dashboard/overview');
      await page.getByText('This browser blocks storage').first().waitFor();
      await page.getByRole('link', { name: 'Connections', exact: true }).first().click();
      await page.getByText('seen-without-storage').first().waitFor();
      await page.getByRole('button', { name: /Columns/ }).click();
      await page.keyboard.press('Escape');
      await opened.expectAccessible();
    },
  );
});

describe('a page that is opened while the server is away', () => {
  /** What of the server does not answer until `comesBack()` is called. */
  async function away(page: Page, path: RegExp) {
    let up = false;
    await page.route(path, (route: Route) => (up ? route.fallback() : route.abort('connectionrefused')));
    return {
      comesBack: () => {
        up = true;
      },
    };
  }

  test('says that its program has not arrived, and loads when the server is back', async () => {
    let server: Awaited<ReturnType<typeof away>>;
    const opened = await stage.open('/login', {
      signIn: false,
      before: async (page) => {
        server = await away(page, /\/assets\//);
      },
    });
    const { page } = opened;
    await page.getByText('The server is not responding. This page loads when the server responds.').waitFor();
    server!.comesBack();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  });

  test('says that the server does not respond, and goes on by itself', async () => {
    let server: Awaited<ReturnType<typeof away>>;
    const opened = await stage.open('/login', {
      signIn: false,
      before: async (page) => {
        server = await away(page, /\/(console\.json|api\/v5\/.*)$/);
      },
    });
    const { page } = opened;
    await page.getByText('This page continues when the server responds.').waitFor();
    await opened.expectAccessible();
    server!.comesBack();
    await page.getByText('This page continues when the server responds.').waitFor({ state: 'detached' });
    await page.getByText(/^mqdeck \d/).waitFor();
    await signIn(page);
    await page.waitForURL((url) => url.pathname === '/dashboard/overview');
  });
});
