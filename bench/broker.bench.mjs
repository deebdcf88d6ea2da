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
  const { window, subscribers, publishers } = shapes[shape];
  // A publisher may have 100 unreleased; what was delivered is not always released when the next ones go
  if (qos === 2) return Math.min(window, 40 * publishers * subscribers);
  return qos > 0 ? Math.min(window, 1000 * subscribers) : window;
}

const CLOTHED_SHAPES = ['1→1', '1→500'];
/** Beside the shapes: the same traffic in other clothes. */
const clothes = {
  tls: { transport: 'tls' },
  ws: { transport: 'ws' },
  'QoS 2': { qos: 2 },
  '5.0': { version: 5 },
};

/** How many times less CPU than mosquitto we want to need. */
function budgetOf({ shape, qos, size, label }) {
  if (label !== '') return null;
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
    clothes: Object.keys(clothes).join(','),
    profile: false,
    program: 'server/dist/mqdeck.js',
  };
  const options = readOptions(args, defaults, { rounds: 1, seconds: 0.3, sizes: '64' });
  const names = availableBrokers(options.brokers);
  const cells = [];
  for (const size of options.sizes.split(',').map(Number))
    for (const qos of options.qos.split(',').map(Number))
      for (const shape of options.shapes.split(','))
        cells.push({ shape, qos, size, label: '', transport: 'tcp', version: 4, runs: {} });
  if (options.clothes !== 'none')
    for (const label of options.clothes.split(','))
      for (const qos of clothes[label].qos ? [2] : [0, 1])
        for (const shape of CLOTHED_SHAPES.filter((one) => options.shapes.split(',').includes(one)))
          cells.push({
            shape,
            qos,
            size: 64,
            label,
            transport: 'tcp',
            version: 4,
            ...clothes[label],
            runs: {},
          });

  const transports = [...new Set(cells.map(({ transport }) => transport))].filter((one) => one !== 'tcp');
  await withGenerator(async (generator) => {
    for (let round = 0; round < options.rounds; round++)
      await withBrokers(names, { program: options.program, transports }, (...brokers) =>
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
    for (const broker of shuffled(brokers).filter((one) => knows(one, cell))) {
      const task = {
        ...shapes[cell.shape],
        window: windowOf(cell),
        qos: cell.qos,
        size: cell.size,
        transport: cell.transport,
        version: cell.version,
        port: broker.ports[cell.transport],
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

/** aedes has no MQTT 5.0, and no TLS and WebSocket by itself. */
const knows = ({ name, ports }, { transport, version }) =>
  ports[transport] !== undefined && (version === 4 || name !== 'aedes');

function keepProfile({ shape, qos, size, label }, profile) {
  const folder = path.join(resultsFolder, 'profiles');
  fs.mkdirSync(folder, { recursive: true });
  const kind = label === '' ? '' : `-${label.replace(' ', '').toLowerCase()}`;
  const name = `${shape.replace('→', '-')}-qos${qos}-${size}${kind}.cpuprofile`;
  fs.writeFileSync(path.join(folder, name), JSON.stringify(profile));
  console.log(
    `\n${shape}, QoS ${qos}, ${size} B ${label}: where the time goes (bench/results/profiles/${name})`,
  );
  printHottest(profile);
}

function summary({ shape, qos, size, label, runs }, names) {
  const brokers = {};
  for (const name of names) {
    const good = (runs[name] ?? []).filter(({ delivered }) => delivered > 0);
    brokers[name] = {
      cpuUs: median(good.map((run) => (run.brokerCpuMs * 1000) / run.delivered)),
      kernelShare: median(good.map((run) => run.brokerKernelMs / run.brokerCpuMs)),
      perSecond: median(good.map((run) => (run.delivered * 1000) / run.wallMs)),
      generatorCpuUs: median(good.map((run) => (run.generatorCpuMs * 1000) / run.delivered)),
      lost: good.reduce((sum, run) => sum + run.lost, 0),
      runs: good,
    };
  }
  return { shape, qos, size, label, brokers };
}

function report(results, names) {
  const peers = names.filter((name) => name !== 'mqdeck');
  const ours = names.includes('mqdeck');
  const heading = ['shape', '', 'QoS', 'bytes']
    .concat(names.map((name) => `${name} µs`))
    .concat(ours ? peers.map((name) => `CPU vs ${name}`) : [])
    .concat(ours ? peers.map((name) => `rate vs ${name}`) : [])
    .concat('budget', 'kept', 'lost');
  const rows = results.map((result) => {
    const { shape, qos, size, label, brokers } = result;
    const { mqdeck } = brokers;
    const ratio = (name) =>
      mqdeck && brokers[name].cpuUs !== null ? brokers[name].cpuUs / mqdeck.cpuUs : null;
    const rate = (name) =>
      brokers[name].perSecond === null ? null : mqdeck.perSecond / brokers[name].perSecond;
    const budget = ours && brokers.mosquitto ? budgetOf(result) : null;
    return [shape, label, String(qos), String(size)]
      .concat(names.map((name) => say(brokers[name].cpuUs)))
      .concat(ours ? peers.map((name) => say(ratio(name), 1, '×')) : [])
      .concat(ours ? peers.map((name) => say(rate(name), 1, '×')) : [])
      .concat(say(budget, 0, '×'), budget === null ? '–' : ratio('mosquitto') >= budget ? 'yes' : 'no')
      .concat(names.map((name) => brokers[name].lost).join('/'));
  });
  console.log(
    '\nCPU of the broker for each delivered message; "CPU vs" = how many times less than that broker',
  );
  printTable(heading, rows);
  console.log(`lost: ${names.join('/')}`);
}
