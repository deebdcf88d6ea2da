// `npm run dev`: the console with hot reload on http://localhost:5173, in front of the real server, which is
// rebuilt and restarted at each change. Options go to the server.
import path from 'node:path';
import { ensureInstalled, Failure, main, onLeftAlone, root, start } from './run.mjs';

/** Rebuilds the server at each change and keeps the newest build running. */
async function watchServer(vite, args, whenReady) {
  let running = null;
  let stopping = false;
  const restart = async () => {
    if (running) {
      running.child.kill('SIGTERM');
      await running.done;
    }
    if (stopping) return;
    const server = start(process.execPath, [path.join(root, 'server/dist/mqdeck.js')].concat(args));
    running = server;
    server.done.then((code) => {
      if (running === server && code !== 0)
        console.error(`The server ended with ${code}; it starts again at the next change.`);
    });
    whenReady();
  };
  // Vite ends this process at once on SIGTERM: the server must not stay behind alone.
  process.on('exit', () => {
    if (running) running.child.kill('SIGTERM');
  });
  let turn = Promise.resolve(); // one restart after the other, however fast the changes come
  const watcher = await vite.build({
    root: path.join(root, 'server'),
    logLevel: 'warn',
    build: { watch: {} },
  });
  watcher.on('event', (event) => {
    if (event.code === 'BUNDLE_END') event.result.close();
    if (event.code === 'ERROR') console.error(event.error.message);
    if (event.code === 'END') turn = turn.then(restart);
  });
  return async () => {
    stopping = true;
    await watcher.close();
    await turn;
    if (running) running.child.kill('SIGTERM');
    if (running) await running.done;
  };
}

/** The port the server will listen on, as given, else the default: the console's dev server must know it. */
function httpPort(args) {
  const at = args.findIndex((arg) => arg === '--http' || arg.startsWith('--http='));
  const given = at === -1 ? process.env.MQDECK_HTTP : args[at].split('=')[1] || args[at + 1];
  if (given === '0' || given === 'off')
    throw new Failure('npm run dev needs a fixed port: give one with --http.');
  return given || '18083';
}

main(import.meta.url, async (args) => {
  await ensureInstalled();
  const vite = await import('vite');
  const target = `http://127.0.0.1:${httpPort(args)}`;
  const proxied = ['/api/v5', '/api-docs', '/status', '/console.json'];
  const proxy = Object.fromEntries(proxied.map((prefix) => [prefix, { target }]));
  proxy['/mqtt'] = { target, ws: true };
  const consoleServer = await vite.createServer({ root: path.join(root, 'console'), server: { proxy } });
  let said = false;
  const stopServer = await watchServer(vite, args, async () => {
    if (said) return;
    said = true;
    await consoleServer.listen();
    consoleServer.printUrls();
  });
  const end = async () => {
    await Promise.all([stopServer(), consoleServer.close()]);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
  onLeftAlone(end);
});
