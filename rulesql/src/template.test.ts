import { expect, test } from 'vitest';
import { template } from './template.ts';

const row = {
  a: { b: 1, n: null },
  l: [1, 2],
  x: 1.5,
  t: 'text',
  on: true,
  json: '{"v":{"w":7},"l":[1]}',
};

test.each([
  ['no place', 'no place'],
  ['${a.b}', '1'],
  ['<${t}>${x}', '<text>1.5'],
  ['${a}', '{"b":1,"n":null}'],
  ['${l}', '[1,2]'],
  ['${.t}', 'text'],
  ['${.}', JSON.stringify(row)],
  ['x=${}', `x=${JSON.stringify(row)}`],
  ['${nothing}', 'undefined'],
  ['${a.n}', 'null'],
  ['${a.b.c}', 'undefined'],
  ['${on}', 'true'],
  ['${l[1]}', '${l[1]}'],
  ['${ t }', '${ t }'],
  ['$t ${t', '$t ${t'],
  ['\\${t}', '\\text'],
  ['${constructor.name}', 'undefined'],
  ['$${t}', '$text'],
  ['${json.v.w} ${json.v} ${json.l}', '7 {"w":7} [1]'],
  ['${t.v}', 'undefined'],
  ['${json.v.w.x}', 'undefined'],
])('%s', (source, text) => {
  expect(template(source).text(row)).toBe(text);
});

test('a path of a thousand steps and one through what every object has lead nowhere', () => {
  const path = Array.from({ length: 1000 }, () => 'a').join('.');
  for (const place of [path, '__proto__.x', "constructor.constructor('…')()"])
    expect(template(`\${${place}}`).text({ a: '{"a":1}' }), place.slice(0, 40)).toMatch(/^(undefined|\$\{)/);
});

test('what stands alone comes as it is', () => {
  expect(template('${a}').value(row)).toBe(row.a);
  expect(template('${x}').value(row)).toBe(1.5);
  expect(template('${nothing}').value(row)).toBeUndefined();
  expect(template('${x} ').value(row)).toBe('1.5 ');
  expect(template('plain').value(row)).toBe('plain');
});
