import fs from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { expect } from 'vitest';
import type { RunningServer } from './server.ts';

const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Language = 'en' | 'zh';
export type Theme = 'dark' | 'light';
export interface Look {
  language: Language;
  theme: Theme;
}
/** Every look a screen must be good in. */
export const LOOKS: Look[] = [
  { language: 'en', theme: 'dark' },
  { language: 'zh', theme: 'light' },
];

let shared: Promise<Browser> | undefined;

/** The Chromium of this worker: started for the first test file, used by all, ended with the process. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared?.catch(() => undefined);
  if (running?.isConnected()) return running;
  shared = launchBrowser();
  return shared;
}

/** Every host name that ends in `.test` is this machine. */
function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  });
}

/** Animations are off, so that a test sees the final state of a page. */
export function newContext(browser: Browser, language: Language): Promise<BrowserContext> {
  return browser.newContext({ reducedMotion: 'reduce', locale: language === 'zh' ? 'zh-CN' : 'en-GB' });
}

export interface OpenOptions {
  language?: Language;
  theme?: Theme;
  width?: number;
  height?: number;
  /** Another origin than http://localhost, e.g. `http://console.test:18083`. Implies `fresh`. */
  origin?: string;
  /** False implies `fresh`. */
  signIn?: boolean;
  /** True: in a context of its own, for a test about sign-in, session or storage. */
  fresh?: boolean;
  /** True: it stays open for the tests that follow, until the last one of the file. */
  lasting?: boolean;
  /** True: the test can let time pass, with `page.clock` or `expectAfterRefresh`, for all pages of its context. */
  clock?: boolean;
  /** Runs before the first address is opened, e.g. to set a route. */
  before?: (page: Page) => Promise<unknown>;
}

export interface OpenConsole {
  page: Page;
  context: BrowserContext;
  /** Errors that the page or its console reported. */
  problems: string[];
  goto(path: string): Promise<void>;
  /** Fails on what axe calls serious or critical. */
  expectAccessible(): Promise<void>;
  /** Closes the page, and its context when no other test uses that. */
  close(): Promise<void>;
}

/**
 * A script of the console, which a browser shows as plain text. From there the storage of its origin is set before the
 * console starts. `about:blank` would do as little, but the way there and back is a new process each time.
 */
const ANTEROOM = '/start.js';

/**
 * Opens a page of the console in this tab, which knows of no preferences but these. `session` says whether to sign in:
 * `none`, `kept` when the tab's context is signed in already, or `new`.
 */
export async function openPage(
  page: Page,
  base: string,
  path: string,
  session: 'none' | 'kept' | 'new',
  { language = 'en', theme = 'dark', width = 1440, height = 900, clock = false, before }: OpenOptions,
): Promise<Omit<OpenConsole, 'close'>> {
  if (clock) {
    await page.clock.install();
    watchCalls(page);
  }
  await page.setViewportSize({ width, height });
  if (page.url() !== base + ANTEROOM) await page.goto(base + ANTEROOM);
  await page.evaluate(setPreferences, [language, theme] as const);
  await before?.(page);
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    // A failed request is the test's business; the browser prints one line for each of them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(`console: ${message.text()}`);
    }
  });
  const goto = async (to: string) => {
    await page.goto(base + to);
  };
  if (session === 'new' && !path.startsWith('/login')) await goto(`/login?to=${encodeURIComponent(path)}`);
  else await goto(path);
  if (session === 'new') await signInOn(page, language);
  if (session === 'kept') {
    await page.locator('#main, input[type=password]').first().waitFor();
    // The test before may have ended the session.
    if (new URL(page.url()).pathname.endsWith('/login')) await signInOn(page, language);
  }
  return {
    page,
    context: page.context(),
    problems,
    goto,
    expectAccessible: async () => expect(await accessibilityFaults(page)).toEqual([]),
  };
}

/** Runs in the page. */
function setPreferences([language, theme]: readonly [Language, Theme]): void {
  sessionStorage.clear();
  // What a sign-in stores; the session itself is under the name in `session`.
  const kept = ['session', localStorage.getItem('session'), 'edition'];
  for (const key of Object.keys(localStorage)) {
    if (!kept.includes(key)) localStorage.removeItem(key);
  }
  localStorage.setItem('language', language);
  localStorage.setItem('theme', theme);
}

/** What the kit and tests listen to on a page. */
const LISTENED = [
  'console',
  'dialog',
  'pageerror',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
] as const;

/**
 * Makes a tab fit for the next test of this server: nothing runs in it, and what the last test set on it is undone. False
 * when the server has ended.
 */
export async function leave(page: Page, base: string): Promise<boolean> {
  for (const event of LISTENED) page.removeAllListeners(event);
  pending.delete(page);
  page.once('dialog', (dialog) => dialog.accept()); // a form may ask whether to lose what was typed
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const left = await page.goto(base + ANTEROOM).then(
    () => true,
    () => false,
  );
  page.removeAllListeners('dialog');
  await page.emulateMedia({ colorScheme: null });
  await page.mouse.move(0, 0);
  return left;
}

/** Goes to an address as a link of the console would, without loading the page anew. */
export const navigate = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(null, '', to), path);

/**
 * Waits until a dialog that opened has the focus for good: it takes it when it is drawn, and once more when its effects
 * run.
 */
export async function takenFocus(dialog: Locator): Promise<void> {
  await dialog.locator(':focus').waitFor();
  await dialog.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise((done) => requestAnimationFrame(done));
    await new Promise((done) => requestIdleCallback(done));
  });
}

/** Signs in with the default user and leaves the reminder to change the password for later. */
export async function signInOn(page: Page, language: Language = 'en'): Promise<void> {
  const zh = language === 'zh';
  await page.getByLabel(zh ? '用户名' : 'Username', { exact: true }).fill('admin');
  await page.locator('input[type=password]').fill('public');
  await page.locator('input[type=password]').press('Enter');
  const later = page.getByRole('button', { name: zh ? /以后|稍后|跳过/ : /skip|later/i });
  await later.click();
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
}

/** The part of axe that is used here. `_audit` is the only place that tells the impact of a rule. */
interface Axe {
  _audit: { rules: { id: string; impact: string }[] };
  getRules(): { ruleId: string; enabled: boolean }[];
  run(options: object): Promise<{
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  }>;
}

/** What axe calls serious or critical, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    // The impact of a fault is that of its rule, so rules of less need not run: they take a third of the time.
    const heavy = axe._audit.rules.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const ids = new Set(heavy.map(({ id }) => id));
    const wanted = axe.getRules().filter(({ ruleId, enabled }) => enabled && ids.has(ruleId));
    const { violations } = await axe.run({
      runOnly: wanted.map(({ ruleId }) => ruleId),
      // What passes is left out of the result: describing it takes longer than the checks.
      resultTypes: ['violations'],
      preload: false, // fetches styles of other origins, and there are none
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`,
    );
  });
}

/** The reports which the browser sent about refused content since the server started. */
export async function policyViolations(server: RunningServer): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${server.ports.http}/csp-report`);
  return ((await answer.json()) as { violations: number }).violations;
}

/** The calls of the API that a page waits for. */
const pending = new WeakMap<Page, Set<Request>>();

function watchCalls(page: Page): void {
  const calls = new Set<Request>();
  pending.set(page, calls);
  page.on('request', (request) => {
    if (request.url().includes('/api/v5/')) calls.add(request);
  });
  page.on('requestfinished', (request) => calls.delete(request));
  page.on('requestfailed', (request) => calls.delete(request));
}

/**
 * As `expect.poll`, for what a page shows once it asks the broker again: before each look five seconds of the page's
 * time pass, unless it waits for an answer, which would time out. The page must be opened with `clock`.
 */
export const expectAfterRefresh = <T>(page: Page, get: () => T, message = '') =>
  expect.poll(
    async () => {
      if (pending.get(page)?.size === 0) await page.clock.fastForward(5000);
      return get();
    },
    { interval: 200, message },
  );
