import { extname } from 'node:path';
import { IMPORT_ROWS_TOLD, type ImportReport, type PasswordHash } from '@mqdeck/contract/authentication';
import { CsvError, parse } from 'csv-parse';
import { apiError, fail } from '../../http/api-error.ts';
import type { Upload } from '../../http/handlers.ts';
import { Turn } from '../../paging/turn.ts';
import type { PasswordUser } from './built-in-database.ts';
import { BCRYPT_PASSWORD_BYTES, hashNew } from './hashing.ts';
import { JsonItemsError, jsonItems } from './json-items.ts';
import { type AuthnUsers, isUserId } from './users.ts';

interface Options {
  /** Whether passwords come as they are, or as hashes. */
  type: 'plain' | 'hash';
  override: boolean;
  algorithm: PasswordHash;
}

/** A row as it was read: fields by their names. */
interface Row {
  line: number;
  fields: Readonly<Record<string, unknown>>;
}

/** A row that can be stored. */
interface Entry {
  line: number;
  id: string;
  secret: string;
  salt: string;
  superuser: boolean;
}

const RECORD_BYTES_MAX = 128 * 1024;
const SECRET_FIELD = { plain: 'password', hash: 'password_hash' } as const;

/**
 * Adds the users of a file. First all of it is read, so that one that cannot be read to its end changes nothing; then
 * row after row is stored, with a turn for everybody else every few milliseconds.
 */
export async function importUsers(
  users: AuthnUsers<PasswordUser>,
  upload: Upload,
  options: Options,
  flushed: () => Promise<void>,
): Promise<ImportReport> {
  const report = { total: 0, success: 0, override: 0, skipped: 0, failed: 0 };
  const rows: NonNullable<ImportReport['rows']> = [];
  const failed = (line: number, user_id: string | null, reason: string) => {
    report.failed++;
    if (rows.length < IMPORT_ROWS_TOLD) rows.push({ line, user_id, reason });
  };

  const entries: Entry[] = [];
  const turn = new Turn();
  for await (const row of readable(upload)) {
    if (turn.over) await turn.next();
    report.total++;
    const entry = entryOf(row, options.type);
    if (typeof entry !== 'string') entries.push(entry);
    // Without the column in the first row this is a file for something else
    else if (report.total === 1 && lacksSecret(row, options.type)) return fail('BAD_REQUEST', entry);
    else failed(row.line, idOf(row), entry);
  }
  if (report.total === 0) return fail('BAD_REQUEST', 'empty_users: the file holds no users');

  for (const { line, id, secret, salt, superuser } of entries) {
    if (turn.over) {
      await flushed();
      await turn.next();
    }
    const exists = users.has(id);
    if (exists && !options.override) {
      report.skipped++;
      continue;
    }
    if (options.type === 'hash') users.put(id, { hash: secret, salt, superuser });
    else if (options.algorithm.name === 'bcrypt' && Buffer.byteLength(secret) > BCRYPT_PASSWORD_BYTES) {
      failed(line, id, `bcrypt takes passwords up to ${BCRYPT_PASSWORD_BYTES} bytes`);
      continue;
    } else users.put(id, { ...(await hashNew(options.algorithm, Buffer.from(secret))), superuser });
    report[exists ? 'override' : 'success']++;
  }
  await flushed();
  return report.failed === 0 ? report : { ...report, rows };
}

/** The rows of a file; a file that cannot be read ends the request with 400. */
async function* readable(upload: Upload): AsyncGenerator<Row> {
  try {
    yield* rowsOf(upload);
  } catch (cause) {
    if (cause instanceof CsvError) throw apiError('BAD_REQUEST', `The file is not CSV: ${cause.message}`);
    if (cause instanceof JsonItemsError)
      throw apiError('BAD_REQUEST', `The file is not a JSON array of users: ${cause.message}`);
    throw cause;
  }
}

function rowsOf({ filename, content }: Upload): AsyncIterable<Row> {
  switch (filename === null ? '.json' : extname(filename).toLowerCase()) {
    case '.json':
      return jsonRows(content);
    case '.csv':
      return csvRows(content);
    default:
      return fail('BAD_REQUEST', 'unsupported_file_format: the file must be .csv or .json');
  }
}

async function* jsonRows(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  let line = 0;
  for await (const item of jsonItems(content)) {
    line++;
    yield { line, fields: typeof item === 'object' && item !== null ? (item as Row['fields']) : {} };
  }
}

async function* csvRows(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const parser = parse({
    bom: true,
    columns: (names: string[]) => names.map((name) => name.trim()),
    info: true,
    max_record_size: RECORD_BYTES_MAX,
    relax_column_count: true, // what is missing is that row's fault alone
    skip_empty_lines: true,
  });
  const filled = (async () => {
    for await (const chunk of content) {
      if (!parser.write(chunk)) await new Promise((resolve) => parser.once('drain', resolve));
    }
    parser.end();
  })();
  // A failure of the source is told where rows are read
  filled.catch((cause: unknown) => parser.destroy(cause as Error));
  for await (const { record, info } of parser as AsyncIterable<{
    record: Record<string, string>;
    info: { lines: number };
  }>)
    yield { line: info.lines, fields: uncovered(record) };
  await filled;
}

/** Takes away the quote that the export puts before what a spreadsheet would compute. */
const uncovered = (record: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value.replace(/^'(?=['=+\-@\t\r])/, '')]),
  );

const valueIn = ({ fields }: Row, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const idOf = (row: Row): string | null => {
  const id = valueIn(row, 'user_id');
  return typeof id === 'string' ? id.slice(0, 256) : null;
};

const lacksSecret = (row: Row, type: Options['type']): boolean =>
  valueIn(row, SECRET_FIELD[type]) === undefined;

/** What can be stored, or why not. Only the word `true` makes a superuser. */
function entryOf(row: Row, type: Options['type']): Entry | string {
  if (lacksSecret(row, type)) return `${type}_import_requires_${SECRET_FIELD[type]}_field`;
  const id = valueIn(row, 'user_id');
  if (typeof id !== 'string' || !isUserId(id)) return 'invalid_user_id';
  const secret = valueIn(row, SECRET_FIELD[type]);
  const salt = valueIn(row, 'salt') ?? '';
  if (typeof secret !== 'string' || secret.length > RECORD_BYTES_MAX) return `invalid_${SECRET_FIELD[type]}`;
  if (type === 'hash' && secret === '') return 'invalid_password_hash';
  if (typeof salt !== 'string') return 'invalid_salt';
  const superuser = ['true', '1'].includes(String(valueIn(row, 'is_superuser')));
  return { line: row.line, id, secret, salt, superuser };
}
