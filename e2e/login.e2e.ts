import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh, type Language, LOOKS, policyViolations, signInOn } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

/** A user whose password is his own: no reminder after the sign-in. */
const operator = { username: 'operator', password: 'night-shift-7' };

const stage = setStage({ args: ['--allow-host', 'console.test'] });

beforeAll(async () => {
  await addUser(operator.username, operator.password);
});

async function addUser(username: string, password: string): Promise<void> {
  const body = { username, password, description: '' };
  const token = await stage.token();
  expect((await callApi(stage.server, 'POST', '/users', { token, body })).status).toBe(200);
}

const LANGUAGES = ['en', 'zh'] as const;

const signedOut = { signIn: false } as const;

async function fill(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel(/^(Username|用户名)$/).fill(username);
  await page.getByLabel(/^(Password|密码)$/).fill(password);
}

async function send(page: Page, username: string, password: string): Promise<void> {
  await fill(page, username, password);
  await page.keyboard.press('Enter');
}

const at = (page: Page, path: string) =>
  page.waitForURL((url) => url.pathname + url.search + url.hash === path);

/** The token of the sign-in that `act` brings about. */
async function tokenFrom(page: Page, act: () => Promise<void>): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/v5/login'));
  await act();
  return ((await (await answered).json()) as { token: string }).token;
}

describe('the way in', () => {
  test('leads back to the page that was asked for, with its filters', async () => {
    const wanted = '/connections?like_clientid=se%26nsor&page=2#top';
    const opened = await stage.open(wanted, signedOut);
    const { page } = opened;
    await page.waitForURL((url) => url.pathname === '/login');
    expect(new URL(page.url()).searchParams.get('to')).toBe(wanted);
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.title()).toBe('Sign in · mqdeck');
    await send(page, operator.username, operator.password);
    await at(page, wanted);
    await page.getByRole('heading', { name: 'Connections', exact: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Client ID contains' }).inputValue()).toBe('se&nsor');
  });

  test('leads to the overview when nothing was asked for, and Back does not return to the login', async () => {
    const opened = await stage.open('/help', signedOut);
    const { page } = opened;
    await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
    await opened.goto('/login');
    await send(page, `  ${operator.username} `, operator.password);
    await at(page, '/dashboard/overview');
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.goBack();
    await at(page, '/help');
  });

  test('is not asked twice: who is signed in is sent on from the login page', async () => {
    const opened = await stage.open('/login');
    await opened.goto('/login?to=%2Fusers');
    await at(opened.page, '/users');
  });

  test('is never led astray by a link that somebody made: it ends in the overview', async () => {
    const hostile = [
      'https://evil.test/',
      '//evil.test/x',
      '/\\evil.test',
      '\\\\evil.test',
      'javascript:alert(document.domain)',
      '%2F%2Fevil.test',
      '/%2Fevil.test',
      '/%5Cevil.test',
      '/x/..//evil.test',
      '/\t/evil.test',
      'data:text/html,<script>alert(1)</script>',
      '/login?to=/login',
    ];
    const opened = await stage.open('/login', signedOut);
    const { page } = opened;
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    page.on('dialog', (dialog) => hosts.add(`dialog: ${dialog.message()}`));
    for (const to of hostile) {
      await opened.goto(`/login?to=${encodeURIComponent(to)}`);
      // Who is signed in, by the first one, is led on at once.
      if (to === hostile[0]) await send(page, operator.username, operator.password);
      await at(page, '/dashboard/overview');
    }
    expect([...hosts]).toEqual([`localhost:${stage.server.ports.http}`]);
  });
});

describe('a refusal', () => {
  const texts = {
    en: {
      wrong: 'Incorrect username or password',
      username: 'Username is required',
      password: 'Password is required',
      locked: /locked for another 10 minutes/,
    },
    zh: {
      wrong: '用户名或密码错误',
      username: '请输入用户名',
      password: '请输入密码',
      locked: /已锁定，请 10 分钟后重试/,
    },
  } as const;

  test('names the empty field and what is wrong, in the language of the page', async () => {
    const { page } = await stage.open('/login', signedOut);
    const username = page.getByLabel(/^(Username|用户名)$/);
    await username.focus();
    await page.keyboard.press('Enter');
    await page.getByText(texts.en.username, { exact: true }).waitFor();
    await page.getByText(texts.en.password, { exact: true }).waitFor();
    expect(await username.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await username.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: '切换为中文' }).click();
    await page.getByText(texts.zh.username, { exact: true }).waitFor();
    await page.getByText(texts.zh.password, { exact: true }).waitFor();

    await send(page, operator.username, 'not-it');
    await page.getByRole('alert').getByText(texts.zh.wrong, { exact: true }).waitFor();
    expect(await page.getByText(texts.zh.username, { exact: true }).count()).toBe(0);
    // Nothing else speaks of it: no notice at the corner, no expired login.
    expect(await page.getByText(texts.zh.wrong).count()).toBe(1);
    await page.getByRole('button', { name: 'Switch to English' }).click();
    await page.getByRole('alert').getByText(texts.en.wrong, { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/login');
  });

  test('after five wrong passwords the user is locked, for the right one too, and others are not', async () => {
    await addUser('locked_out', 'early-shift-3');
    const opened = await stage.open('/login', signedOut);
    const { page } = opened;
    for (let failure = 1; failure <= 5; failure++) {
      const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
      await send(page, 'locked_out', `guess-${failure}`);
      expect((await answered).status()).toBe(401);
      await page.getByRole('alert').getByText(texts.en.wrong).waitFor();
    }
    await send(page, 'locked_out', 'early-shift-3');
    await page.getByRole('alert').getByText(texts.en.locked).waitFor();
    await page.getByRole('button', { name: '切换为中文' }).click();
    await page.getByRole('alert').getByText(texts.zh.locked).waitFor();
    await send(page, operator.username, operator.password);
    await at(page, '/dashboard/overview');
  });

  test('a server that is gone is said so, and the form works again when it is back', async () => {
    const opened = await stage.open('/login', signedOut);
    const { page } = opened;
    await page.route('**/api/v5/login', (route) => route.abort());
    await send(page, operator.username, operator.password);
    await page.getByRole('alert').getByText('Some error occurred', { exact: true }).waitFor();
    await page.unroute('**/api/v5/login');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await at(page, '/dashboard/overview');
  });
});

describe('the default password', () => {
  const texts = {
    en: {
      title: 'Change the default password',
      fresh: 'New password',
      repeat: 'Repeat the new password',
      change: 'Change the password',
      skip: 'Skip for now',
      rule: 'The password must be 8 to 64 characters in length; contain at least two of the letters, numbers and symbols',
      same: 'The new and old passwords cannot be the same',
      mismatch: "Two inputs don't match!",
      done: 'The password is changed',
    },
    zh: {
      title: '修改默认密码',
      fresh: '新密码',
      repeat: '再次输入新密码',
      change: '修改密码',
      skip: '暂时跳过',
      rule: '密码长度须为 8 到 64 个字符，且至少包含字母、数字和符号中的两种',
      same: '新密码不能与旧密码相同',
      mismatch: '两次输入不一致！',
      done: '密码已修改',
    },
  } as const;

  async function reminded(language: Language, where = stage.server, path = '/login') {
    const opened = await stage.openAt(where, path, { language, ...signedOut });
    await send(opened.page, 'admin', 'public');
    await opened.page.getByRole('heading', { name: texts[language].title }).waitFor();
    return opened;
  }

  test('brings a reminder, which can be skipped and comes again with the next sign-in', async () => {
    const { page } = await reminded('en', stage.server, '/login?to=%2Fsettings');
    expect(new URL(page.url()).pathname).toBe('/login');
    await page.getByRole('button', { name: texts.en.skip }).click();
    await at(page, '/settings');
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${stage.server.url}/login`);
    await send(page, 'admin', 'public');
    await page.getByRole('heading', { name: texts.en.title }).waitFor();
  });

  test.each(LANGUAGES)('is not replaced by a weak one, and the reason is said in %s', async (language) => {
    const text = texts[language];
    const { page } = await reminded(language);
    const attempts: [string, string, string][] = [
      ['', '', text.rule],
      ['public', 'public', text.same],
      ['short-1', 'short-1', text.rule],
      [`${'a1'.repeat(32)}x`, `${'a1'.repeat(32)}x`, text.rule],
      ['onlyletters', 'onlyletters', text.rule],
      ['12345678', '12345678', text.rule],
      ['--------', '--------', text.rule],
      ['pässword-1', 'pässword-1', text.rule],
      ['tab\there-1', 'tab\there-1', text.rule],
      ['good-one-1', 'good-one-2', text.mismatch],
    ];
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url()));
    const fresh = page.getByLabel(text.fresh, { exact: true });
    const repeat = page.getByLabel(text.repeat, { exact: true });
    for (const [password, repeated, refusal] of attempts) {
      await fresh.fill(password);
      await repeat.fill(repeated);
      await page.keyboard.press('Enter');
      const wrong = refusal === text.mismatch ? repeat : fresh;
      // The refusal is read out first, before the rule that stands there anyway.
      await expect
        .poll(async () => (await described(wrong)).startsWith(refusal), { message: password })
        .toBe(true);
      await expect.poll(() => wrong.getAttribute('aria-invalid'), { message: password }).toBe('true');
      await expect
        .poll(() => wrong.evaluate((field) => field === document.activeElement), { message: password })
        .toBe(true);
    }
    expect(calls).toEqual([]);
  });

  test('is changed for good: the new one opens, the old one does not', async () => {
    const text = texts.zh;
    const own = await startServer();
    try {
      const { page, close } = await reminded('zh', own, '/login?to=%2Fsettings');
      await page.getByLabel(text.fresh, { exact: true }).fill('control-room-1');
      await page.getByLabel(text.repeat, { exact: true }).fill('control-room-1');
      await page.getByRole('button', { name: text.change }).click();
      await at(page, '/settings');
      await page.getByText(text.done, { exact: true }).waitFor();
      // The change ended all tokens, the one of this page too: it has a new one and works on.
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await at(page, '/settings');
      const old = { username: 'admin', password: 'public' };
      expect((await callApi(own, 'POST', '/login', { body: old })).status).toBe(401);

      await page.evaluate(() => localStorage.removeItem('session'));
      await page.goto(`${own.url}/login`);
      await send(page, 'admin', 'public');
      await page.getByRole('alert').waitFor();
      await send(page, 'admin', 'control-room-1');
      await at(page, '/dashboard/overview'); // without a reminder
      expect(await policyViolations(own)).toBe(0);
      await close();
    } finally {
      await own.stop();
    }
  });
});

/** What a screen reader says of a field beside its name. */
const described = (field: ReturnType<Page['getByLabel']>): Promise<string> =>
  field.evaluate((input) =>
    (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim(),
  );

describe('the session', () => {
  test('cannot be read in the storage of the browser', async () => {
    const opened = await stage.open('/login', signedOut);
    const { page } = opened;
    const token = await tokenFrom(page, () => send(page, operator.username, operator.password));
    await at(page, '/dashboard/overview');
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    const texts = [
      stored,
      ...Object.values<string>(JSON.parse(stored)).map((text) =>
        Buffer.from(text, 'base64').toString('latin1'),
      ),
    ];
    for (const text of texts) {
      for (const secret of [
        token,
        token.split('.').at(-1) as string,
        operator.username,
        operator.password,
        'token',
      ]) {
        expect(text.includes(secret), `${secret} in ${text}`).toBe(false);
      }
    }
    // And the key to it cannot be taken out of the browser.
    const extractable = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const opening = indexedDB.open('mqdeck');
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const asked = opening.result.transaction('keys').objectStore('keys').getAll();
            asked.onsuccess = () => resolve(asked.result.map((key: CryptoKey) => key.extractable));
          };
        }),
    );
    expect(extractable).toEqual([false]);
  });

  test('that somebody tampered with is no session, and no error either', async () => {
    const { page } = await stage.open('/users', { fresh: true });
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    await page.evaluate(() => {
      const name = localStorage.getItem('session') as string;
      localStorage.setItem(name, `${localStorage.getItem(name)?.slice(0, -8)}AAAAAAA=`);
    });
    await page.reload();
    await at(page, '/login?to=%2Fusers');
    await signInOn(page);
    await at(page, '/users');
  });

  test('lives on over plain http under another name, reloads included, and copying works there', async () => {
    await connectDevice(stage.server, 'copy-me-42');
    const origin = `http://console.test:${stage.server.ports.http}`;
    const opened = await stage.open('/connections/detail/copy-me-42', { origin });
    const { page } = opened;
    expect(await page.evaluate(() => [isSecureContext, crypto.subtle, navigator.clipboard])).toEqual([
      false,
      undefined,
      undefined,
    ]);
    await page.reload();
    await page.getByRole('button', { name: 'Copy copy-me-42' }).first().click();
    await page.getByText('Copied', { exact: true }).first().waitFor({ state: 'attached' });
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search pages, actions and clients' });
    await field.press('Control+v');
    expect(await field.inputValue()).toBe('copy-me-42');
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(stored).not.toContain('admin');
  });

  test('that ran out is said once, and the way leads back after the next sign-in', async () => {
    const wanted = '/connections?like_clientid=pump';
    const notice = 'Login has expired, please login again';
    const { page } = await stage.open(`/login?to=${encodeURIComponent(wanted)}`, {
      ...signedOut,
      clock: true,
    });
    const token = await tokenFrom(page, () => send(page, operator.username, operator.password));
    await at(page, wanted);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // Signed out elsewhere: the page asks again every few seconds, and learns of it.
    const { status } = await callApi(stage.server, 'POST', '/logout', {
      token,
      body: { username: operator.username },
    });
    expect(status).toBe(204);
    await expectAfterRefresh(page, () => new URL(page.url()).pathname).toBe('/login');
    expect(new URL(page.url()).searchParams.get('to')).toBe(wanted);
    await page.getByText(notice, { exact: true }).waitFor();
    await send(page, operator.username, operator.password);
    await at(page, wanted);
    await page.getByText(notice).waitFor({ state: 'detached' });
  });

  test('with a forged token ends with one notice, however many calls are refused at the same time', async () => {
    const opened = await stage.open('/settings', { fresh: true });
    const { page } = opened;
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    // The first refusal leaves the page: the answers to three calls come together, so that it is not the only one
    let refused = 0;
    let waiting: (() => Promise<void>)[] | null = [];
    await page.route('**/api/v5/**', async (route) => {
      const headers = { ...route.request().headers(), authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' };
      const response = await route.fetch({ headers });
      if (response.status() === 401) refused += 1;
      const answer = () => route.fulfill({ response });
      if (waiting === null) return answer();
      waiting.push(answer);
      if (waiting.length < 3) return;
      const together = waiting;
      waiting = null;
      await Promise.all(together.map((one) => one()));
    });
    await opened.goto('/dashboard/overview');
    await at(page, '/login?to=%2Fdashboard%2Foverview');
    const notices = page.getByRole('region', { name: 'Notices' });
    await notices.getByText('Login has expired, please login again', { exact: true }).waitFor();
    expect(refused).toBeGreaterThanOrEqual(3);
    expect(await notices.getByRole('button', { name: 'Close' }).count()).toBe(1);
    expect(await notices.innerText()).not.toContain('×');
  });
});

describe('logging out', () => {
  test('asks first, ends the session at the broker and in every tab', async () => {
    const { page, context } = await stage.open('/login?to=%2Fsettings', signedOut);
    const token = await tokenFrom(page, () => send(page, operator.username, operator.password));
    await at(page, '/settings');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const account = page.getByRole('button', { name: 'Account of operator' });
    await account.click();
    await page.getByRole('menuitem', { name: 'Help' }).click();
    await at(page, '/help');
    const second = await context.newPage();
    await second.goto(`${stage.server.url}/users`);
    await second.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    await page.bringToFront(); // a tab behind another one draws but once a second

    const ask = async () => {
      await account.click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      return page.getByRole('dialog', { name: 'Log out of this console?' });
    };
    const question = await ask();
    await question.waitFor();
    await page.keyboard.press('Enter'); // the way back has the focus
    await question.waitFor({ state: 'detached' });
    expect((await callApi(stage.server, 'GET', '/users', { token })).status).toBe(200);

    await (await ask()).getByRole('button', { name: 'Log out' }).click();
    await at(page, '/login?to=%2Fhelp');
    await page.getByText('Logged out', { exact: true }).waitFor();
    expect(await callApi(stage.server, 'GET', '/users', { token })).toMatchObject({
      status: 401,
      body: { code: 'BAD_TOKEN' },
    });
    await at(second, '/login?to=%2Fusers');
    expect(await page.getByText('Login has expired').count()).toBe(0);
    expect(await second.getByText('Login has expired').count()).toBe(0);

    // Nothing of the session is left for whoever comes next.
    await page.goBack();
    await at(page, '/login?to=%2Fsettings');

    // A sign-in in one tab is one in the other.
    await send(page, operator.username, operator.password);
    await at(page, '/settings');
    await at(second, '/users');
    await second.getByRole('heading', { name: 'Users', exact: true }).waitFor();
  });

  test('works when the broker is away', async () => {
    const { page } = await stage.open('/settings', { fresh: true });
    await page.route('**/api/v5/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Account of admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
    await at(page, '/login?to=%2Fsettings');
  });
});

test.each(LOOKS)(
  'the login changes language and theme on the spot, from $language and $theme',
  async (look) => {
    const { page } = await stage.open('/login', { ...look, ...signedOut });
    const html = page.locator('html');
    await page.getByLabel(look.language === 'zh' ? '用户名' : 'Username', { exact: true }).fill('half-typed');
    await page
      .getByRole('button', { name: look.language === 'zh' ? 'Switch to English' : '切换为中文' })
      .click();
    const other = look.language === 'zh' ? 'en' : 'zh';
    await page.getByRole('heading', { name: other === 'zh' ? '登录' : 'Sign in', exact: true }).waitFor();
    expect(await html.getAttribute('lang')).toBe(other);
    expect(await page.title()).toBe(other === 'zh' ? '登录 · mqdeck' : 'Sign in · mqdeck');
    // Without a reload: what was typed is still there.
    expect(await page.getByLabel(other === 'zh' ? '用户名' : 'Username', { exact: true }).inputValue()).toBe(
      'half-typed',
    );

    const otherTheme = look.theme === 'dark' ? 'light' : 'dark';
    const name = {
      en: { light: 'Switch to the light theme', dark: 'Switch to the dark theme' },
      zh: { light: '切换为浅色主题', dark: '切换为深色主题' },
    }[other][otherTheme];
    await page.getByRole('button', { name }).click();
    expect(await html.getAttribute('data-theme')).toBe(otherTheme);
    await page.reload();
    await page.getByRole('heading', { name: other === 'zh' ? '登录' : 'Sign in', exact: true }).waitFor();
    expect(await html.getAttribute('data-theme')).toBe(otherTheme);
  },
);
