import type { ZoneSettings } from './settings.ts';

/** So many within so long. */
export interface Rate {
  count: number; // connections, messages or bytes
  perMs: number;
}

/** Null: no limit. */
export interface EntranceRates {
  connections: Rate | null; // of the listener
  messages: Rate | null; // of each of its clients
  bytes: Rate | null; // of each of its clients
}

/**
 * What holds for the connections that come in by one listener. Read at use: whoever changes it changes it for those that
 * are there, except for what they were told when they came.
 */
export class Entrance {
  readonly id: string; // of the listener, `tcp:default`
  /** Changed by `core.enterZone`. */
  zone = 'default';
  /** Of the zone; another object when the zone changes. */
  settings: ZoneSettings;
  /** Goes before each topic of its clients; `${clientid}` and `${username}` are filled in. Null = none. */
  mountpoint: string | null = null;
  /** Whether its clients are asked who they are; those without username may be refused without asking. */
  authenticates: boolean | 'quick_deny_anonymous' = true;
  rates: EntranceRates = { connections: null, messages: null, bytes: null };

  constructor(id: string, settings: ZoneSettings) {
    this.id = id;
    this.settings = settings;
  }
}
