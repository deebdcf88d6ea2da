import { expect, test } from 'vitest';
import { judge, pageOf, tagsOf } from './conformance.mjs';

const statement = (tag, more) => ({ tag, binds: 'server', says: 'it is so', ...more });
const sections = (...statements) => [{ version: '5.0', title: '1 Data', statements }];
const shows = (tag, more) => ({ file: 'a.test.ts', tag, title: 'it is so', skipped: false, ...more });

test('tags are read from titles and rows of tables, not from comments', () => {
  const source = [
    "test('a client\\'s will waits [MQTT-3.1.3-9] [MQTT311-3.1.2-4]', async () => {",
    '  expect(x).toBe(1); // [MQTT-3.3.1-12]',
    '  ["a length of \'5\' [MQTT-1.5.5-1]", 5],',
    "  const url = 'mqtt://127.0.0.1'; // here's one more: [MQTT-3.3.1-13] isn't it",
    '  // [MQTT-3.3.1-1]',
    "test.skip('later [MQTT31-3.1a]', () => {});",
    "describe('a will [MQTT-3.1.2-8]', () => {",
    "  test('comes late [MQTT-3.1.3-9]: %s', () => {});",
    '});',
    "test('alone [MQTT-3.1.2-7]', () => {});",
  ].join('\n');
  expect(tagsOf(source)).toEqual([
    { tag: 'MQTT-3.1.3-9', title: "a client's will waits", skipped: false },
    { tag: 'MQTT311-3.1.2-4', title: "a client's will waits", skipped: false },
    { tag: 'MQTT-1.5.5-1', title: "a length of '5'", skipped: false },
    { tag: 'MQTT31-3.1a', title: 'later', skipped: true },
    { tag: 'MQTT-3.1.2-8', title: 'a will', skipped: false },
    { tag: 'MQTT-3.1.3-9', title: 'a will › comes late: %s', skipped: false },
    { tag: 'MQTT-3.1.2-7', title: 'alone', skipped: false },
  ]);
});

test('a statement needs a test or a reason, and not both', () => {
  const reason = { without: 'nobody sees it' };
  const listed = sections(
    statement('MQTT-1-1'),
    statement('MQTT-1-2', reason),
    statement('MQTT-1-3', reason),
  );
  expect(judge(listed, [shows('MQTT-1-1')])).toEqual([]);
  expect(judge(listed, [])).toEqual(['MQTT-1-1 has neither a test nor a reason why there is none: it is so']);
  expect(judge(listed, [shows('MQTT-1-1'), shows('MQTT-1-3')])[0]).toContain('MQTT-1-3 has a test');
});

test('an unknown tag, a test left out, a double and an empty statement are named', () => {
  expect(judge(sections(), [shows('MQTT-9-1')])).toEqual([
    'a.test.ts: "it is so" names MQTT-9-1, which no standard has',
  ]);
  const [open, left] = judge(sections(statement('MQTT-1-1')), [shows('MQTT-1-1', { skipped: true })]);
  expect(open).toContain('neither a test');
  expect(left).toContain('is left out');
  const twice = sections(statement('MQTT-1-1'), statement('MQTT-1-1'));
  expect(judge(twice, [shows('MQTT-1-1')])).toEqual(['MQTT-1-1 is listed twice']);
  expect(judge(sections(statement('MQTT-1-1', { binds: 'all' })), [shows('MQTT-1-1')])).toHaveLength(1);
});

test('the page names tests, exceptions and their number', () => {
  const listed = sections(
    statement('MQTT-1-1', { note: 'up to 5' }),
    statement('MQTT-1-2', { without: 'nobody sees it' }),
  );
  const page = pageOf(listed, [shows('MQTT-1-1', { title: 'a | b' }), shows('MQTT-1-1', { title: 'a | b' })]);
  expect(page).toContain('2 statements: 1 shown by tests, 1 exceptions.');
  expect(page).toContain('| MQTT-1-1 | server | it is so. *up to 5.* | [a \\| b](../a.test.ts) |');
  expect(page).toContain('| MQTT-1-2 | server | it is so | nobody sees it |');
});
