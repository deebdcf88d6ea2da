import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { page, pageQueryFields, sortQueryFields } from './kit/page.ts';
import { secret, timestamp } from './kit/values.ts';

/** Larger archives are restored on the command line of the machine. */
export const BACKUP_UPLOAD_BYTES_MAX = 64 * 1024 ** 2;

/** What the name of an archive ends with; the rest of it is the name of the folder inside. */
export const BACKUP_EXTENSION = '.tar.gz';
/** The same of an archive that is encrypted with a passphrase. */
export const ENCRYPTED_EXTENSION = `${BACKUP_EXTENSION}.enc`;

export const isEncryptedBackup = (name: string): boolean => name.endsWith(ENCRYPTED_EXTENSION);

/** The name of an archive without what it ends with. */
export const backupFolder = (name: string): string =>
  name.slice(0, -(isEncryptedBackup(name) ? ENCRYPTED_EXTENSION : BACKUP_EXTENSION).length);

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

/** Whether an archive may bear this name: one part of a path, in letters that no system takes amiss. */
export const isBackupName = (name: string): boolean =>
  (name.endsWith(BACKUP_EXTENSION) || isEncryptedBackup(name)) && NAME.test(name) && !name.includes('..');

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
/** Fewer characters than that are guessed by those who have the file. */
export const PASSPHRASE_LENGTH = { min: 12, max: 1024 } as const;
const tooLong = z.maxLength(PASSPHRASE_LENGTH.max, expected(`up to ${PASSPHRASE_LENGTH.max} characters`));
const tooShort = z.minLength(PASSPHRASE_LENGTH.min, expected(`at least ${PASSPHRASE_LENGTH.min} characters`));
const newPassphrase = secret.check(tooShort, tooLong);

const which = z.strictObject({
  filename: z.string(),
  node: z.optional(z.string()),
  /** An extension: of an encrypted archive. */
  passphrase: z.optional(secret.check(tooLong)),
});

export const data = {
  export: endpoint({
    method: 'POST',
    path: '/data/export',
    summary: 'Write everything that operators have set and made into an archive, secrets included',
    access: 'user',
    body: z.object({
      /** An extension: the archive is encrypted with it. */
      passphrase: z.optional(newPassphrase),
    }),
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
