import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { SqlSyntaxError } from './errors.ts';
import { functionTable } from './functions/table.ts';
import { newWorld, PAYLOAD, ROW, run, value } from './testing.ts';

const T = 'FROM "t/#"';
const X = { z: 9 };

function faultOf(sql: string): SqlSyntaxError {
  try {
    run(sql);
  } catch (cause) {
    if (cause instanceof SqlSyntaxError) return cause;
    throw cause;
  }
  throw new Error('it was read');
}

describe('SELECT', () => {
  test.each<[string, unknown]>([
    [`SELECT clientid, payload.a as a, payload.o.x.y[1].z as z ${T}`, { clientid: 'c1', a: 1, z: 9 }],
    [`SELECT payload.a as out.x.y, clientid as out.c ${T}`, { out: { c: 'c1', x: { y: 1 } } }],
    [`SELECT payload.a ${T}`, { payload: { a: 1 } }],
    [`SELECT payload.a as arr[1], payload.b as arr[2] ${T}`, { arr: [1] }],
    [`SELECT 1 as a[2] ${T}`, { a: [1] }],
    [`SELECT payload.l as arr, 9 as arr[-0] ${T}`, { arr: [3, 1, 2, 9] }],
    [`SELECT payload.l as arr, 9 as arr[2] ${T}`, { arr: [3, 9, 2] }],
    [`SELECT payload.a as payload.c.d ${T}`, { payload: { c: { d: 1 } } }],
    [`SELECT payload.a as x, x + 1 as y ${T}`, { x: 1, y: 2 }],
    [`SELECT clientid as r, username as r ${T}`, { r: 'u1' }],
    [`SELECT clientid as "x y" ${T}`, { 'x y': 'c1' }],
    [`SELECT clientid name ${T}`, { name: 'c1' }],
    [`SELECT DISTINCT a ${T}`, { a: 'undefined' }],
    [`SELECT nosuch, payload.zzz as q ${T}`, { nosuch: 'undefined', q: 'undefined' }],
    [`SELECT payload as p, p.a as pa ${T}`, { p: ROW.payload, pa: 1 }],
    [`SELECT json_decode(payload) as p, p.a as pa ${T}`, { p: PAYLOAD, pa: 1 }],
    [`select topic -- a note, FROM nothing\n from t`, { topic: 't/a/b' }],
    [`SELECT topic FROM 'x/#', t, "$events/client_connected"`, { topic: 't/a/b' }],
    [`SELECT clientid ${T} WHERE qos = 1`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE qos = 2`, null],
    [`SELECT clientid as c ${T} WHERE c = 'c1'`, { c: 'c1' }],
    [`SELECT clientid ${T} WHERE payload.a = 1 and qos >= 1`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE not (payload.a = 2)`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE not payload.a = 2`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE payload.a = 2 or payload.b > 2 and qos = 1`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE (payload.a = 2 or payload.b > 2) and qos = 0`, null],
    [`SELECT clientid ${T} WHERE (payload.a + 1) * 2 = 4`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE payload.a in (1, 2)`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE payload.a in (3)`, null],
    [`SELECT clientid ${T} WHERE payload.a = '1'`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE payload.n = null`, null],
    [`SELECT clientid ${T} WHERE is_not_null(payload.a)`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE topic =~ 't/+/b'`, { clientid: 'c1' }],
    [`SELECT clientid ${T} WHERE clientid =~ 'c'`, null],
  ])('%s', (sql, result) => {
    expect(run(sql)).toEqual(result);
  });

  test('all columns, and what is added or written over', () => {
    expect(run(`SELECT * ${T}`)).toEqual(ROW);
    expect(run(`SELECT *, payload.a as extra ${T}`)).toEqual({ ...ROW, extra: 1 });
    expect(run(`SELECT *, 5 as payload.a ${T}`)).toEqual({ ...ROW, payload: { ...PAYLOAD, a: 5 } });
    expect(ROW.payload).toBe(JSON.stringify(PAYLOAD)); // the message itself stays
  });

  test('an expression without a name gets one', () => {
    const [name] = Object.keys(run(`SELECT payload.a + 1 ${T}`) as object);
    expect(name).toMatch(/^_v_/);
  });

  test('names its sources', () => {
    const { sources, kind } = compile(`SELECT * FROM "t/#", a, '$bridges/mqtt:x'`, functionTable, newWorld());
    expect([kind, sources]).toEqual(['select', ['t/#', 'a', '$bridges/mqtt:x']]);
  });
});

describe('values', () => {
  test.each<[string, unknown]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 / 4 * 2', 5],
    ['7 / 2', 3.5],
    ['6 / 2', 3],
    ['7 div 2', 3],
    ['-7 div 2', -3],
    ['7 mod 2', 1],
    ['2 * -3', -6],
    ['-payload.a', -1],
    ['- - 2', 2],
    ['1.50', 1.5],
    [`'a' + 'b'`, 'ab'],
    [`1 + 'a'`, '1a'],
    [`payload.s + '!'`, 'Hello World!'],
    ['payload.b - payload.a', 1.5],
    [`'it''s'`, `it''s`],
    ['"double"', 'undefined'],
    ['true', true],
    ['null', 'undefined'],
    ['undefined', 'undefined'],
    ['payload.n', null],
    ['[1, payload.s, true]', [1, 'Hello World', true]],
    ['5 > 3', true],
    [`'10' > 9`, true],
    [`'abc' > 'abd'`, false],
    [`'a' = 'A'`, false],
    ['null = null', true],
    ['payload.zz = undefined', true],
    ['payload.l = payload.l', true],
    ['payload.a <> 2', true],
    ['payload.t = true', true],
    [`topic =~ 't/#'`, true],
    ['payload.l[1]', 3],
    ['payload.l[-1]', 2],
    ['payload.l[0]', 'undefined'],
    ['payload.l[4]', 'undefined'],
    ['payload.l[payload.a]', 3],
    ['payload.l[1..2]', [3, 1]],
    ['payload.l[-2..-1]', [1, 2]],
    ['payload.l[2..9]', 'undefined'],
    ['payload.list[1].v[2]', 'undefined'],
    ['payload.o.x.y[2]', { z: 8 }],
    [`payload.'odd key'`, 7],
    [`payload."odd key"`, 7],
    ['flags.retain', false],
    [`CASE WHEN payload.a > 5 THEN 'big' WHEN payload.a > 0 THEN 'small' ELSE 'neg' END`, 'small'],
    [`CASE payload.a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END`, 'one'],
    [`CASE payload.a WHEN 9 THEN 'nine' END`, 'undefined'],
    [`case when 1 = 2 and 1 = 1 then 2 else 3 end`, 3],
  ])('%s is %j', (expression, result) => {
    expect(value(expression)).toEqual(result);
  });
});

describe('FOREACH', () => {
  test.each<[string, unknown]>([
    [
      `FOREACH payload.list as it DO it.id as id, clientid INCASE it.id > 1 ${T}`,
      [{ id: 2 }, { id: 3 }].map((one) => ({ ...one, clientid: 'c1' })),
    ],
    [`FOREACH payload.list DO item.v as v ${T}`, [{ v: 'a' }, { v: 'b' }, { v: 'c' }]],
    [
      `FOREACH payload as p, p.list as it DO p.a as a, it.id as id ${T}`,
      [1, 2, 3].map((id) => ({ a: 1, id })),
    ],
    [`FOREACH json_decode(payload) as p, p.o.x.y as it DO it ${T}`, [{ it: X }, { it: { z: 8 } }]],
    [`FOREACH split(payload.s, 'l') as x DO x ${T}`, [{ x: 'He' }, { x: 'o Wor' }, { x: 'd' }]],
    [`FOREACH payload.l DO item as x, payload.a as a ${T}`, [3, 1, 2].map((x) => ({ x, a: 'undefined' }))],
    [`FOREACH payload.e ${T}`, []],
    [`FOREACH payload.o ${T}`, []],
    [`FOREACH payload.list ${T} WHERE qos = 2`, null],
    [
      `FOREACH payload.list as it DO it.v as v INCASE it.id = 1 or it.id = 2 ${T} WHERE qos = 1`,
      [{ v: 'a' }, { v: 'b' }],
    ],
  ])('%s', (sql, result) => {
    expect(run(sql)).toEqual(result);
  });

  test('without DO, and with a star, each result is the whole row and the item', () => {
    const [first] = PAYLOAD.list;
    expect(run(`FOREACH payload.list as it INCASE it.v = 'a' ${T}`)).toEqual(
      [{ ...ROW, it: first }].map((one) => ({ ...one, it: first })),
    );
    expect(run(`FOREACH payload.l DO * ${T}`)).toEqual(
      PAYLOAD.l.map((item) => ({ ...ROW, payload: { l: PAYLOAD.l }, item })),
    );
  });
});

describe('what cannot be read', () => {
  test.each([
    ['SELECT', '1: syntax error before: '],
    ['SELECT * FROM', '1: syntax error before: '],
    [`SELECT * ${T} WHERE`, '1: syntax error before: '],
    [`SELECT count(*) ${T}`, `1: syntax error before: '*'`],
    [`FOREACH ${T}`, `1: syntax error before: 'FROM'`],
    [`DO x ${T}`, `1: syntax error before: 'DO'`],
    [`SELECT 1e3 as r ${T}`, `1: syntax error before: 'AS'`],
    [`SELECT 0x10 as r ${T}`, `1: syntax error before: 'AS'`],
    [`SELECT not true as r ${T}`, `1: syntax error before: 'NOT'`],
    [`SELECT true and false as r ${T}`, `1: syntax error before: 'AND'`],
    [`SELECT qos in (0,1) as r ${T}`, `1: syntax error before: 'IN'`],
    [`SELECT if(true, 1, 2) as r ${T}`, `1: syntax error before: 'IF'`],
    [`SELECT 6 > 5 = true as r ${T}`, `1: syntax error before: '='`],
    [`SELECT clientid as 'x y' ${T}`, `1: syntax error before: "'x y'"`],
    [`SELECT payload.a as a /* c */ ${T}`, `1: syntax error before: '/'`],
    [`SELECT a\nFROM "t/#"\nORDER BY a`, `3: syntax error before: "ORDER"`],
    [`SELECT a.1 ${T}`, `1: syntax error before: "1"`],
    [`SELECT * ${T};`, '{"lex_error":"sql_lex"}'],
    [`SELECT 'abc ${T}`, '{"lex_error":"sql_lex"}'],
    ['SELECT clientid as `x y` FROM t', '{"lex_error":"sql_lex"}'],
    [`SELECT 1 || 2 ${T}`, '{"lex_error":"sql_lex"}'],
    ['', 'invalid_string'],
    ['  \n', 'invalid_string'],
  ])('%s', (sql, message) => {
    expect(faultOf(sql).message).toBe(message);
  });

  test('says where', () => {
    const sql = 'SELECT a,\n  , b FROM t';
    expect(faultOf(sql)).toMatchObject({ line: 2, start: 12, end: 13 });
  });
});

describe('what fails on a message', () => {
  test.each([
    [
      `SELECT payload.a as a ${T}`,
      { payload: 'no JSON' },
      { select_and_transform_error: 'decode_json_failed' },
    ],
    [`SELECT 1 / 0 as r ${T}`, ROW, { select_and_transform_error: 'badarith' }],
    [`SELECT 7 mod 0 as r ${T}`, ROW, { select_and_transform_error: 'badarith' }],
    [
      `SELECT '5' * 2 as r ${T}`,
      ROW,
      {
        select_and_transform_error: {
          reason: 'bad_sql_function_argument',
          function_name: '*',
          arguments: ['5', 2],
        },
      },
    ],
    [
      `SELECT 7 mod 2.5 as r ${T}`,
      ROW,
      {
        select_and_transform_error: {
          reason: 'bad_sql_function_argument',
          function_name: 'mod',
          arguments: [7, 2.5],
        },
      },
    ],
    [`SELECT 1 as r ${T} WHERE 1`, ROW, { match_conditions_error: 'function_clause' }],
    [`SELECT 1 as r ${T} WHERE payload.t and qos`, ROW, { match_conditions_error: 'function_clause' }],
    [`FOREACH jq('.', payload) as j DO j ${T}`, ROW, { select_and_collect_error: 'undef' }],
    [`FOREACH payload.l as x DO x / 0 as y ${T}`, ROW, { doeach_error: 'badarith' }],
    [`FOREACH payload.l as x INCASE x ${T}`, ROW, { match_incase_error: 'function_clause' }],
  ])('%s', (sql, row, error) => {
    expect(() => run(sql, row)).toThrow(JSON.stringify(error));
  });
});

describe('hostile statements and messages', () => {
  test('names that every object has mean nothing', () => {
    expect(value('__proto__')).toBe('undefined');
    expect(value('constructor.name')).toBe('undefined');
    expect(value('payload.__proto__.x')).toBe('undefined');
    expect(value('payload.toString')).toBe('undefined');
    expect(() => value('toString(1)')).toThrow('sql_function_not_supported');
    const out = run(`SELECT 1 as __proto__.polluted, 2 as constructor ${T}`) as Record<string, unknown>;
    expect(Object.hasOwn(out, 'constructor')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    ['brackets', `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)} ${T}`],
    ['minus signs', `SELECT ${'- '.repeat(20_000)}1 ${T}`],
    ['a long sum', `SELECT ${'1+'.repeat(20_000)}1 ${T}`],
    ['nested cases', `SELECT ${'case when 1=1 then '.repeat(3000)}1 ${T}`],
    ['nested calls', `SELECT ${'abs('.repeat(5000)}1${')'.repeat(5000)} ${T}`],
    ['negations', `SELECT 1 ${T} WHERE ${'not '.repeat(5000)} a = 1`],
    ['megabytes', `SELECT ${'a,'.repeat(1_000_000)}a ${T}`],
  ])('%s are refused, not a full stack', (_what, sql) => {
    expect(() => run(sql)).toThrow(SqlSyntaxError);
  });

  test('a long chain within the limits runs', () => {
    expect(value(`${'1+'.repeat(2000)}1`)).toBe(2001);
    expect(run(`SELECT 1 as r ${T} WHERE ${'qos = 1 and '.repeat(900)} qos = 1`)).toEqual({ r: 1 });
  });

  test('a list that is too long is not gone through', () => {
    const over = (count: number) => () =>
      run(`FOREACH json_decode(payload) as e DO e INCASE e = 1 ${T}`, {
        payload: JSON.stringify(Array(count).fill(0).with(0, 1)),
      });
    expect(over(10_000)()).toEqual([{ e: 1 }]);
    expect(over(10_001)).toThrow('{"select_and_collect_error":"system_limit"}');
  });

  test('no statement of random words ends in anything but an answer or its own errors', () => {
    const words =
      `SELECT FROM WHERE FOREACH DO INCASE AS AND OR NOT IN CASE WHEN THEN ELSE END ( ) [ ] . , * + - / = =~ < 1 2.5 'x' "y" payload a upper -- \n`.split(
        ' ',
      );
    let seed = 7;
    const random = (max: number) => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      return seed % max;
    };
    for (let round = 0; round < 5000; round++) {
      const sql = Array.from({ length: 1 + random(14) }, () => words[random(words.length)]).join(' ');
      try {
        run(sql);
      } catch (cause) {
        expect([sql, (cause as Error).constructor.name]).toEqual([
          sql,
          expect.stringMatching(/^Sql\w+Error$/),
        ]);
      }
    }
  });
});
