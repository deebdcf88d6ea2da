import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { ClientInfo } from '../../core/hooks.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Store } from '../../core/store/store.ts';
import { type Ban, concerns, type Names } from './ban.ts';
import { Bans } from './bans.ts';

/** Before whatever else a CONNECT could cost. */
const FIRST = 1000;
const OWNER = 'banned';
/** Longer than an authentication takes: who was asked for his password when the ban came is looked at again. */
const LONGEST_CONNECT_MS = 60_000;

/** Keeps out who is banned: refuses his CONNECT, and ends his connection when the ban comes. */
export class Blacklist {
  readonly bans: Bans;
  private readonly core: Core;
  private readonly store: Store;
  private readonly ends: (() => void)[];

  constructor(core: Core, store: Store) {
    this.core = core;
    this.store = store;
    this.bans = new Bans(store, core);
    const options = { priority: FIRST, owner: OWNER };
    this.ends = [
      core.hooks.on('client.connect', (who) => this.onConnect(who), options),
      core.hooks.on('client.connected', (client) => this.onConnected(client), options),
    ];
  }

  /** Which entry keeps a client out, or null. */
  explain(names: Names): Ban | null {
    return this.bans.find(names);
  }

  /** In force at once. False when it is banned already; otherwise settles when the ban is on disk and its clients are gone. */
  async add(ban: Ban): Promise<boolean> {
    if (!this.bans.add(ban)) return false;
    await Promise.all([this.store.flushed(), this.disconnect(ban)]);
    return true;
  }

  /** False when there was none; otherwise settles when it is off the disk. */
  async remove(as: Ban['as'], who: string): Promise<boolean> {
    if (!this.bans.remove(as, who)) return false;
    await this.store.flushed();
    return true;
  }

  clear(): Promise<void> {
    return this.bans.clear();
  }

  /** Everybody whom any entry keeps out. */
  async disconnectBanned(): Promise<void> {
    for await (const slice of this.core.registry.slices())
      for (const client of slice)
        if (client.connected && this.bans.find(client)) this.core.kick(client.clientid);
    for (const guest of [...this.core.guests()]) if (this.bans.find(guest)) guest.close(ReasonCode.Banned);
  }

  close(): void {
    for (const end of this.ends) end();
  }

  private onConnect(who: ClientInfo): void {
    const ban = this.bans.find(who);
    if (ban) throw new Refusal(ReasonCode.Banned, explained(ban));
  }

  /** A ban may have come while the client proved who it is, or an authenticator has given it another name. */
  private onConnected(client: Client): void {
    const { bans, core } = this;
    const { who } = client;
    const recently = core.clock.now - bans.addedAt < LONGEST_CONNECT_MS;
    const ban = bans.findByName(who) ?? (recently ? bans.findByPattern(who) : null);
    if (!ban) return;
    // Not now: whoever else is told of the connection expects that there is one
    setImmediate(() => {
      if (core.registry.find(client.clientid)?.who === who) core.kick(client.clientid);
      else if (who.guest !== undefined && client.connected) client.close(ReasonCode.Banned);
    });
  }

  private async disconnect(ban: Ban): Promise<void> {
    const { registry } = this.core;
    const isOne = concerns(ban);
    for (const guest of [...this.core.guests()]) if (isOne(guest)) guest.close(ReasonCode.Banned);
    if (ban.as === 'clientid') {
      if (registry.find(ban.who)?.connected) this.core.kick(ban.who);
      return;
    }
    for await (const slice of registry.slices())
      for (const client of slice) if (client.connected && isOne(client)) this.core.kick(client.clientid);
  }
}

const explained = ({ as, who, reason }: Ban): string =>
  `${as} ${who} is banned${reason === '' ? '' : `: ${reason}`}`;
