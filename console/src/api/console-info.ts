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

/** Asked once; null where another server serves the console. */
export const getConsoleInfo = (): Promise<ConsoleInfo | null> => {
  asked ??= fetch(`${basePath()}console.json`, { headers: { Accept: 'application/json' } })
    .then(async (response) => (response.ok ? ((await response.json()) as ConsoleInfo) : null))
    .catch(() => null); // only a label hangs on it
  return asked;
};
