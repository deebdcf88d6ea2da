import { readFileSync } from 'node:fs';
import { helpText, parseCommand } from './options.ts';
import { start } from './start.ts';
import { StartFailure } from './start-failure.ts';
import { errorOutput } from './terminal.ts';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function version(): string {
  const file = new URL('../package.json', import.meta.url); // beside both src/ and dist/
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The mqdeck command: until a signal ends it. */
async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2), process.env);
  if (command.run === 'help') return say(helpText());
  if (command.run === 'version') return say(version());
  const running = await start(command.options, version(), errorOutput());
  say(running.banner);
  closeOnSignal(running.close);
}

const GRACE_MS = 4_000; // a service manager waits longer before it kills
const SAME_SIGNAL_MS = 500;

/** The first signal closes cleanly; whoever is in a hurry sends a second one. So does what nobody caught, with code 1. */
function closeOnSignal(close: () => Promise<void>): void {
  let closingSince: number | undefined;
  const end = (code: number) => {
    closingSince = Date.now();
    setTimeout(endNow, GRACE_MS).unref();
    close().then(
      () => process.exit(code),
      (error: unknown) => fail(error),
    );
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (closingSince === undefined) {
      if (signal !== 'SIGHUP') say('Stopping: clients are told, and what lasts is written.'); // else nobody is there to read
      end(0);
    } else if (Date.now() - closingSince > SAME_SIGNAL_MS) endNow(); // else sent to the whole group and handed on as well
  };
  process.stdout.on('error', () => undefined); // a terminal that is gone must not cut the closing short
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  process.on('uncaughtException', (error) => {
    writeError(error);
    if (closingSince === undefined) end(1);
  });
}

/** `process.exit` waits for the threads of the store, and one in the middle of a write waits for the event loop. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

function writeError(error: unknown): void {
  const text =
    error instanceof StartFailure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
}

function fail(error: unknown): never {
  writeError(error);
  process.exit(1);
}

main().catch(fail);
