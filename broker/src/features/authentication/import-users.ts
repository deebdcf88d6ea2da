import { extname } from 'node:path';
import { IMPORT_ROWS_TOLD, type ImportReport, type PasswordHash } from '@mqdeck/contract/authentication';
import {
  idIn,
  lackingSecret,
  lacksSecret,
  type PasswordKind,
  type UserEntry,
  UserFileError,
  type UserFileFormat,
  UserFileReader,
  type UserRow,
  userEntry,
} from '@mqdeck/contract/user-import';
import { ApiError, apiError, fail } from '../../http/api-error.ts';
import type { Upload } from '../../http/handlers.ts';
import { Turn } from '../../paging/turn.ts';
import type { PasswordUser } from './built-in-database.ts';
import { hashNew } from './hashing.ts';
import { Spool } from './spool.ts';
import type { AuthnUsers } from './users.ts';

interface Options {
  type: PasswordKind;
  override: boolean;
  /** One faulty row keeps all others out. */
  all_or_nothing: boolean;
  algorithm: PasswordHash;
}

interface Parts {
  /** Where the file is kept meanwhile; null = where the system keeps such files. */
  folder: string | null;
  flushed: () => Promise<void>;
}

interface Storing extends Options {
  flushed: () => Promise<void>;
  signal: AbortSignal;
}

interface Report extends ImportReport {
  rows: NonNullable<ImportReport['rows']>;
}

const ROWS_IN_A_GROUP = 500; // the store writes them together, in one turn of the event loop
const PARSED_AT_ONCE = 32 * 1024; // a few milliseconds

/**
 * Adds the users of a file. The file is read twice: first while it arrives, so that a file that cannot be read changes
 * nothing; then row after row is stored. In between it is on disk, and never in memory as a whole. Other work has a turn
 * every few milliseconds.
 */
export async function importUsers(
  users: AuthnUsers<PasswordUser>,
  { filename, content, signal }: Upload,
  options: Options,
  { folder, flushed }: Parts,
): Promise<ImportReport> {
  const format = formatOf(filename);
  const spool = await Spool.open(folder);
  try {
    const report = await checked(spool.keeping(content), format, options);
    if (options.all_or_nothing && report.failed > 0) throw nothingImported(report);
    const rowsToStore = rowsOf(spool.pieces(), format);
    await stored(users, rowsToStore, report, { ...options, flushed, signal });
    const { rows, ...counts } = report;
    return report.failed === 0 ? counts : { ...counts, rows };
  } finally {
    await spool.close();
  }
}

/** Counts the rows, and the faulty ones; a file without any, or for another kind of passwords, ends the request with 400. */
async function checked(
  pieces: AsyncIterable<Buffer>,
  format: UserFileFormat,
  { type: kind, algorithm }: Options,
): Promise<Report> {
  const report: Report = { total: 0, success: 0, override: 0, skipped: 0, failed: 0, rows: [] };
  for await (const row of rowsOf(pieces, format)) {
    report.total++;
    if (report.total === 1 && lacksSecret(row, kind)) return fail('BAD_REQUEST', lackingSecret(kind));
    const entry = userEntry(row, { kind, algorithm });
    if (typeof entry !== 'string') continue;
    report.failed++;
    if (report.rows.length < IMPORT_ROWS_TOLD)
      report.rows.push({ line: row.line, user_id: idIn(row), reason: entry });
  }
  return report.total === 0 ? fail('BAD_REQUEST', 'empty_users: the file holds no users') : report;
}

/** A sender that is gone ends the import, unless all or nothing is wanted. */
async function stored(
  users: AuthnUsers<PasswordUser>,
  rowsToStore: AsyncIterable<UserRow>,
  report: Report,
  { type: kind, algorithm, override, all_or_nothing, flushed, signal }: Storing,
): Promise<void> {
  let group = new Map<string, PasswordUser>();
  const write = async () => {
    users.putAll(group);
    group = new Map();
    await flushed();
  };
  for await (const row of rowsToStore) {
    if (signal.aborted && !all_or_nothing) break;
    const entry = userEntry(row, { kind, algorithm });
    if (typeof entry === 'string') continue; // it is in the report already
    const exists = group.has(entry.id) || users.has(entry.id);
    if (exists && !override) {
      report.skipped++;
      continue;
    }
    group.set(entry.id, await userOf(entry, kind, algorithm));
    report[exists ? 'override' : 'success']++;
    if (group.size >= ROWS_IN_A_GROUP) await write();
  }
  await write();
}

async function userOf(
  { secret, salt, superuser }: UserEntry,
  kind: PasswordKind,
  algorithm: PasswordHash,
): Promise<PasswordUser> {
  if (kind === 'hash') return { hash: secret, salt, superuser };
  return { ...(await hashNew(algorithm, Buffer.from(secret))), superuser };
}

function nothingImported({ total, failed, rows }: Report): ApiError {
  const message = `Nothing was imported: ${failed} of ${total} rows cannot be imported`;
  const { code, statusCode, headers } = apiError('BAD_REQUEST');
  return new ApiError(code, message, statusCode, headers, { total, failed, rows });
}

function formatOf(filename: string | null): UserFileFormat {
  switch (filename === null ? '.json' : extname(filename).toLowerCase()) {
    case '.json':
      return 'json';
    case '.csv':
      return 'csv';
    default:
      return fail('BAD_REQUEST', 'unsupported_file_format: the file must be .csv or .json');
  }
}

/** The rows of a file, with turns for other work in between; a file that cannot be read ends the request with 400. */
async function* rowsOf(pieces: AsyncIterable<Buffer>, format: UserFileFormat): AsyncGenerator<UserRow> {
  const reader = new UserFileReader(format);
  const turn = new Turn();
  try {
    for await (const piece of pieces)
      for (let at = 0; at < piece.length; at += PARSED_AT_ONCE)
        for (const row of reader.take(piece.subarray(at, at + PARSED_AT_ONCE))) {
          if (turn.over) await turn.next();
          yield row;
        }
    yield* reader.end();
  } catch (cause) {
    if (cause instanceof UserFileError) throw apiError('BAD_REQUEST', cause.message);
    throw cause;
  }
}
