import { vi } from 'vitest';

/** A wait ends with what it waits for; this bounds a test that fails, also on a busy machine. */
const PATIENCE_MS = 10_000;

const { waitFor } = vi;
// Every test file runs this file, and those of a worker share `vi`
if (waitFor.name !== 'waitPatiently')
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(
      callback,
      typeof options === 'number' ? options : { timeout: PATIENCE_MS, interval: 20, ...options },
    );
  };
