import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { page, pageQueryFields, sortQueryFields } from './kit/page.ts';
import { timestamp } from './kit/values.ts';

/** Larger archives are restored on the command line of the machine. */
export const BACKUP_UPLOAD_BYTES_MAX = 64 * 1024 ** 2;

/** What the name of an archive ends with; the rest of it is the name of the folder inside. */
export const BACKUP_EXTENSION = '.tar.gz';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

/** Whether an archive may bear this name: one part of a path, in letters that no system takes amiss. */
export const isBackupName = (name: string): boolean =>
  name.endsWith(BACKUP_EXTENSION) && NAME.test(name) && !name.includes('..');

/** An archive of everything that operators have set and made, on one node. As secret as the data folder. */
export const BackupFile = z.looseObject({
  filename: z.string(),
  size: z.number(), // bytes
  created_at: timestamp,
  created_at_sec: z.number(),
  node: z.string(),
});
export type BackupFile = z.infer<typeof BackupFile>;

/** What an import would do. */
export const BackupPreview = z.looseObject({
  filename: z.string(),
  /** Of the broker that made it. */
  version: z.string(),
  node: z.string(),
  created_at: timestamp,
  /** The settings that differ, by section; the archive's take their place. */
  settings: z.array(z.looseObject({ section: z.string(), keys: z.array(z.string()) })),
  /** Rows by kind; those that are only here stay. */
  kinds: z.array(
    z.looseObject({ kind: z.string(), added: z.number(), changed: z.number(), unchanged: z.number() }),
  ),
});
export type BackupPreview = z.infer<typeof BackupPreview>;

const BACKUP_SORT = ['filename', 'size', 'created_at', 'node'] as const;

/** One node has one folder of archives. */
const onNode = z.object({ node: z.optional(z.string()) });
const which = z.strictObject({ filename: z.string(), node: z.optional(z.string()) });

export const data = {
  export: endpoint({
    method: 'POST',
    path: '/data/export',
    summary: 'Write everything that operators have set and made into an archive, secrets included',
    access: 'user',
    ok: json(BackupFile),
  }),
  files: endpoint({
    method: 'GET',
    path: '/data/files',
    summary: 'The archives, the latest first',
    query: z.object({ ...pageQueryFields, ...sortQueryFields(BACKUP_SORT) }),
    ok: page(BackupFile),
  }),
  upload: endpoint({
    method: 'POST',
    path: '/data/files',
    summary: 'Bring an archive; it is checked to its end, and nothing is restored yet',
    access: 'user',
    upload: { field: 'filename', bytesMax: BACKUP_UPLOAD_BYTES_MAX },
    ok: noContent,
  }),
  download: endpoint({
    method: 'GET',
    path: '/data/files/:filename',
    summary: 'An archive itself',
    access: 'user', // it holds what an API key may not read: passwords in clear, and hashes of users and keys
    query: onNode,
    ok: json(z.string()),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/data/files/:filename',
    summary: 'Delete an archive',
    query: onNode,
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  import: endpoint({
    method: 'POST',
    path: '/data/import',
    summary:
      'Restore an archive: its settings take the place of those here, its rows are added or replace those of their name',
    access: 'user', // it may bring users and API keys, which an API key may not touch
    body: which,
    ok: noContent,
  }),
  preview: endpoint({
    method: 'POST',
    path: '/data/preview',
    asks: true,
    summary: 'What an import would change; changes nothing',
    access: 'user',
    body: which,
    ok: json(BackupPreview),
    extension: 'what an import would change can be seen before',
  }),
};
