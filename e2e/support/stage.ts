import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser, type OpenConsole, openConsole, policyViolations } from './browser.ts';
import { disconnectDevices } from './devices.ts';
import { type RunningServer, startServer } from './server.ts';

export interface Stage {
  readonly server: RunningServer;
  readonly browser: Browser;
  /** Opens the console, until the test is over. */
  open(path: string, options?: Parameters<typeof openConsole>[3]): Promise<OpenConsole>;
  /** As `open`, of another server; its owner ends it. */
  openAt(another: RunningServer, ...rest: Parameters<Stage['open']>): Promise<OpenConsole>;
}

/**
 * What the tests of a file share: a server of their own and a browser. After each test the consoles it opened must have
 * reported no error, and nothing may have been refused by the content security policy; then they and the devices go.
 */
export function setStage({ args = [] }: { args?: string[] } = {}): Stage {
  let server: RunningServer;
  let browser: Browser;
  let consoles: OpenConsole[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ args }), launchBrowser()]);
  });
  afterEach(async () => {
    const over = consoles;
    consoles = [];
    try {
      for (const { problems } of over) expect(problems).toEqual([]);
      expect(await policyViolations(server)).toBe(0);
    } finally {
      for (const { context } of over) await context.close();
      await disconnectDevices();
    }
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const openAt: Stage['openAt'] = async (another, path, options) => {
    const opened = await openConsole(browser, another, path, options);
    consoles.push(opened);
    return opened;
  };
  return {
    get server() {
      return server;
    },
    get browser() {
      return browser;
    },
    open: (path, options) => openAt(server, path, options),
    openAt,
  };
}
