import type { QoS, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import { parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { ClientSubscription } from './client.ts';
import type { RoutesView } from './core.ts';
import { Exclusive } from './exclusive.ts';
import type { Message } from './message.ts';
import { SegmentTrie } from './segment-trie.ts';
import type { SharedStrategy } from './settings.ts';
import { ShareGroup, type StrategyOf } from './share-group.ts';
import { Standing, type Subscriber } from './subscriber.ts';

export const NO_LOCAL = 4;
export const RETAIN_AS_PUBLISHED = 8;
const LEFT = 64;

export const packOptions = (options: SubscriptionOptions): number =>
  options.qos |
  (options.noLocal ? NO_LOCAL : 0) |
  (options.retainAsPublished ? RETAIN_AS_PUBLISHED : 0) |
  (options.retainHandling << 4);

/** One subscriber's interest in one filter; a link in the chain of its entry. There may be a million of them. */
export class Subscription implements ClientSubscription {
  readonly subscriber: Subscriber;
  /** What it hangs on: the filter, or a virtual subscriber to it. */
  readonly entry: FilterEntry | ShareGroup | Exclusive;
  options: number;
  subscriptionIdentifier: number;
  next: Subscription | null = null;
  previous: Subscription | null = null;

  constructor(
    subscriber: Subscriber,
    entry: FilterEntry | ShareGroup | Exclusive,
    options: number,
    identifier: number,
  ) {
    this.subscriber = subscriber;
    this.entry = entry;
    this.options = options;
    this.subscriptionIdentifier = identifier;
  }

  get filter(): string {
    return this.entry.filter;
  }
  get share(): string | null {
    return this.entry instanceof ShareGroup ? this.entry.name : null;
  }
  get qos(): QoS {
    return (this.options & 3) as QoS;
  }
  get noLocal(): boolean {
    return (this.options & NO_LOCAL) !== 0;
  }
  get retainAsPublished(): boolean {
    return (this.options & RETAIN_AS_PUBLISHED) !== 0;
  }
  get retainHandling(): 0 | 1 | 2 {
    return ((this.options >> 4) & 3) as 0 | 1 | 2;
  }
  /** Unsubscribed, by the router. */
  get left(): boolean {
    return (this.options & LEFT) !== 0;
  }
}

/** A filter somebody subscribed to, with the chain of its subscriptions. Routes hold on to it, so the chain is live. */
export class FilterEntry {
  readonly filter: string;
  head: Subscription | null = null;

  constructor(filter: string) {
    this.filter = filter;
  }
}

const NONE: FilterEntry[] = [];
const STALE = -1;

/** Where a topic's messages go. Connections keep the one of their last topic; `generation` says whether it still holds. */
export class Route {
  readonly topic: string;
  generation = STALE;
  exact: FilterEntry | null = null;
  wild: FilterEntry[] = NONE;

  constructor(topic: string) {
    this.topic = topic;
  }
}

const ROUTES_MAX = 65_536; // in each of the two halves of the cache
const AT_ONCE = 200; // subscriptions that an ended session may remove in the turn of the event loop it ends in
const SLICE_MS = 3;

/** Who subscribed to what. Keeps exact filters in a map, wildcards in a trie, and the routes of recent topics. */
export class Router implements RoutesView {
  private readonly exact = new Map<string, FilterEntry>();
  private readonly wild = new SegmentTrie<FilterEntry>();
  private readonly groups = new Map<string, ShareGroup>();
  private readonly exclusives = new Map<string, Exclusive>();
  private readonly strategy: StrategyOf;
  /** Of sessions that have ended: subscriptions to be removed, a slice per turn of the event loop. */
  private readonly leaving: Iterator<Subscription>[] = [];
  private recent = new Map<string, Route>();
  private older = new Map<string, Route>();
  /** Moves whenever a wildcard filter appears or disappears. */
  private generation = 0;
  private subscribed = 0;
  private shared = 0;

  constructor(strategy: StrategyOf = () => 'round_robin') {
    this.strategy = strategy;
  }

  get filterCount(): number {
    return this.exact.size + this.wild.size;
  }
  get subscriptionCount(): number {
    return this.subscribed;
  }
  get sharedSubscriptionCount(): number {
    return this.shared;
  }

  hasFilter(filter: string): boolean {
    return (isWild(filter) ? this.wild.get(filter) : this.exact.get(filter)) !== undefined;
  }

  hasReceivers(topic: string): boolean {
    return this.exact.has(topic) || (this.wild.size > 0 && this.wild.match(topic).length > 0);
  }

  receiverCount(topic: string, max: number): number {
    let count = 0;
    const { exact, wild } = this.route(topic);
    for (const entry of exact === null ? wild : [exact, ...wild])
      for (let link = entry.head; link !== null && count < max; link = link.next) count++;
    return count;
  }

  group(filter: string): { members: number; strategy: SharedStrategy } | null {
    const group = this.groups.get(filter);
    return group === undefined ? null : { members: group.size, strategy: group.way };
  }

  *filters(): Generator<string> {
    yield* this.exact.keys();
    for (const entry of this.wild.values()) yield entry.filter;
  }

  *subscribedFilters(): Generator<string> {
    for (const entry of this.exact.values()) if (isPlainlySubscribed(entry)) yield entry.filter;
    for (const entry of this.wild.values()) if (isPlainlySubscribed(entry)) yield entry.filter;
    yield* this.groups.keys();
    yield* this.exclusives.keys();
  }

  *formsOf(filter: string): Generator<string> {
    const entry = isWild(filter) ? this.wild.get(filter) : this.exact.get(filter);
    if (!entry) return;
    if (isPlainlySubscribed(entry)) yield filter;
    for (let link = entry.head; link; link = link.next)
      if (isVirtual(link.subscriber)) yield link.subscriber.filter;
  }

  /** Adds a subscription; the caller knows that this subscriber has none to this filter yet. */
  subscribe(
    filter: string,
    subscriber: Subscriber,
    options: SubscriptionOptions,
    identifier = 0,
  ): Subscription {
    this.subscribed++;
    const share = parseShared(filter);
    if (!share) {
      const alone = parseExclusive(filter);
      return alone === null
        ? this.link(this.entry(filter), subscriber, packOptions(options), identifier)
        : this.hold(filter, alone, subscriber, packOptions(options), identifier);
    }
    this.shared++;
    let group = this.groups.get(filter);
    if (!group) {
      group = new ShareGroup(filter, share.group, this.strategy);
      // The group takes what comes at the publisher's QoS; each member has its own
      group.link = this.link(this.entry(share.filter), group, 2 | RETAIN_AS_PUBLISHED, 0);
      this.groups.set(filter, group);
    }
    const member = new Subscription(subscriber, group, packOptions(options), identifier);
    group.add(member);
    return member;
  }

  private hold(
    filter: string,
    plain: string,
    subscriber: Subscriber,
    options: number,
    identifier: number,
  ): Subscription {
    const former = this.exclusives.get(filter)?.holder;
    if (former) this.unsubscribe(former); // its session has ended, or it could not be had
    const exclusive = new Exclusive(filter);
    exclusive.link = this.link(this.entry(plain), exclusive, 2 | RETAIN_AS_PUBLISHED, 0);
    exclusive.holder = new Subscription(subscriber, exclusive, options, identifier);
    this.exclusives.set(filter, exclusive);
    return exclusive.holder;
  }

  /** Who has `$exclusive/filter` to himself. */
  holder(filter: string): Subscriber | null {
    const subscriber = this.exclusives.get(filter)?.holder?.subscriber;
    return subscriber && subscriber.standing !== Standing.Gone ? subscriber : null;
  }

  unsubscribe(subscription: Subscription): void {
    if (subscription.left) return;
    subscription.options |= LEFT;
    this.subscribed--;
    const { entry } = subscription;
    if (entry instanceof FilterEntry) {
      this.unlink(subscription, entry);
      return;
    }
    if (entry instanceof Exclusive) {
      this.exclusives.delete(entry.filter);
      this.unlink(entry.link!, entry.link!.entry as FilterEntry);
      return;
    }
    this.shared--;
    entry.remove(subscription);
    if (entry.size > 0) return;
    this.groups.delete(entry.filter);
    this.unlink(entry.link!, entry.link!.entry as FilterEntry);
  }

  /**
   * Removes the subscriptions of a session that has ended, and by that takes no messages any more. Hundreds of
   * thousands would hold everybody up, so most of them go in slices.
   */
  unsubscribeAll(subscriptions: Map<string, Subscription>): void {
    const left = subscriptions.values();
    for (let i = 0; i < AT_ONCE; i++) {
      const { value, done } = left.next();
      if (done) return;
      this.unsubscribe(value);
    }
    this.leaving.push(left);
    if (this.leaving.length === 1) setImmediate(() => this.removeSlice());
  }

  private removeSlice(): void {
    const until = performance.now() + SLICE_MS;
    for (let i = 1; this.leaving.length > 0; i++) {
      const { value, done } = this.leaving[0]!.next();
      if (done) this.leaving.shift();
      else this.unsubscribe(value);
      if (i % 32 === 0 && performance.now() >= until) break;
    }
    if (this.leaving.length > 0) setImmediate(() => this.removeSlice());
  }

  route(topic: string): Route {
    let route = this.recent.get(topic);
    if (route === undefined) {
      route = this.older.get(topic) ?? new Route(topic);
      if (this.recent.size >= ROUTES_MAX) this.forget();
      this.recent.set(topic, route);
    }
    if (route.generation !== this.generation) this.refresh(route);
    return route;
  }

  holds(route: Route): boolean {
    return route.generation === this.generation;
  }

  /** The other members of the group get what this member can no longer take. */
  redispatch(message: Message, subscription: Subscription): boolean {
    const { entry } = subscription;
    // The group may have been left by all and founded again meanwhile
    return (
      entry instanceof ShareGroup && this.groups.get(entry.filter)?.redispatch(message, subscription) === true
    );
  }

  private refresh(route: Route): void {
    route.exact = this.exact.get(route.topic) ?? null;
    route.wild = this.wild.size === 0 ? NONE : this.wild.match(route.topic);
    route.generation = this.generation;
  }

  private forget(): void {
    // A route out of the cache is no longer told of exact filters, so those who kept it must ask again
    for (const route of this.older.values()) route.generation = STALE;
    this.older = this.recent;
    this.recent = new Map();
  }

  private entry(filter: string): FilterEntry {
    const known = isWild(filter) ? this.wild.get(filter) : this.exact.get(filter);
    if (known) return known;
    const entry = new FilterEntry(filter);
    if (isWild(filter)) {
      this.wild.set(filter, entry);
      this.generation++;
    } else {
      this.exact.set(filter, entry);
      const route = this.cached(filter);
      if (route) route.exact = entry;
    }
    return entry;
  }

  private cached(topic: string): Route | undefined {
    return this.recent.get(topic) ?? this.older.get(topic);
  }

  private link(
    entry: FilterEntry,
    subscriber: Subscriber,
    options: number,
    identifier: number,
  ): Subscription {
    const subscription = new Subscription(subscriber, entry, options, identifier);
    subscription.next = entry.head;
    if (entry.head) entry.head.previous = subscription;
    entry.head = subscription;
    return subscription;
  }

  /** Leaves `next` in place: whoever walks the chain just now can go on. */
  private unlink(subscription: Subscription, entry: FilterEntry): void {
    const { next, previous } = subscription;
    if (previous) previous.next = next;
    else entry.head = next;
    if (next) next.previous = previous;
    if (entry.head) return;
    if (isWild(entry.filter)) {
      this.wild.delete(entry.filter);
      this.generation++;
    } else {
      this.exact.delete(entry.filter);
      const route = this.cached(entry.filter);
      if (route) route.exact = null;
    }
  }
}

const isVirtual = (subscriber: Subscriber): subscriber is ShareGroup | Exclusive =>
  subscriber instanceof ShareGroup || subscriber instanceof Exclusive;

/** Whether anybody listens for himself, not only on behalf of others. */
function isPlainlySubscribed(entry: FilterEntry): boolean {
  for (let link = entry.head; link; link = link.next) if (!isVirtual(link.subscriber)) return true;
  return false;
}

const isWild = (filter: string): boolean => filter.includes('+') || filter.endsWith('#');
