import { BANNED_WHO_MAX } from '@mqdeck/contract/banned';
import type { Core } from '../../core/core.ts';
import type { ClientInfo } from '../../core/hooks.ts';

/** A connection that was refused, or several alike. Times are epoch ms. */
export interface Refused {
  readonly clientid: string;
  readonly username: string | null;
  readonly address: string;
  readonly listener: string;
  /** Of a gateway's device; null = MQTT. */
  readonly protocolName: string | null;
  readonly protocolVersion: number | string;
  readonly reasonCode: number;
  readonly why: string | null;
  readonly firstAt: number;
  lastAt: number;
  count: number;
}

const ROWS_MAX = 1000;
const WHY_MAX = 500;
const OWNER = 'refused-connections';
const LEAST_FAILURE = 0x80;

/** Keeps the connections refused last, in memory, each client's that tries again in one row; the latest at the end. */
export class RefusedConnections {
  private readonly rows = new Map<string, Refused>();
  private readonly now: () => number;
  private readonly off: () => void;

  constructor({ hooks, clock }: Core) {
    this.now = () => clock.now;
    this.off = hooks.on(
      'client.connack',
      (who, reasonCode, why) => {
        if (reasonCode >= LEAST_FAILURE) this.add(who, reasonCode, why);
      },
      { owner: OWNER },
    );
  }

  /** The latest first. */
  list(): Refused[] {
    return [...this.rows.values()].reverse();
  }

  clear(): void {
    this.rows.clear();
  }

  close(): void {
    this.off();
  }

  private add(who: ClientInfo, reasonCode: number, told: string | null): void {
    const clientid = cut(who.clientid, BANNED_WHO_MAX);
    const username = who.username === null ? null : cut(who.username, BANNED_WHO_MAX);
    const why = told === null ? null : cut(told, WHY_MAX);
    const { address, listener, guest } = who;
    const protocolName = guest ? cut(guest.protocolName, BANNED_WHO_MAX) : null;
    const protocolVersion = guest ? cut(guest.protocolVersion, BANNED_WHO_MAX) : who.protocolVersion;
    const from = [address, listener, protocolName, protocolVersion];
    const key = JSON.stringify([clientid, username, ...from, reasonCode, why]);
    const now = this.now();
    const known = this.rows.get(key);
    this.rows.delete(key);
    const row = known ?? {
      clientid,
      username,
      address,
      listener,
      protocolName,
      protocolVersion,
      reasonCode,
      why,
      firstAt: now,
      lastAt: now,
      count: 0,
    };
    row.count++;
    row.lastAt = now;
    this.rows.set(key, row);
    if (this.rows.size <= ROWS_MAX) return;
    for (const oldest of this.rows.keys()) {
      this.rows.delete(oldest);
      return;
    }
  }
}

/** A part of a text would keep the whole of it in memory, so it is copied. */
const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${Buffer.from(text.slice(0, max)).toString()}…`;
