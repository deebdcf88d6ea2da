import { cleanup, configure } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { forgetAbsent } from '../api/features.ts';
import { queryClient } from '../api/query-client.ts';
import { noteServerTime } from '../api/server-clock.ts';
import { endSession } from '../api/session.ts';
import { setStorageBlocked } from '../browser-storage.ts';
import { editorModule } from '../editor/editor-module.ts';
import { setLanguage } from '../i18n/language.ts';
import { setPreference } from '../preferences.ts';
import { openOverlay } from '../shell/overlay.ts';
import { answerConfirm } from '../ui/confirm.ts';
import { dismiss, getToasts } from '../ui/toast.ts';
import { takeBroken } from './answers.ts';
import 'fake-indexeddb/auto';

/**
 * The test files share a worker and its modules, so each test must leave the modules as a page finds them that was
 * loaded just now. This file does that for all tests; a test resets only what it alone has changed.
 */

/** The first page of a worker loads its parts, and a busy machine takes its time. */
configure({ asyncUtilTimeout: 10_000 });

const attributesOf = (element: Element) => [...element.attributes].map(({ name }) => name);
const ownAttributes = new Set([document.documentElement, document.body].flatMap(attributesOf));

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
  // The editor measures what it draws, which needs a browser. Without it CodeEditor is a plain textarea.
  vi.spyOn(editorModule, 'load').mockRejectedValue(new Error('no browser'));
});

// Runs after the hooks of the test file, because hooks are a stack.
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  answerConfirm(false);
  for (const { id } of getToasts()) dismiss(id);
  openOverlay(null);
  endSession('signed-out');
  forgetAbsent();
  queryClient.clear();
  noteServerTime(new Date().toUTCString());
  setStorageBlocked(false);
  setLanguage('en');
  setPreference('theme', 'dark');
  setPreference('syncOsTheme', false);
  setPreference('leftBarCollapse', true);
  localStorage.clear();
  sessionStorage.clear();
  document.title = '';
  document.head.replaceChildren();
  document.body.replaceChildren();
  for (const element of [document.documentElement, document.body])
    for (const name of attributesOf(element)) if (!ownAttributes.has(name)) element.removeAttribute(name);
});

afterEach(() => {
  const broken = takeBroken();
  if (broken.length > 0) throw new Error(broken.join('\n'));
});

// An import that a page has begun and nobody waits for must end before the worker turns to the next file.
afterAll(() => vi.dynamicImportSettled());
