import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { workerSource } from './scripts/worker-source.mjs';

/** Sockets and child processes on a busy machine are sometimes late; the report names what needed a second try. */
const retry = process.env.CI ? 1 : 0;

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [workerSource()],
        test: {
          name: 'node',
          include: ['{contract,mqtt,rulesql,broker,server,scripts}/**/*.test.{ts,mjs}'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          testTimeout: 15_000,
          retry,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'console',
          environment: 'happy-dom',
          include: ['console/src/**/*.test.{ts,tsx}'],
          testTimeout: 15_000,
          retry,
        },
      },
    ],
  },
});
