import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AclRequest, type AclSubject, compileRule } from './match.ts';
import { type AclTopic, type AclWho, type AuthzRule, aclTopic } from './rule.ts';

const compilePattern = (pattern: string) => {
  const expression = new RegExp(pattern);
  return (value: string) => expression.test(value);
};

const somebody: AclSubject = {
  clientid: 'c1',
  username: 'u1',
  address: '10.0.0.7',
  listener: 'tcp:default',
  attributes: { site: 'berlin' },
};

const rule = (topics: (string | AclTopic)[], other: Partial<AuthzRule> = {}): AuthzRule => ({
  permission: 'allow',
  who: { kind: 'all' },
  action: 'all',
  qos: null,
  retain: null,
  topics: topics.map((topic) => (typeof topic === 'string' ? aclTopic(topic) : topic)),
  ...other,
});

const request = (action: 'publish' | 'subscribe', topic: string, other: Partial<AclRequest> = {}) =>
  ({ action, topic, qos: 0, retain: false, ...other }) satisfies AclRequest;

const fits = (one: AuthzRule, who: Partial<AclSubject>, asked: AclRequest): boolean =>
  compileRule(one, compilePattern).fits({ ...somebody, ...who }, asked);
const publishes = (one: AuthzRule, topic: string, who: Partial<AclSubject> = {}) =>
  fits(one, who, request('publish', topic));
const subscribes = (one: AuthzRule, filter: string, who: Partial<AclSubject> = {}) =>
  fits(one, who, request('subscribe', filter));

describe('topics', () => {
  test('wildcards of a rule match topics as those of a subscription do', () => {
    const cases: [string, string, boolean][] = [
      ['a/b', 'a/b', true],
      ['a/b', 'a/b/c', false],
      ['a/b', 'a', false],
      ['a/+', 'a/b', true],
      ['a/+', 'a/b/c', false],
      ['a/+', 'a/', true],
      ['a/#', 'a', true],
      ['a/#', 'a/b/c', true],
      ['a/#', 'ab', false],
      ['+/+', '/a', true],
      ['#', 'anything/at/all', true],
      ['a/#', 'A/b', false],
    ];
    for (const [filter, topic, answer] of cases)
      expect(publishes(rule([filter]), topic), `${filter} ${topic}`).toBe(answer);
  });

  test('wildcards at the front do not match topics that begin with $ [MQTT-4.7.2-1]', () => {
    for (const filter of ['#', '+/broker', '+/#']) {
      expect(publishes(rule([filter]), '$SYS/broker'), filter).toBe(false);
      expect(subscribes(rule([filter]), '$SYS/#'), filter).toBe(false);
    }
    expect(subscribes(rule(['$SYS/#']), '$SYS/#')).toBe(true);
    const everything = rule([{ filter: '#', eq: false, dollar: true }], { permission: 'deny' });
    expect(publishes(everything, '$SYS/broker')).toBe(true);
    expect(publishes(everything, 'a')).toBe(true);
  });

  test('a subscription is covered as a whole, or not at all', () => {
    const cases: [rule: string, filter: string, covered: boolean][] = [
      ['a/#', 'a/+', true],
      ['a/#', 'a/#', true],
      ['a/#', 'a/+/b/#', true],
      ['a/#', 'a', true],
      ['a/#', '#', false],
      ['a/#', '+/#', false],
      ['a/+', 'a/#', false],
      ['a/+', 'a/+', true],
      ['a/+', 'a/b', true],
      ['a/+', 'a/+/b', false],
      ['a/+/c', 'a/+/#', false],
      ['a/b', 'a/+', false],
      ['+', '#', false],
      ['+/+', '+/#', false],
      ['#', '#', true],
    ];
    for (const [filter, asked, covered] of cases)
      expect(subscribes(rule([filter]), asked), `${filter} ${asked}`).toBe(covered);
  });

  test('eq compares texts: wildcards and placeholders stand for themselves', () => {
    expect(subscribes(rule(['eq a/#']), 'a/#')).toBe(true);
    expect(subscribes(rule(['eq a/#']), 'a/b')).toBe(false);
    expect(publishes(rule(['eq a/#']), 'a/b')).toBe(false);
    expect(publishes(rule(['eq ${clientid}']), 'c1')).toBe(false);
    expect(publishes(rule(['eq ${clientid}']), '${clientid}')).toBe(true);
  });

  test('one of several topics is enough, none is none', () => {
    expect(publishes(rule(['x', 'a']), 'a')).toBe(true);
    expect(publishes(rule([]), 'a')).toBe(false);
  });

  test('whatever reaches a covered subscription is covered itself', () => {
    const paths = (levels: string[], depth: number): string[] =>
      depth === 1
        ? levels
        : [
            ...levels,
            ...paths(levels, depth - 1).flatMap((rest) => levels.map((level) => `${level}/${rest}`)),
          ];
    const plain = paths(['a', '$x', '+'], 3);
    const filters = [...plain, ...plain.map((filter) => `${filter}/#`), '#'];
    const topics = paths(['a', '$x', 'c'], 4);
    let covered = 0;
    for (const allowed of filters) {
      const reached = new Set(topics.filter((topic) => publishes(rule([allowed]), topic)));
      for (const asked of filters) {
        if (!subscribes(rule([allowed]), asked)) continue;
        covered++;
        for (const topic of topics)
          if (publishes(rule([asked]), topic) && !reached.has(topic))
            expect.fail(`${allowed} covers ${asked}, but not ${topic}`);
      }
    }
    expect(covered).toBeGreaterThan(filters.length);
  });
});

describe('placeholders', () => {
  test('stand for what the client is called, old ones too', () => {
    for (const topic of ['d/${clientid}/up', 'd/%c/up'])
      expect(publishes(rule([topic]), 'd/c1/up')).toBe(true);
    for (const topic of ['d/${username}/up', 'd/%u/up'])
      expect(publishes(rule([topic]), 'd/u1/up')).toBe(true);
    expect(publishes(rule(['d/${client_attrs.site}/#']), 'd/berlin/x')).toBe(true);
    expect(publishes(rule(['d/x-${clientid}-${username}']), 'd/x-c1-u1')).toBe(true);
    expect(publishes(rule(['d/${clientid}/up']), 'd/c2/up')).toBe(false);
  });

  test('names with wildcards, slashes and dollars widen nothing that is allowed', () => {
    const one = rule(['d/${clientid}/up', '${clientid}/#', '${username}/x', 'e/${username}']);
    for (const name of ['+', '#', 'a/b', '+/+', 'a/#', '/', 'a+', '#b', '']) {
      for (const topic of ['d/a/up', 'd/+/up', 'd/#', `d/${name}/up`, name, `${name}/#`, 'e/+', `e/${name}`])
        for (const action of ['publish', 'subscribe'] as const)
          expect(
            fits(one, { clientid: name, username: name }, request(action, topic)),
            `${name} ${action} ${topic}`,
          ).toBe(false);
    }
  });

  test('a client that calls itself $SYS gets nothing of the broker', () => {
    for (const clientid of ['$SYS', '$share', '$'])
      expect(subscribes(rule(['${clientid}/#']), `${clientid}/#`, { clientid }), clientid).toBe(false);
    expect(subscribes(rule(['d/${clientid}/#']), 'd/$SYS/#', { clientid: '$SYS' })).toBe(true);
  });

  test('names that look like placeholders or patterns are names', () => {
    for (const clientid of ['${username}', '%u', '.*', '.*-', 'x\u0001', '\\', '$&', '$1']) {
      const one = rule(['d/${clientid}']);
      expect(publishes(one, `d/${clientid}`, { clientid }), clientid).toBe(true);
      expect(publishes(one, 'd/u1', { clientid }), clientid).toBe(false);
    }
  });

  test('without a value nothing is allowed', () => {
    expect(publishes(rule(['d/${username}']), 'd/', { username: null })).toBe(false);
    expect(publishes(rule(['d/${username}']), 'd/null', { username: null })).toBe(false);
    expect(publishes(rule(['d/${client_attrs.no}']), 'd/undefined')).toBe(false);
    expect(publishes(rule(['d/${client_attrs.constructor}']), 'd/x')).toBe(false);
  });

  test('nobody slips past a denial by an odd name', () => {
    const deny = rule(['d/${clientid}/config', 'e/x-${username}'], { permission: 'deny' });
    expect(publishes(deny, 'd/c1/config')).toBe(true);
    expect(publishes(deny, 'd/c2/config')).toBe(false);
    for (const clientid of ['a/b', '+', '#', 'a+'])
      for (const topic of [`d/${clientid}/config`, 'd/any/config'])
        expect(publishes(deny, topic, { clientid }), `${clientid} ${topic}`).toBe(true);
    expect(publishes(deny, 'd/any/other', { clientid: 'a/b' })).toBe(false);
    for (const username of [null, '', 'a/b']) {
      expect(publishes(deny, 'e/x-any', { username }), String(username)).toBe(true);
      expect(publishes(deny, 'e/any', { username }), String(username)).toBe(false);
    }
  });

  test('unknown ones are texts, and reach nothing', () => {
    for (const unknown of [
      '${__proto__.x}',
      '${constructor}',
      '${password}',
      '${}',
      '${a.b.c}',
      '${client_attrs.}',
    ]) {
      expect(publishes(rule([`d/${unknown}`]), `d/${unknown}`), unknown).toBe(true);
      expect(publishes(rule([`d/${unknown}`]), 'd/x'), unknown).toBe(false);
    }
  });

  test('whatever clients are called, they are never allowed what another name would have', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('+', '#', '/', '$', 'a'), maxLength: 6 }),
    );
    fc.assert(
      fc.property(name, name, fc.constantFrom('publish', 'subscribe'), (mine, other, action) => {
        fc.pre(mine !== other);
        const one = rule(['d/${clientid}/#', '${clientid}', 'x-${clientid}-x/+']);
        for (const topic of [`d/${other}/#`, `d/${other}`, other, `x-${other}-x/+`, '#', '+', 'd/#', 'd/+/#'])
          expect(
            fits(one, { clientid: mine }, request(action as 'publish', topic)) &&
              !(topic === mine || topic.startsWith(`d/${mine}/`)),
          ).toBe(false);
      }),
    );
  });
});

describe('who and what', () => {
  const isFor = (who: AclWho, subject: Partial<AclSubject> = {}) =>
    publishes(rule(['#'], { who }), 'a', subject);

  test('names, attributes, listeners and zones', () => {
    expect(isFor({ kind: 'username', value: 'u1' })).toBe(true);
    expect(isFor({ kind: 'username', value: 'u2' })).toBe(false);
    expect(isFor({ kind: 'clientid', value: 'c1' })).toBe(true);
    expect(isFor({ kind: 'username_re', pattern: '^u' })).toBe(true);
    expect(isFor({ kind: 'username_re', pattern: '.*' }, { username: null })).toBe(false);
    expect(isFor({ kind: 'clientid_re', pattern: '^x' })).toBe(false);
    expect(isFor({ kind: 'client_attr', name: 'site', value: 'berlin' })).toBe(true);
    expect(isFor({ kind: 'client_attr', name: 'toString', value: 'berlin' })).toBe(false);
    expect(isFor({ kind: 'client_attr_re', name: 'site', pattern: 'lin$' })).toBe(true);
    expect(isFor({ kind: 'client_attr_re', name: 'no', pattern: '.*' })).toBe(false);
    expect(isFor({ kind: 'listener', value: 'tcp:default' })).toBe(true);
    expect(isFor({ kind: 'listener_re', pattern: '^ssl' })).toBe(false);
    expect(isFor({ kind: 'zone', value: 'default' })).toBe(true);
    expect(isFor({ kind: 'zone_re', pattern: '^x' }, { zone: 'xy' })).toBe(true);
  });

  test('and needs all, or one', () => {
    const mine: AclWho = { kind: 'clientid', value: 'c1' };
    const others: AclWho = { kind: 'username', value: 'u2' };
    expect(isFor({ kind: 'and', all: [mine, others] })).toBe(false);
    expect(isFor({ kind: 'and', all: [mine, { kind: 'all' }] })).toBe(true);
    expect(isFor({ kind: 'or', all: [others, mine] })).toBe(true);
    expect(isFor({ kind: 'or', all: [others] })).toBe(false);
  });

  test('addresses and networks of both families', () => {
    const from = (network: string, address: string) =>
      isFor({ kind: 'ipaddr', networks: ['192.0.2.1', network] }, { address });
    const cases: [network: string, address: string, answer: boolean][] = [
      ['10.0.0.7', '10.0.0.7', true],
      ['10.0.0.7', '10.0.0.8', false],
      ['10.0.0.7', '::ffff:10.0.0.7', true],
      ['10.0.0.0/8', '10.255.1.2', true],
      ['10.0.0.0/8', '11.0.0.1', false],
      ['10.0.0.128/25', '10.0.0.127', false],
      ['10.0.0.128/25', '10.0.0.200', true],
      ['0.0.0.0/0', '1.2.3.4', true],
      ['0.0.0.0/0', '::1', false],
      ['::1', '0:0:0:0:0:0:0:1', true],
      ['fe80::/10', 'fe9a::1', true],
      ['fe80::/10', 'fec0::1', false],
      ['2001:db8::/33', '2001:db8:7fff::1', true],
      ['2001:db8::/33', '2001:db8:8000::1', false],
      ['::ffff:10.0.0.0/104', '10.9.9.9', true],
      ['10.0.0.0/8', '', false],
      ['10.0.0.0/8', 'memory', false],
    ];
    for (const [network, address, answer] of cases)
      expect(from(network, address), `${network} ${address}`).toBe(answer);
  });

  test('action, QoS and retain', () => {
    const one = rule(['#'], { action: 'publish', qos: [1, 2], retain: true });
    expect(fits(one, {}, request('publish', 'a', { qos: 1, retain: true }))).toBe(true);
    expect(fits(one, {}, request('publish', 'a', { qos: 0, retain: true }))).toBe(false);
    expect(fits(one, {}, request('publish', 'a', { qos: 1 }))).toBe(false);
    expect(fits(one, {}, request('subscribe', 'a', { qos: 1 }))).toBe(false);
    const both = rule(['#'], { retain: true });
    expect(fits(both, {}, request('subscribe', 'a'))).toBe(true); // retain is of publishing
  });
});
