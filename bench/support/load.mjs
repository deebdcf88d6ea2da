// The benchmark's side of the load generator: starts it, and asks it for one task at a time.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** `run(task, options, onPhase)` resolves with what the task of that name in generator.mjs answers. */
function startGenerator() {
  const child = fork(fileURLToPath(new URL('./generator.mjs', import.meta.url)));
  const waiting = new Map();
  let count = 0;
  child.on('message', ({ id, phase, result, error }) => {
    const { resolve, reject, onPhase } = waiting.get(id);
    if (phase) {
      if (onPhase) onPhase(phase);
      return;
    }
    waiting.delete(id);
    if (error) reject(new Error(`The load generator: ${error}`));
    else resolve(result);
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The load generator ended with ${code}.`));
  });
  return {
    run: (task, options = {}, onPhase = null) =>
      new Promise((resolve, reject) => {
        count += 1;
        waiting.set(count, { resolve, reject, onPhase });
        child.send({ id: count, task, options });
      }),
    stop: () => child.kill(),
  };
}

/** Ends the generator also when the work with it fails. */
export async function withGenerator(work) {
  const generator = startGenerator();
  try {
    return await work(generator);
  } finally {
    generator.stop();
  }
}
