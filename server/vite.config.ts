import { defineConfig } from 'vite';

// One file for Node: our own rooms are bundled, npm packages stay in node_modules (lmdb has a native part).
export default defineConfig({
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
