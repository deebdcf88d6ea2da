import type { Page } from 'playwright-core';
import type { Look } from '../support/browser.ts';
import type { RunningServer } from '../support/server.ts';

export interface Viewer extends Look {
  page: Page;
  server: RunningServer;
  /** What belongs to the language of the console: a text, or a pattern. */
  say<T>(en: T, zh: T): T;
}

/** One state of a page that a person sees: the page itself, a tab, a drawer, an error beside a field. */
export interface View {
  /** A noun phrase, unique within the feature: begins the message when something is wrong. */
  name: string;
  path: string;
  /** Brings the page into the state, and settles when all of it is on screen. */
  show(viewer: Viewer): Promise<unknown>;
}

/** The views of one feature. */
export interface FeatureViews {
  feature: string;
  /** Starts a server of its own, for views of a broker that other views would change. Without it, all share one. */
  start?(): Promise<RunningServer>;
  /**
   * Creates what the views show; the answer removes what other features must not meet. Devices connected here stay until
   * the views were seen.
   */
  prepare?(server: RunningServer): Promise<undefined | (() => unknown)>;
  /** The views need no sign-in, and are seen without one. */
  signedOut?: boolean;
  /** Loads the document for each view: they show what the console does once per load, or are parts of its frame. */
  reload?: boolean;
  views: readonly View[];
}
