import { filterMatches } from '@mqdeck/mqtt/topics';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from './message.ts';
import { Router, type Subscriber, type Subscription } from './router.ts';

const options = { qos: 0, noLocal: false, retainAsPublished: false, retainHandling: 0 } as const;

class Listener implements Subscriber {
  connected = true;
  readonly name: string;
  readonly got: string[] = [];
  constructor(name: string) {
    this.name = name;
  }
  deliver(message: Message, subscription: Subscription): void {
    this.got.push(`${subscription.filter}:${message.topic}`);
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

  members[1]!.connected = false;
  for (let i = 0; i < 4; i++) publish();
  expect(members.map(({ got }) => got.length)).toEqual([4, 2, 4]);
  expect(router.redispatch({ topic: 't/1' } as Message, subscriptions[0]!)).toBe(true);
  expect(members.map(({ got }) => got.length)).toEqual([4, 2, 5]);

  expect([router.subscriptionCount, router.sharedSubscriptionCount, router.filterCount]).toEqual([3, 3, 1]);
  for (const subscription of subscriptions) router.unsubscribe(subscription);
  expect([router.subscriptionCount, router.sharedSubscriptionCount, router.filterCount]).toEqual([0, 0, 0]);
  expect(reached(router, 't/1')).toEqual([]);
});
