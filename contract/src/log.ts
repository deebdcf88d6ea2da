import * as z from 'zod/mini';
import { AuditSettings, AuditSettingsChange } from './audit.ts';
import { endpoint, json } from './kit/endpoint.ts';
import { queryInt } from './kit/query.ts';
import { flag, intBetween, parseBytes, parseDuration, timestamp } from './kit/values.ts';

/** How bad it is, mildest first. A handler writes what is of its level or worse; `all` means everything. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The first file counts; so many handlers are enough for every purpose. */
export const LOG_FILE_HANDLERS_MAX = 16;
const ROTATION_COUNT_MAX = 128;
/** Smaller files would be renamed with every line. */
const ROTATION_BYTES_MIN = 1024;
const WINDOW_MS_MIN = 1000;

const OFFSET = /^(system|utc|[+-](0\d|1[0-4]):[0-5]\d)$/;
const NO_OFFSET = 'system, utc or an offset such as +08:00';
const timeOffset = z.string(NO_OFFSET).check(z.refine((value) => OFFSET.test(value), NO_OFFSET));

const NO_SIZE = 'infinity or a size of at least 1KB';
const rotationSize = z
  .union([z.string(), z.number()], NO_SIZE)
  .check(
    z.refine((value) => value === 'infinity' || (parseBytes(value) ?? 0) >= ROTATION_BYTES_MIN, NO_SIZE),
  );

const NO_WINDOW = 'Not a duration of at least 1s';
const timeWindow = z
  .union([z.string(), z.number()], NO_WINDOW)
  .check(z.refine((value) => (parseDuration(value) ?? 0) >= WINDOW_MS_MIN, NO_WINDOW));

const PATH = /^(?:\$\{EMQX_LOG_DIR\}\/)?([A-Za-z0-9][A-Za-z0-9._-]{0,95}\.log)$/;

/** The file of a path, within the folder `log` of the data folder; null when the path is no such file. */
export const logFileName = (path: string): string | null => PATH.exec(path)?.[1] ?? null;

/**
 * One name in the folder `log` of the data folder, with or without `${EMQX_LOG_DIR}/` before it. No other folder, neither
 * below nor elsewhere: whoever may change the log could otherwise write into, and fetch, every file of the broker's user.
 * Who wants the files elsewhere makes that folder a link.
 */
const NO_PATH = 'a name of letters, digits, . _ and - that ends in .log; the file is in the log folder';
const path = z.string(NO_PATH).check(z.refine((value) => logFileName(value) !== null, NO_PATH));

const handlerFields = {
  enable: flag,
  formatter: z.enum(['text', 'json']),
  level: z.enum([...LOG_LEVELS, 'all']),
  /** How payloads are shown where a line has one, at level debug. */
  payload_encode: z.enum(['hex', 'text', 'hidden']),
  time_offset: timeOffset,
  /** `epoch` = microseconds; `auto` = those in JSON, RFC 3339 in text. */
  timestamp_format: z.enum(['auto', 'epoch', 'rfc3339']),
};

const fileFields = {
  ...handlerFields,
  path,
  /** Files in all: the one being written and those before it, `<path>.1` being the latest. */
  rotation_count: intBetween(1, ROTATION_COUNT_MAX),
  rotation_size: rotationSize,
};

const common = {
  formatter: z._default(handlerFields.formatter, 'text'),
  level: z._default(handlerFields.level, 'warning'),
  payload_encode: z._default(handlerFields.payload_encode, 'text'),
  time_offset: z._default(handlerFields.time_offset, 'system'),
  timestamp_format: z._default(handlerFields.timestamp_format, 'auto'),
};

export const ConsoleHandler = z.strictObject({ enable: z._default(flag, true), ...common });
export type ConsoleHandler = z.output<typeof ConsoleHandler>;

export const FileHandler = z.strictObject({
  enable: z._default(flag, false),
  ...common,
  path: z._default(path, '${EMQX_LOG_DIR}/emqx.log'),
  rotation_count: z._default(fileFields.rotation_count, 10),
  rotation_size: z._default(fileFields.rotation_size, '50MB'),
});
export type FileHandler = z.output<typeof FileHandler>;

/** The name of a file handler: a word. */
export const HANDLER_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const NO_HANDLERS = `at most ${LOG_FILE_HANDLERS_MAX} handlers, each named by a letter and then letters, digits, _ and -`;
const named = <S extends z.ZodMiniType>(handler: S) =>
  z.record(z.string(), handler).check(
    z.refine((handlers) => {
      const names = Object.keys(handlers);
      return names.length <= LOG_FILE_HANDLERS_MAX && names.every((name) => HANDLER_NAME.test(name));
    }, NO_HANDLERS),
  );

const throttlingFields = {
  /** What is told again within it, of level warning or worse, is told once, and then how often. */
  time_window: timeWindow,
};

const ONE_FILE_EACH = 'every handler needs a file of its own';
const hasOwnFiles = (handlers: Record<string, { path: string }>): boolean => {
  // One file, where the disk knows no capitals.
  const files = Object.values(handlers).map(({ path }) => logFileName(path)!.toLowerCase());
  return new Set(files).size === files.length;
};

/** Where the broker writes what happens, from which level on, and how. */
export const LogSettings = z.strictObject({
  console: z.prefault(ConsoleHandler, {}),
  file: z.prefault(named(FileHandler).check(z.refine(hasOwnFiles, ONE_FILE_EACH)), { default: {} }),
  throttling: z.prefault(z.strictObject({ time_window: z._default(timeWindow, '1m') }), {}),
  /** What is kept of who changed what; of real brokers the enterprise edition has it. */
  audit: z.prefault(AuditSettings, {}),
});
export type LogSettings = z.output<typeof LogSettings>;

/** What is left out keeps its value. `file` names all handlers there shall be: one that it does not name is removed. */
const LogChange = z.strictObject({
  console: z.optional(z.partial(z.strictObject(handlerFields))),
  file: z.optional(named(z.partial(z.strictObject(fileFields)))),
  throttling: z.optional(z.partial(z.strictObject(throttlingFields))),
  audit: z.optional(AuditSettingsChange),
});
export type LogChange = z.output<typeof LogChange>;

/** A line that is still in memory. */
const LogLine = z.looseObject({
  /** Grows from line to line, and from one run of the broker to the next. */
  position: z.number(),
  time: timestamp,
  level: z.enum(LOG_LEVELS),
  msg: z.string(),
  /** What the line is about: `clientid`, `reason`… Secrets read `******`. */
  facts: z.record(z.string(), z.unknown()),
});
export type LogLine = z.infer<typeof LogLine>;

const LogFile = z.looseObject({
  name: z.string(),
  handler: z.nullable(z.string()), // null = that of no handler any more
  /** Whether a handler is writing it; otherwise it is one of those before. */
  current: z.boolean(),
  size: z.number(), // bytes
  mtime: timestamp,
});
export type LogFile = z.infer<typeof LogFile>;

const LINES_MAX = 1000;
export const LOG_TEXT_MAX = 200; // characters
const LINES = 'the last lines of the log, read and followed without a file';
const FILES = 'log files, listed and fetched';

export const log = {
  get: endpoint({
    method: 'GET',
    path: '/configs/log',
    summary: 'Where the broker writes its log, and from which level on',
    ok: json(LogSettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/configs/log',
    summary: 'Change where the log is written; in force at once, what is left out keeps its value',
    body: LogChange,
    ok: json(LogSettings),
  }),
  lines: endpoint({
    method: 'GET',
    path: '/log/lines',
    summary: 'The last lines, or those from a position on; what any handler writes, warnings in any case',
    query: z.object({
      /** That of the answer before; without one the last lines are answered. */
      position: z.optional(queryInt({ min: 0 })),
      limit: z._default(queryInt({ min: 1, max: LINES_MAX }), 200),
      /** This level and worse. */
      level: z.optional(z.enum(LOG_LEVELS)),
      /** Anywhere in a line, capitals or not. */
      text: z.optional(z.string().check(z.maxLength(LOG_TEXT_MAX))),
    }),
    ok: json(
      z.looseObject({
        data: z.array(LogLine),
        meta: z.looseObject({
          position: z.number(), // where to go on
          missed: z.number(), // lines from the asked position on that are gone already
        }),
      }),
    ),
    extension: LINES,
  }),
  files: endpoint({
    method: 'GET',
    path: '/log/files',
    summary: 'The log files there are',
    ok: json(z.array(LogFile)),
    extension: FILES,
  }),
  download: endpoint({
    method: 'GET',
    path: '/log/files/:name',
    summary: 'A log file as it is now',
    ok: json(z.optional(z.string())), // an empty file has no text
    errors: ['NOT_FOUND'],
    extension: FILES,
  }),
};
