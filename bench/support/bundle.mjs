// Makes our TypeScript runnable for benchmarks that look at one part of it: bundled as the server is.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { root } from '../../scripts/run.mjs';
import { resultsFolder } from './report.mjs';

/** Imports TypeScript modules: `{ router: 'broker/src/core/router.ts' }` gives `{ router: its exports }`. */
export async function importSources(name, sources) {
  const outDir = path.join(resultsFolder, 'build', name);
  const input = Object.fromEntries(
    Object.entries(sources).map(([key, file]) => [key, path.join(root, file)]),
  );
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    ssr: { noExternal: [/^@mqdeck\//] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: { input, output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' } },
    },
  });
  const loaded = {};
  for (const key of Object.keys(sources)) {
    loaded[key] = await import(pathToFileURL(path.join(outDir, `${key}.mjs`)).href);
  }
  return loaded;
}
