// Builds what is older than its sources: the console (console/dist) and the server (server/dist/mqdeck.js).
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { ensureInstalled, Failure, filesBelow, main, root, run } from './run.mjs';

const shared = ['contract', 'mqtt', 'rulesql'];
const targets = {
  console: { folders: ['console'].concat(shared), finish: compressAssets },
  server: { folders: ['server', 'broker'].concat(shared), finish: () => undefined },
};

/** One hash over the names, sizes and times of all sources: also notices a deleted file and an older checkout. */
function fingerprint(folders) {
  const isSource = (file) => !/\.test\.tsx?$|\.md$/.test(file);
  const files = folders.reduce((all, folder) => all.concat(filesBelow(folder, isSource)), []);
  const hash = crypto.createHash('sha256');
  for (const file of files.concat('package-lock.json', 'tsconfig.base.json')) {
    const { mtimeMs, size } = fs.statSync(path.join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** Builds one target unless its last build was made from exactly these sources. */
async function buildTarget(name) {
  const { folders, finish } = targets[name];
  const dist = path.join(root, name, 'dist');
  const stampFile = path.join(dist, '.built-from');
  const stamp = fingerprint(folders); // before the build: what changes meanwhile is built next time
  if (fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === stamp) return;
  // Whatever the environment says, or a step before has set: what is built is the product.
  const env = Object.assign({}, process.env, { NODE_ENV: 'production' });
  const code = await run('vite', ['build', '--logLevel', 'warn'], { cwd: path.join(root, name), env });
  if (code !== 0) throw new Failure(`The ${name} does not build; Vite says above why.`);
  finish(dist);
  fs.writeFileSync(stampFile, stamp);
}

/** Writes `.br` and `.gz` beside every asset that shrinks, so that the server never compresses while serving. */
function compressAssets(dist) {
  const folder = path.join(dist, 'assets');
  if (!fs.existsSync(folder)) return;
  for (const name of fs.readdirSync(folder)) {
    if (!/\.(js|css|svg|json|html)$/.test(name)) continue;
    const file = path.join(folder, name);
    const bytes = fs.readFileSync(file);
    if (bytes.length < 512) continue;
    fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(bytes));
    fs.writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }));
  }
}

/** Builds what is named, all by default, where needed. */
export async function build(names = Object.keys(targets)) {
  const unknown = names.find((name) => !targets[name]);
  if (unknown) throw new Failure(`"${unknown}" cannot be built; it is ${Object.keys(targets).join(' or ')}.`);
  for (const name of names) await buildTarget(name);
}

main(import.meta.url, async (args) => {
  await ensureInstalled();
  await build(args.length > 0 ? args : undefined);
});
