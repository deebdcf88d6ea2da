import { expect, test } from 'vitest';
import { arities } from '../signatures.ts';
import { newWorld, PAYLOAD, run, value } from '../testing.ts';
import { functionTable } from './table.ts';

const results: [expression: string, result: unknown][] = [
  // numbers
  ['abs(-2)', 2],
  ['acos(1) + asin(0) + atan(0) + sin(0) + tan(0)', 0],
  ['acosh(1) + asinh(0) + atanh(0) + sinh(0) + tanh(0)', 0],
  ['cos(0) + cosh(0)', 2],
  ['exp(0)', 1],
  ['log(1)', 0],
  ['log10(100)', 2],
  ['log2(8)', 3],
  ['sqrt(9)', 3],
  ['power(2, 3)', 8],
  ['ceil(1.2)', 2],
  ['floor(1.8)', 1],
  ['round(2.5)', 3],
  ['round(-2.5)', -3],
  ['fmod(7, 3)', 1],
  ['mod(7, 2)', 1],
  ['div(7, 2)', 3],
  ['bitand(6, 3)', 2],
  ['bitor(6, 3)', 7],
  ['bitxor(6, 3)', 5],
  ['bitnot(6)', -7],
  ['bitsl(1, 3)', 8],
  ['bitsr(8, 2)', 2],
  // kinds
  ['eq(1, 1)', true],
  [`eq(1, '1')`, false],
  [`bool('true')`, true],
  ['bool(0)', false],
  [`float('1.5')`, 1.5],
  [`float('1.23456', 2)`, 1.23],
  ['float2str(1.23456, 3)', '1.235'],
  [`int('12')`, 12],
  ['int(1.9)', 1],
  ['int(true)', 1],
  ['str(1.5)', '1.5'],
  ['str(true)', 'true'],
  ['str(payload.n)', 'null'],
  ['str_utf8(payload.o)', '{"x":{"y":[{"z":9},{"z":8}]}}'],
  [`str_utf16_le('ab')`, 'a\u0000b\u0000'],
  ['is_null(payload.zz)', true],
  ['is_null(payload.n)', false],
  ['is_not_null(payload.a)', true],
  ['is_null_var(payload.n)', true],
  ['is_not_null_var(payload.a)', true],
  ['is_str(payload.s)', true],
  ['is_bool(payload.t)', true],
  ['is_int(payload.a)', true],
  ['is_float(payload.b)', true],
  ['is_num(payload.b)', true],
  ['is_map(payload.o)', true],
  ['is_array(payload.l)', true],
  ['is_empty(payload.e)', true],
  ['is_empty(map_new())', true],
  ['null()', 'undefined'],
  ['coalesce(payload.zz, 1)', 1],
  ['coalesce(payload.n, 1)', null],
  ['coalesce(payload.l)', 3],
  [`coalesce_ne('', 'b')`, 'b'],
  // texts
  [`ascii('a')`, 97],
  [`lower('ABC')`, 'abc'],
  [`upper('abc')`, 'ABC'],
  [`trim(' a ')`, 'a'],
  [`ltrim(' a ')`, 'a '],
  [`rtrim(' a ')`, ' a'],
  [`reverse('abc')`, 'cba'],
  [`strlen('äb')`, 2],
  [`substr('abcdef', 2)`, 'cdef'],
  [`substr('abcdef', 2, 2)`, 'cd'],
  [`substr('abc', 9)`, ''],
  [`split('a/b/ c', '/')`, ['a', 'b', ' c']],
  [`split('a//b', '/')`, ['a', 'b']],
  [`split('a//b', '/', 'notrim')`, ['a', '', 'b']],
  [`split('a/b/c', '/', 'leading')`, ['a', 'b/c']],
  [`split('a/b/c', '/', 'trailing')`, ['a/b', 'c']],
  [`tokens(' a b c ', ' ')`, ['a', 'b', 'c']],
  [`tokens('a,b;c', ',;')`, ['a', 'b', 'c']],
  [`pad('abc', 6)`, 'abc   '],
  [`pad('abc', 6, 'leading')`, '   abc'],
  [`pad('abc', 6, 'both')`, ' abc  '],
  [`pad('abc', 6, 'trailing', '*')`, 'abc***'],
  [`pad('abc', 2)`, 'abc'],
  [`replace('ababa', 'a', 'x')`, 'xbxbx'],
  [`replace('ababa', 'a', 'x', 'leading')`, 'xbaba'],
  [`replace('ababa', 'a', 'x', 'trailing')`, 'ababx'],
  [`find('..12..34', '12')`, '12..34'],
  [`find('..12..34..34', '34', 'trailing')`, '34'],
  [`find('abc', 'z')`, ''],
  [`concat('a', 1)`, 'a1'],
  ['concat(payload.l, payload.l)', [3, 1, 2, 3, 1, 2]],
  [`regex_match('abc123', '[a-z]+[0-9]*')`, true],
  [`regex_match('abc', '^[0-9]+$')`, false],
  [`regex_replace('ab12', '[0-9]+', '#')`, 'ab#'],
  [`regex_replace('ab12', '([a-z]+)([0-9]+)', '\\2-\\1$')`, '12-ab$'],
  [`regex_extract('Number: 12', '([A-Za-z]+): ([0-9]+)')`, ['Number', '12']],
  [`sprintf('~s-~p', 'a', 1)`, 'a-1'],
  [`join_to_string('-', payload.l)`, '3-1-2'],
  [`join_to_string(payload.l)`, '3, 1, 2'],
  [`join_to_sql_values_string([1, 'a', null])`, "1, 'a', NULL"],
  [`unescape('a\\n')`, 'a\n'],
  [`rm_prefix('abc', 'a')`, 'bc'],
  // lists and maps
  ['first(payload.l)', 3],
  ['last(payload.l)', 2],
  ['nth(2, payload.l)', 1],
  ['length(payload.l)', 3],
  ['sublist(2, payload.l)', [3, 1]],
  ['sublist(2, 1, payload.l)', [1]],
  ['contains(3, payload.l)', true],
  ['contains(9, payload.l)', false],
  [`contains_topic(split('a,t/1', ','), 't/1')`, false],
  [`contains_topic(json_decode('[{"topic":"t/1","qos":1}]'), 't/1')`, true],
  [`contains_topic(json_decode('[{"topic":"t/1","qos":1}]'), 't/1', 2)`, false],
  [`contains_topic_match(json_decode('[{"topic":"t/#"}]'), 't/1')`, true],
  ['map_new()', {}],
  [`map('{"a":1}')`, { a: 1 }],
  [`map_get('zz', payload, 'dft')`, 'dft'],
  [`map_get('o.x', payload)`, PAYLOAD.o.x],
  [`map_put('a.b', 5, map_new())`, { a: { b: 5 } }],
  [`mget('a', payload)`, 1],
  [`mput('zz.q', 1, map_new())`, { 'zz.q': 1 }],
  ['map_keys(payload.o)', ['x']],
  ['map_values(payload.list[1])', [1, 'a']],
  [
    'map_to_entries(payload.list[1])',
    [
      { key: 'id', value: 1 },
      { key: 'v', value: 'a' },
    ],
  ],
  ['map_size(payload)', 11],
  // bytes and coding
  [`md5('a')`, '0cc175b9c0f1b6a831c399e269772661'],
  [`sha('a')`, '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
  [`sha256('a')`, 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'],
  [`hash('sha256', 'a') = sha256('a')`, true],
  [`base64_encode('abc')`, 'YWJj'],
  [`base64_decode('YWJj')`, 'abc'],
  [`bin2hexstr('abc')`, '616263'],
  [`bin2hexstr('abc', '0x')`, '0x616263'],
  [`sqlserver_bin2hexstr('ab')`, '0x6162'],
  [`hexstr2bin('616263')`, 'abc'],
  [`hexstr2bin('0x616263', '0x')`, 'abc'],
  [`bytesize('äb')`, 3],
  [`bitsize('abc')`, 24],
  [`subbits('abc', 8)`, 97],
  [`subbits('abc', 9, 8)`, 98],
  [`subbits('abc', 9, 8, 'integer', 'unsigned', 'big')`, 98],
  [`subbits(hexstr2bin('ff'), 1, 8, 'integer', 'signed', 'big')`, -1],
  [`subbits(hexstr2bin('0102'), 1, 16, 'integer', 'unsigned', 'little')`, 513],
  [`subbits(hexstr2bin('3f800000'), 1, 32, 'float', 'unsigned', 'big')`, 1],
  [`gunzip(gzip('abc'))`, 'abc'],
  [`unzip(zip('abc'))`, 'abc'],
  [`zip_uncompress(zip_compress('abc'))`, 'abc'],
  ['json_encode(payload.o)', JSON.stringify(PAYLOAD.o)],
  [`json_decode('{"a":[1]}')`, { a: [1] }],
  [`json_decode('"x"')`, 'x'],
  ['bin2hexstr(term_encode(payload.l))', '836B0003030102'],
  ['term_decode(term_encode(payload.l))', [3, 1, 2]],
  ['term_decode(term_encode(json_decode(payload)))', PAYLOAD],
  [
    'term_decode(term_encode([-1, 300, 9007199254740991, 1.5, true]))',
    [-1, 300, 9007199254740991, 1.5, true],
  ],
  // times
  ['now_timestamp()', 1795228205],
  [`now_timestamp('millisecond')`, 1795228205550],
  [`now_rfc3339('millisecond')`, '2026-11-21T02:30:05.550+00:00'],
  ['unix_ts_to_rfc3339(1700000000)', '2023-11-14T22:13:20+00:00'],
  [`unix_ts_to_rfc3339(1700000000123, 'millisecond')`, '2023-11-14T22:13:20.123+00:00'],
  [`rfc3339_to_unix_ts('2023-11-14T22:13:20Z')`, 1700000000],
  [`rfc3339_to_unix_ts('2023-11-15T06:13:20.123+08:00', 'millisecond')`, 1700000000123],
  [`format_date('second', '+08:00', '%Y-%m-%d %H:%M:%S%z', 1700000000)`, '2023-11-15 06:13:20+0800'],
  [
    `format_date('millisecond', 0, '%Y-%m-%d %H:%M:%S.%3N %:z', 1700000000123)`,
    '2023-11-14 22:13:20.123 +00:00',
  ],
  [`format_date('second', 'Z', '%j %a %b %s', 1700000000)`, '%j %a %b %s'],
  [`date_to_unix_ts('second', '%Y-%m-%d %H:%M:%S', '2023-11-14 22:13:20')`, 1700000000],
  [`date_to_unix_ts('second', '%Y-%m-%d %H:%M:%S%:z', '2023-11-14 22:13:20+08:00')`, 1699971200],
  [`date_to_unix_ts('second', '+08:00', '%Y-%m-%d %H:%M:%S', '2023-11-14 22:13:20')`, 1699971200],
  [`timezone_to_second('+08:00')`, 28800],
  [`timezone_to_offset_seconds('-03:30')`, -12600],
  [`timezone_to_second('Z')`, 0],
  ['mongo_date()', 'ISODate(2026-11-21T02:30:05.550Z)'],
  ['mongo_date(1700000000000)', 'ISODate(2023-11-14T22:13:20.000Z)'],
  // others
  [`getenv('HOME')`, ''],
  ['topic()', 'undefined'],
  [`flag('retain')`, 'undefined'],
  [`proc_dict_put('k', 2)`, 'undefined'],
];

test.each(results)('%s is %j', (expression, result) => {
  expect(value(expression)).toEqual(result);
});

const argument = (name: string, ...args: unknown[]) => ({
  reason: 'bad_sql_function_argument',
  function_name: name,
  arguments: args,
});

test.each([
  [`md5(1)`, argument('md5', 1)],
  [`upper(1)`, argument('upper', 1)],
  [`abs('x')`, argument('abs', 'x')],
  [`abs(-1.5)`, argument('abs', -1.5)],
  [`length('abc')`, argument('length', 'abc')],
  [`nth(9, payload.l)`, argument('nth', 9, [3, 1, 2])],
  [`first(payload.zz)`, argument('first', 'undefined')],
  [`subbits('abc', 17, 'bits')`, argument('subbits', 'abc', 17, 'bits')],
  [`contains_topic(map_new(), 'a')`, 'bad_generator'],
  [`int('a')`, 'badarg'],
  [`bool('x')`, 'badarg'],
  [`float(true)`, 'badarg'],
  [`sqrt(-1)`, 'badarith'],
  [`json_decode('{bad')`, 'decode_json_failed'],
  [`map_size('[1]')`, 'badmap'],
  [`concat('a', 'b', 'c')`, 'sql_function_not_supported'],
  [`upper()`, 'sql_function_not_supported'],
  [`format_date('second', '+8', '%Y', 0)`, 'bad_time_offset'],
  [`format_date('hour', 0, '%Y', 0)`, 'badarg'],
  [`rfc3339_to_unix_ts('today')`, 'badarg'],
  [`rfc3339_to_unix_ts('2027-02-29T00:00:00Z')`, 'badarg'],
  [`date_to_unix_ts('second', '%Y-%m-%d', '2027-02-29')`, 'badarg'],
  [`date_to_unix_ts('second', '%H:%M', '24:00')`, 'badarg'],
  [`unzip('abc')`, 'data_error'],
  [`base64_decode('a*')`, 'badarg'],
  [`term_decode('abc')`, 'badarg'],
  [`regex_match('a', '(')`, 'badarg'],
  [`jq('.', '{}')`, 'undef'],
])('%s is refused', (expression, reason) => {
  expect(() => value(expression)).toThrow(JSON.stringify({ select_and_transform_error: reason }));
});

test('an unknown function is named', () => {
  expect(() => value('nofun(1)')).toThrow(/sql_function_not_supported.*nofun/);
});

test('what one rule puts aside another finds, until it is taken away', () => {
  const world = newWorld();
  expect(value(`kv_store_put('k', 1)`, undefined, world)).toBe(true);
  expect(value(`kv_store_get('k')`, undefined, world)).toBe(1);
  expect(value(`kv_store_get('zz', 'dft')`, undefined, world)).toBe('dft');
  expect(value(`kv_store_del('k')`, undefined, world)).toBe(true);
  expect(value(`kv_store_get('k')`, undefined, world)).toBe('undefined');
});

test('a random number and an id differ each time', () => {
  for (const expression of ['random()', 'uuid_v4()', 'uuid_v4_no_hyphen()'])
    expect(value(expression)).not.toBe(value(expression));
  expect(value('strlen(uuid_v4_no_hyphen())')).toBe(32);
});

test('what grows without bounds is refused before it does', () => {
  for (const expression of [
    `pad('a', 999999999)`,
    `replace(pad('', 1000000, 'leading', 'a'), 'a', pad('', 1000, 'leading', 'b'))`,
    'bitsl(1, 999999999)',
  ])
    expect(() => value(expression)).toThrow(/badarg|system_limit/);
  const bomb = Buffer.from(new Uint8Array(100)).toString('hex');
  expect(() => value(`gunzip(hexstr2bin('${bomb}'))`)).toThrow('data_error');
});

test('what doubles with each field is refused before it fills the memory', () => {
  const doubling = (first: string, next: string, last: string) =>
    run(`SELECT ${first} as a, ${`${next} as a, `.repeat(60)}${last} as a FROM "t/#"`);
  for (const statement of [
    () => doubling('[1]', 'concat(a, a)', 'length(a)'),
    () => doubling(`'abcdefgh'`, 'a + a', 'strlen(a)'),
    () => doubling('[1]', '[a, a]', 'strlen(str(a))'),
    () => doubling('[1]', '[a, a]', 'a'),
    () => doubling(`'abcdefgh'`, `join_to_string(json_decode('["' + a + '","' + a + '"]'))`, 'strlen(a)'),
  ])
    expect(statement).toThrow('system_limit');
  const long = 'x'.repeat(1000);
  expect(() =>
    run('FOREACH json_decode(payload) as e FROM "t/#"', {
      payload: JSON.stringify([long, ...Array(30_000).fill(1)]),
      other: long,
    }),
  ).toThrow('system_limit');
});

test('what is nested deeper than the engine can follow fails as a statement does', () => {
  const payload = '['.repeat(50_000) + ']'.repeat(50_000);
  for (const expression of [
    'json_encode(json_decode(payload))',
    "json_decode(payload) = json_decode(payload + ' ')",
  ])
    expect(() => value(expression, { payload })).toThrow('{"select_and_transform_error":"system_limit"}');
});

test('a pattern that takes other engines for ever does not take long', () => {
  const text = 'a'.repeat(50_000);
  expect(value(`regex_match(s, '^(a+)+$')`, { s: `${text}!` })).toBe(false);
  for (const expression of [
    `regex_match(s, '((a{0,30}){0,30})*b{2}')`,
    `regex_replace(s, '((a{0,30}){0,30})*b{2}', '')`,
    `regex_extract(s, '((a{0,30}){0,30})*b{2}')`,
  ])
    expect(() => value(expression, { s: text })).toThrow('system_limit');
  expect(() => value(`date_to_unix_ts('second', '${'%N'.repeat(16)}X', s)`, { s: '1'.repeat(80) })).toThrow(
    'badarg',
  );
});

test('the list of signatures says what there is, and with how many arguments', () => {
  expect([...functionTable.keys()].sort()).toEqual([...arities.keys()].sort());
  for (const [name, { arity }] of functionTable) expect([name, arities.get(name)]).toEqual([name, arity]);
});
