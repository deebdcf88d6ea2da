import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FULL = 'e2e/**/*.full.e2e.ts';
/** Set by `npm run test:full`: the long runs instead of the others. */
const full = process.env.MQDECK_FULL === '1';

/** Begins with the longest files, so that no worker waits for the other at the end: the sweeps of the looks, then the largest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSweep = ({ moduleId }: TestSpecification) => /\/looks-(dark|light)\./.test(moduleId);
    const sorted = await super.sort(files);
    return sorted.filter(isSweep).concat(sorted.filter((file) => !isSweep(file)));
  }
}

export default defineConfig({
  test: {
    include: [full ? FULL : 'e2e/**/*.e2e.ts'],
    exclude: full ? [] : [FULL],
    globalSetup: ['e2e/support/shared-servers.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Screens ask again every few seconds; the usual second is less than that.
    expect: { poll: { timeout: 15_000 } },
    sequence: { sequencer: LongestFirst },
    // The files of a worker share its browser.
    isolate: false,
    // A browser and a broker per worker, and much of a test is waiting for them: two at a time are the fastest, even
    // on two cores. More of them only wait for each other.
    maxWorkers: 2,
  },
});
