import { type data, isBackupName } from '@mqdeck/contract/data';
import { fail } from '../../http/api-error.ts';
import { Download, type Handlers } from '../../http/handlers.ts';
import { pageOfList } from '../../paging/page.ts';
import { type Backups, presentFile } from './backups.ts';
import { BackupFault } from './parts.ts';

const NOT_FOUND = 'There is no such backup file';

export function dataApi(backups: Backups, node: string): Handlers<typeof data> {
  const checkNode = (name: string | undefined) => {
    if (name !== undefined && name !== node) fail('BAD_REQUEST', `Unknown node: ${name.slice(0, 200)}`);
  };
  return {
    export: async () => presentFile(await backups.export(), node),
    files: async ({ query }) => {
      const { data: files, meta } = pageOfList(query, await backups.list());
      return { data: files.map((file) => presentFile(file, node)), meta };
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
      return new Download(filename, 'application/octet-stream', file.createReadStream());
    },
    remove: async ({ params: { filename }, query }) => {
      checkNode(query.node);
      checkName(filename);
      if (!(await backups.remove(filename))) return fail('NOT_FOUND', NOT_FOUND);
    },
    import: async ({ body }) => {
      checkNode(body.node);
      checkName(body.filename);
      if (!(await refusing(backups.import(body.filename)))) return fail('BAD_REQUEST', NOT_FOUND);
    },
    preview: async ({ body }) => {
      checkNode(body.node);
      checkName(body.filename);
      return (await refusing(backups.preview(body.filename))) ?? fail('BAD_REQUEST', NOT_FOUND);
    },
  };
}

function checkName(filename: string): void {
  if (!isBackupName(filename))
    fail('BAD_REQUEST', 'The name of a backup has letters, digits, "_", "-" and ".", and ends with .tar.gz');
}

const refusing = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    if (cause instanceof BackupFault) return fail('BAD_REQUEST', cause.message);
    throw cause;
  });
