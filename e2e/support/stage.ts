import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { tokenOf } from './api.ts';
import {
  leave,
  newContext,
  type OpenConsole,
  type OpenOptions,
  openPage,
  policyViolations,
  sharedBrowser,
} from './browser.ts';
import { disconnectDevices } from './devices.ts';
import { type RunningServer, startServer } from './server.ts';

export interface Stage {
  readonly server: RunningServer;
  /** A token of the default user for the REST API, the same one for the whole file. */
  token(): Promise<string>;
  /** Opens the console, until the test is over unless it is `lasting`. */
  open(path: string, options?: OpenOptions): Promise<OpenConsole>;
  /** As `open`, of another server; its owner ends it. */
  openAt(another: RunningServer, path: string, options?: OpenOptions): Promise<OpenConsole>;
}

interface SignedIn {
  context: BrowserContext;
  /** Tabs that no test uses: a new tab costs half a second of the processor more than one that has shown the console. */
  idleTabs: Page[];
}

/** By server and language: the signed-in contexts of servers that files share. */
const signedInForAll = new Map<string, SignedIn>();

interface StageOptions {
  args?: string[];
  /** Starts another server than the one with these arguments. */
  start?: () => Promise<RunningServer>;
}

/**
 * What the tests of a file share: a server of their own, the browser, and a signed-in context per server and language, whose tabs
 * are used again.
 * After each test the consoles it opened must have reported no error, and nothing may have been refused by the content
 * security policy; then they and the devices go.
 */
export function setStage({ args = [], start = () => startServer({ args }) }: StageOptions = {}): Stage {
  let server: RunningServer;
  let browser: Browser;
  let consoles: OpenConsole[] = [];
  const lasting: OpenConsole[] = [];
  let token: Promise<string> | undefined;
  /** By server and language; they end with the file. */
  const signedInHere = new Map<string, SignedIn>();
  beforeAll(async () => {
    browser = await sharedBrowser();
    server = await start();
  });
  afterEach(async () => {
    const over = consoles;
    consoles = [];
    try {
      for (const { problems } of over.concat(lasting)) expect(problems.splice(0)).toEqual([]);
      expect(await policyViolations(server)).toBe(0);
    } finally {
      for (const { close } of over) await close();
      await disconnectDevices();
    }
  });
  afterAll(async () => {
    for (const { context } of signedInHere.values()) await context.close();
    await server?.stop();
  });

  const openAt: Stage['openAt'] = async (another, path, options = {}) => {
    const { origin, language = 'en', signIn = true } = options;
    const base = origin ?? another.url;
    const fresh = options.fresh || origin !== undefined || !signIn;
    const signedIn = another.shared ? signedInForAll : signedInHere;
    const shared = `${base} ${language}`;
    const kept = fresh ? undefined : signedIn.get(shared);
    const context = kept?.context ?? (await newContext(browser, language));
    let opened: OpenConsole | undefined;
    try {
      const page = kept?.idleTabs.pop() ?? (await context.newPage());
      const session = signIn ? (kept ? 'kept' : 'new') : 'none';
      const close = async () => {
        if (fresh) await context.close();
        else if (!page.isClosed() && (await leave(page, base))) signedIn.get(shared)?.idleTabs.push(page);
        else await page.close();
      };
      opened = { ...(await openPage(page, base, path, session, options)), close };
    } finally {
      if (!opened && !kept) await context.close();
    }
    if (!fresh && !kept) signedIn.set(shared, { context, idleTabs: [] });
    (options.lasting ? lasting : consoles).push(opened);
    return opened;
  };
  return {
    get server() {
      return server;
    },
    token() {
      token ??= tokenOf(server);
      return token;
    },
    open: (path, options) => openAt(server, path, options),
    openAt,
  };
}
