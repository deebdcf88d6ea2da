import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, findProgram, freePort, ownFolder, Runner, removeFolder } from './engine.ts';

export const MOSQUITTO_PROGRAMS = ['mosquitto'] as const;

/** Another maker's broker, open to all. `kill` lets it save its sessions, as a service manager would. */
export async function startMosquitto(): Promise<Engine> {
  const folder = ownFolder('mosquitto');
  const port = await freePort();
  const file = join(folder, 'mosquitto.conf');
  writeFileSync(
    file,
    `listener ${port} 127.0.0.1
allow_anonymous true
persistence true
persistence_location ${folder}/
max_queued_messages 0
user root
`,
  );
  const runner = new Runner({
    command: findProgram('mosquitto')!,
    args: ['-c', file, '-v'],
    ready: / running$/,
    killSignal: 'SIGTERM',
  });
  await runner.start();
  return {
    port,
    address: `127.0.0.1:${port}`,
    start: () => runner.start(),
    kill: () => runner.kill(),
    close: async () => {
      await runner.kill();
      removeFolder(folder);
    },
  };
}
