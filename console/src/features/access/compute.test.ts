import type { BuiltInRule } from '@mqdeck/contract/authorization';
import { describe, expect, test } from 'vitest';
import { computeAccess, type Known } from './compute.ts';
import { type Question, questionOf, STANDARD, searchOf } from './question.ts';
import type { AccessView } from './view.ts';

const nothing: Known = {
  bans: [],
  authenticators: [],
  sources: [],
  settings: { no_match: 'allow', deny_action: 'ignore' },
  rules: { clientid: [], username: [], all: [] },
};
const NOW = Date.UTC(2026, 0, 1);
const ada: Question = { ...STANDARD, clientid: 'a', username: 'ada', peerhost: '10.0.0.7', topic: 't/1' };
const ban = (as: string, who: string, until = 'infinity') => ({
  as,
  who,
  by: 'admin',
  reason: 'why',
  at: '',
  until,
});
const file = (rules: string, enable = true) => ({ type: 'file', enable, rules }) as const;
const builtIn = { type: 'built_in_database', enable: true, max_rules: 100 } as const;
const mysql = {
  type: 'mysql',
  enable: true,
  server: 'db:3306',
  database: 'mqtt',
  username: 'root',
  pool_size: 8,
  ssl: { enable: false },
  query: 'SELECT 1',
} as unknown as NonNullable<Known['sources']>[number];

const look = (known: Partial<Known>, question: Question = ada): AccessView =>
  computeAccess(question, { ...nothing, ...known }, NOW);
const steps = (view: AccessView, part: AccessView['parts'][number]['part']) =>
  view.parts
    .find((one) => one.part === part)!
    .steps.map(({ name, result, decides }) => `${name} ${result}${decides ? ' !' : ''}`);

describe('the blacklist', () => {
  test.each([
    ['clientid', 'a'],
    ['username', 'ada'],
    ['peerhost', '10.0.0.7'],
    ['peerhost_net', '10.0.0.0/24'],
    ['clientid_re', '^[a-c]+$'],
    ['username_re', 'd'],
  ])('keeps out by %s', (as, who) => {
    const view = look({ bans: [ban('clientid', 'b'), ban(as, who)] });
    expect(view).toMatchObject({ verdict: 'refused', reason: 'banned', computed: true });
    expect(steps(view, 'blacklist')).toEqual([`${as}: ${who} deny !`]);
    expect(view.parts[2]).toMatchObject({ state: 'not_reached', steps: [] });
  });

  test('lets in others, and those whose time is over', () => {
    const bans = [
      ban('clientid', 'A'),
      ban('peerhost_net', '10.0.1.0/24'),
      ban('username', 'ada', '2025-12-31T00:00:00Z'),
    ];
    expect(look({ bans })).toMatchObject({ verdict: 'allowed' });
  });

  test('a pattern that could keep a browser busy for ever is not tried, and that is said', () => {
    for (const pattern of ['^(a+)+$', '(?=a)a', '(a)\\1', '.*a.*a.*', '[']) {
      const view = look({ bans: [ban('clientid_re', pattern)] }, { ...ada, topic: undefined });
      expect(view).toMatchObject({ verdict: 'unknown', reason: 'unknown' });
      expect(view.parts[0]!.steps).toMatchObject([{ result: 'unknown', notKnown: 'unreadable' }]);
    }
  });
});

describe('authentication', () => {
  test('without an enabled authenticator everybody is let in', () => {
    const view = look({ authenticators: [{ id: 'jwt', enable: false }] }, { ...ada, topic: undefined });
    expect(view).toMatchObject({ verdict: 'allowed', reason: 'may_connect' });
    expect(steps(view, 'authentication')).toEqual(['no_authenticator allow']);
  });

  test('passwords are for the broker alone', () => {
    const view = look({ authenticators: [{ id: 'jwt', enable: true }] }, { ...ada, topic: undefined });
    expect(view).toMatchObject({ verdict: 'unknown', reason: 'unknown', superuser: null });
    expect(view.parts[1]!.steps).toMatchObject([{ name: 'jwt', result: 'unknown', notKnown: 'password' }]);
  });
});

describe('authorization', () => {
  test('names the rule of the file and its line', () => {
    const view = look({
      sources: [file('%% head\n{deny, {username, "ada"}, publish, ["t/#"]}.\n{allow, all}.')],
    });
    expect(view).toMatchObject({ verdict: 'refused', reason: 'rule', denyAction: 'ignore' });
    expect(view.parts[2]!.steps).toMatchObject([
      { name: 'file', result: 'deny', decides: true, rule: { index: 1, line: 2 } },
    ]);
    expect(
      look({ sources: [file('{deny, {username, "bob"}, publish, ["t/#"]}.\n{allow, all}.')] }),
    ).toMatchObject({
      verdict: 'allowed',
    });
  });

  test('goes through the built-in database by client id, username, all', () => {
    const rule = (permission: 'allow' | 'deny', topic: string): BuiltInRule => ({
      permission,
      topic,
      action: 'all',
      qos: [0, 1, 2],
      retain: 'all',
    });
    const rules = {
      clientid: [rule('deny', 'other')],
      username: [rule('allow', 't/${clientid}'), rule('deny', 't/+')],
      all: [rule('allow', '#')],
    };
    const view = look({ sources: [builtIn], rules });
    expect(view.parts[2]!.steps).toMatchObject([
      { name: 'built_in_database', result: 'deny', rule: { index: 2, of: 'username' } },
    ]);
    expect(look({ sources: [builtIn], rules }, { ...ada, topic: 't/a' })).toMatchObject({
      verdict: 'allowed',
    });
  });

  test('no rule fits: the setting decides; a disabled source is not asked', () => {
    const sources = [file('{deny, all}.', false), builtIn];
    const settings = { no_match: 'deny', deny_action: 'disconnect' } as const;
    const view = look({ sources, settings });
    expect(view).toMatchObject({ verdict: 'refused', reason: 'no_match', denyAction: 'disconnect' });
    expect(steps(view, 'authorization')).toEqual(['built_in_database pass', 'no_match deny !']);
  });

  test('behind a database that only the broker can ask nothing is certain', () => {
    const view = look({ sources: [mysql, file('{deny, all}.')] });
    expect(view).toMatchObject({ verdict: 'unknown', reason: 'unknown' });
    expect(steps(view, 'authorization')).toEqual(['mysql unknown', 'file deny']);
    expect(look({ sources: [file('{deny, all}.'), mysql] })).toMatchObject({
      verdict: 'refused',
      reason: 'rule',
    });
  });

  test('what cannot be read or was not listed is said', () => {
    for (const [known, notKnown] of [
      [{ sources: [file('{deny, {username, {re, "^(a|b)*$"}}, all, ["#"]}.')] }, 'unreadable'],
      [{ sources: [file('no rule')] }, 'unreadable'],
      [{ sources: [builtIn], rules: null }, 'not_listed'],
      [{ sources: null }, 'not_listed'],
    ] as [Partial<Known>, string][])
      expect(look(known).parts[2]!.steps[0]).toMatchObject({ result: 'unknown', notKnown });
  });

  test('a delayed message counts as what it will be, a shared subscription as its filter', () => {
    const sources = [file('{deny, all, publish, ["t/#"]}.\n{deny, all, subscribe, ["s/#"]}.\n{allow, all}.')];
    expect(look({ sources }, { ...ada, topic: '$delayed/9/t/1' })).toMatchObject({ verdict: 'refused' });
    expect(look({ sources }, { ...ada, action: 'subscribe', topic: '$share/g/s/+' })).toMatchObject({
      verdict: 'refused',
    });
    expect(look({ sources }, { ...ada, action: 'subscribe', topic: 't/1' })).toMatchObject({
      verdict: 'allowed',
    });
  });
});

test('a question survives its address, and what is odd in one is the usual', () => {
  const question: Question = {
    ...ada,
    action: 'subscribe',
    topic: 'a/#',
    qos: 2,
    listener: 'ssl:x',
    connected: true,
  };
  const texts = Object.fromEntries(
    Object.entries(searchOf(question)).filter(([, value]) => value !== undefined),
  );
  expect(questionOf(texts as Record<string, string>)).toEqual(question);
  expect(searchOf({ ...STANDARD, clientid: 'a' })).toMatchObject({ clientid: 'a', peerhost: undefined });
  expect(questionOf({ clientid: ['a', 'b'], action: 'x', qos: '7', connected: 'yes' })).toEqual(STANDARD);
});
