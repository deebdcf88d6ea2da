import { describe, expect, test } from 'vitest';
import { compileExpression, EXPRESSION_MAX, type ExpressionFacts } from './zone-expressions.ts';

const facts: ExpressionFacts = {
  clientid: 'Berlin-pump-7',
  username: 'ada',
  cn: 'device-7',
  dn: 'CN=device-7,O=Example',
  zone: 'z1',
  listener: 'ssl:default',
  peerhost: '192.0.2.7',
  userProperties: [
    ['site', 'north'],
    ['site', 'south'],
    ['a.b', 'dotted'],
  ],
};
const evaluated = (text: string) => compileExpression(text)?.(facts);

test.each([
  ['clientid', 'Berlin-pump-7'],
  [' username ', 'ada'],
  ["concat([cn, '@', peerhost, '/', listener])", 'device-7@192.0.2.7/ssl:default'],
  ['concat(zone, "-", 7)', 'z1-7'],
  ["nth(1, tokens(clientid, '-'))", 'Berlin'],
  ["nth(-1, tokens(clientid, '-'))", '7'],
  ["nth(4, tokens(clientid, '-'))", ''],
  ["nth(0, tokens(clientid, '-'))", ''],
  ["nth('x', tokens(clientid, '-'))", ''],
  ['nth(1, clientid)', ''],
  ["nth(2, tokens('a-,b', ',-'))", 'b'],
  ["nth(2, tokens(dn, '=,'))", 'device-7'],
  ['substr(clientid, 7)', 'pump-7'],
  ['substr(clientid, 7, 4)', 'pump'],
  ["substr(clientid, 'x', -1)", ''],
  ['substr(clientid, 100)', ''],
  ['user_property.site', 'south'], // the last one counts
  ['user_property.a.b', 'dotted'],
  ['user_property.none', ''],
  ["coalesce(user_property.none, '', user_property.site, zone)", 'south'],
  ["coalesce(user_property.none, '')", ''],
  ['lower(clientid)', 'berlin-pump-7'],
  ["upper(nth(2, tokens(clientid, '-')))", 'PUMP'],
  ["trim('  x ')", 'x'],
  ["tokens('a b', ' ')", 'ab'],
])('%s', (text, value) => {
  expect(evaluated(text)).toBe(value);
});

describe('is not understood', () => {
  test.each([
    [''],
    [' '],
    ['clientid username'],
    ['password'],
    ['constructor'],
    ['user_property'],
    ['toString()'],
    ['constructor(clientid)'],
    ['nth(1)'],
    ['nth(1, 2, 3)'],
    ['lower()'],
    ['concat([clientid)'],
    ['concat(clientid]'],
    ['concat(clientid'],
    ['concat(clientid,)'],
    ["'open"],
    ['1.5'],
    ['a+b'],
    ['${clientid}'],
    [`${'concat('.repeat(30)}zone${')'.repeat(30)}`],
  ])('%s', (text) => {
    expect(compileExpression(text)).toBeNull();
  });
});

test('as long as it may be, it is read in a moment', () => {
  const hostile = [
    '('.repeat(EXPRESSION_MAX),
    '['.repeat(EXPRESSION_MAX),
    `concat(${'zone,'.repeat(200)}`,
    ' '.repeat(EXPRESSION_MAX),
    `'${"''".repeat(500)}`,
    '-'.repeat(EXPRESSION_MAX),
  ];
  // A reader that tries one way after the other would not end within the time limit of this test
  for (const text of hostile) expect(compileExpression(text)).toBeNull();
});
