import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dice, fuzz } from '../../testing/fuzz.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

const STATEMENTS_PER_ROUND = 20;
const FULL_TIMEOUT_MS = 30 * 60_000;
const STATEMENTS = [
  'SELECT * FROM "t/#"',
  'SELECT payload.x as y, clientid FROM "t/#" WHERE payload.x > 1 and topic =~ \'t/+\'',
  "SELECT CASE WHEN payload.x = 1 THEN 'one' ELSE 'other' END as z FROM \"t/1\"",
  'FOREACH payload.list as item DO item.a as a, item.b[1] as b INCASE item.a > 1 FROM "t/#"',
  "SELECT regex_replace(topic, '[a-z]+', 'x') as r, map_get('k', payload, 0) as m FROM \"t/#\"",
  'SELECT json_encode(payload) as j, nth(1, payload.list) as n, (1 + 2) * 3 div 2 mod 5 as c FROM "t/#"',
  'SELECT base64_encode(clientid) as payload.b, concat(\'a\', str(qos)) as s FROM "$events/client/connected"',
];
const WORDS = [
  '(',
  ')',
  "'",
  '"',
  '[',
  ']',
  '.',
  ',',
  'SELECT',
  'FROM',
  'WHERE',
  'as',
  '$',
  '${',
  '-',
  '9e999',
  '\u0000',
  '*',
  '=~',
];

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker();
});
afterAll(() => broker.close());

/** One statement with words put in, left out and repeated, or with changed characters. */
function changed(dice: Dice): string {
  const statement = dice.pick(STATEMENTS);
  if (dice.chance(0.3)) return Buffer.from(dice.mutated(Buffer.from(statement))).toString('utf8');
  const words = statement.split(/(?<=[ ().,])/);
  for (let times = 1 + dice.upTo(3); times > 0; times--) {
    const at = dice.upTo(words.length);
    const kind = dice.upTo(3);
    if (kind === 0) words.splice(at, 1);
    else if (kind === 1) words.splice(at, 0, dice.pick(WORDS).repeat(dice.chance(0.1) ? 3000 : 1));
    else words.splice(at, 0, ...words.slice(dice.upTo(words.length)));
  }
  return words.join('');
}

test(
  'a changed statement is run, does not match, or is refused with a reason',
  async () => {
    await fuzz({ short: 10, full: 1500 }, async (dice) => {
      for (let i = 0; i < STATEMENTS_PER_ROUND; i++) {
        const sql = changed(dice);
        const payload = '{"x":1,"list":[{"a":1,"b":[1,2]},{"a":2,"b":[]}]}';
        const context = { event_type: 'message_publish', topic: 't/1', clientid: 'c', qos: 1, payload };
        const { status } = await broker.inject('POST', '/rule_test', { body: { sql, context } });
        expect([200, 400, 412], sql.slice(0, 500)).toContain(status);
      }
    });
  },
  FULL_TIMEOUT_MS,
);
