import { basePath } from '../base.ts';

/** What the console's own server says about itself, in `/console.json`. */
export interface ConsoleInfo {
  /** The broker inside this server, or a cluster behind it. */
  mode: 'embedded' | 'upstream';
  /** Where the cluster is; empty for the broker inside. */
  upstream: string;
  version: string;
  base: string;
  edition: string;
}

let asked: Promise<ConsoleInfo | null> | undefined;

/** Asked until the server answers; null where another server serves the console. */
export const getConsoleInfo = (): Promise<ConsoleInfo | null> => {
  asked ??= askForInfo();
  return asked;
};

/** The page was opened while the server does not answer; it is asked again until it does. */
let away = false;
const listeners = new Set<() => void>();

export const isServerAway = (): boolean => away;

export function onServerAway(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setAway(next: boolean): void {
  if (away === next) return;
  away = next;
  for (const listener of listeners) listener();
}

const PAUSE_MS = { first: 1000, longest: 10_000 };

async function askForInfo(): Promise<ConsoleInfo | null> {
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    const info = await fetchInfo().catch(() => 'away' as const);
    setAway(info === 'away');
    if (info !== 'away') return info;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function fetchInfo(): Promise<ConsoleInfo | null | 'away'> {
  const response = await fetch(`${basePath()}console.json`, { headers: { Accept: 'application/json' } });
  if (response.ok) return response.json().catch(() => null) as Promise<ConsoleInfo | null>;
  return response.status >= 500 ? 'away' : null; // of a proxy before the server
}
