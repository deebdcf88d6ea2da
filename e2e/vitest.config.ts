import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Screens ask again every few seconds; the usual second is less than that.
    expect: { poll: { timeout: 15_000 } },
    // A browser and a broker per file, and much of a test is waiting for them: two files at a time take two thirds
    // of the time of one after the other, even on two cores. More of them only wait for each other.
    maxWorkers: 2,
    // A real browser on a busy machine is sometimes late; the report names what needed a second try.
    retry: process.env.CI ? 2 : 0,
  },
});
