// Memory of the broker for each connection that is open and does nothing, with one QoS 1 subscription each, by transport.
import { setTimeout as wait } from 'node:timers/promises';
import { Failure, main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux, residentBytes } from './support/processes.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

const FIRST = 1000; // connections before the first look: what a broker takes once is not the connections'
const budgetsKb = { tcp: 8, tls: 40, ws: null };
const sayTransport = { tcp: 'TCP', tls: 'TLS', ws: 'WebSocket' };

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = {
    connections: 2000,
    rounds: 3,
    transports: 'tcp,tls,ws',
    brokers: 'mqdeck,mosquitto,aedes',
    program: 'server/dist/mqdeck.js',
  };
  const options = readOptions(args, defaults, { connections: 1000, rounds: 1 });
  const transports = options.transports.split(',');
  const unknown = transports.find((one) => !Object.hasOwn(budgetsKb, one));
  if (unknown) throw new Failure(`There is no transport "${unknown}"; there are tcp, tls, ws.`);
  const cells = availableBrokers(options.brokers)
    .flatMap((broker) => transports.map((transport) => ({ broker, transport, runs: [] })))
    .filter(({ broker, transport }) => broker !== 'aedes' || transport === 'tcp');
  for (let round = 0; round < options.rounds; round++)
    for (const cell of shuffled(cells)) cell.runs.push(await measure(cell, options));

  const results = cells.map((cell) => ({
    ...cell,
    residentBytes: median(cell.runs.map((run) => run.resident)),
    heldBytes: cell.runs[0].held === null ? null : median(cell.runs.map((run) => run.held)),
  }));
  console.log(`\nMemory for each of ${options.connections} idle connections`);
  printTable(
    ['broker', 'over', 'resident KB', 'of it heap and buffers KB', 'budget KB'],
    results.map(({ broker, transport, residentBytes: resident, heldBytes: held }) => [
      broker,
      sayTransport[transport],
      say(resident / 1024),
      say(held === null ? null : held / 1024),
      broker === 'mqdeck' ? say(budgetsKb[transport], 0) : '',
    ]),
  );
  console.log(
    'Node brokers collect their garbage before each look; sockets outside the heap are in "resident" only.',
  );
  save('idle', options, results);
});

async function measure({ broker: name, transport }, { connections, program }) {
  const [before, after] = await withGenerator((generator) =>
    withBrokers([name], { program, transports: [transport] }, async (broker) => {
      const port = broker.ports[transport];
      const open = (count) => generator.run('hold', { port, transport, count, qos: 1 });
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
