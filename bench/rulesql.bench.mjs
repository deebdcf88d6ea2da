// Rule SQL on messages: statements compiled by us beside the same written by hand, in one process, in turns.
import { main } from '../scripts/run.mjs';
import { importSources } from './support/bundle.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

const PAYLOAD = JSON.stringify({ temp: 21.5, hum: 40, id: 'x1' });
const row = (i) => ({
  event: 'message.publish',
  id: '000660C03C2D5A726329000018B40000',
  clientid: `device-${i % 100}`,
  username: null,
  payload: PAYLOAD,
  peerhost: '192.0.2.1',
  topic: 'factory/line/7/temperature',
  qos: 1,
  flags: { retain: false, dup: false },
  publish_received_at: 1_700_000_000_000,
  pub_props: {},
  timestamp: 1_700_000_000_000,
  node: 'mqdeck@127.0.0.1',
});

const statements = [
  {
    name: 'columns',
    sql: 'SELECT clientid, topic, qos FROM "factory/#" WHERE qos = 1',
    byHand: ({ clientid, topic, qos }) => (qos === 1 ? { clientid, topic, qos } : null),
  },
  {
    name: 'a path into JSON',
    sql: 'SELECT payload.temp as temp, clientid FROM "factory/#" WHERE payload.temp > 20',
    byHand: ({ payload, clientid }) => {
      const { temp } = JSON.parse(payload);
      return temp > 20 ? { temp, clientid } : null;
    },
  },
  {
    name: 'everything',
    sql: 'SELECT * FROM "factory/#"',
    byHand: (columns) => ({ ...columns }),
  },
  {
    name: 'functions and arithmetic',
    sql: 'SELECT upper(clientid) as c, payload.temp * 1.8 + 32 as f FROM "factory/#"',
    byHand: ({ payload, clientid }) => ({
      c: clientid.toUpperCase(),
      f: JSON.parse(payload).temp * 1.8 + 32,
    }),
  },
];

main(import.meta.url, async (args) => {
  const options = readOptions(args, { rounds: 5, messages: 300_000 }, { rounds: 2, messages: 50_000 });
  const { compile, table } = await importSources('rulesql', {
    compile: 'rulesql/src/compile.ts',
    table: 'rulesql/src/functions/table.ts',
  });
  const world = { now: Date.now, topicMatches: () => true, store: new Map() };
  const results = statements.map(({ name, sql, byHand }) => {
    const rule = compile.compile(sql, table.functionTable, world);
    return compare(name, { ours: (columns) => rule.run(columns), byHand }, options);
  });
  console.log('\nevaluations per second on one core');
  printTable(
    ['statement', 'ours', 'by hand', 'ratio'],
    results.map(({ name, ours, byHand }) => [name, say(ours, 0), say(byHand, 0), say(byHand / ours, 1, '×')]),
  );
  save('rulesql', options, results);
});

/** The median rate of either side; each round begins with another one. */
function compare(name, sides, { rounds, messages }) {
  const rates = { ours: [], byHand: [] };
  let seen = 0; // so that nothing is left out as unused
  const run = (side, count) => {
    for (let i = 0; i < count; i++) if (sides[side](row(i)) !== null) seen++;
  };
  for (const side of ['ours', 'byHand']) run(side, messages / 10);
  for (let round = 0; round < rounds; round++) {
    for (const side of shuffled(['ours', 'byHand'])) {
      const start = performance.now();
      run(side, messages);
      rates[side].push((messages / (performance.now() - start)) * 1000);
    }
  }
  if (seen === 0) throw new Error(`${name}: no statement had a result`);
  return { name, ours: median(rates.ours), byHand: median(rates.byHand) };
}
