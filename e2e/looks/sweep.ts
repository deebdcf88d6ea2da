import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accessibilityFaults,
  type Look,
  navigate,
  type OpenConsole,
  policyViolations,
} from '../support/browser.ts';
import { keepDevices } from '../support/devices.ts';
import type { RunningServer } from '../support/server.ts';
import { setStage } from '../support/stage.ts';
import type { FeatureViews } from './view.ts';

const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** What a text looks like when a value or a placeholder is missing in it. */
const MISSING = /\bundefined\b|\bNaN\b|\[object \w+\]|(?<![$\w{])\{[a-z]\w*\}/;

/**
 * Shows every view of every feature in this language and theme, and looks at it at both widths: axe finds nothing
 * serious, nothing is wider than the screen, no words are missing, the console has no error, and the content security
 * policy has refused nothing.
 */
export function sweep(look: Look, features: readonly FeatureViews[]): void {
  const stage = setStage();
  let shared: Promise<OpenConsole> | undefined;
  const open: Open = ({ server, signedOut, reload }) => {
    if (signedOut) return stage.openAt(server, '/login', { ...look, signIn: false });
    if (reload || server !== stage.server) return stage.openAt(server, '/help', look);
    shared ??= stage.open('/help', { ...look, lasting: true });
    return shared;
  };
  for (const feature of features)
    describe(feature.feature, () => sweepFeature(() => stage.server, open, look, feature));
}

/** Opens the console that shows these views: the features of the shared server have one together. */
type Open = (of: { server: RunningServer; signedOut: boolean; reload: boolean }) => Promise<OpenConsole>;

function sweepFeature(
  sharedServer: () => RunningServer,
  open: Open,
  look: Look,
  { start, prepare, signedOut = false, reload = false, views }: FeatureViews,
): void {
  let own: RunningServer | undefined;
  let undo: undefined | (() => unknown);
  let disconnect: undefined | (() => unknown);
  const server = () => own ?? sharedServer();
  beforeAll(async () => {
    own = await start?.();
    undo = await prepare?.(server());
    disconnect = keepDevices();
  });
  afterAll(async () => {
    await disconnect?.();
    await undo?.();
    await own?.stop();
  });

  test('every view is accessible and whole', async () => {
    const say = <T>(en: T, zh: T): T => (look.language === 'zh' ? zh : en);
    const { page, goto } = await open({ server: server(), signedOut, reload });
    for (const { name, path, show } of views) {
      await page.setViewportSize(WIDTHS[0]);
      try {
        if (reload) await goto(path);
        else await enter(page, path);
        await show({ ...look, page, server: server(), say });
      } catch (cause) {
        throw new Error(`${name} does not come up`, { cause });
      }
      for (const size of WIDTHS) {
        await page.setViewportSize(size);
        await painted(page);
        await expectWhole(page, look, size.width, `${name}, ${size.width} px wide`);
      }
    }
    expect(await policyViolations(server())).toBe(0);
  });
}

/**
 * Goes to a page by way of another one, so that nothing of the view before is left. Loading the document and axe for each
 * view takes more processor time.
 */
async function enter(page: Page, path: string): Promise<void> {
  await navigate(page, '/help');
  await page.locator('main a[href$="api-docs"]').waitFor();
  await navigate(page, path);
}

/**
 * Two frames: the first one lays out what changed, the second one follows what scripts made of that. A toolbar that
 * folds at the new width may take more; after a second what is too wide stays so.
 */
const painted = (page: Page) =>
  page.evaluate(async () => {
    const main = document.querySelector('main');
    const fits = () => !main || main.scrollWidth <= main.clientWidth;
    for (let frame = 0; frame < 2 || (frame < 60 && !fits()); frame++)
      await new Promise((done) => requestAnimationFrame(done));
  });

async function expectWhole(page: Page, look: Look, width: number, view: string): Promise<void> {
  const seen = await page.evaluate(() => {
    const main = document.querySelector('main');
    return {
      language: document.documentElement.lang,
      theme: document.documentElement.dataset.theme,
      width: document.documentElement.scrollWidth,
      hiddenWidth: main ? main.scrollWidth - main.clientWidth : 0,
      text: document.body.innerText,
    };
  });
  expect.soft([seen.language, seen.theme], view).toEqual([look.language, look.theme]);
  expect.soft(seen.width, `${view}: the document is wider than the screen`).toBeLessThanOrEqual(width);
  expect.soft(seen.hiddenWidth, `${view}: a part of the page is outside the screen`).toBe(0);
  expect.soft(seen.text.match(MISSING), `${view}: words are missing`).toBeNull();
  expect.soft(await accessibilityFaults(page), view).toEqual([]);
}
