import { parseAclFile } from '@mqdeck/contract/acl/parse-file';
import { DEFAULT_ACL_RULES } from '@mqdeck/contract/authorization';
import { describe, expect, test } from 'vitest';
import type { Language } from '../../../i18n/language.ts';
import { wordsIn } from '../../../i18n/words.ts';
import { faultWords } from './fault-words.ts';
import { ruleText } from './rule-text.ts';
import { ruleWords } from './rule-words.ts';
import { serverProblem } from './server-problem.ts';
import { suggestAcl } from './suggest.ts';

const read = (text: string, language: Language = 'en'): string[] => {
  const { rules, faults } = parseAclFile(text);
  expect(faults).toEqual([]);
  return rules.map(({ rule }) => ruleText(rule, wordsIn(ruleWords, language)));
};

test('the default rules read as sentences in both languages', () => {
  expect(read(DEFAULT_ACL_RULES)).toEqual([
    'Usernames that match ^dashboard$ may subscribe to $SYS/#',
    'Clients from 127.0.0.1 may publish and subscribe to $SYS/#, anything that does not begin with $',
    'Everybody may not subscribe to $SYS/#, exactly #, exactly +/#',
    'Everybody may publish and subscribe to anything that does not begin with $',
  ]);
  expect(read(DEFAULT_ACL_RULES, 'zh').slice(2)).toEqual([
    '禁止所有客户端订阅 $SYS/#、# 本身、+/# 本身',
    '允许所有客户端发布和订阅任何不以 $ 开头的主题',
  ]);
});

test.each([
  ['{deny, all}.', 'Everybody may not publish or subscribe to anything'],
  [
    '{allow, {user, "ann"}, {publish, [{qos, [0, 1]}, {retain, true}]}, ["a"]}.',
    'The username ann may publish to a, with QoS 0, 1, retained',
  ],
  [
    '{allow, {client, {re, "^s"}}, {publish, [{retain, false}]}, ["a"]}.',
    'Client IDs that match ^s may publish to a, not retained',
  ],
  [
    `{deny, {'or', [{clientid, "c"}, {client_attr, "site", "x"}]}, publish, ["a"]}.`,
    'Who is one of (The client ID c; Clients whose site is x) may not publish to a',
  ],
  [
    '{allow, {ipaddrs, ["::1", "10.0.0.0/8"]}, sub, ["a"]}.',
    'Clients from ::1, 10.0.0.0/8 may subscribe to a',
  ],
  [
    '{allow, {listener, "tcp:default"}, sub, ["a\\x{202e}b"]}.',
    'Clients of the listener tcp:default may subscribe to a\\u202eb',
  ],
])('%s is read as "%s"', (text, sentence) => {
  expect(read(text)).toEqual([sentence]);
});

test('every fault of the parser has words, and nothing is left to be filled in', () => {
  for (const text of ['{', 'x', '{maybe, all}.', '{allow, all', '{allow, {username, x}, all, []}.', '"']) {
    const [fault] = parseAclFile(text).faults;
    const { en, zh } = faultWords[fault!.code];
    expect(en.length).toBeGreaterThan(5);
    expect(zh).not.toBe(en);
  }
});

describe('a refusal of the broker points to its line', () => {
  test.each([
    ['line 3, column 5: not a pattern', { line: 3, column: 5, text: 'not a pattern' }],
    ['400 BAD_REQUEST:root.rules: line 2, column 1: x', { line: 2, column: 1, text: 'x' }],
    [
      '{bad_acl_file_content,{7,erl_parse,["syntax error before: ",[]]}}',
      { line: 7, text: '{bad_acl_file_content,{7,erl_parse,["syntax error before: ",[]]}}' },
    ],
    ['the disk is full', undefined],
    [undefined, undefined],
  ])('%s', (message, problem) => {
    expect(serverProblem(message)).toEqual(problem);
  });
});

describe('suggestions', () => {
  const labels = (before: string) =>
    suggestAcl(before, before)?.suggestions.map(({ label }) => label) ?? null;
  const length = (before: string) => suggestAcl(before, before)?.length;

  test('at the begin of a rule, a whole rule', () => {
    expect(labels('')).toContain('{allow, all}.');
    expect(labels('{allow, all}.\n')).toContain('{deny, …}.');
    expect(length('{allow, all}.\n{al')).toBe(2);
  });
  test('who, also within and, with and without its brace', () => {
    expect(labels('{allow, ')).toContain('all');
    expect(labels('{allow, {us')).toContain('{username');
    expect(length('{allow, {us')).toBe(3);
    expect(labels(`{allow, {'and', [`)).toContain('ipaddr');
    expect(labels(`{allow, {'or', [{'and', [{clientid, "x"}, `)).toContain('zone');
    expect(labels('{allow, {username, ')).toEqual(['{re, …}']);
  });
  test('actions, topics and placeholders', () => {
    expect(labels('{allow, {username, "a,}"}, ')).toContain('publish');
    expect(labels('{allow, all, all, ')).toEqual(['["…"]']);
    expect(labels('{allow, all, all, ["a", ')).toContain('{eq, …}');
    expect(labels('{allow, all, all, ["')).toContain('$SYS/#');
    expect(labels('{allow, all, all, ["d/${c')).toContain('${clientid}');
    expect(length('{allow, all, all, ["d/${c')).toBe(3);
    expect(labels('{allow, all, all, [{eq, "')).toContain('#');
  });
  test('none in comments, patterns and names', () => {
    expect(labels('%% {allow, ')).toBeNull();
    expect(labels('{allow, {username, "')).toBeNull();
    expect(labels('{allow, {username, "\\"')).toBeNull();
  });
});
