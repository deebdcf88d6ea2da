import { AsyncLocalStorage } from 'node:async_hooks';

/** Who does something through the API. */
export interface Actor {
  readonly from: 'dashboard' | 'rest_api';
  readonly source: string; // the user or the key
  readonly address: string;
  readonly operation: string; // `DELETE /clients/:clientid`
}

/** A section of the settings as it was and as it is. */
export interface SettingsChange {
  readonly section: string;
  readonly before: object;
  after: object;
}

/** Something done through the API, while it is done. */
export interface Deed {
  readonly actor: Actor;
  /** Each section once. */
  readonly settings: SettingsChange[];
}

const IDLE_MS = 100;

const storage = new AsyncLocalStorage<Deed>();
let running = 0;
let idle: NodeJS.Timeout | null = null;

/**
 * Whatever happens because of `run` knows the deed, also what it does not wait for, unless that comes much later. To know
 * it makes every promise of the process several times as dear, so it is off while nothing is done.
 */
export async function during<T>(deed: Deed, run: () => Promise<T>): Promise<T> {
  running++;
  if (idle !== null) clearTimeout(idle);
  idle = null;
  try {
    return await storage.run(deed, run);
  } finally {
    running--;
    if (running === 0) {
      idle = setTimeout(() => storage.disable(), IDLE_MS);
      idle.unref();
    }
  }
}

/** Null: nobody does this through the API; it happens by itself, or a client does it. */
export const currentDeed = (): Deed | null => storage.getStore() ?? null;
