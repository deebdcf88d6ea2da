// The subscription table: adding, the first look-up of a topic (nothing cached), and memory for each subscription.
import v8 from 'node:v8';
import vm from 'node:vm';
import { main } from '../scripts/run.mjs';
import { importSources } from './support/bundle.mjs';
import { median, printTable, readOptions, save, say } from './support/report.mjs';

v8.setFlagsFromString('--expose_gc');
const collect = vm.runInNewContext('gc');

const LOOKUPS = 100_000;
const plain = { qos: 1, noLocal: false, retainAsPublished: false, retainHandling: 0 };

main(import.meta.url, async (args) => {
  const defaults = { sizes: '100000,1000000', rounds: 3 };
  const options = readOptions(args, defaults, { sizes: '100000', rounds: 1 });
  const { router } = await importSources('match', { router: 'broker/src/core/router.ts' });
  const results = [];
  for (const count of options.sizes.split(',').map(Number)) {
    const runs = [];
    for (let round = 0; round < options.rounds; round++) runs.push(measure(router.Router, count, round));
    const result = { count, runs };
    for (const what of ['addUs', 'matchUs', 'bytes', 'found'])
      result[what] = median(runs.map((run) => run[what]));
    results.push(result);
  }
  console.log('\n70 % filters without wildcards, 20 % with one +, 10 % ending in #');
  printTable(
    ['subscriptions', 'add µs', 'uncached match µs', 'found', 'bytes each'],
    results.map(({ count, addUs, matchUs, found, bytes }) => [
      String(count),
      say(addUs),
      say(matchUs),
      say(found),
      say(bytes, 0),
    ]),
  );
  console.log(
    'Budget at 1,000,000: 5 µs, 250 bytes. Bytes are those of filter, subscription and table together.',
  );
  save('match', options, results);
});

function measure(Router, count, seed) {
  const router = new Router();
  const subscriber = { connected: true, deliver: () => undefined };
  const random = randomFrom(seed + 1);
  const device = () => places(random, count);
  collect();
  const before = heldBytes();
  const start = performance.now();
  for (let i = 0; i < count; i++) router.subscribe(flat(filterOf(i, device())), subscriber, plain);
  const addUs = ((performance.now() - start) * 1000) / count;
  collect();
  const bytes = (heldBytes() - before) / count;

  const topics = Array.from({ length: LOOKUPS }, () => flat(topicOf(device())));
  const distinct = Array.from(new Set(topics));
  let found = 0;
  const looking = performance.now();
  for (const topic of distinct) found += subscribed(router.route(topic));
  const matchUs = ((performance.now() - looking) * 1000) / distinct.length;
  return { addUs, matchUs, bytes, found: found / distinct.length };
}

/** Walks to every subscription, as a delivery does. */
function subscribed({ exact, wild }) {
  let count = 0;
  for (const entry of exact === null ? wild : wild.concat(exact))
    for (let link = entry.head; link; link = link.next) count += 1;
  return count;
}

/** A factory of the size that so many devices need. */
function places(random, count) {
  const sites = Math.max(10, Math.ceil(count / 10_000));
  return [
    Math.floor(random() * sites),
    Math.floor(random() * 20),
    Math.floor(random() * 500),
    ['temperature', 'pressure', 'state', 'alarm'][Math.floor(random() * 4)],
  ];
}

const topicOf = ([site, line, machine, value]) => `factory/${site}/line/${line}/machine/${machine}/${value}`;

function filterOf(i, [site, line, machine, value]) {
  const kind = i % 10;
  if (kind < 7) return topicOf([site, line, machine, value]);
  if (kind < 9) return `factory/${site}/line/+/machine/${machine}/${value}`;
  return `factory/${site}/line/${line}/machine/${machine}/#`;
}

/** As a string that came over the network: one run of bytes, shared with nobody. */
const flat = (text) => Buffer.from(text).toString('latin1');

function heldBytes() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external; // `external` has the array buffers in it
}

/** The same numbers in every run (mulberry32). */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
