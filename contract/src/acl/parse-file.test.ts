import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ACL_RULES } from '../authorization.ts';
import { ACL_CHARACTERS_MAX, ACL_RULES_MAX, parseAclFile } from './parse-file.ts';
import type { AclWho, AuthzRule } from './rule.ts';
import { ruleText } from './write-rule.ts';

/** The one rule of a text without faults. */
function only(text: string): AuthzRule {
  const { rules, faults } = parseAclFile(text);
  expect(faults, text).toEqual([]);
  expect(rules, text).toHaveLength(1);
  return rules[0]!.rule;
}
const whoOf = (who: string) => only(`{allow, ${who}, all, ["t"]}.`).who;
const actionOf = (action: string) => {
  const { action: name, qos, retain } = only(`{allow, all, ${action}, ["t"]}.`);
  return { action: name, qos, retain };
};
const firstFault = (text: string) => {
  const [fault] = parseAclFile(text).faults;
  return fault && [fault.line, fault.column, fault.code];
};

describe('an ACL file', () => {
  test('the one everybody begins with', () => {
    const { rules, faults } = parseAclFile(DEFAULT_ACL_RULES);
    expect(faults).toEqual([]);
    expect(rules.map(({ rule: { permission, action, who } }) => [permission, action, who.kind])).toEqual([
      ['allow', 'subscribe', 'username_re'],
      ['allow', 'all', 'ipaddr'],
      ['deny', 'subscribe', 'all'],
      ['allow', 'all', 'all'],
    ]);
    expect(rules[2]!.rule.topics).toEqual([
      { filter: '$SYS/#', eq: false },
      { filter: '#', eq: true },
      { filter: '+/#', eq: true },
    ]);
  });

  test('each rule knows its line and its text', () => {
    const { rules } = parseAclFile(
      '%% first\n{allow, all}.\n\n  {deny, all,\n publish,["a"]}. {deny, all}.% end',
    );
    expect(rules.map(({ line, text }) => [line, text])).toEqual([
      [2, '{allow, all}.'],
      [4, '{deny, all,\n publish,["a"]}.'],
      [5, '{deny, all}.'],
    ]);
  });

  test('may be empty, or a comment', () => {
    for (const text of ['', ' \n', '% nothing', '\ufeff'])
      expect(parseAclFile(text)).toEqual({ rules: [], faults: [] });
  });

  test('{allow, all} leaves topics of the broker alone, {deny, all} denies them too', () => {
    expect(only('{allow, all}.').topics).toEqual([{ filter: '#', eq: false }]);
    expect(only('{deny, all}.').topics).toEqual([{ filter: '#', eq: false, dollar: true }]);
  });

  test('who', () => {
    expect(whoOf('all')).toEqual({ kind: 'all' });
    for (const word of ['user', 'username'])
      expect(whoOf(`{${word}, "u"}`)).toEqual({ kind: 'username', value: 'u' });
    for (const word of ['client', 'clientid'])
      expect(whoOf(`{${word}, <<"c"/utf8>>}`)).toEqual({ kind: 'clientid', value: 'c' });
    expect(whoOf('{username, {re, "^a\\\\d$"}}')).toEqual({ kind: 'username_re', pattern: '^a\\d$' });
    expect(whoOf('{clientid, {re, <<"x">>}}')).toEqual({ kind: 'clientid_re', pattern: 'x' });
    expect(whoOf('{ipaddr, "10.0.0.0/8"}')).toEqual({ kind: 'ipaddr', networks: ['10.0.0.0/8'] });
    expect(whoOf('{ipaddrs, ["10.0.0.1", "::1"]}')).toEqual({
      kind: 'ipaddr',
      networks: ['10.0.0.1', '::1'],
    });
    expect(whoOf('{client_attr, "site", "b"}')).toEqual({ kind: 'client_attr', name: 'site', value: 'b' });
    expect(whoOf('{client_attr, "site", {re, "^b"}}')).toEqual({
      kind: 'client_attr_re',
      name: 'site',
      pattern: '^b',
    });
    expect(whoOf('{listener, "tcp:default"}')).toEqual({ kind: 'listener', value: 'tcp:default' });
    expect(whoOf('{zone, {re, "x"}}')).toEqual({ kind: 'zone_re', pattern: 'x' });
    expect(whoOf(`{'and', [{user, "u"}, {'or', [all, {client, "c"}]}]}`)).toEqual({
      kind: 'and',
      all: [
        { kind: 'username', value: 'u' },
        { kind: 'or', all: [{ kind: 'all' }, { kind: 'clientid', value: 'c' }] },
      ],
    });
  });

  test('actions, with conditions', () => {
    const any = { qos: null, retain: null };
    for (const word of ['publish', 'pub']) expect(actionOf(word)).toEqual({ action: 'publish', ...any });
    for (const word of ['subscribe', 'sub']) expect(actionOf(word)).toEqual({ action: 'subscribe', ...any });
    for (const word of ['all', 'pubsub']) expect(actionOf(word)).toEqual({ action: 'all', ...any });
    expect(actionOf('{publish, [{qos, 1}, {retain, false}]}')).toEqual({
      action: 'publish',
      qos: [1],
      retain: false,
    });
    expect(actionOf('{subscribe, [{qos, [0, 2]}]}')).toEqual({
      action: 'subscribe',
      qos: [0, 2],
      retain: null,
    });
    expect(actionOf('{all, [{retain, all}]}')).toEqual({ action: 'all', ...any });
  });

  test('texts with escapes, and topics as binaries', () => {
    expect(
      only('{allow, all, all, [<<"a">>, "\\"b\\\\", "\\x{fc}\\101\\s", {eq, <<"#">>}]}.').topics,
    ).toEqual([
      { filter: 'a', eq: false },
      { filter: '"b\\', eq: false },
      { filter: 'üA ', eq: false },
      { filter: '#', eq: true },
    ]);
  });
});

describe('a fault', () => {
  test('names line, column and what was expected', () => {
    const cases: [text: string, line: number, column: number, code: string][] = [
      ['{allow, {username, "x"', 1, 23, 'unclosed'],
      ['{maybe, all}.', 1, 2, 'permission'],
      ['{allow, all}', 1, 13, 'dot'],
      ['{allow, all}.\n{allow all}.', 2, 8, 'separator'],
      ['{allow, {username, "x"}}.', 1, 9, 'short_rule'],
      ['{allow, all, publish}.', 1, 14, 'rule'],
      ['{allow, all, fly, ["a"]}.', 1, 14, 'action'],
      ['{allow, all, publish, "a"}.', 1, 23, 'list'],
      ['{allow, all, publish, []}.', 1, 23, 'empty_list'],
      ['{allow, all, publish, [a]}.', 1, 24, 'text'],
      ['{allow, all, publish, ["a]}.', 1, 24, 'unclosed_text'],
      ['{allow, all, publish, [<<"a">]}.', 1, 29, 'unclosed_binary'],
      ['{allow, {ipaddr, "10.0.0.256"}, all, ["a"]}.', 1, 18, 'address'],
      ['{allow, {ipaddr, "10.0.0.1/33"}, all, ["a"]}.', 1, 18, 'address'],
      ['{allow, {ipaddr, "010.0.0.1"}, all, ["a"]}.', 1, 18, 'address'],
      ['{allow, {nobody, "a"}, all, ["a"]}.', 1, 10, 'who'],
      ['{allow, {and, [all]}, all, ["a"]}.', 1, 10, 'reserved'],
      ['{allow, {client_attr, "a"}, all, ["a"]}.', 1, 9, 'client_attr'],
      ['{allow, all, {publish, [{qos, 3}]}, ["a"]}.', 1, 31, 'qos'],
      ['{allow, all, {publish, [{retain, 1}]}, ["a"]}.', 1, 34, 'retain'],
      ['{allow, all, {subscribe, [{retain, true}]}, ["a"]}.', 1, 27, 'condition'],
      ['{allow, all, all, ["a/${nobody}"]}.', 1, 20, 'placeholder'],
      ['{allow, all, all, ["${__proto__.x}"]}.', 1, 20, 'placeholder'],
      ['{allow, all, all, ["a"], more}.', 1, 26, 'rule'],
      ['allow.', 1, 1, 'rule'],
      ['{}.', 1, 1, 'permission'],
      ['Allow.', 1, 1, 'term'],
      ['{allow, all, all, ["\\x{110000}"]}.', 1, 22, 'escape'],
    ];
    for (const [text, ...where] of cases) expect(firstFault(text), text).toEqual(where);
  });

  test('does not hide those behind it', () => {
    const text = '{maybe, all}.\n{allow, all}.\n{allow, all\n{allow, all, fly, ["a"]}.\n';
    expect(parseAclFile(text).faults.map(({ line }) => line)).toEqual([1, 4, 4]);
  });

  test('brackets deeper than anybody writes', () => {
    expect(firstFault(`{allow, ${'{'.repeat(100_000)}`)?.[2]).toBe('too_deep');
  });

  test('too long, and too many', () => {
    expect(firstFault(`%${' '.repeat(ACL_CHARACTERS_MAX)}`)?.[2]).toBe('too_long');
    const many = '{allow, all}.\n'.repeat(ACL_RULES_MAX);
    expect(parseAclFile(many).faults).toEqual([]);
    expect(firstFault(`${many}{deny, all}.`)).toEqual([ACL_RULES_MAX + 1, 1, 'too_many']);
  });
});

describe('whatever the text', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    '.',
    '. ',
    '\n',
    '"',
    "'",
    '%',
    '<<',
    '>>',
    '\\',
    '"a"',
    'allow',
    'all',
    'publish',
    'eq',
    're',
    "'and'",
    'user',
    '1',
    '${',
    ' ',
  );

  test('it is read, and every fault lies inside it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
        ),
        (text) => {
          const lines = text.split('\n');
          for (const { line, column, message } of parseAclFile(text).faults) {
            expect(line).toBeGreaterThan(0);
            expect(line).toBeLessThanOrEqual(lines.length);
            expect(column).toBeGreaterThan(0);
            expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
            expect(message).toContain('expected');
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('rules are the same after they were written and read', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 10 }),
      fc.constantFrom('"', '\\', '\n', '\0', '%', 'ü', '${username}'),
    );
    const filter = text.filter((one) => one === '${username}' || !one.includes('${'));
    const named = fc.record({
      kind: fc.constantFrom('username', 'clientid', 'listener', 'zone'),
      value: text,
    });
    const matched = fc.record({
      kind: fc.constantFrom('username_re', 'clientid_re', 'listener_re', 'zone_re'),
      pattern: text,
    });
    const attribute = fc.oneof(
      fc.record({ kind: fc.constant('client_attr'), name: text, value: text }),
      fc.record({ kind: fc.constant('client_attr_re'), name: text, pattern: text }),
    );
    const address = fc.record({
      kind: fc.constant('ipaddr'),
      networks: fc.array(fc.constantFrom('::1', '10.0.0.0/8', '192.0.2.1'), { minLength: 1, maxLength: 3 }),
    });
    const { who } = fc.letrec<{ who: AclWho }>((tie) => ({
      who: fc.oneof(
        { depthSize: 'small' },
        fc.constant({ kind: 'all' }),
        named,
        matched,
        attribute,
        address,
        fc.record({
          kind: fc.constantFrom('and', 'or'),
          all: fc.array(tie('who'), { minLength: 1, maxLength: 3 }),
        }),
      ) as fc.Arbitrary<AclWho>,
    }));
    const rule = fc
      .record({
        permission: fc.constantFrom('allow', 'deny'),
        who,
        action: fc.constantFrom('publish', 'subscribe', 'all'),
        qos: fc.constantFrom(null, [0], [1, 2]),
        retain: fc.constantFrom(null, true, false),
        topics: fc.array(fc.record({ filter, eq: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      })
      .map((one) => (one.action === 'subscribe' ? { ...one, retain: null } : one) as AuthzRule);
    fc.assert(
      fc.property(rule, (one) => {
        expect(only(ruleText(one)), ruleText(one)).toEqual(one);
      }),
    );
    for (const short of ['{allow, all}.', '{deny, all}.']) expect(ruleText(only(short))).toBe(short);
  });

  test('the time it takes grows with its length only', () => {
    const shapes: [begin: string, unit: string, end: string][] = [
      ...['{', '"', "'", '%', '\\', '{"', '<<"', '{\n', ' {', '[{', '.', '{allow,', "'a' ", '\n'].map(
        (unit): [string, string, string] => ['', unit, ''],
      ),
      ['', '{deny, all}. ', ''],
      ['{allow, all, all, [', '"a",', '"a"]}.'],
      ["{allow, {'or', [", 'all,', 'all]}, all, ["a"]}.'],
    ];
    // With a square of a million steps this test would not end within its time limit
    for (const [begin, unit, end] of shapes) {
      const room = ACL_CHARACTERS_MAX - begin.length - end.length;
      const { rules, faults } = parseAclFile(begin + unit.repeat(room / unit.length) + end);
      expect(rules.length + faults.length, unit).toBeGreaterThanOrEqual(
        unit === '%' || unit === '\n' ? 0 : 1,
      );
    }
  });
});
