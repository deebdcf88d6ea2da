import { defineConfig } from 'vitest/config';
import { workerSource } from './scripts/worker-source.mjs';

/** The long runs: `*.full.ts` imports a test file, which then does all that it can (`broker/src/testing/extent.ts`). */
export default defineConfig({
  plugins: [workerSource()],
  test: {
    name: 'full',
    include: ['{contract,mqtt,rulesql,broker,server,console}/src/**/*.full.ts'],
    setupFiles: ['broker/src/testing/setup.ts'],
    env: { MQDECK_FULL: '1' },
    isolate: true,
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
