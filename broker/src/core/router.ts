import type { QoS, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import { parseShared } from '@mqdeck/mqtt/topics';
import type { ClientSubscription } from './client.ts';
import type { RoutesView } from './core.ts';
import type { Message } from './message.ts';
import { SegmentTrie } from './segment-trie.ts';
import { ShareGroup } from './share-group.ts';

/** Who can be handed messages: a session, or a share group on behalf of its members. */
export interface Subscriber {
  readonly connected: boolean;
  deliver(message: Message, subscription: Subscription): void;
}

export const NO_LOCAL = 4;
export const RETAIN_AS_PUBLISHED = 8;

export const packOptions = (options: SubscriptionOptions): number =>
  options.qos |
  (options.noLocal ? NO_LOCAL : 0) |
  (options.retainAsPublished ? RETAIN_AS_PUBLISHED : 0) |
  (options.retainHandling << 4);

/** One subscriber's interest in one filter; a link in the chain of its entry. There may be a million of them. */
export class Subscription implements ClientSubscription {
  readonly subscriber: Subscriber;
  /** What it hangs on: the filter, or the group that shares one. */
  readonly entry: FilterEntry | ShareGroup;
  options: number;
  subscriptionIdentifier: number;
  next: Subscription | null = null;
  previous: Subscription | null = null;

  constructor(subscriber: Subscriber, entry: FilterEntry | ShareGroup, options: number, identifier: number) {
    this.subscriber = subscriber;
    this.entry = entry;
    this.options = options;
    this.subscriptionIdentifier = identifier;
  }

  get filter(): string {
    return this.entry.filter;
  }
  get share(): string | null {
    return this.entry instanceof FilterEntry ? null : this.entry.name;
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
    return (this.options >> 4) as 0 | 1 | 2;
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

/** Who subscribed to what. Keeps exact filters in a map, wildcards in a trie, and the routes of recent topics. */
export class Router implements RoutesView {
  private readonly exact = new Map<string, FilterEntry>();
  private readonly wild = new SegmentTrie<FilterEntry>();
  private readonly groups = new Map<string, ShareGroup>();
  private readonly strategy: () => 'round_robin' | 'random';
  private recent = new Map<string, Route>();
  private older = new Map<string, Route>();
  /** Moves whenever a wildcard filter appears or disappears. */
  private generation = 0;
  private subscribed = 0;
  private shared = 0;

  constructor(strategy: () => 'round_robin' | 'random' = () => 'round_robin') {
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

  *filters(): Generator<string> {
    yield* this.exact.keys();
    for (const entry of this.wild.values()) yield entry.filter;
  }

  *subscribedFilters(): Generator<string> {
    for (const entry of this.exact.values()) if (isPlainlySubscribed(entry)) yield entry.filter;
    for (const entry of this.wild.values()) if (isPlainlySubscribed(entry)) yield entry.filter;
    yield* this.groups.keys();
  }

  *formsOf(filter: string): Generator<string> {
    const entry = isWild(filter) ? this.wild.get(filter) : this.exact.get(filter);
    if (!entry) return;
    if (isPlainlySubscribed(entry)) yield filter;
    for (let link = entry.head; link; link = link.next)
      if (link.subscriber instanceof ShareGroup) yield link.subscriber.filter;
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
    if (!share) return this.link(this.entry(filter), subscriber, packOptions(options), identifier);
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

  unsubscribe(subscription: Subscription): void {
    this.subscribed--;
    const { entry } = subscription;
    if (entry instanceof FilterEntry) {
      this.unlink(subscription, entry);
      return;
    }
    this.shared--;
    entry.remove(subscription);
    if (entry.size > 0) return;
    this.groups.delete(entry.filter);
    this.unlink(entry.link!, entry.link!.entry as FilterEntry);
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
    return entry instanceof ShareGroup && entry.redispatch(message, subscription);
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

/** Whether anybody listens for himself, not only on behalf of a group. */
function isPlainlySubscribed(entry: FilterEntry): boolean {
  for (let link = entry.head; link; link = link.next)
    if (!(link.subscriber instanceof ShareGroup)) return true;
  return false;
}

const isWild = (filter: string): boolean => filter.includes('+') || filter.endsWith('#');
