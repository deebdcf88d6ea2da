import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filter, topic } from './arbitraries.ts';
import { filterMatches, isValidFilter, isValidTopic, parseShared, topicLevels } from './topics.ts';

test.each([
  ['a', true],
  ['/', true],
  ['a//b', true],
  [' ', true],
  ['$SYS/brokers', true],
  ['房间/温度', true],
  ['', false],
  ['a/+', false],
  ['a/#', false],
  ['a+b', false],
  ['a\0b', false],
  ['a\ud800b', false],
  ['a'.repeat(65535), true],
  ['a'.repeat(65536), false],
  ['é'.repeat(32767), true],
  ['é'.repeat(32768), false],
])(
  'a topic is not empty, fits, and has no wildcards [MQTT-4.7.0-1] [MQTT-4.7.3-1] [MQTT-3.3.2-2]: %j',
  (text, valid) => {
    expect(isValidTopic(text)).toBe(valid);
  },
);

test.each([
  ['#', true],
  ['+', true],
  ['a/#', true],
  ['+/+/#', true],
  ['/+', true],
  ['a/+/b', true],
  ['$SYS/#', true],
  ['', false],
  ['a#', false],
  ['#/a', false],
  ['a/#/b', false],
  ['a+', false],
  ['+a', false],
  ['a/b+/c', false],
  ['##', false],
  ['++', false],
  ['a\0', false],
  ['\udc00', false],
  ['a'.repeat(65536), false],
])('a wildcard fills its whole level, and # is the last [MQTT-4.7.1-1] [MQTT-4.7.1-2]: %j', (text, valid) => {
  expect(isValidFilter(text)).toBe(valid);
});

test.each([
  ['$share/g/a/#', { group: 'g', filter: 'a/#' }],
  ['$share/g//', { group: 'g', filter: '/' }],
  ['$share/g/$SYS/#', { group: 'g', filter: '$SYS/#' }],
  ['$queue/a', { group: '$queue', filter: 'a' }],
  ['$share', null],
  ['$queue', null],
  ['a/b', null],
])('a shared filter falls into group and filter [MQTT-4.8.2-1]: %s', (text, parts) => {
  expect(isValidFilter(text)).toBe(true);
  expect(parseShared(text)).toEqual(parts);
});

test.each([
  '$share/',
  '$share/g',
  '$share/g/',
  '$share//a',
  '$share/g+/a',
  '$share/#/a',
  '$share/g/a#',
  '$queue/',
  '$share/g/$share/h/a',
])('a shared filter needs a proper group and a proper filter [MQTT-4.8.2-2]: %s', (text) => {
  expect(isValidFilter(text)).toBe(false);
  expect(parseShared(text)).toBeNull();
});

test.each([
  ['sport/tennis/#', 'sport/tennis', true],
  ['sport/tennis/#', 'sport/tennis/a/b', true],
  ['sport/#', 'sports', false],
  ['sport/+', 'sport', false],
  ['sport/+', 'sport/', true],
  ['sport/+/x', 'sport/a/x', true],
  ['sport/+', 'sport/a/b', false],
  ['+', '/x', false],
  ['/+', '/x', true],
  ['+/+', '/x', true],
  ['#', 'a/b/c', true],
  ['#', '/', true],
  ['+/#', 'a', true],
  ['a/+/#', 'a/b', true],
  ['a/+/#', 'a', false],
  ['A', 'a', false],
  ['a', 'a/', false],
  ['a/', 'a', false],
  ['a/b', 'a/bc', false],
  ['a/bc', 'a/b', false],
])('%s against %s [MQTT-4.7.1-1] [MQTT-4.7.1-2]', (subscribed, published, matches) => {
  expect(filterMatches(subscribed, published)).toBe(matches);
});

test.each([
  ['#', false],
  ['+/monitor', false],
  ['$SYS/#', true],
  ['$SYS/+', true],
])('a leading wildcard does not see topics with $ [MQTT-4.7.2-1]: %s', (subscribed, matches) => {
  expect(filterMatches(subscribed, '$SYS/monitor')).toBe(matches);
});

/** The rules again, as a search over levels. */
function slowMatch(filterLevels: string[], levels: string[]): boolean {
  const [head, ...rest] = filterLevels;
  if (head === '#') return true;
  if (head === undefined || levels.length === 0) return head === undefined && levels.length === 0;
  return (
    (head === '+' || head === levels[0]) &&
    (rest[0] === '#' && levels.length === 1 ? true : slowMatch(rest, levels.slice(1)))
  );
}

test('matching agrees with a level by level search', () => {
  const level = fc.constantFrom('', 'a', 'b', 'ab', '$a');
  const filters = fc
    .tuple(fc.array(fc.oneof(level, fc.constant('+')), { maxLength: 4 }), fc.boolean())
    .map(([levels, hash]) => [...levels, ...(hash ? ['#'] : [])].join('/') || '+');
  const topics = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/') || '/');
  fc.assert(
    fc.property(filters, topics, (subscribed, published) => {
      const hidden = published.startsWith('$') && /^[+#]/.test(subscribed);
      const expected = !hidden && slowMatch(topicLevels(subscribed), topicLevels(published));
      expect(filterMatches(subscribed, published)).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});

test('every topic matches itself, and is a valid filter', () => {
  fc.assert(
    fc.property(topic, (published) => {
      expect(isValidTopic(published)).toBe(true);
      if (!/^\$(share|queue)\//.test(published)) expect(isValidFilter(published)).toBe(true);
      expect(filterMatches(published, published)).toBe(true);
    }),
  );
  fc.assert(fc.property(filter, isValidFilter));
});
