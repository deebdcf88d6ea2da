import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { workerSource } from './scripts/worker-source.mjs';

/** The files of a project share workers and the modules loaded there: loading them anew cost half of the time. */
const shared = { isolate: false, maxWorkers: 2, testTimeout: 15_000 };

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [workerSource()],
        test: {
          ...shared,
          name: 'node',
          include: ['{contract,mqtt,rulesql,broker,server,scripts}/**/*.test.{ts,mjs}'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          setupFiles: ['broker/src/testing/setup.ts'],
          testTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [react()],
        test: {
          ...shared,
          name: 'console',
          environment: 'happy-dom',
          include: ['console/src/**/*.test.{ts,tsx}'],
          setupFiles: ['console/src/testing/setup.ts'],
          restoreMocks: true,
          unstubGlobals: true,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
