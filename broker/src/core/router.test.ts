import { filterMatches } from '@mqdeck/mqtt/topics';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from './message.ts';
import { Router, type Subscription } from './router.ts';
import type { SharedStrategy } from './settings.ts';
import { Standing, type Subscriber } from './subscriber.ts';

const options = { qos: 0, noLocal: false, retainAsPublished: false, retainHandling: 0 } as const;

class Listener implements Subscriber {
  standing: Standing = Standing.Ready;
  readonly settings = null;
  readonly name: string;
  readonly got: string[] = [];
  readonly from: string[] = [];
  constructor(name: string) {
    this.name = name;
  }
  deliver(message: Message, subscription: Subscription): boolean {
    this.got.push(`${subscription.filter}:${message.topic}`);
    this.from.push(`${message.from}:${message.topic}`);
    return true;
  }
}

/** Filters reached by a topic. */
function reached(router: Router, topic: string): string[] {
  const route = router.route(topic);
  const entries = route.exact ? [route.exact, ...route.wild] : route.wild;
  const filters: string[] = [];
  for (const entry of entries) for (let link = entry.head; link; link = link.next) filters.push(link.filter);
  return filters.sort();
}

const level = fc.constantFrom('a', 'b', 'c', '', '$x');
const topics = fc
  .array(level, { minLength: 1, maxLength: 4 })
  .map((levels) => levels.join('/'))
  .filter((t) => t !== '');
const filters = fc
  .tuple(fc.array(fc.oneof(level, fc.constant('+')), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([levels, hash]) => (hash ? [...levels, '#'] : levels).join('/'))
  .filter((f) => f !== '');

test('routes as the rule for a single filter says, while subscriptions come and go', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ filter: fc.oneof(filters, fc.constant('#')), drop: fc.boolean() }), {
        maxLength: 40,
      }),
      fc.array(topics, { minLength: 1, maxLength: 10 }),
      (steps, asked) => {
        const router = new Router();
        const live = new Map<string, Subscription>();
        const who = new Listener('x');
        for (const { filter, drop } of steps) {
          const known = live.get(filter);
          if (known && drop) {
            router.unsubscribe(known);
            live.delete(filter);
          } else if (!known) live.set(filter, router.subscribe(filter, who, options));
          for (const topic of asked)
            expect(reached(router, topic)).toEqual(
              [...live.keys()].filter((candidate) => filterMatches(candidate, topic)).sort(),
            );
        }
        expect([...router.filters()].sort()).toEqual([...live.keys()].sort());
        for (const subscription of live.values()) router.unsubscribe(subscription);
        expect(router.filterCount).toBe(0);
      },
    ),
    { numRuns: 200 },
  );
});

test('a route that somebody kept learns of exact filters, and goes stale with wildcards', () => {
  const router = new Router();
  const who = new Listener('x');
  const route = router.route('a/b');
  const exact = router.subscribe('a/b', who, options);
  expect(router.holds(route)).toBe(true);
  expect(route.exact?.head).toBe(exact);
  router.subscribe('a/+', who, options);
  expect(router.holds(route)).toBe(false);
  expect(reached(router, 'a/b')).toEqual(['a/+', 'a/b']);
});

test('a route forgotten by the cache goes stale', () => {
  const router = new Router();
  const route = router.route('kept');
  for (let i = 0; i < 3 * 65_536; i++) router.route(`t/${i}`);
  expect(router.holds(route)).toBe(false);
});

test('a share group hands each message to one member, in turn', () => {
  const router = new Router();
  const members = ['a', 'b', 'c'].map((name) => new Listener(name));
  const subscriptions = members.map((member) => router.subscribe('$share/g/t/+', member, options));
  const publish = () => {
    const link = router.route('t/1').wild[0]!.head!;
    link.subscriber.deliver({ topic: 't/1' } as Message, link);
  };
  for (let i = 0; i < 6; i++) publish();
  expect(members.map(({ got }) => got.length)).toEqual([2, 2, 2]);
  expect(members[0]!.got[0]).toBe('$share/g/t/+:t/1');

  members[1]!.standing = Standing.Away;
  for (let i = 0; i < 4; i++) publish();
  expect(members.map(({ got }) => got.length)).toEqual([4, 2, 4]);
  expect(router.redispatch({ topic: 't/1' } as Message, subscriptions[0]!)).toBe(true);
  expect(members.map(({ got }) => got.length)).toEqual([4, 2, 5]);

  expect([router.subscriptionCount, router.sharedSubscriptionCount, router.filterCount]).toEqual([3, 3, 1]);
  for (const subscription of subscriptions) router.unsubscribe(subscription);
  expect([router.subscriptionCount, router.sharedSubscriptionCount, router.filterCount]).toEqual([0, 0, 0]);
  expect(reached(router, 't/1')).toEqual([]);
});

/** What each member of a group got, `p0:t/1`: the publishers in turn publish to t/0, then to t/1 and so on. */
function shared(strategy: SharedStrategy, members: number, publishers: number, rounds: number): string[][] {
  const router = new Router(() => strategy);
  const listeners = Array.from({ length: members }, (_, i) => new Listener(`m${i}`));
  for (const listener of listeners) router.subscribe('$share/g/#', listener, options);
  const who = Array.from({ length: publishers }, () => ({}));
  for (let round = 0; round < rounds; round++)
    for (const [i, publisher] of who.entries()) {
      const topic = `t/${round}`;
      const link = router.route(topic).wild[0]!.head!;
      link.subscriber.deliver({ topic, from: `p${i}`, publisher } as Message, link);
    }
  return listeners.map(({ from }) => from);
}

test('round_robin goes in turn for each publisher, round_robin_per_group for all of them', () => {
  // In one common turn each of two publishers always meets the same of two members
  expect(shared('round_robin_per_group', 2, 2, 3)).toEqual([
    ['p0:t/0', 'p0:t/1', 'p0:t/2'],
    ['p1:t/0', 'p1:t/1', 'p1:t/2'],
  ]);
  expect(shared('round_robin', 2, 2, 3)).toEqual([
    ['p0:t/0', 'p1:t/1', 'p0:t/2'],
    ['p1:t/0', 'p0:t/1', 'p1:t/2'],
  ]);
});

test('hash_clientid and hash_topic give what is alike to the same member', () => {
  const membersBy = (got: string[][], part: 0 | 1) =>
    got.map((messages) => new Set(messages.map((message) => message.split(':')[part]!)));
  for (const [strategy, part] of [
    ['hash_clientid', 0],
    ['hash_topic', 1],
  ] as const) {
    const members = membersBy(shared(strategy, 3, 12, 12), part);
    const all = members.flatMap((values) => [...values]);
    expect(all.length).toBe(12); // none of the twelve is with two members …
    expect(new Set(all).size).toBe(12);
    expect(members.filter(({ size }) => size > 0).length).toBeGreaterThan(1); // … and they are not all with one
  }
});

test('sticky keeps a publisher with a member until that one leaves', () => {
  const router = new Router(() => 'sticky');
  const members = ['a', 'b'].map((name) => new Listener(name));
  const subscriptions = members.map((member) => router.subscribe('$share/g/t', member, options));
  const publisher = {};
  const publish = (times: number) => {
    const link = router.route('t').exact!.head!;
    for (let i = 0; i < times; i++)
      link.subscriber.deliver({ topic: 't', from: 'p', publisher } as Message, link);
  };
  publish(20);
  const stuck = members.findIndex(({ got }) => got.length === 20);
  expect(members.map(({ got }) => got.length).sort()).toEqual([0, 20]);
  const other = 1 - stuck;

  members[stuck]!.standing = Standing.Full; // for a while only
  publish(1);
  members[stuck]!.standing = Standing.Ready;
  publish(1);
  expect([members[stuck]!.got.length, members[other]!.got.length]).toEqual([21, 1]);

  router.unsubscribe(subscriptions[stuck]!);
  publish(5);
  expect([members[stuck]!.got.length, members[other]!.got.length]).toEqual([21, 6]);
});

test('random and local reach every member', () => {
  for (const strategy of ['random', 'local'] as const)
    for (const got of shared(strategy, 3, 1, 300)) expect(got.length).toBeGreaterThan(0);
});

test('a member with a full queue is passed over as long as another has room, and one that is gone always', () => {
  const router = new Router(() => 'round_robin_per_group');
  const members = ['a', 'b', 'c'].map((name) => new Listener(name));
  for (const member of members) router.subscribe('$share/g/t', member, options);
  const publish = () => {
    const link = router.route('t').exact!.head!;
    return link.subscriber.deliver({ topic: 't' } as Message, link);
  };
  members[0]!.standing = Standing.Full;
  members[1]!.standing = Standing.Gone;
  for (let i = 0; i < 4; i++) publish();
  expect(members.map(({ got }) => got.length)).toEqual([0, 0, 4]);
  members[2]!.standing = Standing.Away; // its session waits
  publish();
  expect(members.map(({ got }) => got.length)).toEqual([0, 0, 5]);
  members[2]!.standing = Standing.Full;
  publish();
  publish();
  expect(members.map(({ got }) => got.length)).toEqual([1, 0, 6]);
  for (const member of members) member.standing = Standing.Gone;
  expect(publish()).toBe(false);
});

test('hundreds of thousands of subscriptions of an ended session go in slices', async () => {
  const router = new Router();
  const who = new Listener('x');
  const subscriptions = new Map<string, Subscription>();
  for (let i = 0; i < 20_000; i++) {
    const filter = i % 2 ? `a/${i}` : `b/${i}/+`;
    subscriptions.set(filter, router.subscribe(filter, who, options));
  }
  const kept = router.subscribe('a/1', new Listener('y'), options);
  router.unsubscribeAll(subscriptions);
  expect(router.subscriptionCount).toBeGreaterThan(10_000); // the rest follows when others had their turn
  await expect.poll(() => router.subscriptionCount).toBe(1);
  expect([...router.filters()]).toEqual(['a/1']);
  expect(router.route('a/1').exact?.head).toBe(kept);
});
