import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, findProgram, freePort, Runner } from './engine.ts';

const FOLDER = '/usr/lib/google-cloud-sdk/platform/pubsub-emulator/lib';

/** Google's own emulator, where the machine has it (Debian does not) and a Java to run it. */
export function findPubsub(): string | null {
  if (!existsSync(FOLDER) || findProgram('java') === null) return null;
  const jar = readdirSync(FOLDER).find((name) => /^cloud-pubsub-emulator-.*\.jar$/.test(name));
  return jar === undefined ? null : join(FOLDER, jar);
}

/** It keeps everything in memory: what was published is gone with it. */
export async function startPubsub(jar: string): Promise<Engine> {
  const port = await freePort();
  const runner = new Runner({
    command: findProgram('java')!,
    args: ['-Xmx256m', '-jar', jar, '--host=127.0.0.1', `--port=${port}`],
    ready: /Server started, listening on/,
  });
  await runner.start();
  return {
    port,
    address: `127.0.0.1:${port}`,
    start: () => runner.start(),
    kill: () => runner.kill(),
    close: () => runner.kill(),
  };
}
