import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { functionTable } from './functions/table.ts';
import { parseJson, stringifyJson } from './integers.ts';
import { template } from './template.ts';
import { newWorld } from './testing.ts';
import { jsonOf, type Value, type ValueMap } from './values.ts';

/** 2^53 + 1, the first integer that a JavaScript number cannot hold. */
const ODD = '9007199254740993';
const ROW = {
  payload: `{"id":${ODD},"n":-${ODD},"text":"${ODD}","list":[18446744073709551615],"float":1.5e300}`,
};

const result = (sql: string, row: Record<string, Value> = ROW) =>
  compile(sql, functionTable, newWorld()).run(row) as ValueMap;
/** The value of an expression, as JSON. */
const value = (expression: string, row = ROW) => jsonOf(result(`SELECT ${expression} as r FROM "t"`, row).r);

describe('an integer above 2^53 keeps all its digits', () => {
  test.each([
    [ODD, ODD],
    [`-${ODD}`, `-${ODD}`],
    ['payload.id', ODD],
    ['payload.n', `-${ODD}`],
    ['payload.text', `"${ODD}"`],
    ['payload.list[1]', '18446744073709551615'],
    ['payload.float', '1.5e+300'],
    ['json_decode(payload)', stringifyJson(parseJson(ROW.payload))!],
    [`json_encode(json_decode('[${ODD}]'))`, `"[${ODD}]"`],
    ['9007199254740992 + 1', ODD],
    ['payload.id - 2', '9007199254740991'],
    ['payload.id * 2', '18014398509481986'],
    ['94906267 * 94906267', '9007199515875289'],
    ['payload.id div 2', '4503599627370496'],
    ['payload.id mod 10', '3'],
    ['div(payload.id, 1)', ODD],
    ['mod(payload.id, 1000)', '993'],
    ['abs(payload.n)', ODD],
    ['floor(payload.id)', ODD],
    [`int('${ODD}')`, ODD],
    ['str(payload.id)', `"${ODD}"`],
    [`payload.text + payload.id`, `"${ODD}${ODD}"`],
    ['bitor(payload.id, 4)', '9007199254740997'],
    ['bitsl(1, 63)', '9223372036854775808'],
    [`subbits(hexstr2bin('FFFFFFFFFFFFFFFF'), 64)`, '18446744073709551615'],
    ['term_decode(term_encode(payload.id))', ODD],
    [
      `date_to_unix_ts('nanosecond', '%Y-%m-%d %H:%M:%S.%N', '2026-11-21 00:00:00.000000001')`,
      '1795219200000000001',
    ],
    [`unix_ts_to_rfc3339(1795219200000000001, 'nanosecond')`, '"2026-11-21T00:00:00.000000001+00:00"'],
    ['is_int(payload.id)', 'true'],
    ['is_num(payload.id)', 'true'],
    [`payload.id = ${ODD}`, 'true'],
    ['payload.id = 9007199254740992', 'false'],
    ['payload.id > 9007199254740992', 'true'],
    ['payload.id = payload.text', 'true'],
    ['payload.id > 1.5', 'true'],
  ])('%s', (expression, json) => {
    expect(value(expression)).toBe(json);
  });

  test('in templates, whole rows and payloads that nobody has looked into', () => {
    const row = result('SELECT payload.id as id, payload FROM "t"');
    expect(template('${id} ${payload.id} ${.}').text(row)).toBe(`${ODD} ${ODD} ${jsonOf(row)}`);
    expect(jsonOf(result('SELECT payload.id as id FROM "t"'))).toBe(`{"id":${ODD}}`);
  });

  test('beside texts that look like numbers or like JSON', () => {
    const json = `{"a":"${ODD}","b\\"${ODD}":["\\\\",${ODD},"{\\"x\\":${ODD}}"]}`;
    expect(stringifyJson(parseJson(json))).toBe(json);
  });
});

describe('an integer of more than 64 bits is refused', () => {
  test.each([
    'json_decode(payload)',
    'payload.a',
    '18446744073709551615 + 1',
    '18446744073709551615 * 18446744073709551615',
    '-9223372036854775807 - 2',
    'bitsl(1, 64)',
    "int('18446744073709551616')",
  ])('%s', (expression) => {
    expect(() => value(expression, { payload: '{"a":18446744073709551616}' })).toThrow('system_limit');
  });

  test('as a literal when the rule is saved', () => {
    expect(() => result('SELECT 18446744073709551616 as r FROM "t"')).toThrow('syntax error');
  });
});

test('a fault that names an integer of 64 bits is told', () => {
  expect(() => value(`lower(${ODD})`)).toThrow(ODD);
});
