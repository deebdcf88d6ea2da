import { defineConfig } from 'vite';
import { workerSource } from '../scripts/worker-source.mjs';

// For Node: our own rooms are bundled, npm packages stay in node_modules (lmdb has a native part). What is imported when
// it is first used (drivers, gateways) is a chunk of its own.
export default defineConfig({
  plugins: [workerSource()],
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    target: 'node20',
    sourcemap: true,
    minify: false,
    rolldownOptions: { output: { entryFileNames: 'mqdeck.js', chunkFileNames: 'chunks/[name]-[hash].js' } },
  },
  ssr: { noExternal: [/^@mqdeck\//] },
});
