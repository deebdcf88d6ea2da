// A run of stages that ends with `N passed, N failed, N skipped`: what `npm test` and `npm run test:full` share.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Failure, root } from './run.mjs';

/** How many files the table of the slowest has. */
const SLOWEST = 20;

export const passed = { passed: 1, failed: 0, skipped: 0 };
export const failed = { passed: 0, failed: 1, skipped: 0 };
export const skipped = (reason) => ({ passed: 0, failed: 0, skipped: 1, reason });
export const orFailed = (problems) => (problems === 0 ? passed : failed);

/** CPU seconds that this machine has spent since it started, for whatever program. */
function cpuSeconds() {
  const spent = os.cpus().map(({ times }) => times.user + times.nice + times.sys);
  return spent.reduce((sum, ms) => sum + ms, 0) / 1000;
}

/** Counts tests and stages, and remembers what to print at the end. */
export class Suite {
  total = { passed: 0, failed: 0, skipped: 0 };
  laps = [];
  /** Repeated at the very end, because a long log is cut there last. */
  failures = [];
  /** Files with their seconds. */
  files = [];
  started = Date.now();
  cpuAtStart = cpuSeconds();

  /**
   * Runs one stage and counts its result; an error is a failure of this stage alone. Stages may run side by side: then
   * the CPU seconds of each contain those of the others. Returns whether the stage passed.
   */
  async stage(name, body) {
    console.log(`\n── ${name}`);
    const from = Date.now();
    const cpuFrom = cpuSeconds();
    let result;
    try {
      result = await body();
    } catch (error) {
      console.error(error instanceof Failure ? error.message : error);
      result = failed;
    }
    for (const key of Object.keys(this.total)) this.total[key] += result[key];
    const mark = result.failed > 0 ? '✗' : result.passed > 0 ? '✓' : '–';
    const counts =
      result.passed + result.failed > 1 ? ` (${result.passed} passed, ${result.failed} failed)` : '';
    const seconds = ((Date.now() - from) / 1000).toFixed(1);
    const cpu = (cpuSeconds() - cpuFrom).toFixed(0);
    const why = result.reason ? ` SKIPPED: ${result.reason}` : '';
    const lap = `${mark} ${name} ${seconds} s, ${cpu} CPU s${counts}${why}`;
    this.laps.push(lap);
    console.log(lap);
    return result.failed === 0;
  }

  /** Runs a Vitest suite and counts its tests; a suite that broke before its first test is one failure. */
  async vitest(start) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mqdeck-test-'));
    const file = path.join(folder, 'result.json');
    try {
      const code = await start(['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
      if (!fs.existsSync(file)) return failed;
      const json = JSON.parse(fs.readFileSync(file, 'utf8'));
      this.#noteFiles(json);
      this.#noteFailures(json);
      saySkipped(json);
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

  #noteFiles({ testResults }) {
    for (const { name, startTime, endTime } of testResults)
      this.files.push({ file: path.relative(root, name), seconds: (endTime - startTime) / 1000 });
  }

  #noteFailures({ testResults }) {
    const firstLine = (text) => text.split('\n')[0];
    for (const { name, status, message, assertionResults } of testResults) {
      const file = path.relative(root, name);
      const failedTests = assertionResults.filter((one) => one.status === 'failed');
      for (const { fullName, failureMessages } of failedTests)
        this.failures.push(
          [`FAILED: ${file} › ${fullName}`].concat(failureMessages.map(firstLine)).join('\n    '),
        );
      if (status === 'failed' && failedTests.length === 0)
        this.failures.push(`FAILED: ${file}\n    ${firstLine(message)}`);
    }
  }

  /** Prints the end of the run; returns the exit code. */
  end() {
    const slowest = this.files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    if (slowest.length > 0) console.log('\nSlowest files:');
    for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
    const minutes = ((Date.now() - this.started) / 60_000).toFixed(1);
    const cpu = (cpuSeconds() - this.cpuAtStart).toFixed(0);
    console.log([''].concat(this.failures, '', this.laps).join('\n'));
    console.log(`all stages: ${minutes} min, ${cpu} CPU s on ${os.cpus().length} cores\n`);
    console.log(`${this.total.passed} passed, ${this.total.failed} failed, ${this.total.skipped} skipped`);
    return this.total.failed === 0 ? 0 : 1;
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
