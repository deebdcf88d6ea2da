// A new subscriber of many retained messages: how long until it has them all, the broker's CPU for each, and how long
// everybody else had to wait meanwhile.
import { main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux } from './support/processes.mjs';
import { printHottest } from './support/profile.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = {
    rounds: 5,
    messages: 100_000,
    size: 64,
    brokers: 'mqdeck,mosquitto',
    profile: false,
    program: 'server/dist/mqdeck.js',
  };
  const options = readOptions(args, defaults, { rounds: 2, messages: 20_000 });
  const { rounds, messages, size, profile, program } = options;
  const names = availableBrokers(options.brokers);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  await withGenerator((generator) =>
    withBrokers(names, { program }, async (...brokers) => {
      for (const { port } of brokers) await generator.run('retain', { port, messages, size });
      for (let round = 0; round < rounds; round++)
        for (const broker of shuffled(brokers))
          runs[broker.name].push(await replay(generator, broker, { messages, size, profile }));
    }),
  );

  const results = names.map((name) => ({
    broker: name,
    wallMs: median(runs[name].map((run) => run.wallMs)),
    cpuUs: median(runs[name].map((run) => (run.brokerCpuMs * 1000) / messages)),
    loopMaxMs: median(runs[name].flatMap((run) => run.loopMaxMs ?? [])),
    runs: runs[name],
  }));
  console.log(`\nA new subscriber of ${messages} retained messages of ${size} bytes, QoS 0`);
  printTable(
    ['broker', 'ms until all came', 'CPU µs each', 'loop max ms'],
    results.map(({ broker, wallMs, cpuUs, loopMaxMs }) => [
      broker,
      say(wallMs, 0),
      say(cpuUs, 1),
      say(loopMaxMs, 0),
    ]),
  );
  save('retained', options, results);
});

async function replay(generator, { name, port, pid, ask }, { messages, size, profile }) {
  const profiled = profile && name === 'mqdeck';
  if (ask) await ask('watchLoop');
  if (profiled) await ask('startProfile');
  const run = await generator.run('replay', { port, pid, messages, size });
  if (profiled) printHottest((await ask('stopProfile')).profile);
  return ask ? { ...run, loopMaxMs: (await ask('loopSeen')).maxMs } : run;
}
