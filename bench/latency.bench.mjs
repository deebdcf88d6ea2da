// How long one message needs when nothing else is on its way (from the publisher's write to the subscriber's read), and
// when others keep the broker busy; and how long our event loop stood still meanwhile.
import { main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux } from './support/processes.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

/** Ten pairs with some messages on their way each: busy, but not the last free percent of a core. */
const NEIGHBOURS = { lanes: 10, publishers: 1, subscribers: 1, window: 20, qos: 0, size: 64 };

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = { messages: 5000, rounds: 3, brokers: 'mqdeck,mosquitto,aedes' };
  const options = readOptions(args, defaults, { messages: 2000, rounds: 1 });
  const names = availableBrokers(options.brokers);
  const runs = new Map();
  await withGenerator((generator) =>
    withGenerator(async (neighbours) => {
      for (let round = 0; round < options.rounds; round++)
        for (const name of shuffled(names))
          await withBrokers([name], {}, async (broker) => {
            for (const busy of [false, true])
              for (const qos of [0, 1]) {
                const key = JSON.stringify({ name, busy, qos });
                const run = await measure(generator, busy ? neighbours : null, broker, qos, options.messages);
                runs.set(key, (runs.get(key) ?? []).concat(run));
              }
          });
    }),
  );

  const results = [...runs].map(([key, all]) => ({
    ...JSON.parse(key),
    ...Object.fromEntries(Object.keys(all[0]).map((what) => [what, median(all.map((run) => run[what]))])),
  }));
  console.log('\nOne message at a time, 64 B, publisher to subscriber, in µs; the event loop of ours in ms');
  printTable(
    ['broker', 'neighbours', 'QoS', 'p50', 'p90', 'p99', 'p99.9', 'max', 'loop p99', 'loop max'],
    results
      .sort((a, b) => Number(a.busy) - Number(b.busy) || a.qos - b.qos || (a.name < b.name ? -1 : 1))
      .map(({ name, busy, qos, p50, p90, p99, p999, max, loopP99, loopMax }) =>
        [name, busy ? 'busy' : 'none', String(qos)]
          .concat([p50, p90, p99, p999, max].map((value) => say(value, 0)))
          .concat([loopP99, loopMax].map((value) => say(value, 1))),
      ),
  );
  console.log('The broker has one of the cores at most; generator and neighbours share the others.');
  save('latency', options, results);
});

async function measure(generator, neighbours, { name, port, pid, ask }, qos, count) {
  const ours = name === 'mqdeck';
  let over = null;
  if (neighbours) {
    const flow = { ...NEIGHBOURS, port, pid, warmUpMs: 200, measureMs: 30_000 };
    await new Promise((resolve) => {
      over = neighbours.run('flow', flow, resolve);
    });
  }
  if (ours) await ask('watchLoop');
  const took = await generator.run('pingPong', { port, qos, size: 64, count });
  const loop = ours ? await ask('loopSeen') : { p99Ms: null, maxMs: null };
  if (neighbours) {
    await neighbours.run('stopFlow');
    await over;
  }
  return { ...took, loopP99: loop.p99Ms, loopMax: loop.maxMs };
}
