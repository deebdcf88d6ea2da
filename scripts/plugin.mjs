// `npm run plugin -- pack FOLDER`: checks, builds and packs a plugin into FOLDER/dist/name-version.tar.gz.
// `npm run plugin -- new NAME [FOLDER]`: a new one, from the template. docs/plugins.md is the tutorial.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { ensureInstalled, Failure, main, root } from './run.mjs';

const MANIFEST = 'release.json';
const template = path.join(root, 'examples/plugins/template');

/** Rooms of ours, as the broker itself has them: what a package must be is said there alone. */
async function ours(file) {
  const { runnerImport } = await import('vite');
  const { module } = await runnerImport(path.join(root, file), { configFile: false, logLevel: 'error' });
  return module;
}

function readManifest(folder) {
  const file = path.join(folder, MANIFEST);
  if (!fs.existsSync(file)) throw new Failure(`${folder} is no plugin: it has no ${MANIFEST}.`);
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Failure(`${file} is no JSON: ${cause.message}`);
  }
}

/** The commit that it was built from; a folder without git has none. */
function gitRef(folder) {
  try {
    const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', 'HEAD'], options).trim();
  } catch {
    return undefined;
  }
}

async function checked(manifest) {
  const { PluginManifest } = await ours('contract/src/plugins.ts');
  const { success, error } = PluginManifest.safeParse(manifest);
  if (success) return;
  const { path: at, message } = error.issues[0];
  throw new Failure(`${MANIFEST}: ${at.length > 0 ? `${at.join('.')}: ` : ''}${message}`);
}

/** One module with everything in it but Node's own. */
async function compiled(folder) {
  const entry = ['src/main.ts', 'src/main.js', 'src/main.mjs']
    .map((file) => path.join(folder, file))
    .find((file) => fs.existsSync(file));
  if (!entry) throw new Failure(`${folder} has no src/main.ts.`);
  const { build } = await import('vite');
  const { output } = await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: { ssr: entry, target: 'node20', minify: false, write: false },
  });
  if (output.length !== 1) throw new Failure('The plugin must become one file: it imports something lazily.');
  return output[0].code;
}

/** The files of a package beside its module: the readme, and all below `assets`. */
function filesOf(folder, manifest) {
  const files = new Map();
  const readme = manifest.readme ?? 'README.md';
  if (fs.existsSync(path.join(folder, readme))) files.set(readme, fs.readFileSync(path.join(folder, readme)));
  const assets = path.join(folder, 'assets');
  if (!fs.existsSync(assets)) return files;
  for (const entry of fs.readdirSync(assets, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.set(path.relative(folder, file).split(path.sep).join('/'), fs.readFileSync(file));
  }
  return files;
}

/** Packs the plugin of a folder; the answer is the file. */
export async function pack(folder) {
  const manifest = readManifest(folder);
  await checked(manifest);
  const id = `${manifest.name}-${manifest.rel_vsn}`;
  const release = { git_ref: gitRef(folder), date: new Date().toISOString().slice(0, 10), ...manifest };
  const files = new Map([
    [MANIFEST, Buffer.from(`${JSON.stringify(release, null, 2)}\n`)],
    [manifest.main, Buffer.from(await compiled(folder))],
  ]);
  for (const [name, content] of filesOf(folder, manifest)) files.set(name, content);
  const { tarEntry, TAR_END } = await ours('broker/src/archive/tar.ts');
  const entries = Array.from(files, ([name, content]) => tarEntry(`${id}/${name}`, content, Date.now()));
  const target = path.join(folder, 'dist', `${id}.tar.gz`);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, zlib.gzipSync(Buffer.concat(entries.concat([TAR_END]))));
  return target;
}

/** A folder with a plugin of that name, to begin with. */
export function create(name, folder) {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name))
    throw new Failure('The name of a plugin has letters, digits and "_", and begins with a letter.');
  if (fs.existsSync(folder)) throw new Failure(`${folder} is there already.`);
  fs.cpSync(template, folder, {
    recursive: true,
    filter: (file) => path.relative(template, file).split(path.sep)[0] !== 'dist',
  });
  const file = path.join(folder, MANIFEST);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll('my_plugin', name));
}

main(import.meta.url, async ([deed, what, where]) => {
  await ensureInstalled();
  // From where the command was typed; npm changes into the root.
  const from = process.env.INIT_CWD || process.cwd();
  if (deed === 'pack' && what) {
    const file = await pack(path.resolve(from, what));
    console.log(`${path.relative(from, file) || file} · ${fs.statSync(file).size} bytes`);
    return;
  }
  if (deed === 'new' && what) {
    const folder = path.resolve(from, where || what);
    create(what, folder);
    console.log(`A plugin was written to ${folder}`);
    console.log(`Pack it with: npm run plugin -- pack ${where || what}`);
    return;
  }
  throw new Failure('Say what to do: pack FOLDER, or new NAME [FOLDER].');
});
