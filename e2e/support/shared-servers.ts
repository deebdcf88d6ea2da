import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder for the data of servers that are there for all files of a worker. */
    sharedServers: string;
  }
}

/** What Vitest does before and after all browser tests: no file can tell that it is the last one of its worker. */
export default function setup(project: TestProject): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mqdeck-e2e-shared-'));
  project.provide('sharedServers', folder);
  return () => {
    for (const name of fs.readdirSync(folder)) end(path.join(folder, name, 'run.json'));
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** Ends the server that wrote this file, if it still runs. */
function end(announced: string): void {
  if (!fs.existsSync(announced)) return;
  const { pid } = JSON.parse(fs.readFileSync(announced, 'utf8')) as { pid: number };
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
