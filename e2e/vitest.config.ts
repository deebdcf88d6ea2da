import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A browser and a broker per file: on a small machine two files at a time would only wait for each other.
    fileParallelism: false,
    // A real browser on a busy machine is sometimes late; the report names what needed a second try.
    retry: process.env.CI ? 2 : 0,
  },
});
