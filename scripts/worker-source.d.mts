import type { Plugin } from 'vite';

export function workerSource(): Plugin;
