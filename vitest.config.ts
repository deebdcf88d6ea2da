import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { workerSource } from './scripts/worker-source.mjs';

/** The files of a project share workers and the modules loaded there: loading them anew cost half of the time. */
const shared = { isolate: false, maxWorkers: 2, testTimeout: 15_000 };

/** They start servers of other makers or processes of their own, and mostly wait for them: they run beside the others. */
const systems = [
  'broker/src/backends/backends.test.ts',
  'broker/src/core/dtls/dtls.test.ts',
  'broker/src/features/bridges/{crash,databases,outages,streams}.test.ts',
  'broker/src/features/exhook/exhook.test.ts',
  'broker/src/features/gateways/exproto/exproto.test.ts',
  'broker/src/features/{authentication,authorization}/backends/*.test.ts',
  'server/src/start.test.ts',
];
const node = {
  ...shared,
  setupFiles: ['broker/src/testing/setup.ts'],
  testTimeout: 30_000,
};

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [workerSource()],
        test: {
          ...node,
          name: 'node',
          include: ['{contract,mqtt,rulesql,broker,server,scripts}/**/*.test.{ts,mjs}'],
          exclude: ['**/node_modules/**', '**/dist/**'].concat(systems),
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [workerSource()],
        test: {
          ...node,
          name: 'systems',
          include: systems,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
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
