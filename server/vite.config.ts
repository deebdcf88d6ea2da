import { defineConfig } from 'vite';
import { workerSource } from '../scripts/worker-source.mjs';

/** Packages with a native part, and those that are imported when they are first used: they stay in node_modules. */
const external = [
  '@grpc/grpc-js',
  '@grpc/proto-loader',
  'bcrypt',
  'ioredis',
  'kafkajs',
  'lmdb',
  'mongodb',
  'mqtt',
  'msgpackr',
  'mysql2',
  'pg',
  'pino',
  'selfsigned',
  'snappyjs',
];

// For Node: our own rooms and the packages that each start needs are one file, which saves a fifth of the start. What is
// imported when it is first used (drivers, gateways) is a chunk of its own.
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
  ssr: { external, noExternal: true },
});
