import { BANNED_AS, type BannedAs } from '@mqdeck/contract/banned';
import type { Collection, Store } from '../../core/store/store.ts';
import type { Clock, Timer, TimerWheel } from '../../core/timer-wheel.ts';
import { Turn } from '../../paging/turn.ts';
import { addressText, type Ban, groupsOf, type Names } from './ban.ts';
import { NetworkIndex, PatternIndex } from './indexes.ts';

interface Entry {
  readonly ban: Ban;
  readonly id: number; // its key in the store
  timer: Timer | null;
}
type Entries = Record<BannedAs, Map<string, Entry>>;

const SLICE = 500;
const CLEAR_GROUP = 2000;

const noEntries = (): Entries =>
  Object.fromEntries(BANNED_AS.map((as) => [as, new Map<string, Entry>()])) as Entries;

/** Keeps who may not connect, in the store and, to be found at once, in memory. An entry goes when its time is over. */
export class Bans {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly timers: TimerWheel;
  private readonly collection: Collection<Ban>;
  private entries = noEntries();
  private readonly networks = new NetworkIndex<Entry>();
  private readonly clientidPatterns = new PatternIndex<Entry>();
  private readonly usernamePatterns = new PatternIndex<Entry>();
  private lastId = 0;
  private count = 0;
  /** Of the latest entry, epoch ms; who was let in before that may have to go. */
  addedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, { clock, timers }: { clock: Clock; timers: TimerWheel }) {
    this.store = store;
    this.clock = clock;
    this.timers = timers;
    this.collection = store.collection('banned');
    const over: number[] = [];
    for (const { key, value } of this.collection.range()) {
      const id = key as number;
      this.lastId = Math.max(this.lastId, id);
      if (this.isOver(value)) over.push(id);
      else this.keep(id, value);
    }
    for (const id of over) this.collection.remove(id);
  }

  get size(): number {
    return this.count;
  }

  get patternCount(): number {
    return this.clientidPatterns.size + this.usernamePatterns.size;
  }

  /** False when it is banned already. */
  add(ban: Ban): boolean {
    if (this.get(ban.as, ban.who)) return false;
    this.remove(ban.as, ban.who); // one whose time is over
    const id = ++this.lastId;
    this.collection.put(id, ban);
    this.keep(id, ban);
    this.addedAt = this.clock.now;
    return true;
  }

  get(as: BannedAs, who: string): Ban | undefined {
    const entry = this.entries[as].get(who);
    return entry && !this.isOver(entry.ban) ? entry.ban : undefined;
  }

  /** False when there was none. */
  remove(as: BannedAs, who: string): boolean {
    const entry = this.entries[as].get(who);
    if (!entry) return false;
    this.forget(entry);
    return true;
  }

  /** In force at once; settles when they are gone from disk too. Others have a turn every few milliseconds. */
  async clear(): Promise<void> {
    const { entries: old } = this;
    this.entries = noEntries();
    this.networks.clear();
    this.clientidPatterns.clear();
    this.usernamePatterns.clear();
    this.count = 0;
    const turn = new Turn();
    let removed = 0;
    for (const as of BANNED_AS)
      for (const { timer, id } of old[as].values()) {
        if (turn.over) await turn.next();
        timer?.cancel();
        this.collection.remove(id);
        if (++removed % CLEAR_GROUP === 0) await this.store.flushed().catch(() => undefined);
      }
    await this.store.flushed();
  }

  /** Of one kind, or of all. */
  *slices(kinds: readonly BannedAs[] = BANNED_AS): Generator<Ban[]> {
    let slice: Ban[] = [];
    for (const as of kinds)
      for (const { ban } of this.entries[as].values()) {
        if (this.isOver(ban)) continue;
        slice.push(ban);
        if (slice.length < SLICE) continue;
        yield slice;
        slice = [];
      }
    yield slice;
  }

  /** The entry that keeps a client out, or null. */
  find(names: Names): Ban | null {
    return this.findByName(names) ?? this.findByPattern(names);
  }

  /** What is looked up, not looked for. */
  findByName({ clientid, username, address }: Names): Ban | null {
    if (this.count === 0) return null;
    const { entries } = this;
    const named =
      this.get('clientid', clientid) ?? (username === null ? undefined : this.get('username', username));
    if (named) return named;
    if (entries.peerhost.size + entries.peerhost_net.size === 0) return null;
    const groups = groupsOf(address);
    if (!groups) return null;
    const host = entries.peerhost.size > 0 ? entries.peerhost.get(addressText(groups)) : undefined;
    if (host && !this.isOver(host.ban)) return host.ban;
    return this.networks.find(groups, this.holds)?.ban ?? null;
  }

  findByPattern({ clientid, username }: Names): Ban | null {
    const entry =
      this.clientidPatterns.find(clientid, this.holds) ??
      (username === null ? undefined : this.usernamePatterns.find(username, this.holds));
    return entry?.ban ?? null;
  }

  private readonly holds = ({ ban }: Entry): boolean => !this.isOver(ban);

  private isOver({ until }: Ban): boolean {
    return until !== null && until * 1000 <= this.clock.now;
  }

  private keep(id: number, ban: Ban): void {
    const { as, who, until } = ban;
    const entry: Entry = { ban, id, timer: null };
    if (until !== null)
      entry.timer = this.timers.after(until * 1000 - this.clock.now, () => {
        if (this.entries[as].get(who) === entry) this.forget(entry);
      });
    this.entries[as].set(who, entry);
    this.count++;
    if (as === 'peerhost_net') this.networks.set(who, entry);
    if (as === 'clientid_re') this.clientidPatterns.set(who, entry);
    if (as === 'username_re') this.usernamePatterns.set(who, entry);
  }

  private forget({ ban: { as, who }, id, timer }: Entry): void {
    timer?.cancel();
    this.entries[as].delete(who);
    this.count--;
    if (as === 'peerhost_net') this.networks.delete(who);
    if (as === 'clientid_re') this.clientidPatterns.delete(who);
    if (as === 'username_re') this.usernamePatterns.delete(who);
    this.collection.remove(id);
  }
}
