import type { Words } from '../../../i18n/words.ts';
import type { usersWords } from './words.ts';

type W = Words<typeof usersWords>;

/** Whether passwords come as they are or as hashes: the API's own words. */
export type PasswordKind = 'plain' | 'hash';

export interface ImportRow {
  /** In the file: the line where it begins, or its number in a JSON list. */
  line: number;
  user: { user_id: string; is_superuser: boolean } & Record<string, unknown>;
}

export interface RowFault {
  line: number;
  user: string;
  reason: string;
}

/** What a file holds: users to send, and rows that no broker would take. `fault` when it cannot be read at all. */
export type ReadFile = { rows: ImportRow[]; faults: RowFault[] } | { fault: string };

const PASSWORD_COLUMN = { plain: 'password', hash: 'password_hash' } as const;

/** Reads a file of users before anything is sent, so that one bad row keeps no other from being imported. */
export function readUsers(text: string, kind: PasswordKind, w: W): ReadFile {
  const plain = text.replace(/^\ufeff/, '');
  if (plain.trim() === '') return { fault: w.nothing };
  const found = /^\s*[[{]/.test(plain) ? jsonRecords(plain, w) : csvRecords(plain, kind, w);
  if ('fault' in found) return found;
  if (found.records.length === 0) return { fault: w.nothing };
  const rows: ImportRow[] = [];
  const faults: RowFault[] = [];
  for (const { line, record } of found.records) {
    const read = userOf(record, kind, w);
    if ('user' in read) rows.push({ line, user: read.user });
    else faults.push({ line, user: read.name, reason: read.reason });
  }
  return { rows, faults };
}

interface Line {
  line: number;
  record: unknown;
}

function jsonRecords(text: string, w: W): { records: Line[] } | { fault: string } {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    return { fault: w.notJson({ reason: error instanceof Error ? error.message : '' }) };
  }
  if (!Array.isArray(list)) return { fault: w.notList };
  return { records: list.map((record: unknown, i) => ({ line: i + 1, record })) };
}

function csvRecords(text: string, kind: PasswordKind, w: W): { records: Line[] } | { fault: string } {
  const lines = csvLines(text);
  if (lines === null) return { fault: w.openQuote };
  const [head, ...rest] = lines;
  const names = head?.cells.map((cell) => cell.trim()) ?? [];
  const missing = ['user_id', PASSWORD_COLUMN[kind]].find((column) => !names.includes(column));
  if (missing) return { fault: w.noColumn({ column: missing }) };
  const filled = rest.filter(({ cells }) => cells.some((cell) => cell !== ''));
  return {
    records: filled.map(({ line, cells }) => ({
      line,
      record: Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])),
    })),
  };
}

/** RFC 4180: quoted cells may hold commas, line ends and doubled quotes. Null when a quote is never closed. */
export function csvLines(text: string): { line: number; cells: string[] }[] | null {
  const lines: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let begin = 1;
  const end = () => {
    lines.push({ line: begin, cells: [...cells, cell] });
    cells = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\n') line += 1;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (char === '"' && cell === '') quoted = true;
    else if (char === ',') {
      cells.push(cell);
      cell = '';
    } else if (char === '\n') {
      end();
      begin = line;
    } else if (char !== '\r' || text[at + 1] !== '\n') cell += char;
  }
  if (quoted) return null;
  if (cell !== '' || cells.length > 0) end();
  return lines;
}

function userOf(
  record: unknown,
  kind: PasswordKind,
  w: W,
): { user: ImportRow['user'] } | { name: string; reason: string } {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { name: '', reason: w.notObject };
  const { user_id, is_superuser, salt, ...rest } = record as Record<string, unknown>;
  const name = textOf(user_id);
  if (name === '') return { name: '', reason: w.noUser };
  const column = PASSWORD_COLUMN[kind];
  const password = textOf(rest[column]);
  if (password === '') return { name, reason: w.noPassword({ column }) };
  const flag = booleanOf(is_superuser);
  if (flag === undefined) return { name, reason: w.notBoolean };
  const salted = kind === 'hash' ? { salt: textOf(salt) } : {};
  return { user: { user_id: name, [column]: password, ...salted, is_superuser: flag } };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

function booleanOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null || value === '') return false;
  const word = String(value).trim().toLowerCase();
  return word === 'true' || word === '1' ? true : word === 'false' || word === '0' ? false : undefined;
}

const EXAMPLES = {
  plain: [
    { user_id: 'sensor-1', password: 'change-me-1', is_superuser: false },
    { user_id: 'operator', password: 'change-me-2', is_superuser: true },
  ],
  hash: [
    {
      user_id: 'sensor-1',
      password_hash: '<hash of password and salt>',
      salt: '<salt>',
      is_superuser: false,
    },
    { user_id: 'operator', password_hash: '<hash of password and salt>', salt: '<salt>', is_superuser: true },
  ],
} as const;

/** A file to fill in, with two users as an example. */
export function templateOf(kind: PasswordKind, format: 'csv' | 'json'): string {
  const users: readonly object[] = EXAMPLES[kind];
  if (format === 'json') return `${JSON.stringify(users, null, 2)}\n`;
  const lines = [Object.keys(users[0]!), ...users.map((user) => Object.values(user))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}
