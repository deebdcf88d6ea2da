import { describe, expect, test } from 'vitest';
import { BackendConfigError } from './backend.ts';
import {
  AUTHENTICATION_NAMES,
  AUTHORIZATION_NAMES,
  parametersOf,
  parseCommand,
  parseDeep,
  parseFilter,
  parseTemplate,
  parseUrl,
  render,
  renderDeep,
  renderHeader,
  renderUrl,
  toPrepared,
  type Values,
} from './placeholders.ts';
import { PlaceholderError } from './url-values.ts';

const allowed = { names: AUTHENTICATION_NAMES, path: 'here' };
const says = (said: Record<string, string | null>): Values => {
  const values = new Map(Object.entries(said));
  return (name) => values.get(name);
};
const named = (username: string | null): Values => says({ username, clientid: 'c1' });

const HOSTILE = [
  "' OR 1=1 --",
  '{"$gt":""}',
  'a\nb',
  'a\r\nX-Evil: 1',
  '%2e%2e%2f',
  '${username}',
  '${password}',
  '$&',
  '"; DROP TABLE users; --',
  'a b c',
  '?',
  '$1',
  '__proto__',
  'ünï/cödé',
];

describe('texts', () => {
  test('take values as they are, and what the client did not say as nothing', () => {
    const template = parseTemplate('user:${username}/${clientid}!', allowed);
    expect(render(template, named('ada'))).toBe('user:ada/c1!');
    expect(render(template, named(null))).toBe('user:/c1!');
  });

  test.each(HOSTILE)('what is filled in is never read again: %j', (value) => {
    expect(
      render(parseTemplate('<${username}>', allowed), says({ username: value, password: 'canary' })),
    ).toBe(`<${value}>`);
  });

  test.each([
    '__proto__',
    '__proto__.x',
    'constructor',
    'constructor.constructor',
    'toString',
    '',
    'usrname',
    'topic',
    ' username',
  ])('a name that nobody knows is refused: ${%s}', (name) => {
    expect(() => parseTemplate(`a \${${name}}`, allowed)).toThrow(BackendConfigError);
    expect(() => parseTemplate(`a \${${name}}`, allowed)).toThrow(`there is no placeholder \${${name}}`);
  });

  test('attributes of clients have names; permissions may ask for topic and action, not for the password', () => {
    const template = parseTemplate('${client_attrs.site}', allowed);
    expect(render(template, says({ 'client_attrs.site': 'x' }))).toBe('x');
    const authorization = { names: AUTHORIZATION_NAMES, path: 'here' };
    expect(parseTemplate('${topic}${action}${qos}${retain}', authorization)).toHaveLength(4);
    expect(() => parseTemplate('${password}', authorization)).toThrow(BackendConfigError);
  });
});

describe('JSON', () => {
  const body = parseDeep(
    { u: '${username}', deep: [{ n: 1, t: true, x: null, u: 'a-${username}' }] },
    allowed,
  );

  test.each(HOSTILE)('a value stays one text: %j', (value) => {
    expect(JSON.parse(JSON.stringify(renderDeep(body, named(value))))).toEqual({
      u: value,
      deep: [{ n: 1, t: true, x: null, u: `a-${value}` }],
    });
  });

  test('placeholders in names are refused, and the field is told', () => {
    expect(() => parseDeep({ '${username}': 1 }, allowed)).toThrow('not in the name');
    expect(() => parseDeep({ a: { b: '${nobody}' } }, { ...allowed, path: 'body' })).toThrow(
      expect.objectContaining({ path: 'body.a.b' }),
    );
  });
});

describe('filters of MongoDB', () => {
  test.each(HOSTILE)('a value is compared, never an operator: %j', (value) => {
    const filter = parseFilter({ username: '${username}', $or: [{ a: { $in: ['${clientid}'] } }] }, allowed);
    expect(renderDeep(filter, named(value))).toEqual({ username: value, $or: [{ a: { $in: ['c1'] } }] });
  });

  test.each([
    { $where: 'this.name == "${username}"' },
    { name: { $regex: '^${username}$' } },
    { $expr: { $eq: ['$name', '${username}'] } },
    { $or: [{ a: { $not: { $regex: '${clientid}' } } }] },
  ])('an operator that would read a value as more is refused: %j', (filter) => {
    expect(() => parseFilter(filter, allowed)).toThrow(BackendConfigError);
  });

  test('the operator’s own patterns are his', () => {
    expect(renderDeep(parseFilter({ a: { $regex: '^x' }, b: '${clientid}' }, allowed), named('u'))).toEqual({
      a: { $regex: '^x' },
      b: 'c1',
    });
  });
});

describe('URLs', () => {
  const url = parseUrl('http://host:80/u/${username}/x?c=${clientid}&v=${username}#part', allowed);

  test.each(HOSTILE)('a value adds no segment and no parameter: %j', (value) => {
    const rendered = new URL(renderUrl(url, named(value)), url.origin);
    expect(rendered.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'u', value, 'x']);
    expect([...rendered.searchParams]).toEqual([
      ['c', 'c1'],
      ['v', value],
    ]);
  });

  test.each(['.', '..'])('dots climb nowhere: %s', (value) => {
    expect(() => renderUrl(url, named(value))).toThrow(PlaceholderError);
  });

  test('a body that becomes a query goes behind the one that is there', () => {
    expect(renderUrl(url, named('a'), 'p=1')).toBe('/u/a/x?c=c1&v=a&p=1');
    expect(renderUrl(parseUrl('http://host', allowed), named('a'), 'p=1')).toBe('/?p=1');
    expect(renderUrl(parseUrl('https://host:8443/x', allowed), named('a'))).toBe('/x');
  });

  test('no placeholder names the host', () => {
    expect(() => parseUrl('http://${username}/x', allowed)).toThrow(BackendConfigError);
    expect(() => parseUrl('http://a${username}.b/x', allowed)).toThrow(BackendConfigError);
  });
});

describe('headers', () => {
  const header = parseTemplate('x ${username}', allowed);

  test('take values that stay on their line, and no others', () => {
    expect(renderHeader(header, named("' OR 1=1"))).toBe("x ' OR 1=1");
    for (const value of ['a\r\nX-Evil: 1', 'a\nb', 'a\rb', 'a\u0000b', 'a\u2028b'])
      expect(() => renderHeader(header, named(value))).toThrow(PlaceholderError);
  });
});

describe('commands of Redis', () => {
  test.each(HOSTILE)('a value adds no word: %j', (value) => {
    const words = parseCommand(' HMGET  user:${username} password_hash\tsalt ', allowed);
    expect(words.map((word) => render(word, named(value)))).toEqual([
      'HMGET',
      `user:${value}`,
      'password_hash',
      'salt',
    ]);
  });
});

describe('SQL', () => {
  test('placeholders become parameters, each with its own number', () => {
    const sql = 'SELECT a FROM t WHERE u = ${username} AND (c = ${clientid} OR x = ${username}) LIMIT 1';
    const names = ['username', 'clientid', 'username'];
    expect(toPrepared(sql, allowed, '?')).toEqual({
      sql: 'SELECT a FROM t WHERE u = ? AND (c = ? OR x = ?) LIMIT 1',
      names,
    });
    const dollars = toPrepared(sql, allowed, '$n');
    expect(dollars).toEqual({ sql: 'SELECT a FROM t WHERE u = $1 AND (c = $2 OR x = $3) LIMIT 1', names });
    expect(parametersOf(dollars, named("' OR 1=1"))).toEqual(["' OR 1=1", 'c1', "' OR 1=1"]);
    expect(parametersOf(dollars, named(null))).toEqual([null, 'c1', null]);
  });

  test('quotes right around a placeholder are dropped', () => {
    expect(
      toPrepared(`SELECT 'it''s' WHERE u = '\${username}' OR u = "\${clientid}"`, allowed, '?').sql,
    ).toBe(`SELECT 'it''s' WHERE u = ? OR u = ?`);
  });

  test('what looks like a parameter in a text or a comment is none', () => {
    const sql = `SELECT '?', "a$1?" -- ? \${nobody}\n/* $1 ? */ WHERE u = \${username}`;
    expect(toPrepared(sql, allowed, '?').names).toEqual(['username']);
    expect(toPrepared(sql, allowed, '$n').sql).toContain('u = $1');
  });

  test('a placeholder inside a text, an unknown one and a parameter of one’s own are refused', () => {
    expect(() => toPrepared("SELECT 1 WHERE u LIKE '%${username}%'", allowed, '?')).toThrow('CONCAT');
    expect(() => toPrepared('SELECT `${username}`', allowed, '?')).toThrow(BackendConfigError);
    expect(() => toPrepared('SELECT ${nobody}', allowed, '?')).toThrow(BackendConfigError);
    expect(() => toPrepared("SELECT '${nobody}'", allowed, '?')).toThrow(BackendConfigError);
    expect(() => toPrepared('SELECT ? , ${username}', allowed, '?')).toThrow('${…}');
    expect(() => toPrepared('SELECT $1 , ${username}', allowed, '$n')).toThrow('${…}');
  });
});
