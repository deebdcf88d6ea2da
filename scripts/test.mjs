// `npm test`: everything, one lap line per stage. The last line counts the tests of all suites and the other
// stages, one each: `N passed, N failed, N skipped`.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkBudgets } from './budgets.mjs';
import { build } from './build.mjs';
import { checks } from './check.mjs';
import { checkSpecCoverage } from './check-spec-coverage.mjs';
import { findChromium } from './chromium.mjs';
import { compareRecordings, recordingsThere } from './compare-recordings.mjs';
import { checkConformance } from './conformance.mjs';
import { runE2e } from './e2e.mjs';
import { findEngines } from './engines.mjs';
import { ensureInstalled, Failure, inCi, main, root, run } from './run.mjs';

const total = { passed: 0, failed: 0, skipped: 0 };
const laps = [];
/** What went wrong, a line each: it is said again at the very end, where a long log is cut last. */
const failures = [];

const passed = { passed: 1, failed: 0, skipped: 0 };
const failed = { passed: 0, failed: 1, skipped: 0 };
const skipped = (reason) => ({ passed: 0, failed: 0, skipped: 1, reason });
const orFailed = (problems) => (problems === 0 ? passed : failed);

/** Runs one stage, counts it and says its lap; what it throws is a failure of this stage alone. */
async function stage(name, body) {
  console.log(`\n── ${name}`);
  const from = Date.now();
  let result;
  try {
    result = await body();
  } catch (error) {
    console.error(error instanceof Failure ? error.message : error);
    result = failed;
  }
  for (const key of Object.keys(total)) total[key] += result[key];
  const mark = result.failed > 0 ? '✗' : result.passed > 0 ? '✓' : '–';
  const counts =
    result.passed + result.failed > 1 ? ` (${result.passed} passed, ${result.failed} failed)` : '';
  const seconds = ((Date.now() - from) / 1000).toFixed(1);
  const why = result.reason ? ` SKIPPED: ${result.reason}` : '';
  const lap = `${mark} ${name} ${seconds} s${counts}${why}`;
  laps.push(lap);
  console.log(lap);
  return result.failed === 0;
}

/** Runs a Vitest suite and counts its tests; a suite that broke before its first test is one failure. */
async function vitest(start) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mqdeck-test-'));
  const file = path.join(folder, 'result.json');
  try {
    const code = await start(['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
    if (!fs.existsSync(file)) return failed;
    const json = JSON.parse(fs.readFileSync(file, 'utf8'));
    saySkipped(json);
    sayRetried(json);
    noteFailures(json);
    const broken = code !== 0 && json.numFailedTests === 0 ? 1 : 0;
    return {
      passed: json.numPassedTests,
      failed: json.numFailedTests + broken,
      skipped: json.numPendingTests + json.numTodoTests,
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Vitest only counts what it left out; a skip is to be read by its name, which says what it waits for. */
function saySkipped({ testResults }) {
  for (const { name, assertionResults } of testResults) {
    for (const { fullName, status } of assertionResults) {
      if (status === 'passed' || status === 'failed') continue;
      console.log(`SKIPPED: ${path.relative(root, name)} › ${fullName}`);
    }
  }
}

function noteFailures({ testResults }) {
  const firstLine = (text) => text.split('\n')[0];
  for (const { name, status, message, assertionResults } of testResults) {
    const file = path.relative(root, name);
    const failedTests = assertionResults.filter((one) => one.status === 'failed');
    for (const { fullName, failureMessages } of failedTests)
      failures.push([`FAILED: ${file} › ${fullName}`].concat(failureMessages.map(firstLine)).join('\n    '));
    if (status === 'failed' && failedTests.length === 0)
      failures.push(`FAILED: ${file}\n    ${firstLine(message)}`);
  }
}

/** A test that needed a second try passes, but is to be mended: it is named, with what went wrong at first. */
function sayRetried({ testResults }) {
  for (const { name, assertionResults } of testResults) {
    for (const { fullName, status, failureMessages } of assertionResults) {
      if (status !== 'passed' || failureMessages.length === 0) continue;
      console.log(
        `SECOND TRY: ${path.relative(root, name)} › ${fullName}\n  ${failureMessages[0].split('\n')[0]}`,
      );
    }
  }
}

/** In CI a missing server is a failure; elsewhere the tests that need it are skipped by name. */
async function engines() {
  try {
    await findEngines();
  } catch (error) {
    if (inCi || !(error instanceof Failure)) throw error;
    return skipped(error.message);
  }
  return passed;
}

/** In CI a missing browser is a failure; elsewhere it is a skip that nobody overlooks. */
async function e2e() {
  if (process.env.SKIP_E2E === '1' && !inCi) return skipped('SKIP_E2E=1 is set');
  let chromium;
  try {
    chromium = await findChromium();
  } catch (error) {
    if (inCi || !(error instanceof Failure)) throw error;
    return skipped(error.message);
  }
  return vitest((args) => runE2e(chromium, args));
}

main(import.meta.url, async () => {
  await stage('dependencies', async () => {
    await ensureInstalled();
    return passed;
  });
  for (const check of checks) await stage(check.name, async () => orFailed(await check.run()));
  await stage('specification coverage', async () => orFailed(checkSpecCoverage()));
  await stage('conformance to MQTT', async () => orFailed(checkConformance()));
  await stage('servers for tests', engines);
  await stage('unit tests', () => vitest((args) => run('vitest', ['run'].concat(args))));
  const built = await stage('build', async () => {
    await build();
    return passed;
  });
  const onTheBuild = (body) => (built ? body : () => skipped('there is no build to look at'));
  await stage(
    'size budgets',
    onTheBuild(async () => orFailed(checkBudgets())),
  );
  await stage('browser tests', onTheBuild(e2e));
  await stage(
    'comparison with the recorded API',
    onTheBuild(async () => {
      if (!recordingsThere()) return skipped('the recordings are not on this machine');
      return orFailed(await compareRecordings());
    }),
  );
  console.log([''].concat(failures, '', laps, '').join('\n'));
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
});
