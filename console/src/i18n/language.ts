import { localTexts } from '../browser-storage.ts';

/** Keeps the console's language; `setLanguage` here or in another tab changes it. The start-up script has set it on the document. */
export type Language = 'en' | 'zh';

const listeners = new Set<() => void>();
const STORED_UNDER = 'language';

/** SPEC 3: Chinese is used for anything but `en`; nothing stored means English. */
const read = (): Language => {
  const stored = localTexts.get(STORED_UNDER);
  return stored === null || stored === 'en' ? 'en' : 'zh';
};

let language: Language | undefined;

export const getLanguage = (): Language => {
  language ??= read();
  return language;
};

export function setLanguage(next: Language): void {
  localTexts.set(STORED_UNDER, next);
  show(next);
}

/** Follows the other tabs of this browser. */
export function watchLanguage(): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === STORED_UNDER) show(read());
  });
}

function show(next: Language): void {
  language = next;
  document.documentElement.lang = next;
  for (const listener of listeners) listener();
}

export function onLanguageChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
