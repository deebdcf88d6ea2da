// Stages that need programs from outside npm. In CI a missing one is a failure; elsewhere it is a skip that says why.
import { findChromium } from './chromium.mjs';
import { runE2e } from './e2e.mjs';
import { findEngines } from './engines.mjs';
import { Failure, inCi } from './run.mjs';
import { passed, skipped } from './suite.mjs';

/** Without the servers, the tests that need them are skipped by name. */
export async function engines() {
  try {
    await findEngines();
  } catch (error) {
    if (inCi || !(error instanceof Failure)) throw error;
    return skipped(error.message);
  }
  return passed;
}

/** Runs the browser tests and counts them in this suite. */
export async function browserTests(suite, env = {}) {
  if (process.env.SKIP_E2E === '1' && !inCi) return skipped('SKIP_E2E=1 is set');
  let chromium;
  try {
    chromium = await findChromium();
  } catch (error) {
    if (inCi || !(error instanceof Failure)) throw error;
    return skipped(error.message);
  }
  return suite.vitest((args) => runE2e(chromium, args, env));
}
