import { type PasswordHash, USER_ID_BYTES_MAX } from './authentication.ts';
import { CsvError, CsvReader } from './kit/csv.ts';
import { JsonItemsError, JsonItemsReader } from './kit/json-items.ts';

/** What a file of users looks like: how it is read, and which of its rows can be imported. */

/** Whether passwords come as they are, or as hashes made by the authenticator's algorithm. */
export type PasswordKind = 'plain' | 'hash';

export type UserFileFormat = 'csv' | 'json';

/** A row as it was read: fields by their names. */
export interface UserRow {
  /** In CSV the line where the row begins, in JSON the number of the item. */
  line: number;
  fields: Readonly<Record<string, unknown>>;
}

/** A row that can be imported. */
export interface UserEntry {
  id: string;
  secret: string;
  /** '' where there is none. */
  salt: string;
  superuser: boolean;
}

/** The file cannot be read. */
export class UserFileError extends Error {}

const SECRET_FIELD = { plain: 'password', hash: 'password_hash' } as const;

const SECRET_LENGTH_MAX = 128 * 1024;
const SALT_LENGTH_MAX = 1024;
/** bcrypt ignores what comes behind. */
export const BCRYPT_PASSWORD_BYTES = 72;
/** A bcrypt hash, with the logarithm of its rounds. */
export const BCRYPT_HASH = /^\$2[abxy]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Each round more doubles the time; these take some two seconds. */
export const BCRYPT_ROUNDS_MAX = 15;
const BCRYPT_ROUNDS_MIN = 4;
const DIGEST_BYTES = {
  md4: 16,
  md5: 16,
  ripemd160: 20,
  sha: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
} as const;

const bytesOf = (value: string): number => new TextEncoder().encode(value).length;

/** Nothing in an id breaks a line of a file or of the log. */
export const isUserId = (id: string): boolean =>
  id !== '' &&
  id.length <= USER_ID_BYTES_MAX &&
  isOneLine(id) &&
  (id.length * 3 <= USER_ID_BYTES_MAX || bytesOf(id) <= USER_ID_BYTES_MAX);

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
const isOneLine = (value: string): boolean => !/[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(value);

/** Reads the rows of a file that arrives in pieces. Throws UserFileError. */
export class UserFileReader {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly csv = new CsvReader();
  private readonly json = new JsonItemsReader();
  private readonly format: UserFileFormat;
  private names: string[] | null = null; // the first record of a CSV file
  private items = 0;

  constructor(format: UserFileFormat) {
    this.format = format;
  }

  *take(piece: Uint8Array): Generator<UserRow> {
    yield* this.rows(() => this.decoder.decode(piece, { stream: true }));
  }

  *end(): Generator<UserRow> {
    yield* this.rows(() => this.decoder.decode());
    try {
      if (this.format === 'json') this.json.end();
      else for (const record of this.csv.end()) yield* this.rowOf(record.line, record.cells);
    } catch (cause) {
      throw explained(cause);
    }
  }

  private *rows(decoded: () => string): Generator<UserRow> {
    let text: string;
    try {
      text = decoded();
    } catch (cause) {
      // Bytes that are no text would make one and the same user of several
      throw new UserFileError('The file is not UTF-8', { cause });
    }
    try {
      if (this.format === 'json')
        for (const item of this.json.take(text))
          yield { line: ++this.items, fields: typeof item === 'object' && item !== null ? { ...item } : {} };
      else for (const { line, cells } of this.csv.take(text)) yield* this.rowOf(line, cells);
    } catch (cause) {
      throw explained(cause);
    }
  }

  private *rowOf(line: number, cells: string[]): Generator<UserRow> {
    if (this.names === null) {
      this.names = cells.map((cell) => cell.trim());
      return;
    }
    const fields = Object.create(null) as Record<string, string>;
    for (let i = 0; i < this.names.length && i < cells.length; i++)
      fields[this.names[i]!] = uncovered(cells[i]!);
    yield { line, fields };
  }
}

/** Takes away the quote that the export puts before what a spreadsheet would compute. */
const uncovered = (cell: string): string =>
  cell.charCodeAt(0) === 0x27 ? cell.replace(/^'(?=['=+\-@\t\r])/, '') : cell;

function explained(cause: unknown): unknown {
  if (cause instanceof CsvError) return new UserFileError(`The file is not CSV: ${cause.message}`, { cause });
  if (cause instanceof JsonItemsError)
    return new UserFileError(`The file is not a JSON array of users: ${cause.message}`, { cause });
  return cause;
}

const valueIn = ({ fields }: UserRow, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

export const idIn = (row: UserRow): string | null => {
  const id = valueIn(row, 'user_id');
  return typeof id === 'string' ? id.slice(0, 256) : null;
};

export const lacksSecret = (row: UserRow, kind: PasswordKind): boolean =>
  valueIn(row, SECRET_FIELD[kind]) === undefined;

export const lackingSecret = (kind: PasswordKind): string =>
  `${kind}_import_requires_${SECRET_FIELD[kind]}_field`;

/** The user of a row, or the reason why the row cannot be imported. `algorithm` is that of the authenticator. */
export function userEntry(
  row: UserRow,
  { kind, algorithm }: { kind: PasswordKind; algorithm: PasswordHash },
): UserEntry | string {
  if (lacksSecret(row, kind)) return lackingSecret(kind);
  const id = valueIn(row, 'user_id');
  if (typeof id !== 'string' || !isUserId(id)) return 'invalid_user_id';
  const secret = valueIn(row, SECRET_FIELD[kind]);
  if (typeof secret !== 'string' || secret.length > SECRET_LENGTH_MAX) return `invalid_${SECRET_FIELD[kind]}`;
  if (kind === 'hash' && !isHashOf(algorithm, secret)) return 'invalid_password_hash';
  if (kind === 'plain' && algorithm.name === 'bcrypt' && bytesOf(secret) > BCRYPT_PASSWORD_BYTES)
    return `bcrypt takes passwords up to ${BCRYPT_PASSWORD_BYTES} bytes`;
  const salt = valueIn(row, 'salt') ?? '';
  if (typeof salt !== 'string' || salt.length > SALT_LENGTH_MAX || !isOneLine(salt)) return 'invalid_salt';
  const superuser = flagOf(valueIn(row, 'is_superuser'));
  return superuser === undefined ? 'invalid_is_superuser' : { id, secret, salt, superuser };
}

function flagOf(value: unknown): boolean | undefined {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value === 'object') return undefined;
  const word = String(value).trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

/** Whether a password can have this hash. */
function isHashOf(algorithm: PasswordHash, hash: string): boolean {
  switch (algorithm.name) {
    case 'plain':
      return hash !== '';
    case 'bcrypt': {
      const rounds = Number(BCRYPT_HASH.exec(hash)?.[1]);
      return rounds >= BCRYPT_ROUNDS_MIN && rounds <= BCRYPT_ROUNDS_MAX;
    }
    case 'pbkdf2':
      return isHex(hash, algorithm.dk_length ?? DIGEST_BYTES[algorithm.mac_fun]);
    default:
      return isHex(hash, DIGEST_BYTES[algorithm.name]);
  }
}

const isHex = (value: string, bytes: number): boolean =>
  value.length === 2 * bytes && /^[0-9a-f]*$/i.test(value);
