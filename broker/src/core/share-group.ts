import type { Message } from './message.ts';
import type { Subscription } from './router.ts';
import type { SharedStrategy, ZoneSettings } from './settings.ts';
import { Standing, type Subscriber } from './subscriber.ts';

/** The group's own strategy, or that of the zone of its first member. */
export type StrategyOf = (group: string, zone: ZoneSettings | null) => SharedStrategy;

/** One virtual subscriber for all who share a filter. Keeps the members and whose turn it is. */
export class ShareGroup implements Subscriber {
  readonly filter: string; // `$share/name/filter`
  readonly name: string;
  /** The group's own link in the chain of the filter. */
  link: Subscription | null = null;
  private readonly members: Subscription[] = [];
  private readonly strategy: StrategyOf;
  private turn = 0;
  /** What is remembered of a publisher goes with its connection. */
  private turns: WeakMap<object, { turn: number }> | null = null;
  private latest: { publisher: object; turn: { turn: number } } | null = null;
  private chosen: WeakMap<object, Subscription> | null = null;

  constructor(filter: string, name: string, strategy: StrategyOf) {
    this.filter = filter;
    this.name = name;
    this.strategy = strategy;
  }

  get size(): number {
    return this.members.length;
  }
  get standing(): Standing {
    return this.members.reduce<Standing>(
      (best, { subscriber }) => (subscriber.standing > best ? subscriber.standing : best),
      Standing.Gone,
    );
  }

  /** How the member for a message is found. */
  get way(): SharedStrategy {
    return this.strategy(this.name, this.settings);
  }

  /** Of the member who came first. */
  get settings(): ZoneSettings | null {
    return this.members.length === 0 ? null : this.members[0]!.subscriber.settings;
  }

  add(member: Subscription): void {
    this.members.push(member);
  }

  remove(member: Subscription): void {
    const at = this.members.indexOf(member);
    if (at === -1) return;
    this.members.splice(at, 1);
    if (at < this.turn) this.turn--;
  }

  deliver(message: Message): boolean {
    const member = this.pick(message, null);
    return member?.subscriber.deliver(message, member) ?? false;
  }

  /** False when there is nobody else. */
  redispatch(message: Message, from: Subscription): boolean {
    const member = this.pick(message, from);
    return member?.subscriber.deliver(message, member) ?? false;
  }

  private pick(message: Message, except: Subscription | null): Subscription | null {
    if (this.members.length === 0) return null;
    const publisher = message.publisher ?? this;
    switch (this.way) {
      case 'round_robin': {
        const turn = this.turnOf(publisher);
        const at = this.nextFrom(turn.turn, except);
        turn.turn = at + 1;
        return this.at(at);
      }
      case 'round_robin_per_group': {
        const at = this.nextFrom(this.turn, except);
        this.turn = at + 1;
        return this.at(at);
      }
      case 'sticky':
        return this.stay(message, publisher, except);
      case 'hash_clientid':
        return this.at(this.nextFrom(hash(message.from), except));
      case 'hash_topic':
        return this.at(this.nextFrom(hash(message.topic), except));
      default:
        return this.at(this.nextFrom(this.anywhere(), except));
    }
  }

  /** A new publisher begins one further than the new one before. */
  private turnOf(publisher: object): { turn: number } {
    if (this.latest?.publisher === publisher) return this.latest.turn; // publishers tend to repeat themselves
    this.turns ??= new WeakMap();
    let turn = this.turns.get(publisher);
    if (turn === undefined) {
      turn = { turn: this.turn };
      this.turn = (this.turn + 1) % this.members.length;
      this.turns.set(publisher, turn);
    }
    this.latest = { publisher, turn };
    return turn;
  }

  private stay(message: Message, publisher: object, except: Subscription | null): Subscription | null {
    this.chosen ??= new WeakMap();
    const chosen = this.chosen.get(publisher);
    if (chosen !== undefined && chosen !== except && !chosen.left) {
      const { standing } = chosen.subscriber;
      if (standing === Standing.Ready) return chosen;
      if (standing === Standing.Full) return this.at(this.nextFrom(this.anywhere(), except)); // for a while only
    }
    const member = this.at(this.nextFrom(this.firstPick(message), except));
    if (member !== null) this.chosen.set(publisher, member);
    return member;
  }

  private firstPick(message: Message): number {
    switch (this.settings?.sharedSubscriptionInitialStickyPick) {
      case 'hash_clientid':
        return hash(message.from);
      case 'hash_topic':
        return hash(message.topic);
      default:
        return this.anywhere();
    }
  }

  private anywhere(): number {
    return Math.floor(Math.random() * this.members.length);
  }

  private at(place: number): Subscription | null {
    return place === -1 ? null : this.members[place]!;
  }

  /** The first from there on who stands best: connected rather than away, and full queues last; -1 without any. */
  private nextFrom(start: number, except: Subscription | null): number {
    const { members } = this;
    const count = members.length;
    let best = -1;
    let bestStanding: Standing = Standing.Gone;
    for (let i = 0; i < count; i++) {
      const at = (start + i) % count;
      const member = members[at]!;
      if (member === except) continue;
      const { standing } = member.subscriber;
      if (standing <= bestStanding) continue;
      best = at;
      bestStanding = standing;
      if (standing === Standing.Ready) break;
    }
    return best;
  }
}

/** FNV-1a: the same for the same text, in every process. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
