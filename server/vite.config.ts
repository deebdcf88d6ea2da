import { defineConfig } from 'vite';
import { workerSource } from '../scripts/worker-source.mjs';

// One file for Node: our own rooms are bundled, npm packages stay in node_modules (lmdb has a native part).
export default defineConfig({
  plugins: [workerSource()],
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    target: 'node20',
    sourcemap: true,
    minify: false,
    rolldownOptions: { output: { entryFileNames: 'mqdeck.js' } },
  },
  ssr: { noExternal: [/^@mqdeck\//] },
});
