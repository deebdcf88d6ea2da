// QoS 1 into sessions that outlive their connections, with the store on, beside mosquitto with persistence.
import { main } from '../scripts/run.mjs';
import { availableBrokers, withBrokers } from './support/brokers.mjs';
import { withGenerator } from './support/load.mjs';
import { needLinux } from './support/processes.mjs';
import { printHottest } from './support/profile.mjs';
import { median, printTable, readOptions, save, say, shuffled } from './support/report.mjs';

/** `window` is the number of messages on their way in one lane; more than 1,000 in one queue would be dropped. */
const shapes = {
  '1→1': { lanes: 1, publishers: 1, subscribers: 1, window: 1000 },
  '10→10': { lanes: 10, publishers: 1, subscribers: 1, window: 1000 },
  '1→100': { lanes: 1, publishers: 1, subscribers: 100, window: 20_000 },
  '100→1': { lanes: 1, publishers: 100, subscribers: 1, window: 1000 },
  // Nobody is there to receive: each message has to be kept. Lanes enough for no queue to fill up.
  away: { lanes: 400, publishers: 1, subscribers: 1, window: 10, away: true },
};

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = {
    rounds: 3,
    seconds: 1,
    brokers: 'mqdeck,mosquitto',
    shapes: Object.keys(shapes).join(','),
    sizes: '64,1024',
    autosave: 1800, // seconds between mosquitto's saves; its own default
    profile: false,
    program: 'server/dist/mqdeck.js',
  };
  const options = readOptions(args, defaults, { rounds: 1, sizes: '64' });
  const names = availableBrokers(options.brokers);
  const cells = [];
  for (const size of options.sizes.split(',').map(Number))
    for (const shape of options.shapes.split(',')) cells.push({ shape, size, runs: {} });

  await withGenerator(async (generator) => {
    for (let round = 0; round < options.rounds; round++)
      // New ones for each cell: sessions of the one before would receive the messages too
      for (const cell of cells)
        await withBrokers(names, { program: options.program, autosaveS: options.autosave }, (...brokers) =>
          runCell(generator, brokers, cell, options),
        );
  });

  const results = cells.map(({ shape, size, runs }) => ({
    shape,
    size,
    brokers: Object.fromEntries(names.map((name) => [name, summary(runs[name])])),
  }));
  report(results, names);
  save('persistent', options, results);
});

async function runCell(generator, brokers, cell, { seconds, profile }) {
  for (const broker of shuffled(brokers)) {
    const task = {
      ...shapes[cell.shape],
      kept: true,
      qos: 1,
      size: cell.size,
      port: broker.port,
      pid: broker.pid,
      warmUpMs: seconds * 1500, // a broker that has just started runs code that nobody has optimised yet
      measureMs: seconds * 1000,
    };
    let profiling = null;
    const run = await generator.run('flow', task, (phase) => {
      if (!profile || broker.name !== 'mqdeck') return;
      if (phase === 'measuring') profiling = broker.ask('startProfile');
      else profiling = profiling.then(() => broker.ask('stopProfile'));
    });
    if (profiling) {
      console.log(`\n${cell.shape}, ${cell.size} B: where the time goes`);
      printHottest((await profiling).profile);
    }
    cell.runs[broker.name] = (cell.runs[broker.name] || []).concat(run);
  }
}

function summary(runs) {
  const good = runs.filter(({ delivered }) => delivered > 0);
  return {
    cpuUs: median(good.map((run) => (run.brokerCpuMs * 1000) / run.delivered)),
    perSecond: median(good.map((run) => (run.delivered * 1000) / run.wallMs)),
    lost: runs.reduce((sum, run) => sum + run.lost, 0),
    runs,
  };
}

function report(results, names) {
  const compared = names.includes('mqdeck') && names.includes('mosquitto');
  const heading = ['shape', 'bytes']
    .concat(names.flatMap((name) => [`${name} µs`, `${name} /s`]))
    .concat(compared ? ['CPU vs mosquitto', 'rate vs mosquitto', 'budget', 'kept'] : [], 'lost');
  const rows = results.map(({ shape, size, brokers }) => {
    const { mqdeck, mosquitto } = brokers;
    const cpu = compared ? mosquitto.cpuUs / mqdeck.cpuUs : null;
    const rate = compared ? mqdeck.perSecond / mosquitto.perSecond : null;
    const verdict = [say(cpu, 1, '×'), say(rate, 1, '×'), '1×', rate >= 1 ? 'yes' : 'no'];
    return [shape, String(size)]
      .concat(names.flatMap((name) => [say(brokers[name].cpuUs, 1), say(brokers[name].perSecond, 0)]))
      .concat(compared ? verdict : [], names.map((name) => brokers[name].lost).join('/'));
  });
  console.log(
    '\nQoS 1 into persistent sessions: CPU for each delivered message (away: each kept one), and rate',
  );
  printTable(heading, rows);
  console.log(`lost: ${names.join('/')}`);
}
