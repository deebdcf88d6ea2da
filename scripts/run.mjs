// What all scripts stand on: the root folder, "are the dependencies there", and starting a tool by its own file.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const inCi = Boolean(process.env.CI) && process.env.CI !== 'false';

const lockFile = path.join(root, 'package-lock.json');
const stampFile = path.join(root, 'node_modules', '.mqdeck-installed');

// Tools are started by their entry file: no shell, no npx, the same on every system.
const tools = {
  biome: '@biomejs/biome/bin/biome',
  knip: 'knip/bin/knip.js',
  tsc: 'typescript/bin/tsc',
  vite: 'vite/bin/vite.js',
  vitest: 'vitest/vitest.mjs',
};

/** What an installation depends on: the lock file and the platform whose binaries were chosen. */
function installStamp() {
  const lock = crypto.createHash('sha256').update(fs.readFileSync(lockFile)).digest('hex');
  return `${lock} ${process.platform}-${process.arch}\n`;
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Installs the dependencies when the lock file differs from what was installed last. */
export async function ensureInstalled() {
  const stamp = installStamp();
  if (readIfThere(stampFile) === stamp) return;
  console.log('Installing dependencies (once, until package-lock.json changes) …');
  // `--include=dev`: NODE_ENV=production or omit=dev in the environment would leave out the build tools.
  const args = ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--include=dev'];
  const npm = npmCommand();
  const code = await start(npm.command, npm.args.concat(args), { shell: npm.shell }).done;
  if (code !== 0) {
    throw new Failure(
      'The dependencies could not be installed; npm says above why. Run the command again when that is solved.',
    );
  }
  fs.writeFileSync(stampFile, stamp); // only now: an interrupted installation is redone
}

/** The npm that is running this script, else the one beside Node, else the one on PATH. */
export function npmCommand() {
  const bin = path.dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    path.join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const cli = candidates.find((file) => file && /npm-cli\.c?js$/.test(file) && fs.existsSync(file));
  if (cli) return { command: process.execPath, args: [cli], shell: false };
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

/** A failure whose sentence is for the person at the terminal; no stack is shown. */
export class Failure extends Error {}

/** Starts a program in the root folder; `done` resolves with its exit code (128 + n after signal n). */
export function start(command, args, options) {
  const child = spawn(command, args, Object.assign({ cwd: root, stdio: 'inherit' }, options));
  const done = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code === null ? 128 + (signals[signal] || 0) : code));
  });
  return { child, done };
}
const signals = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** The command line of one of the tools above. */
export function tool(name, args) {
  return { command: process.execPath, args: [path.join(root, 'node_modules', tools[name])].concat(args) };
}

/** Runs one of the tools above to its end and returns the exit code. */
export function run(name, args, options) {
  const { command, args: all } = tool(name, args);
  return start(command, all, options).done;
}

/**
 * npm starts a script through a shell. A SIGTERM to npm ends that shell and nothing below it, so under npm a program
 * that runs for long must notice by itself that it was left alone.
 */
export function onLeftAlone(callback) {
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    callback();
  }, 200);
  watch.unref();
}

/** Runs a program to its end and returns what it wrote; its output is not shown. */
export async function capture(command, args, options) {
  const { child, done } = start(command, args, Object.assign({ stdio: ['ignore', 'pipe', 'pipe'] }, options));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return { code: await done, output };
}

/** True when the file of this URL is the program that was started, not a module that another one imports. */
export function isMain(url) {
  return process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === fileURLToPath(url);
}

/** Runs a script's main function: its return value is the exit code, a Failure is a sentence. */
export function main(url, body) {
  if (!isMain(url)) return;
  Promise.resolve()
    .then(() => body(process.argv.slice(2)))
    .then(
      (code) => {
        if (typeof code === 'number') process.exitCode = code;
      },
      (error) => {
        console.error(error instanceof Failure ? error.message : error);
        process.exitCode = 1;
      },
    );
}

/** All files below a folder, as paths relative to the root with forward slashes; absent folders are empty. */
export function filesBelow(folder, wanted) {
  const found = [];
  const walk = (relative) => {
    let entries;
    try {
      entries = fs.readdirSync(path.join(root, relative), { withFileTypes: true });
    } catch (error) {
      if (error.code === 'ENOENT') return;
      throw error;
    }
    for (const entry of entries) {
      if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) continue;
      const file = `${relative}/${entry.name}`;
      if (entry.isDirectory()) walk(file);
      else if (!wanted || wanted(file)) found.push(file);
    }
  };
  walk(folder);
  return found.sort();
}
