// Starts the brokers that are compared, each in its own process on a free port of 127.0.0.1.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { generate } from 'selfsigned';
import { Failure, root } from '../../scripts/run.mjs';

const inside = new URL('./inside.mjs', import.meta.url).href;
const aedesProgram = fileURLToPath(new URL('./aedes.mjs', import.meta.url));
const START_PATIENCE_MS = 30_000;

const starts = { mqdeck: startMqdeck, mosquitto: startMosquitto, aedes: startAedes };
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Of the wanted brokers those that this machine has, ours first. */
export function availableBrokers(wanted = 'mqdeck,mosquitto,aedes') {
  const names = wanted.split(',');
  const unknown = names.find((name) => !starts[name]);
  if (unknown)
    throw new Failure(`There is no broker "${unknown}"; there are ${Object.keys(starts).join(', ')}.`);
  return names.filter((name) => {
    if (name !== 'mosquitto' || mosquittoProgram()) return true;
    console.log('mosquitto is not installed (Debian: apt-get install mosquitto): compared without it.');
    return false;
  });
}

/**
 * Starts brokers, and ends them also when the work with them fails. Each has `name`, `pid`, `port`, `http` (ours, when
 * asked for), and `ask(what)` for what inside.mjs can do; `ask` is undefined where there is no Node inside.
 */
export async function withBrokers(names, options, work) {
  const brokers = [];
  try {
    for (const name of names) brokers.push(await starts[name](options));
    return await work(...brokers);
  } catch (error) {
    const ended = brokers.find((broker) => broker.ended());
    if (!ended) throw error;
    throw new Failure(`${ended.name} ended on its own meanwhile (${ended.ended()}):\n${ended.output()}`, {
      cause: error,
    });
  } finally {
    await Promise.all(brokers.map((broker) => broker.stop()));
  }
}

async function startMqdeck({ http = 'off', program = 'server/dist/mqdeck.js', transports = [] }) {
  const file = path.resolve(root, program);
  if (!fs.existsSync(file)) throw new Failure(`${program} is missing: run "npm run build" first.`);
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'mqdeck-bench-'));
  const port = (transport) => (transports.includes(transport) ? '0' : 'off');
  const ports = ['--http', http, '--tcp', '0', '--ssl', port('tls'), '--ws', port('ws'), '--wss', 'off'];
  const broker = startNode([file].concat(ports.map(String), '--data', data));
  broker.removeAtEnd = data;
  const run = await ready(broker, () => {
    const announced = path.join(data, 'run.json');
    return fs.existsSync(announced) ? JSON.parse(fs.readFileSync(announced, 'utf8')) : null;
  });
  return handle('mqdeck', broker, { tcp: run.tcp, tls: run.ssl, ws: run.ws }, run.http);
}

async function startAedes() {
  const broker = startNode([aedesProgram]);
  let port = null;
  broker.child.once('message', (message) => {
    port = message.port;
  });
  return handle('aedes', broker, { tcp: await ready(broker, () => port) });
}

async function startMosquitto({ transports = [], autosaveS = null }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mosquitto-bench-'));
  const ports = { tcp: await freePort() };
  for (const transport of transports) ports[transport] = await freePort();
  const config = [
    `listener ${ports.tcp} 127.0.0.1`,
    'allow_anonymous true',
    ...(autosaveS === null
      ? ['persistence false']
      : ['persistence true', `persistence_location ${folder}/`, `autosave_interval ${autosaveS}`]),
    'max_inflight_messages 100',
    'max_queued_messages 0',
    'set_tcp_nodelay true',
    'log_type error',
  ];
  if (ports.ws) config.push(`listener ${ports.ws} 127.0.0.1`, 'protocol websockets');
  if (process.getuid() === 0) config.push('user root'); // else it becomes a user who cannot read its certificate
  if (ports.tls) {
    // Of the same kind as ours: the handshake's price depends on it
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      curve: 'P-256',
    });
    fs.writeFileSync(path.join(folder, 'cert.pem'), cert);
    fs.writeFileSync(path.join(folder, 'key.pem'), key);
    config.push(
      `listener ${ports.tls} 127.0.0.1`,
      `certfile ${folder}/cert.pem`,
      `keyfile ${folder}/key.pem`,
    );
  }
  const file = path.join(folder, 'mosquitto.conf');
  fs.writeFileSync(file, `${config.join('\n')}\n`);
  // Node takes as many open files as it may by itself; mosquitto must be given them.
  const script = 'ulimit -n "$(ulimit -Hn)"; exec "$0" -c "$1"';
  const broker = watch(
    spawn('sh', ['-c', script, mosquittoProgram(), file], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  broker.removeAtEnd = folder;
  await ready(broker, async () => (await Promise.all(Object.values(ports).map(answers))).every(Boolean));
  return handle('mosquitto', broker, ports);
}

function mosquittoProgram() {
  const folders = (process.env.PATH || '').split(path.delimiter).concat('/usr/sbin', '/usr/local/sbin');
  return folders.map((folder) => path.join(folder, 'mosquitto')).find((file) => fs.existsSync(file));
}

function startNode(args) {
  const all = ['--expose-gc', '--import', inside].concat(args);
  return watch(spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
}

function watch(child) {
  const broker = { child, output: '', closed: null, removeAtEnd: null };
  running.add(child);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      broker.output = (broker.output + text).slice(-4000);
    });
  }
  broker.closed = new Promise((resolve) => {
    child.once('error', (error) => {
      broker.output += error.message;
      resolve();
    });
    child.once('close', resolve);
  }).then(() => {
    running.delete(child);
    if (broker.removeAtEnd) fs.rmSync(broker.removeAtEnd, { recursive: true, force: true });
  });
  return broker;
}

/** Looks until `find` has something; fails with the broker's own words when it ended before. */
async function ready(broker, find) {
  for (const end = Date.now() + START_PATIENCE_MS; Date.now() < end; await wait(20)) {
    const found = await find();
    if (found) return found;
    if (!running.has(broker.child))
      throw new Failure(`A broker ended before it was ready:\n${broker.output}`);
  }
  throw new Failure(`A broker was not ready after ${START_PATIENCE_MS / 1000} s:\n${broker.output}`);
}

function handle(name, broker, ports, http = null) {
  const { child } = broker;
  return {
    name,
    port: ports.tcp,
    /** By transport: tcp, and those of tls and ws that were asked for and that it has. */
    ports,
    http,
    pid: child.pid,
    /** Where its data are; removed at the end. */
    folder: broker.removeAtEnd,
    output: () => broker.output,
    /** How it ended, null while it runs. */
    ended: () => child.exitCode ?? child.signalCode,
    ask: child.send && ((what) => ask(child, what)),
    async stop() {
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 3000);
      await broker.closed;
      clearTimeout(patience);
    },
  };
}

function ask(child, what) {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.send({ ask: what });
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
