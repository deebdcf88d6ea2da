// Memory of the broker for each connection that is open and does nothing, with one QoS 1 subscription each.
import { setTimeout as wait } from 'node:timers/promises';
import { main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux, residentBytes } from './support/processes.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

const FIRST = 1000; // connections before the first look: what a broker takes once is not the connections'

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = { connections: 2000, rounds: 3, brokers: 'mqdeck,mosquitto,aedes' };
  const options = readOptions(args, defaults, { connections: 1000, rounds: 1 });
  const names = availableBrokers(options.brokers);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < options.rounds; round++)
    for (const name of shuffled(names)) runs[name].push(await measure(name, options.connections));

  const results = names.map((name) => ({
    broker: name,
    residentBytes: median(runs[name].map((run) => run.resident)),
    heldBytes: runs[name][0].held === null ? null : median(runs[name].map((run) => run.held)),
    runs: runs[name],
  }));
  console.log(`\nMemory for each of ${options.connections} idle TCP connections (budget: 8.0 KB)`);
  printTable(
    ['broker', 'resident KB', 'of it heap and buffers KB'],
    results.map(({ broker, residentBytes: resident, heldBytes: held }) => [
      broker,
      say(resident / 1024),
      say(held === null ? null : held / 1024),
    ]),
  );
  console.log(
    'Node brokers collect their garbage before each look; sockets outside the heap are in "resident" only.',
  );
  save('idle', options, results);
});

async function measure(name, connections) {
  const [before, after] = await withGenerator((generator) =>
    withBrokers([name], {}, async (broker) => {
      const open = (count) => generator.run('hold', { port: broker.port, count, qos: 1 });
      await open(FIRST);
      const first = await look(broker);
      await open(connections);
      return [first, await look(broker)];
    }),
  );
  const each = (what) => (before[what] === null ? null : (after[what] - before[what]) / connections);
  return { resident: each('resident'), held: each('held') };
}

async function look({ ask, pid }) {
  const held = ask ? (await ask('collect')).heldBytes : null;
  await wait(300); // the collector gives pages back after it is done
  return { held, resident: residentBytes(pid) };
}
