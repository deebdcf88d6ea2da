// Clients that come and go (CONNECT, CONNACK, DISCONNECT over TCP): how many per second, and the broker's CPU for each.
import { main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux } from './support/processes.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = { rounds: 3, seconds: 1, atOnce: 32, brokers: 'mqdeck,mosquitto,aedes' };
  const options = readOptions(args, defaults, { rounds: 1, seconds: 0.5 });
  const names = availableBrokers(options.brokers);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  const { atOnce, seconds } = options;
  const timing = { warmUpMs: seconds * 500, measureMs: seconds * 1000 };
  await withGenerator(async (generator) => {
    for (let round = 0; round < options.rounds; round++)
      for (const name of shuffled(names))
        await withBrokers([name], {}, async ({ port, pid }) => {
          runs[name].push(await generator.run('connects', { port, pid, atOnce, ...timing }));
        });
  });

  const results = names.map((name) => ({
    broker: name,
    cpuUs: median(runs[name].map((run) => (run.brokerCpuMs * 1000) / run.connects)),
    perSecond: median(runs[name].map((run) => (run.connects * 1000) / run.wallMs)),
    runs: runs[name],
  }));
  console.log(`\nClients that come and go, ${options.atOnce} at a time`);
  printTable(
    ['broker', 'CPU µs each', 'per second'],
    results.map(({ broker, cpuUs, perSecond }) => [broker, say(cpuUs, 0), say(perSecond, 0)]),
  );
  save('connects', options, results);
});
