// `npm run soak`: an hour of everything that goes wrong at once, in front of the built product. Clients come and go, fight over
// client IDs and read slowly; the target of a bridge goes away and comes back; a plugin and an exhook server fail. Fails when a
// message that was acknowledged is lost or comes twice, or when memory, handles or the store grow from one quarter to the next.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure, main, root } from '../scripts/run.mjs';
import { withBrokers } from './support/brokers.mjs';
import { needLinux, residentBytes } from './support/processes.mjs';
import { median, printTable, readOptions, resultsFolder, save, say } from './support/report.mjs';
import { startTroubles } from './support/troubles.mjs';

const MB = 2 ** 20;

/** What is sampled: how it is shown, and by how much the last quarter may exceed the second one. */
const FIGURES = {
  heldBytes: { name: 'heap and buffers, MB', of: (value) => value / MB, growth: 16 },
  residentBytes: { name: 'resident memory, MB', of: (value) => value / MB, growth: 64 },
  handles: { name: 'open files and sockets', of: (value) => value, growth: 50 },
  storeBytes: { name: 'store, MB', of: (value) => value / MB, growth: 16 },
  loopMaxMs: { name: 'longest turn of the event loop, ms', of: (value) => value, growth: null },
};

main(import.meta.url, async (args) => {
  needLinux();
  const defaults = { minutes: 60, sampleSeconds: 10, program: 'server/dist/mqdeck.js' };
  const options = readOptions(args, defaults, { minutes: 2, sampleSeconds: 2 });
  return withBrokers(['mqdeck'], { program: options.program, http: '0' }, (broker) => soak(broker, options));
});

async function soak(broker, options) {
  const samples = [];
  const troubles = await startTroubles(broker);
  const end = Date.now() + options.minutes * 60_000;
  await broker.ask('watchLoop');
  while (Date.now() < end) {
    await wait(Math.min(options.sampleSeconds * 1000, end - Date.now()));
    samples.push(await sample(broker));
  }
  const { counts, faults } = await troubles.stop();
  const growth = Object.entries(FIGURES).flatMap(([key, figure]) => growthOf(key, figure, samples));
  tell(samples, counts);
  save('soak', options, { samples, counts, faults, growth });
  fs.writeFileSync(path.join(resultsFolder, 'soak.svg'), graphs(samples));
  console.log(`Graphs: ${path.relative(root, path.join(resultsFolder, 'soak.svg'))}`);
  const wrong = faults.concat(growth);
  if (wrong.length > 0) throw new Failure(wrong.join('\n'));
}

async function sample(broker) {
  const { maxMs } = await broker.ask('loopSeen');
  const { heldBytes } = await broker.ask('collect'); // a long turn of its own, which is not counted
  await broker.ask('watchLoop');
  return {
    at: Date.now(),
    heldBytes,
    residentBytes: residentBytes(broker.pid),
    handles: fs.readdirSync(`/proc/${broker.pid}/fd`).length,
    storeBytes: usedBytes(path.join(broker.folder, 'store')),
    loopMaxMs: maxMs,
  };
}

/** Blocks on the disk: the file of the store is sparse. */
function usedBytes(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true })
    .map((file) => fs.statSync(path.join(folder, file)));
  return files.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

/** A line where the medians of the second and the last quarter differ too much. */
function growthOf(key, { name, of, growth }, samples) {
  if (growth === null) return [];
  const quarter = samples.length >> 2;
  const medianOf = (part) => median(part.map((one) => of(one[key])));
  const before = medianOf(samples.slice(quarter, 2 * quarter));
  const after = medianOf(samples.slice(-quarter));
  return after - before > growth
    ? [`${name}: ${say(before, 1)} in the second quarter, ${say(after, 1)} in the last`]
    : [];
}

function tell(samples, counts) {
  const rows = Object.entries(FIGURES).map(([key, { name, of }]) => {
    const values = samples.map((one) => of(one[key]));
    return [
      name,
      ...[values[0], median(values), Math.max(...values), values.at(-1)].map((value) => say(value, 1)),
    ];
  });
  console.log();
  printTable(['', 'first', 'median', 'most', 'last'], rows);
  console.log();
  printTable(
    ['what was done', 'times'],
    Object.entries(counts).map(([name, count]) => [name, String(count)]),
  );
}

/** One line graph for each figure, below each other. */
function graphs(samples) {
  const [width, height, margin] = [800, 90, 24];
  const from = samples[0].at;
  const duration = Math.max(1, samples.at(-1).at - from);
  const drawn = Object.entries(FIGURES).map(([key, { name, of }], index) => {
    const values = samples.map((one) => of(one[key]));
    const most = Math.max(...values, 1e-9);
    const points = samples.map(({ at }, i) => {
      const x = ((at - from) / duration) * width;
      return `${x.toFixed(1)},${(height - (values[i] / most) * height).toFixed(1)}`;
    });
    const top = index * (height + 2 * margin) + margin;
    return `<g transform="translate(${margin} ${top})"><text y="-6">${name}: up to ${say(most, 1)}</text><path d="M0 ${height}H${width}" stroke="#999"/><polyline fill="none" stroke="#06c" points="${points.join(' ')}"/></g>`;
  });
  const size = `width="${width + 2 * margin}" height="${drawn.length * (height + 2 * margin)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12">${drawn.join('')}</svg>\n`;
}
