// What the console costs its user, in a real browser: bytes and requests until a page is usable, memory after a while
// of walking about, and how long a list of 500 rows takes.
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { findChromium } from '../scripts/chromium.mjs';
import { capture, main } from '../scripts/run.mjs';
import { withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { printTable, readOptions, save, say } from './support/report.mjs';

const QUIET_MS = 500; // without a request under way for so long, a page has all that it wants
const AFTER_MS = 3000; // what is loaded from then on was loaded on suspicion, or is a poll
const PATIENCE_MS = 15_000;
const ROWS = 500;
const walk = [
  '/dashboard/overview',
  '/connections',
  '/subscriptions/subscription',
  '/dashboard/nodes',
  '/users',
  '/settings',
];

main(import.meta.url, async (args) => {
  const options = readOptions(args, { rounds: 3, pauseMs: 400 }, { rounds: 1, pauseMs: 200 });
  const executablePath = await findChromium();
  const sizes = await capture(process.execPath, ['scripts/budgets.mjs']);
  const results = await withGenerator((generator) =>
    withBrokers(['mqdeck'], { http: 0 }, async (broker) => {
      await generator.run('hold', { port: broker.port, count: ROWS, qos: 0 });
      const browser = await chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
      });
      try {
        return await visit(browser, `http://127.0.0.1:${broker.http}`, options);
      } finally {
        await browser.close();
      }
    }),
  );
  results.builtFiles = sizes.output.trim().split('\n');
  report(results);
  save('console', options, results);
});

async function visit(browser, base, options) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  await context.addInitScript(watchTasks);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const login = await load(page, `${base}/login`, 'input[type=password]');
  await signIn(page);
  const dashboard = await load(page, `${base}/dashboard`, 'main h1, main h2');
  const list = [];
  for (let round = 0; round < options.rounds; round++) list.push(await openList(page));
  const heap = await walkAbout(page, options);
  return { login, dashboard, list, heap };
}

/** Runs in the page before its own scripts. */
function watchTasks() {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      globalThis.longTasks.push({ startTime, duration });
  }).observe({ type: 'longtask', buffered: true });
}

async function signIn(page) {
  await page.locator('input[autocomplete=username]').fill('admin');
  await page.locator('input[type=password]').fill('public');
  await page.locator('input[type=password]').press('Enter');
  await page.getByRole('button', { name: /skip|later/i }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
}

/** Opens an address without any cache and counts what comes over the wire, headers included. */
async function load(page, url, usable) {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.setCacheDisabled', { cacheDisabled: true });
  const requests = new Map();
  let lastChange = performance.now();
  network.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.startsWith('data:')) return;
    lastChange = performance.now();
    requests.set(requestId, { path: new URL(request.url).pathname, bytes: null });
  });
  const done = ({ requestId, encodedDataLength = 0 }) => {
    const request = requests.get(requestId);
    if (!request) return;
    lastChange = performance.now();
    request.bytes = encodedDataLength;
  };
  network.on('Network.loadingFinished', done);
  network.on('Network.loadingFailed', done);

  const start = performance.now();
  await page.goto(url);
  await page.locator(usable).first().waitFor({ state: 'visible' });
  const usableMs = performance.now() - start;
  const underWay = () => Array.from(requests.values()).some(({ bytes }) => bytes === null);
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await wait(50)) {
    if (!underWay() && performance.now() - lastChange > QUIET_MS) break;
  }
  const before = Array.from(requests.values());
  await wait(AFTER_MS);
  const after = Array.from(requests.values()).slice(before.length);
  const longestTaskMs = await page.evaluate(() =>
    Math.max(0, ...globalThis.longTasks.map(({ duration }) => duration)),
  );
  await network.detach();
  const files = before.slice().sort((a, b) => b.bytes - a.bytes);
  return {
    usableMs,
    longestTaskMs,
    ...sum(before),
    files,
    after: { ...sum(after), paths: after.map((one) => one.path) },
  };
}

const sum = (requests) => ({
  requests: requests.length,
  bytes: requests.reduce((total, { bytes }) => total + (bytes || 0), 0),
});

/** Goes to an address as a link in the page would. */
const go = (page, to) => page.evaluate((address) => history.pushState({}, '', address), to);

/** From another page of the console to the list with all devices on one page. */
async function openList(page) {
  await go(page, '/settings');
  await wait(QUIET_MS);
  return page.evaluate(
    ([address, patienceMs]) =>
      new Promise((resolve) => {
        const start = performance.now();
        const finish = async (firstRowMs) => {
          await new Promise((later) => setTimeout(later, 1000)); // long tasks are told of late
          const tasks = globalThis.longTasks.filter(({ startTime }) => startTime >= start);
          const table = document.querySelector('[role=table]');
          resolve({
            firstRowMs,
            longestTaskMs: Math.max(0, ...tasks.map(({ duration }) => duration)),
            rows: table ? Number(table.getAttribute('aria-rowcount')) - 1 : 0,
          });
        };
        const look = () => {
          if (document.querySelector('[role=row][aria-rowindex="2"]')) finish(performance.now() - start);
          else if (performance.now() - start > patienceMs) finish(null);
          else requestAnimationFrame(look);
        };
        history.pushState({}, '', address);
        look();
      }),
    [`/connections?limit=${ROWS}`, 5000],
  );
}

/** Memory after six pages, and after each of them six times. */
async function walkAbout(page, { pauseMs }) {
  const heap = await page.context().newCDPSession(page);
  const used = async () => {
    await heap.send('HeapProfiler.collectGarbage');
    return (await heap.send('Runtime.getHeapUsage')).usedSize;
  };
  const round = async () => {
    for (const address of walk) {
      await go(page, address);
      await wait(pauseMs);
    }
  };
  await round();
  const afterSix = await used();
  for (let i = 1; i < 6; i++) await round();
  return { afterSix, afterThirtySix: await used() };
}

function report({ builtFiles, login, dashboard, list, heap }) {
  console.log('\nBuilt files, compressed:');
  for (const line of builtFiles) console.log(`  ${line}`);
  const kb = (bytes) => say(bytes / 1024, 1);
  console.log('\nOver the wire, nothing cached, API answers included');
  printTable(
    ['page', 'KB', 'requests', 'KB after', 'requests after', 'usable ms', 'longest task ms'],
    Object.entries({ '/login': login, '/dashboard': dashboard }).map(([name, one]) => [
      name,
      kb(one.bytes),
      String(one.requests),
      kb(one.after.bytes),
      String(one.after.requests),
      say(one.usableMs, 0),
      say(one.longestTaskMs, 0),
    ]),
  );
  console.log('Budgets: /login 160 KB, 8 requests, none after; /dashboard 250 KB.');
  console.log(`\nA list of ${ROWS} (budgets: first row 300 ms, no task over 100 ms)`);
  printTable(
    ['visit', 'rows', 'first row ms', 'longest task ms'],
    list.map(({ rows, firstRowMs, longestTaskMs }, i) => [
      String(i + 1),
      String(rows),
      say(firstRowMs, 0),
      say(longestTaskMs, 0),
    ]),
  );
  const mb = (bytes) => say(bytes / 2 ** 20, 1, ' MB');
  const growth = heap.afterThirtySix / heap.afterSix;
  console.log(
    `\nHeap after 6 pages ${mb(heap.afterSix)}, after 36 ${mb(heap.afterThirtySix)}: ${say(growth)}× (budget 1.3×)`,
  );
}
