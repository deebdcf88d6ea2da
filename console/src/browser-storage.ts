import { useSyncExternalStore } from 'react';

/**
 * Owns the storage of the browser. What the browser does not take lasts as long as the page. The start-up script reads
 * by itself, because it runs before any module is loaded.
 */
class StoredTexts {
  private readonly storage: () => Storage;
  /** What the browser did not take. */
  private readonly kept = new Map<string, string>();

  constructor(storage: () => Storage) {
    this.storage = storage;
  }

  get(key: string): string | null {
    return this.kept.get(key) ?? attempt(() => this.storage().getItem(key)) ?? null;
  }

  set(key: string, text: string): void {
    const stored = attempt(() => {
      this.storage().setItem(key, text);
      return true;
    });
    if (stored) this.kept.delete(key);
    else this.kept.set(key, text);
  }

  remove(key: string): void {
    this.kept.delete(key);
    attempt(() => this.storage().removeItem(key));
  }
}

/** For every tab of this browser. */
export const localTexts = new StoredTexts(() => window.localStorage);
/** For this tab. */
export const tabTexts = new StoredTexts(() => window.sessionStorage);

let blocked = false;
const listeners = new Set<() => void>();

/** The browser refused to store or to read something: what the user sets and the session do not outlive the page. */
export const isStorageBlocked = (): boolean => blocked;
export const useStorageBlocked = (): boolean => useSyncExternalStore(onStorageBlocked, isStorageBlocked);

export function setStorageBlocked(next: boolean): void {
  if (blocked === next) return;
  blocked = next;
  for (const listener of [...listeners]) queueMicrotask(listener); // never in the middle of a drawing
}

function onStorageBlocked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where storage is forbidden, already touching it throws. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (cause) {
    if (!blocked) console.warn('The browser blocks its storage: nothing outlives this page.', cause);
    setStorageBlocked(true);
    return undefined;
  }
}
