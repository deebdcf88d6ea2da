import { useSyncExternalStore } from 'react';
import { localTexts } from './browser-storage.ts';

/** Keeps what the operator likes, in localStorage under SPEC's names; the setters here alone change it. */
export type Theme = 'light' | 'dark';
export interface Preferences {
  theme: Theme;
  /** The theme follows the operating system, now and when that changes. */
  syncOsTheme: boolean;
  leftBarCollapse: boolean;
}

const systemIsLight = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: light)');

const read = (): Preferences => ({
  theme: localTexts.get('theme') === 'light' ? 'light' : 'dark',
  syncOsTheme: localTexts.get('syncOsTheme') === 'true',
  leftBarCollapse: localTexts.get('leftBarCollapse') !== 'false',
});

let preferences: Preferences | undefined;
const listeners = new Set<() => void>();

export const getPreferences = (): Preferences => {
  preferences ??= read();
  return preferences;
};

export function setPreference<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  preferences = { ...getPreferences(), [name]: value };
  localTexts.set(name, String(value));
  changed();
}

/** What is painted: the chosen theme, or the system's while it is followed. */
export const getShownTheme = (): Theme => {
  const { theme, syncOsTheme } = getPreferences();
  return syncOsTheme ? (systemIsLight().matches ? 'light' : 'dark') : theme;
};

function changed(): void {
  const shown = getShownTheme();
  document.documentElement.dataset.theme = shown;
  document.documentElement.dataset.mantineColorScheme = shown;
  for (const listener of listeners) listener();
}

function onPreferencesChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the operating system, and the other tabs of this browser. */
export function watchPreferences(): void {
  systemIsLight().addEventListener('change', changed);
  window.addEventListener('storage', ({ key }) => {
    if (key !== 'theme' && key !== 'syncOsTheme') return;
    preferences = read();
    changed();
  });
  changed();
}

export const usePreferences = (): Preferences => useSyncExternalStore(onPreferencesChange, getPreferences);
export const useShownTheme = (): Theme => useSyncExternalStore(onPreferencesChange, getShownTheme);

/** SPEC 6: 1 for the enterprise edition, else 2; remembered at sign-in. */
export function rememberEdition(named: string): void {
  localTexts.set('edition', /^(ee|enterprise)/i.test(named) ? '1' : '2');
}

/** Whether the broker named itself that at the last sign-in; what it then lacks says so itself. */
export const isEnterprise = (): boolean => localTexts.get('edition') === '1';
