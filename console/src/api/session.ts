import { useSyncExternalStore } from 'react';
import { localTexts, setStorageBlocked } from '../browser-storage.ts';
import { openCipher } from './cipher.ts';
import { forgetAbsent } from './features.ts';
import { indexedDbKeys } from './key-store.ts';

/** Keeps who is signed in. It lasts in localStorage, sealed; `beginSession` and `endSession` alone change it. */
export interface Session {
  token: string;
  username: string;
  /** The version the broker named at sign-in. */
  version: string;
}

/** `refused`: a 401 of another kind, which request.ts reports by itself. `elsewhere`: another tab signed out. */
export type SessionEnd = 'expired' | 'refused' | 'signed-out' | 'elsewhere';

/** Holds the random name of the entry with the sealed session. */
const NAME_KEPT_UNDER = 'session';
/** SPEC 9: stored key length. */
const NAME_LENGTH = 4;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

let session: Session | null = null;
let endExpected = false;
const listeners = new Set<() => void>();
const endListeners = new Set<(reason: SessionEnd, quiet: boolean) => void>();

export const getSession = (): Session | null => session;
export const useSession = (): Session | null => useSyncExternalStore(onSessionChange, getSession);

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Hears of each end. `quiet`: the user knows why, no notice is needed. */
export function onSessionEnd(listener: (reason: SessionEnd, quiet: boolean) => void): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** Reads the stored session once at start and follows sign-ins and sign-outs of other tabs. */
export async function restoreSession(): Promise<void> {
  set(await readStored());
  window.addEventListener('storage', (event) => {
    if (event.key !== NAME_KEPT_UNDER && event.key !== null) return;
    if (localTexts.get(NAME_KEPT_UNDER) === null) leave('elsewhere');
    else void readStored().then((stored) => stored && set(stored));
  });
}

export async function beginSession(next: Session): Promise<void> {
  endExpected = false;
  forgetAbsent();
  removeStored();
  try {
    const name = randomName();
    const cipher = await openCipher(indexedDbKeys);
    localTexts.set(name, await cipher.seal(JSON.stringify(next)));
    localTexts.set(NAME_KEPT_UNDER, name); // last: other tabs read when this changes
  } catch (cause) {
    console.warn('The session will not outlive this page: the browser stores nothing here.', cause);
    setStorageBlocked(true);
  }
  set(next);
}

/** Ends the session in every tab. */
export function endSession(reason: SessionEnd): void {
  removeStored();
  leave(reason);
}

/**
 * Says that the token is about to die by the user's own hand (he changes his password), so that the refusals that
 * follow bring no notice. The returned function takes it back.
 */
export function expectSessionEnd(): () => void {
  endExpected = true;
  return () => {
    endExpected = false;
  };
}

function leave(reason: SessionEnd): void {
  if (session === null) return;
  const quiet = endExpected || reason !== 'expired';
  endExpected = false;
  set(null);
  for (const listener of endListeners) listener(reason, quiet);
}

function set(next: Session | null): void {
  session = next;
  for (const listener of listeners) listener();
}

async function readStored(): Promise<Session | null> {
  const name = localTexts.get(NAME_KEPT_UNDER);
  const sealed = name === null ? null : localTexts.get(name);
  if (sealed === null) return null;
  try {
    const cipher = await openCipher(indexedDbKeys);
    const { token, username, version }: Session = JSON.parse(await cipher.open(sealed));
    if (typeof token === 'string' && typeof username === 'string') return { token, username, version };
  } catch (cause) {
    console.warn('The stored session cannot be read; a new sign-in is needed.', cause);
  }
  removeStored();
  return null;
}

function removeStored(): void {
  const name = localTexts.get(NAME_KEPT_UNDER);
  if (name !== null) localTexts.remove(name);
  localTexts.remove(NAME_KEPT_UNDER);
}

function randomName(): string {
  let name: string;
  do {
    const bytes = crypto.getRandomValues(new Uint8Array(NAME_LENGTH));
    name = [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  } while (localTexts.get(name) !== null);
  return name;
}
