// Clients that come and go (CONNECT, CONNACK, DISCONNECT): how many per second, and the broker's CPU for each, by
// transport. Over TLS each of them shakes hands in full: none brings a ticket.
import { Failure, main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux } from './support/processes.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

const sayTransport = { tcp: 'TCP', tls: 'TLS', ws: 'WebSocket' };

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = {
    rounds: 3,
    seconds: 1,
    atOnce: 32,
    transports: 'tcp,tls,ws',
    brokers: 'mqdeck,mosquitto,aedes',
    program: 'server/dist/mqdeck.js',
  };
  const options = readOptions(args, defaults, { rounds: 1, seconds: 0.5 });
  const transports = options.transports.split(',');
  const unknown = transports.find((one) => !Object.hasOwn(sayTransport, one));
  if (unknown) throw new Failure(`There is no transport "${unknown}"; there are tcp, tls, ws.`);
  const cells = availableBrokers(options.brokers)
    .flatMap((broker) => transports.map((transport) => ({ broker, transport, runs: [] })))
    .filter(({ broker, transport }) => broker !== 'aedes' || transport === 'tcp');
  const { atOnce, seconds, program } = options;
  const timing = { warmUpMs: seconds * 500, measureMs: seconds * 1000 };
  await withGenerator(async (generator) => {
    for (let round = 0; round < options.rounds; round++)
      for (const { broker, transport, runs } of shuffled(cells))
        await withBrokers([broker], { program, transports: [transport] }, async ({ ports, pid }) => {
          const load = { port: ports[transport], transport, pid, atOnce, ...timing };
          runs.push(await generator.run('connects', load));
        });
  });

  const results = cells.map((cell) => ({
    ...cell,
    cpuUs: median(cell.runs.map((run) => (run.brokerCpuMs * 1000) / run.connects)),
    perSecond: median(cell.runs.map((run) => (run.connects * 1000) / run.wallMs)),
  }));
  console.log(`\nClients that come and go, ${options.atOnce} at a time`);
  printTable(
    ['broker', 'over', 'CPU µs each', 'per second'],
    results.map(({ broker, transport, cpuUs, perSecond }) => [
      broker,
      sayTransport[transport],
      say(cpuUs, 0),
      say(perSecond, 0),
    ]),
  );
  save('connects', options, results);
});
