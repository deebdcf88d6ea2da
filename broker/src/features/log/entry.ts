import { masked } from '@mqdeck/contract/kit/secrets';
import { withoutUrlSecrets } from '@mqdeck/contract/kit/url-secrets';
import { LOG_LEVELS, type LogLevel } from '@mqdeck/contract/log';

/** Something that happened, as every handler gets it. */
export interface Entry {
  readonly at: number; // epoch ms
  readonly level: LogLevel;
  readonly msg: string;
  /** Ready to be written: plain values of bounded size, secrets masked, errors told. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Apart from the facts: each handler shows it in its own way. */
  readonly payload: Uint8Array | null;
}

const RANK = new Map<string, number>(LOG_LEVELS.map((level, rank) => [level, rank]));
/** Above all levels: takes nothing. */
export const NOTHING = LOG_LEVELS.length;

/** How bad a level is; 0 for `all`. */
export const rankOf = (level: LogLevel | 'all'): number => RANK.get(level) ?? 0;

const TEXT_MAX = 4096; // characters of a value; a client id may have 65,535
const ITEMS_MAX = 50; // of a list or a block
const DEPTH_MAX = 4;

export function entryOf(level: LogLevel, given: object, msg: string, at: number): Entry {
  const { payload = null, ...facts } = given as { payload?: unknown };
  const isBytes = payload instanceof Uint8Array;
  const known = isBytes || payload === null ? facts : given;
  return {
    at,
    level,
    msg: withoutLogin(cut(msg)),
    facts: masked(told(known, DEPTH_MAX)) as Record<string, unknown>,
    payload: isBytes ? payload : null,
  };
}

/** As JSON can say it. */
function told(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutLogin(cut(value));
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
    return cut(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return toldError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => told(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ITEMS_MAX)
      .map(([name, one]) => [name, told(one, depth - 1)]),
  );
}

/** Not whatever else libraries hang on their errors: commands with passwords, requests with headers. */
function toldError(error: Error, depth: number): object {
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    message: withoutLogin(cut(message)),
    ...(typeof code === 'string' && { code }),
    ...(stack !== undefined && { stack: withoutLogin(cut(stack)) }),
    ...(cause !== undefined && depth > 0 && { cause: told(cause, depth - 1) }),
  };
}

const cut = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);

/** Addresses of servers may hold who asks: `mongodb://user:password@host`. */
const withoutLogin = (text: string): string => (text.includes('://') ? withoutUrlSecrets(text) : text);
