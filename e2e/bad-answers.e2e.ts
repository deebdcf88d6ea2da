import fs from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { navigate } from './support/browser.ts';
import { setCluster } from './support/cluster.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const cluster = setCluster(stage);

const source = fs.readFileSync(new URL('../console/src/routes.tsx', import.meta.url), 'utf8');
/** The address of each page, with an id where one is needed. */
const addresses = [...source.matchAll(/\bpage\(\s*'([^']+)'/g)].map(([, path]) =>
  path!.replace(/\$\w+/g, 'some'),
);

const MISSING = /\bundefined\b|\bNaN\b|\[object \w+\]/;

test('a cluster that answers each question with an empty list leaves each page standing', async () => {
  cluster.absent = { body: [] };
  const { page } = await cluster.open('/help');
  const broken: string[] = [];
  for (const address of addresses) {
    await navigate(page, '/help');
    const help = page.locator('main a[href$="api-docs"]');
    await help.waitFor();
    await navigate(page, address);
    await help.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    const text = await page.locator('#main').innerText();
    if (/could not be shown/.test(text)) broken.push(`${address}: ${text.slice(0, 200)}`);
    else if (MISSING.test(text)) broken.push(`${address}: ${text.match(MISSING)![0]}`);
  }
  expect(broken).toEqual([]);
});

describe('a release that came while a tab was open', () => {
  /** Files of the release before are gone. */
  const withoutBlacklist = (page: Page, times = 1_000) =>
    page.route(/assets\/BlacklistPage-.*js/, (route) => route.fulfill({ status: 404, body: '' }), { times });

  test('is loaded when the tab needs a file of the release before', async () => {
    const { page } = await stage.open('/connections', { fresh: true });
    await withoutBlacklist(page, 1);
    await navigate(page, '/blacklist');
    await page.getByRole('heading', { name: 'Blacklist', level: 1 }).waitFor();
  });

  test('that lacks a file says so after one attempt, and the rest of the console works', async () => {
    const { page, problems } = await stage.open('/connections', { fresh: true });
    await withoutBlacklist(page);
    await navigate(page, '/blacklist');
    await page.getByText('This page could not be shown').waitFor();
    await navigate(page, '/users');
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await navigate(page, '/blacklist');
    await page.getByText('This page could not be shown').waitFor();
    await page.unroute(/assets\/BlacklistPage-.*js/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Blacklist', level: 1 }).waitFor();
    for (const problem of problems.splice(0)) expect(problem).toContain('dynamically imported module');
  });
});
