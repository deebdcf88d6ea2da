import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Screens ask again every few seconds; the usual second is less than that.
    expect: { poll: { timeout: 15_000 } },
    // A browser and a broker per file: on a small machine two files at a time would only wait for each other.
    fileParallelism: false,
    // A real browser on a busy machine is sometimes late; the report names what needed a second try.
    retry: process.env.CI ? 2 : 0,
  },
});
