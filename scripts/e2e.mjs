// `npm run e2e`: builds what is out of date, finds a Chromium, and runs the browser tests.
// Arguments go to Vitest: `npm run e2e -- login` runs e2e/login.e2e.ts.
import { build } from './build.mjs';
import { findChromium } from './chromium.mjs';
import { ensureInstalled, main, run } from './run.mjs';

/** Runs the browser tests with this Chromium and returns Vitest's exit code. */
export function runE2e(chromium, args, more = {}) {
  const env = Object.assign({}, process.env, { CHROMIUM_PATH: chromium }, more);
  return run('vitest', ['run', '--config', 'e2e/vitest.config.ts'].concat(args), { env });
}

main(import.meta.url, async (args) => {
  await ensureInstalled();
  await build();
  return runE2e(await findChromium(), args);
});
