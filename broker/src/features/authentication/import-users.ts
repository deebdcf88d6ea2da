import { extname } from 'node:path';
import { Readable } from 'node:stream';
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

interface File {
  filename: string | null;
  chunks: Buffer[];
}

/** A row that can be stored. */
interface Entry {
  id: string;
  secret: string;
  salt: string;
  superuser: boolean;
}

const RECORD_BYTES_MAX = 128 * 1024;
const ROWS_IN_A_GROUP = 1000; // the store writes them together
const PARSED_AT_ONCE = 32 * 1024; // a few milliseconds
const SECRET_FIELD = { plain: 'password', hash: 'password_hash' } as const;

/**
 * Adds the users of a file. It is read twice: first to its end, so that one that cannot be read changes nothing; then row
 * after row is stored, with a turn for everybody else every few milliseconds. Only its bytes are kept meanwhile: a
 * hundred thousand rows would keep the garbage collector, and so everybody, busy.
 */
export async function importUsers(
  users: AuthnUsers<PasswordUser>,
  { filename, content }: Upload,
  { type, override, algorithm }: Options,
  flushed: () => Promise<void>,
): Promise<ImportReport> {
  const file: File = { filename, chunks: [] };
  const text = new TextChecker();
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += PARSED_AT_ONCE) {
      const part = chunk.subarray(at, at + PARSED_AT_ONCE);
      text.take(part);
      file.chunks.push(part);
    }
  }
  text.end();
  const total = await checked(file, type);

  const report = { total, success: 0, override: 0, skipped: 0, failed: 0 };
  const rows: NonNullable<ImportReport['rows']> = [];
  const failed = (row: Row, reason: string) => {
    report.failed++;
    if (rows.length < IMPORT_ROWS_TOLD) rows.push({ line: row.line, user_id: idOf(row), reason });
  };
  const turn = new Turn();
  let stored = 0;
  for await (const row of readable(file)) {
    if (turn.over) await turn.next();
    const entry = entryOf(row, { type, override, algorithm });
    if (typeof entry === 'string') {
      failed(row, entry);
      continue;
    }
    const { id, secret, salt, superuser } = entry;
    const exists = users.has(id);
    if (exists && !override) {
      report.skipped++;
      continue;
    }
    const kept = type === 'hash' ? { hash: secret, salt } : await hashNew(algorithm, Buffer.from(secret));
    users.put(id, { ...kept, superuser });
    if (++stored % ROWS_IN_A_GROUP === 0) await flushed();
    report[exists ? 'override' : 'success']++;
  }
  await flushed();
  return report.failed === 0 ? report : { ...report, rows };
}

/** Bytes that are no text would make one and the same user of several: such a file ends the request with 400. */
class TextChecker {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });

  take(part: Buffer): void {
    this.read(() => this.decoder.decode(part, { stream: true }));
  }

  end(): void {
    this.read(() => this.decoder.decode());
  }

  private read(step: () => string): void {
    try {
      step();
    } catch {
      fail('BAD_REQUEST', 'The file is not UTF-8');
    }
  }
}

/** How many rows there are; a file without any, or for something else, ends the request with 400. */
async function checked(file: File, type: Options['type']): Promise<number> {
  const turn = new Turn();
  let total = 0;
  for await (const row of readable(file)) {
    if (turn.over) await turn.next();
    total++;
    if (total === 1 && lacksSecret(row, type)) return fail('BAD_REQUEST', lackingSecret(type));
  }
  return total === 0 ? fail('BAD_REQUEST', 'empty_users: the file holds no users') : total;
}

/** The rows of a file; a file that cannot be read ends the request with 400. */
async function* readable(file: File): AsyncGenerator<Row> {
  try {
    yield* rowsOf(file);
  } catch (cause) {
    if (cause instanceof CsvError) throw apiError('BAD_REQUEST', `The file is not CSV: ${cause.message}`);
    if (cause instanceof JsonItemsError)
      throw apiError('BAD_REQUEST', `The file is not a JSON array of users: ${cause.message}`);
    throw cause;
  }
}

function rowsOf({ filename, chunks }: File): AsyncIterable<Row> {
  switch (filename === null ? '.json' : extname(filename).toLowerCase()) {
    case '.json':
      return jsonRows(chunks);
    case '.csv':
      return csvRows(chunks);
    default:
      return fail('BAD_REQUEST', 'unsupported_file_format: the file must be .csv or .json');
  }
}

async function* jsonRows(chunks: readonly Buffer[]): AsyncGenerator<Row> {
  let line = 0;
  for await (const item of jsonItems(chunks)) {
    line++;
    yield { line, fields: typeof item === 'object' && item !== null ? (item as Row['fields']) : {} };
  }
}

async function* csvRows(chunks: readonly Buffer[]): AsyncGenerator<Row> {
  const parser = parse({
    bom: true,
    columns: (names: string[]) => names.map((name) => name.trim()),
    info: true,
    max_record_size: RECORD_BYTES_MAX,
    relax_column_count: true, // what is missing is that row's fault alone
    skip_empty_lines: true,
  });
  Readable.from(chunks, { objectMode: false }).pipe(parser);
  for await (const { record, info } of parser as AsyncIterable<{
    record: Record<string, string>;
    info: { lines: number };
  }>)
    yield { line: info.lines, fields: uncovered(record) };
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

const lackingSecret = (type: Options['type']): string =>
  `${type}_import_requires_${SECRET_FIELD[type]}_field`;

/** What can be stored, or why not. Only the word `true` makes a superuser. */
function entryOf(row: Row, { type, algorithm }: Options): Entry | string {
  if (lacksSecret(row, type)) return lackingSecret(type);
  const id = valueIn(row, 'user_id');
  if (typeof id !== 'string' || !isUserId(id)) return 'invalid_user_id';
  const secret = valueIn(row, SECRET_FIELD[type]);
  const salt = valueIn(row, 'salt') ?? '';
  if (typeof secret !== 'string' || secret.length > RECORD_BYTES_MAX) return `invalid_${SECRET_FIELD[type]}`;
  if (type === 'hash' && secret === '') return 'invalid_password_hash';
  if (type === 'plain' && algorithm.name === 'bcrypt' && Buffer.byteLength(secret) > BCRYPT_PASSWORD_BYTES)
    return `bcrypt takes passwords up to ${BCRYPT_PASSWORD_BYTES} bytes`;
  if (typeof salt !== 'string') return 'invalid_salt';
  const superuser = ['true', '1'].includes(String(valueIn(row, 'is_superuser')));
  return { id, secret, salt, superuser };
}
