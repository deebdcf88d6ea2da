// Records our broker with the recorder of the real API and compares the two, for the features that are done.
// docs/api-differences.json lists these features, of one that is done in part (`parts`) the exchanges to compare, and
// those that differ on purpose, with the reason (`sometimes`: where a clock decides whether they differ); `--entries`
// prints new ones in its form.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from './build.mjs';
import { capture, ensureInstalled, Failure, main, root, start } from './run.mjs';

const apiFolder = path.resolve(root, '../shared/api');
const listFile = 'docs/api-differences.json';

/** Whether the recorder and the recordings are on this machine at all. */
export function recordingsThere() {
  return fs.existsSync(path.join(apiFolder, 'tools/record.mjs'));
}

/** Starts the built server on free ports with a fresh data folder; resolves with its addresses. */
async function startServer(data) {
  const flags = ['--http', '0', '--tcp', '0', '--ssl', 'off', '--ws', '0', '--wss', 'off', '--data', data];
  const { child, done } = start(process.execPath, ['server/dist/mqdeck.js'].concat(flags), {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const runFile = path.join(data, 'run.json');
  let ended = false;
  done.then(() => {
    ended = true;
  });
  const deadline = Date.now() + 20000;
  while (!fs.existsSync(runFile)) {
    if (ended || Date.now() > deadline) {
      child.kill();
      throw new Failure('The server did not start, so nothing could be recorded.');
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    ports: JSON.parse(fs.readFileSync(runFile, 'utf8')),
    stop: () => {
      child.kill('SIGTERM');
      return done;
    },
  };
}

/** The lines of the report that belong to one exchange; empty when it is alike. */
function linesOf(report, { feature, title }) {
  const lines = report.split('\n');
  const head = `${feature} | ${title}`;
  const from = lines.findIndex(
    (line) => line === head || line.startsWith(`${head} [`) || line === `${head}: missing`,
  );
  if (from === -1) return [];
  const length = lines.slice(from + 1).findIndex((line) => !line.startsWith('    '));
  return lines.slice(from, from + 1 + length);
}

/** Where an exchange differs: `status`, or the places in its body as JSON pointers. */
export function placesOf(report, one) {
  const details = linesOf(report, one).slice(1);
  const places = details.map(
    (line) => /^status |^… /.exec(line.trim())?.[0].trim() ?? line.trim().split(':')[0],
  );
  return Array.from(new Set(places));
}

/**
 * Sorts what the comparison printed: differences nobody explained, and explanations nobody needs any more. An
 * explanation covers the places it names in `at`; without `at` it covers the whole exchange.
 * `expected` holds feature and title of every exchange that was compared.
 */
export function judge(report, expected, differences) {
  const same = (a, b) => a.feature === b.feature && a.title === b.title;
  const different = expected.filter((one) => linesOf(report, one).length > 0);
  const covers = (known, one) =>
    same(known, one) && (!known.at || placesOf(report, one).every((place) => known.at.includes(place)));
  return {
    unexplained: different.filter((one) => !differences.some((known) => covers(known, one))),
    outdated: differences.filter((known) => !known.sometimes && !different.some((one) => same(known, one))),
    withoutReason: differences.filter((known) => !known.reason),
    different: different.length,
  };
}

/** Records and compares; returns the number of problems. With `asEntries` it prints them ready for the list. */
export async function compareRecordings(asEntries) {
  if (!fs.existsSync(path.join(root, listFile)))
    throw new Failure(`${listFile} is missing: it lists what to compare.`);
  const {
    features: whole,
    parts,
    differences,
  } = JSON.parse(fs.readFileSync(path.join(root, listFile), 'utf8'));
  const features = whole.concat(Object.keys(parts));
  const expected = [];
  for (const feature of features) {
    const file = path.join(apiFolder, '5.8/recorded', `${feature}.json`);
    if (!fs.existsSync(file))
      throw new Failure(`${listFile} names the feature "${feature}", which was never recorded.`);
    const titles = JSON.parse(fs.readFileSync(file, 'utf8')).exchanges.map(({ title }) => title);
    const unknown = (parts[feature] || []).find((title) => !titles.includes(title));
    if (unknown) throw new Failure(`${listFile} names "${feature} | ${unknown}", which was never recorded.`);
    for (const title of parts[feature] || titles) expected.push({ feature, title });
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mqdeck-recordings-'));
  const out = path.join(folder, 'out');
  const server = await startServer(path.join(folder, 'data'));
  let recording;
  try {
    const { http, tcp, ws } = server.ports;
    const tool = path.join(apiFolder, 'tools/record.mjs');
    const flags = ['--base', `http://127.0.0.1:${http}/api/v5`, '--mqtt-port', tcp, '--ws-port', ws];
    const rest = [
      '--out',
      out,
      '--node-alias',
      'emqx@127.0.0.1',
      '--modules',
      '.',
      '--feature',
      features.join(','),
    ];
    recording = await capture(process.execPath, [tool].concat(flags.map(String), rest));
  } finally {
    await server.stop();
  }
  const compareTool = path.join(apiFolder, 'tools/compare.mjs');
  const compareArgs = [path.join(apiFolder, '5.8/recorded'), out, '--feature', features.join(',')];
  const { output: report } = await capture(process.execPath, [compareTool].concat(compareArgs));
  fs.rmSync(folder, { recursive: true, force: true });
  if (!/^same \d+/m.test(report))
    throw new Failure(`The comparison itself failed:\n${recording.output}\n${report}`);

  const { unexplained, outdated, withoutReason, different } = judge(report, expected, differences);
  // A scene of the recorder that breaks off leaves its exchanges missing; its stack says where.
  if (unexplained.length > 0 && recording.code !== 0) console.error(recording.output);
  for (const one of unexplained) {
    const entry = () => JSON.stringify(Object.assign({}, one, { at: placesOf(report, one), reason: '' }));
    console.error(asEntries ? `    ${entry()},` : linesOf(report, one).join('\n'));
  }
  for (const one of outdated)
    console.error(`${listFile}: "${one.feature} | ${one.title}" does not differ any more.`);
  for (const one of withoutReason)
    console.error(`${listFile}: "${one.feature} | ${one.title}" has no reason.`);
  const alike = expected.length - different;
  console.log(
    `${alike} of ${expected.length} exchanges alike, ${different - unexplained.length} differ on purpose`,
  );
  return unexplained.length + outdated.length + withoutReason.length;
}

main(import.meta.url, async (args) => {
  if (!recordingsThere()) throw new Failure(`The recordings are not there: ${apiFolder} is missing.`);
  await ensureInstalled();
  await build(['server']);
  return (await compareRecordings(args.includes('--entries'))) === 0 ? 0 : 1;
});
