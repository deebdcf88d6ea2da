import { type data, isBackupName, isEncryptedBackup } from '@mqdeck/contract/data';
import type { ValidationFault } from '@mqdeck/contract/kit/faults';
import { fail } from '../../http/api-error.ts';
import { Download, type Handlers } from '../../http/handlers.ts';
import { pageOf, presented } from '../../paging/page.ts';
import { type BackupFacts, type Backups, presentFile } from './backups.ts';
import { BackupFault, PassphraseFault } from './parts.ts';

/** All are of one node. */
const sortValues = {
  filename: ({ filename }: BackupFacts) => filename,
  size: ({ size }: BackupFacts) => size,
  created_at: ({ createdAt }: BackupFacts) => createdAt,
  node: () => '',
};

const NOT_FOUND = 'There is no such backup file';

export function dataApi(backups: Backups, node: string): Handlers<typeof data> {
  const checkNode = (name: string | undefined) => {
    if (name !== undefined && name !== node) fail('BAD_REQUEST', `Unknown node: ${name.slice(0, 200)}`);
  };
  return {
    export: async ({ body }) => presentFile(await backups.export(body.passphrase ?? null), node),
    files: async ({ query }) => {
      const { sort } = query;
      const found = await pageOf<BackupFacts>(query, {
        rows: [await backups.list()],
        matches: () => true,
        counted: true,
        sorting: sort && { by: sort, order: query.order, valueIn: sortValues[sort] },
      });
      return presented(found, (file) => presentFile(file, node));
    },
    upload: async ({ upload: { filename, content } }) => {
      if (filename === null) return fail('BAD_REQUEST', 'The form must have a file in its field filename');
      checkName(filename);
      if (!(await refusing(backups.take(filename, content))))
        return fail('BAD_REQUEST', `There is a backup file ${filename} already`);
    },
    download: async ({ params: { filename }, query }) => {
      checkNode(query.node);
      checkName(filename);
      const file = (await backups.open(filename)) ?? fail('NOT_FOUND', NOT_FOUND);
      // By the name that it has: as octets alone it would be taken for a compressed answer, and arrive unpacked
      const type = isEncryptedBackup(filename) ? 'application/vnd.mqdeck.backup' : 'application/gzip';
      return new Download(filename, type, file.createReadStream());
    },
    remove: async ({ params: { filename }, query }) => {
      checkNode(query.node);
      checkName(filename);
      if (!(await backups.remove(filename))) return fail('NOT_FOUND', NOT_FOUND);
    },
    import: async ({ body }) => {
      checkNode(body.node);
      checkName(body.filename);
      if (!(await refusing(backups.import(sourceOf(body))))) return fail('BAD_REQUEST', NOT_FOUND);
    },
    preview: async ({ body }) => {
      checkNode(body.node);
      checkName(body.filename);
      return (await refusing(backups.preview(sourceOf(body)))) ?? fail('BAD_REQUEST', NOT_FOUND);
    },
  };
}

const sourceOf = ({ filename, passphrase }: { filename: string; passphrase?: string | undefined }) => ({
  filename,
  passphrase: passphrase ?? null,
});

function checkName(filename: string): void {
  if (!isBackupName(filename))
    fail(
      'BAD_REQUEST',
      'The name of a backup has letters, digits, "_", "-" and ".", and ends with .tar.gz or .tar.gz.enc',
    );
}

const refusing = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    if (cause instanceof PassphraseFault) {
      const fault: ValidationFault = {
        kind: 'validation_error',
        path: 'root.passphrase',
        reason: cause.message,
      };
      return fail('BAD_REQUEST', JSON.stringify(fault));
    }
    if (cause instanceof BackupFault) return fail('BAD_REQUEST', cause.message);
    throw cause;
  });
