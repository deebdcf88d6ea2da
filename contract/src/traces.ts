import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { moment } from './kit/moment.ts';
import { queryInt } from './kit/query.ts';
import { mqttText, text, timestamp } from './kit/values.ts';

/** Waiting, running and stopped ones together. */
export const TRACES_MAX = 30;
/** A trace without an end lives so long. */
export const TRACE_LIFE_MS = 10 * 60_000;
/** A trace whose file has become as large as this on a node stops there. */
export const TRACE_FILE_BYTES_MAX = 128 * 1024 ** 2;
/** In one answer, however many were asked for. */
export const TRACE_LOG_BYTES_MAX = 1024 ** 2;
/** Of a payload in a line. */
export const TRACE_PAYLOAD_BYTES_MAX = 1024;

export const TRACE_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
const TRACE_NAME_MAX = 256;

/** What is traced; a trace has one condition, in the field of this name. */
export const TRACE_TYPES = ['clientid', 'topic', 'ip_address', 'ruleid'] as const;
export type TraceType = (typeof TRACE_TYPES)[number];

export const TRACE_FORMATTERS = ['text', 'json'] as const;
/** How payloads are shown; what is hidden is not written at all. */
export const TRACE_PAYLOADS = ['text', 'hex', 'hidden'] as const;

/** What a trace may be told to leave out: each is a kind of packets, with all that the broker does because of them. */
export const TRACE_PACKETS = ['connect', 'subscribe', 'publish', 'deliver', 'ping'] as const;
export type TracePacket = (typeof TRACE_PACKETS)[number];

const name = z
  .string()
  .check(
    z.maxLength(TRACE_NAME_MAX, `Name Length must =< ${TRACE_NAME_MAX}`),
    z.regex(TRACE_NAME, `Name should be ${TRACE_NAME.source}`),
  );

const condition = {
  clientid: z.optional(mqttText),
  /** A filter: it may have wildcards. */
  topic: z.optional(text),
  ip_address: z.optional(text),
  ruleid: z.optional(text),
};

/** What happens to some clients or messages, written down for a while. */
export const Trace = z.looseObject({
  name: z.string(),
  type: z.enum(TRACE_TYPES),
  clientid: z.optional(z.string()),
  topic: z.optional(z.string()),
  ip_address: z.optional(z.string()),
  ruleid: z.optional(z.string()),
  start_at: timestamp,
  end_at: timestamp,
  /** By the clock; `stopped` also when somebody stopped it. */
  status: z.enum(['waiting', 'running', 'stopped']),
  log_size: z.record(z.string(), z.number()), // bytes, by node
  formatter: z.optional(z.enum(TRACE_FORMATTERS)),
  payload_encode: z.optional(z.enum(TRACE_PAYLOADS)),
  /** An extension: these only; without it all. */
  packets: z.optional(z.array(z.enum(TRACE_PACKETS))),
  /** An extension: it stopped before its end, because its file is as large as it may be or cannot be written. */
  stopped_by: z.optional(z.enum(['size', 'disk'])),
});
export type Trace = z.infer<typeof Trace>;

const TraceRequest = z.object({
  name,
  type: z.enum(TRACE_TYPES),
  ...condition,
  /** Now, unless told. */
  start_at: z.optional(moment),
  /** `TRACE_LIFE_MS` after the start, unless told. */
  end_at: z.optional(moment),
  formatter: z._default(z.enum(TRACE_FORMATTERS), 'text'),
  payload_encode: z._default(z.enum(TRACE_PAYLOADS), 'text'),
  /** An extension: lines about these only; all, unless told. */
  packets: z.optional(z.array(z.enum(TRACE_PACKETS)).check(z.minLength(1))),
});
export type TraceRequest = z.output<typeof TraceRequest>;

const TraceLogFile = z.looseObject({
  node: z.string(),
  size: z.number(), // bytes
  mtime: z.number(), // epoch seconds
});
export type TraceLogFile = z.infer<typeof TraceLogFile>;

const INT32_MAX = 2 ** 31 - 1;
const onNode = { node: z.optional(z.string()) };

export const traces = {
  list: endpoint({
    method: 'GET',
    path: '/trace',
    summary: 'All traces, the latest start first',
    ok: json(z.array(Trace)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/trace',
    summary: 'Write down what happens to a client, on topics, from an address or in a rule, for a while',
    body: TraceRequest,
    ok: json(Trace),
    errors: ['INVALID_PARAMS', 'ALREADY_EXISTS', 'DUPLICATE_CONDITION'],
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/trace',
    summary: 'Delete all traces and their files',
    ok: noContent,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/trace/:name',
    summary: 'Delete a trace and its file; a running one stops first',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  stop: endpoint({
    method: 'PUT',
    path: '/trace/:name/stop',
    summary: 'Stop a trace now; what it has written stays',
    ok: json(z.looseObject({ name: z.string(), enable: z.boolean() })),
    errors: ['NOT_FOUND'],
  }),
  files: endpoint({
    method: 'GET',
    path: '/trace/:name/log_detail',
    summary: 'How much each node has written, and when last',
    ok: json(z.array(TraceLogFile)),
    errors: ['NOT_FOUND'],
  }),
  log: endpoint({
    method: 'GET',
    path: '/trace/:name/log',
    summary: 'A piece of what a node has written; go on at the position it ends at',
    query: z.object({
      bytes: z._default(queryInt({ min: 0, max: INT32_MAX }), 1000),
      position: z._default(queryInt({ min: -INT32_MAX, max: INT32_MAX }), 0),
      ...onNode,
    }),
    ok: json(
      z.looseObject({
        /** Text; empty where nothing more is written yet. */
        items: z.string(),
        meta: z.looseObject({ position: z.number(), bytes: z.number() }),
      }),
    ),
    errors: ['NOT_FOUND'],
  }),
  download: endpoint({
    method: 'GET',
    path: '/trace/:name/download',
    summary: 'What was written as a ZIP archive, a file for each node',
    query: z.object(onNode),
    ok: json(z.string()),
    errors: ['NOT_FOUND'],
  }),
};
