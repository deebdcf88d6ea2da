// Preloaded into Node brokers (`node --expose-gc --import`): what a benchmark may ask of them from outside.
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

let session = null;
let loop = null;
const answers = {
  watchLoop() {
    loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    return {};
  },
  /** How late the event loop was since `watchLoop`. */
  loopSeen() {
    loop.disable();
    return { p99Ms: loop.percentile(99) / 1e6, maxMs: loop.max / 1e6 };
  },
  /** What is really held, without the garbage of the way there. */
  collect() {
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return { heldBytes: heapUsed + external, heapUsed, arrayBuffers };
  },
  async startProfile() {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
    return {};
  },
  async stopProfile() {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return { profile };
  },
};

process.on('message', async ({ ask }) => {
  process.send(await answers[ask]());
});
process.on('disconnect', () => process.exit(0)); // the benchmark is gone: leave nothing behind
