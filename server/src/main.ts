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

/** The first signal closes cleanly; whoever is in a hurry sends a second one. */
function closeOnSignal(close: () => Promise<void>): void {
  const graceMs = 10_000; // what docker stop waits before it kills
  let closing = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (closing) process.exit(1);
    closing = true;
    if (signal !== 'SIGHUP') say('Stopping: clients are told, and what lasts is written.'); // else nobody is there to read
    setTimeout(() => process.exit(1), graceMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.stdout.on('error', () => undefined); // a terminal that is gone must not cut the closing short
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

function fail(error: unknown): never {
  const text =
    error instanceof StartFailure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

main().catch(fail);
