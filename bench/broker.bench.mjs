// CPU of the broker for each delivered message, and deliveries per second, beside other brokers.
import fs from 'node:fs';
import path from 'node:path';
import { main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux } from './support/processes.mjs';
import { printHottest } from './support/profile.mjs';
import { median, printTable, readOptions, resultsFolder, save, say, shuffled } from './support/report.mjs';

/** `window` is the number of deliveries on their way in one lane. */
const shapes = {
  '1→1': { lanes: 1, publishers: 1, subscribers: 1, window: 2000 },
  '10→10': { lanes: 10, publishers: 1, subscribers: 1, window: 1000 },
  '1→500': { lanes: 1, publishers: 1, subscribers: 500, window: 20_000 },
  '100→1': { lanes: 1, publishers: 100, subscribers: 1, window: 10_000 },
  '500→500': { lanes: 500, publishers: 1, subscribers: 1, window: 1 },
};

/**
 * What waits for one receiver is bounded: by default a session queues 1,000 messages, and a connection with a megabyte
 * unsent counts as slow. Beyond that a broker may drop, and the figures would be about dropping.
 */
function windowOf({ shape, qos }) {
  const { window, subscribers } = shapes[shape];
  return qos > 0 ? Math.min(window, 1000 * subscribers) : window;
}

/** How many times less CPU than mosquitto we want to need. */
function budgetOf({ shape, qos, size }) {
  if (shape === '500→500') return qos === 0 ? 1 : null; // nothing to batch: the kernel's time
  if (size > 64) return 5;
  return qos === 0 ? 10 : 6;
}

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = {
    rounds: 3,
    seconds: 0.35,
    brokers: 'mqdeck,mosquitto,aedes',
    shapes: Object.keys(shapes).join(','),
    qos: '0,1',
    sizes: '64,1024',
    profile: false,
    program: 'server/dist/mqdeck.js',
  };
  const options = readOptions(args, defaults, { rounds: 1, seconds: 0.3, sizes: '64' });
  const names = availableBrokers(options.brokers);
  const cells = [];
  for (const size of options.sizes.split(',').map(Number))
    for (const qos of options.qos.split(',').map(Number))
      for (const shape of options.shapes.split(',')) cells.push({ shape, qos, size, runs: {} });

  await withGenerator(async (generator) => {
    for (let round = 0; round < options.rounds; round++)
      await withBrokers(names, { program: options.program }, (...brokers) =>
        runRound(generator, brokers, cells, options),
      );
  });

  const results = cells.map((cell) => summary(cell, names));
  report(results, names);
  save('broker', options, results);
});

/** All cells once, on brokers that were started for this round. */
async function runRound(generator, brokers, cells, { seconds, profile }) {
  for (const cell of cells) {
    for (const broker of shuffled(brokers)) {
      const task = {
        ...shapes[cell.shape],
        window: windowOf(cell),
        qos: cell.qos,
        size: cell.size,
        port: broker.port,
        pid: broker.pid,
        warmUpMs: seconds * 400,
        measureMs: seconds * 1000,
      };
      let profiling = null;
      const run = await generator.run('flow', task, (phase) => {
        if (!profile || broker.name !== 'mqdeck') return;
        if (phase === 'measuring') profiling = broker.ask('startProfile');
        else profiling = profiling.then(() => broker.ask('stopProfile'));
      });
      if (profiling) keepProfile(cell, (await profiling).profile);
      cell.runs[broker.name] = (cell.runs[broker.name] || []).concat(run);
    }
  }
}

function keepProfile({ shape, qos, size }, profile) {
  const folder = path.join(resultsFolder, 'profiles');
  fs.mkdirSync(folder, { recursive: true });
  const name = `${shape.replace('→', '-')}-qos${qos}-${size}.cpuprofile`;
  fs.writeFileSync(path.join(folder, name), JSON.stringify(profile));
  console.log(`\n${shape}, QoS ${qos}, ${size} B: where the time goes (bench/results/profiles/${name})`);
  printHottest(profile);
}

function summary({ shape, qos, size, runs }, names) {
  const brokers = {};
  for (const name of names) {
    const good = runs[name].filter(({ delivered }) => delivered > 0);
    brokers[name] = {
      cpuUs: median(good.map((run) => (run.brokerCpuMs * 1000) / run.delivered)),
      kernelShare: median(good.map((run) => run.brokerKernelMs / run.brokerCpuMs)),
      perSecond: median(good.map((run) => (run.delivered * 1000) / run.wallMs)),
      generatorCpuUs: median(good.map((run) => (run.generatorCpuMs * 1000) / run.delivered)),
      lost: runs[name].reduce((sum, run) => sum + run.lost, 0),
      runs: runs[name],
    };
  }
  return { shape, qos, size, brokers };
}

function report(results, names) {
  const peers = names.filter((name) => name !== 'mqdeck');
  const ours = names.includes('mqdeck');
  const heading = ['shape', 'QoS', 'bytes']
    .concat(names.map((name) => `${name} µs`))
    .concat(ours ? peers.map((name) => `CPU vs ${name}`) : [])
    .concat(ours ? peers.map((name) => `rate vs ${name}`) : [])
    .concat('budget', 'kept', 'lost');
  const rows = results.map((result) => {
    const { shape, qos, size, brokers } = result;
    const { mqdeck } = brokers;
    const ratio = (name) => (mqdeck ? brokers[name].cpuUs / mqdeck.cpuUs : null);
    const budget = ours && brokers.mosquitto ? budgetOf(result) : null;
    return [shape, String(qos), String(size)]
      .concat(names.map((name) => say(brokers[name].cpuUs)))
      .concat(ours ? peers.map((name) => say(ratio(name), 1, '×')) : [])
      .concat(ours ? peers.map((name) => say(mqdeck.perSecond / brokers[name].perSecond, 1, '×')) : [])
      .concat(say(budget, 0, '×'), budget === null ? '–' : ratio('mosquitto') >= budget ? 'yes' : 'no')
      .concat(names.map((name) => brokers[name].lost).join('/'));
  });
  console.log(
    '\nCPU of the broker for each delivered message; "CPU vs" = how many times less than that broker',
  );
  printTable(heading, rows);
  console.log(`lost: ${names.join('/')}`);
}
