import fs from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RunningServer } from './server.ts';

const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Language = 'en' | 'zh';
export type Theme = 'dark' | 'light';
/** Every look a screen must be good in. */
export const LOOKS: { language: Language; theme: Theme }[] = [
  { language: 'en', theme: 'dark' },
  { language: 'zh', theme: 'light' },
];

/** One browser for a test file; every host name ending in `.test` is this machine. */
export function launchBrowser(): Promise<Browser> {
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

interface OpenOptions {
  language?: Language;
  theme?: Theme;
  width?: number;
  height?: number;
  /** Another origin than http://localhost, e.g. `http://console.test:18083`. */
  origin?: string;
  signIn?: boolean;
}

export interface OpenConsole {
  page: Page;
  context: BrowserContext;
  /** Errors that the page or its console reported. */
  problems: string[];
  goto(path: string): Promise<void>;
  /** Fails on what axe calls serious or critical. */
  expectAccessible(): Promise<void>;
}

/** Opens the console in a context of its own, signed in unless told otherwise. */
export async function openConsole(
  browser: Browser,
  server: RunningServer,
  path: string,
  { language = 'en', theme = 'dark', width = 1440, height = 900, origin, signIn = true }: OpenOptions = {},
): Promise<OpenConsole> {
  const base = origin ?? server.url;
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
  });
  await context.addInitScript(
    ([storedLanguage, storedTheme]) => {
      // Only the first page of the context: what the test then changes in the product must stay changed.
      if (localStorage.getItem('language') !== null) return;
      localStorage.setItem('language', storedLanguage as string);
      localStorage.setItem('theme', storedTheme as string);
    },
    [language, theme],
  );
  const page = await context.newPage();
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
  await goto(path);
  if (signIn) await signInOn(page, language);
  return { page, context, problems, goto, expectAccessible: () => expectAccessible(page) };
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

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary?: string }[] }[];
        }>;
      };
    };
    return (await axe.run()).violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`,
      );
  });
  expect(violations).toEqual([]);
}

/** The reports which the browser sent about refused content since the server started. */
export async function policyViolations(server: RunningServer): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${server.ports.http}/csp-report`);
  return ((await answer.json()) as { violations: number }).violations;
}
