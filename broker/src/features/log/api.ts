import { FileHandler, type LogChange, type LogSettings, type log, logFileName } from '@mqdeck/contract/log';
import * as z from 'zod/mini';
import { fail } from '../../http/api-error.ts';
import { Download, type Handlers } from '../../http/handlers.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';
import { listLogFiles, readLogFile } from './log-files.ts';
import type { Logs } from './logs.ts';

export const logApi = (logs: Logs, settings: SettingsStore): Handlers<typeof log> => ({
  get: () => settings.get('log'),
  update: async ({ body }) => {
    const old = settings.get('log');
    const changed = merged(old, body);
    checkOwnFiles(changed);
    checkGuards(settings, changed);
    await checkUsable(changed, old, logs);
    await settings.change('log', changed);
    return changed;
  },
  lines: ({ query }) => logs.lines.read(query),
  files: async () => {
    if (logs.folder === null) return [];
    const found = await listLogFiles(logs.folder);
    return found.map(({ name, size, changedAt }) => ({
      name,
      handler: null,
      current: false,
      ...logs.handlerOf(name),
      size,
      mtime: rfc3339(changedAt),
    }));
  },
  download: async ({ params: { name } }) => {
    const content = logs.folder === null ? null : await readLogFile(logs.folder, name);
    if (content === null) return fail('NOT_FOUND', 'There is no log file of this name');
    return new Download(name, 'text/plain; charset=utf-8', content);
  },
});

/** What the change leaves out, or leaves undefined, keeps its value; of a new handler it has the usual one. */
function merged(old: LogSettings, { console, file, throttling, audit }: LogChange): LogSettings {
  const handlers = Object.entries(file ?? {}).map(([name, change]) => {
    const known = Object.hasOwn(old.file, name) ? old.file[name]! : z.parse(FileHandler, {});
    return [name, { ...known, ...given(change) }];
  });
  return {
    console: { ...old.console, ...given(console ?? {}) },
    file: file === undefined ? old.file : (Object.fromEntries(handlers) as LogSettings['file']),
    throttling: { ...old.throttling, ...given(throttling ?? {}) },
    audit: { ...old.audit, ...given(audit ?? {}) },
  } as LogSettings;
}

const given = <T extends object>(part: T): Partial<T> =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Two handlers would rename each other's file away. */
function checkOwnFiles({ file }: LogSettings): void {
  const owners = new Map<string, string>();
  for (const [name, { path }] of Object.entries(file)) {
    const own = logFileName(path)!.toLowerCase(); // one file, where the disk knows no capitals
    const other = owners.get(own);
    if (other !== undefined) refusePath(name, path, `the handler ${other} writes this file`);
    owners.set(own, name);
  }
}

/** Only what the change asks for is tried: trouble that is there already must not keep anybody from a change. */
async function checkUsable({ file }: LogSettings, old: LogSettings, logs: Logs): Promise<void> {
  for (const [name, handler] of Object.entries(file)) {
    const before = Object.hasOwn(old.file, name) ? old.file[name]! : null;
    if (!handler.enable || (before?.enable && before.path === handler.path)) continue;
    const reason = await logs.whyUnusable(handler);
    if (reason !== null) refusePath(name, handler.path, `the file cannot be written: ${reason}`);
  }
}

function checkGuards(settings: SettingsStore, changed: LogSettings): void {
  try {
    settings.check('log', changed);
  } catch (error) {
    if (!(error instanceof SettingsFault)) throw error;
    const path = ['root', ...error.path].join('.');
    fail('BAD_REQUEST', JSON.stringify({ kind: 'validation_error', path, reason: error.message }));
  }
}

function refusePath(name: string, value: string, reason: string): never {
  const path = `root.file.${name}.path`;
  return fail('BAD_REQUEST', JSON.stringify({ kind: 'validation_error', path, reason, value }));
}
