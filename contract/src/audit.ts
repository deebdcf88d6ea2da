import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { page, pageQueryFields } from './kit/page.ts';
import { queryInt, queryTime } from './kit/query.ts';
import { flag, intBetween, timestamp } from './kit/values.ts';

/** A signed-in user, a program with an API key, the command line, or an Erlang console (of real brokers only). */
export const AUDIT_FROM = ['dashboard', 'rest_api', 'cli', 'erlang_console'] as const;
export const AUDIT_RESULTS = ['success', 'failure'] as const;
export const AUDIT_METHODS = ['post', 'put', 'delete'] as const;

/** So many entries are kept at most, whatever is set. */
const ENTRIES_MAX = 30_000;
const ENTRIES_MIN = 10;

/** The part `audit` of the settings of the log. */
export const AuditSettings = z.strictObject({
  enable: z._default(flag, true),
  /** So many entries are kept; the oldest go. */
  max_filter_size: z._default(intBetween(ENTRIES_MIN, ENTRIES_MAX), 5000),
  /**
   * Publishing, subscribing and kicking out through the API, which programs do all day, is not recorded. Off, other than
   * with real brokers: what comes again and again is one entry with a number here, and pushes nothing else out.
   */
  ignore_high_frequency_request: z._default(flag, false),
});
export type AuditSettings = z.output<typeof AuditSettings>;

export const AuditSettingsChange = z.partial(
  z.strictObject({
    enable: flag,
    max_filter_size: intBetween(ENTRIES_MIN, ENTRIES_MAX),
    ignore_high_frequency_request: flag,
  }),
);

/** What a deed changed, value by value. Absent `before`: it is new; absent `after`: it is gone. Secrets read `******`. */
export const AuditChange = z.looseObject({
  path: z.array(z.string()), // `mqtt`, `max_packet_size`
  before: z.optional(z.unknown()),
  after: z.optional(z.unknown()),
});
export type AuditChange = z.infer<typeof AuditChange>;

const AuditRequest = z.looseObject({
  method: z.string(),
  bindings: z.optional(z.record(z.string(), z.unknown())), // the parameters of the path
  query: z.optional(z.record(z.string(), z.unknown())),
  headers: z.optional(z.record(z.string(), z.unknown())),
  body: z.optional(z.unknown()), // secrets read `******`, what is long is cut
});

/** What somebody did, or tried to do. Of a deed at the command line there is no request. */
export const AuditEntry = z.looseObject({
  created_at: timestamp,
  node: z.string(),
  from: z.string(), // one of AUDIT_FROM; a newer cluster may know others
  source: z.string(), // the user or the key; '' = nobody said who he is
  source_ip: z.string(),
  operation_id: z.string(), // the path of the endpoint, or the command
  operation_type: z.string(), // the first part of that path
  operation_result: z.enum(AUDIT_RESULTS),
  http_method: z.optional(z.string()),
  http_status_code: z.optional(z.number()),
  http_request: z.optional(AuditRequest),
  duration_ms: z.number(),
  args: z.optional(z.array(z.unknown())), // of a command
  failure: z.optional(z.unknown()),
  // What the real API does not tell:
  source_name: z.optional(z.string()), // of an API key, as it was called then
  id: z.optional(z.number()), // grows from entry to entry
  changes: z.optional(z.array(AuditChange)),
  changes_left_off: z.optional(z.number()), // beyond those above
  /** The same refused attempt came so often, the last time then; only the first one stands here. */
  times: z.optional(z.number()),
  last_at: z.optional(timestamp),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

const EXTENSION =
  'what was changed, by whom and from where; real brokers have it in their enterprise edition alone';

export const audit = {
  list: endpoint({
    method: 'GET',
    path: '/audit',
    summary: 'What was done through the API and the command line, the latest first',
    query: z.object({
      ...pageQueryFields,
      node: z.optional(z.string()),
      from: z.optional(z.enum(AUDIT_FROM)),
      source: z.optional(z.string()), // also the name of a key
      source_ip: z.optional(z.string()),
      operation_id: z.optional(z.string()),
      operation_type: z.optional(z.string()),
      operation_result: z.optional(z.enum(AUDIT_RESULTS)),
      http_method: z.optional(z.enum(AUDIT_METHODS)),
      http_status_code: z.optional(queryInt({ min: 100, max: 599 })),
      gte_created_at: z.optional(queryTime),
      lte_created_at: z.optional(queryTime),
      gte_duration_ms: z.optional(queryInt({ min: 0 })),
      lte_duration_ms: z.optional(queryInt({ min: 0 })),
      /** Anywhere in the operation, in what its path names, or in who did it; capitals or not. */
      like_text: z.optional(z.string().check(z.maxLength(1024))),
    }),
    ok: page(AuditEntry),
    extension: EXTENSION,
  }),
  get: endpoint({
    method: 'GET',
    path: '/audit/:id',
    summary: 'One entry of the audit log',
    ok: json(AuditEntry),
    errors: ['NOT_FOUND'],
    extension: EXTENSION,
  }),
};
