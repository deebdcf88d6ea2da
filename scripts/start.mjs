// `npm start`: dependencies, build, then the mqdeck command with the given options.
import path from 'node:path';
import { build } from './build.mjs';
import { ensureInstalled, main, onLeftAlone, root, start } from './run.mjs';

main(import.meta.url, async (args) => {
  await ensureInstalled();
  await build();
  // The folder `npm start` was typed in decides what a relative --data means, not the repository's root.
  const cwd = process.env.npm_lifecycle_event === 'start' ? process.env.INIT_CWD : process.cwd();
  const { child, done } = start(process.execPath, [path.join(root, 'server/dist/mqdeck.js')].concat(args), {
    cwd,
  });
  // Ctrl+C in a terminal reaches the server by itself; a signal sent to this process alone must be handed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  onLeftAlone(() => child.kill('SIGTERM'));
  return done;
});
