// `npm run test:flaky -- N FILE…`: runs test files N times each while other processes keep every core busy, and prints how
// often each passed. Files are unit tests, long runs (`*.full.ts`) or browser tests (`e2e/*.e2e.ts`).
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { ensureInstalled, Failure, main, root, start, tool } from './run.mjs';

const USAGE = 'Usage: npm run test:flaky -- N FILE…, for example 20 broker/src/core/channel/connect.test.ts';
const BUSY = 'for (;;);';

/** The arguments as a number of rounds and paths below the root. */
export function parseArguments([rounds, ...files], exists = (file) => fs.existsSync(path.join(root, file))) {
  if (!/^[1-9]\d*$/.test(rounds ?? '') || files.length === 0) throw new Failure(USAGE);
  const paths = files.map((file) => path.relative(root, path.resolve(root, file)).replaceAll(path.sep, '/'));
  const missing = paths.find((file) => !exists(file));
  if (missing !== undefined) throw new Failure(`There is no file ${missing}. ${USAGE}`);
  return { rounds: Number(rounds), files: paths };
}

/** How Vitest runs a file: its arguments, and whether the file needs a browser and the build. */
export function runnerOf(file) {
  const isFull = /\.full\.(e2e\.)?ts$/.test(file);
  const env = isFull ? { MQDECK_FULL: '1' } : {};
  if (file.startsWith('e2e/'))
    return { args: ['--config', 'e2e/vitest.config.ts', file], env, browser: true };
  const config = isFull ? ['--config', 'vitest.full.config.ts'] : [];
  return { args: config.concat(file), env, browser: false };
}

/** Keeps every core busy until the answer is called; the processes end with this one. */
function keepCoresBusy() {
  const busy = os.cpus().map(() => start(process.execPath, ['-e', BUSY], { stdio: 'ignore' }).child);
  const end = () => {
    for (const child of busy) child.kill('SIGKILL');
  };
  process.once('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  return end;
}

/** Runs a file once; resolves with its output when it fails, and with null when it passes. */
async function failureOf({ args, env }) {
  const { command, args: all } = tool('vitest', ['run'].concat(args));
  const { child, done } = start(command, all, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.assign({}, process.env, env),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return (await done) === 0 ? null : output;
}

main(import.meta.url, async (args) => {
  const { rounds, files } = parseArguments(args);
  await ensureInstalled();
  const runners = files.map((file) => Object.assign({ file, passed: 0 }, runnerOf(file)));
  if (runners.some(({ browser }) => browser)) {
    await build();
    const CHROMIUM_PATH = await findChromium();
    for (const { env, browser } of runners) if (browser) Object.assign(env, { CHROMIUM_PATH });
  }
  const end = keepCoresBusy();
  for (let round = 1; round <= rounds; round++) {
    for (const runner of runners) {
      const failure = await failureOf(runner);
      if (failure === null) runner.passed++;
      else console.log(`${failure}\nFAILED in round ${round}: ${runner.file}\n`);
    }
  }
  end();
  for (const { file, passed } of runners) console.log(`${passed} of ${rounds} passed: ${file}`);
  return runners.every(({ passed }) => passed === rounds) ? 0 : 1;
});
