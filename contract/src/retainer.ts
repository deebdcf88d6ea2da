import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { page, pageQueryFields } from './kit/page.ts';
import { flag, parseBytes, parseDuration, timestamp } from './kit/values.ts';

const written = (parse: (value: string | number) => number | null, reason: string) =>
  z.union([z.string(), z.number()], reason).check(z.refine((value) => parse(value) !== null, reason));
const duration = written(parseDuration, 'Not a valid duration');
const size = written(parseBytes, 'Not a valid bytesize');

const NO_RATE = 'Not a valid rate';

/** Events a second of `1000/s`, `10/m`, `100/10s`; Infinity for `infinity`; null when it is no rate. */
export function parseRate(value: string): number | null {
  if (value === 'infinity') return Number.POSITIVE_INFINITY;
  const match = /^(\d+)\/(\d*(?:ms|s|m|h|d))$/.exec(value);
  if (!match) return null;
  const ms = parseDuration(/^\d/.test(match[2]!) ? match[2]! : `1${match[2]}`);
  return ms === null || ms === 0 ? null : (Number(match[1]) * 1000) / ms;
}
const rate = z.string(NO_RATE).check(z.refine((value) => parseRate(value) !== null, NO_RATE));

const nonNegative = expected('non_neg_integer()');
const count = z.number(nonNegative).check(z.int(nonNegative), z.gte(0, nonNegative));

const backendFields = {
  type: z.string().check(
    z.refine((value) => value === 'built_in_database', {
      error: ({ input }) => `Expected: built_in_database, got:${String(input)}`,
    }),
  ),
  enable: flag,
  /** On disc they outlive the broker, in memory they end with it; a change moves those there are. */
  storage_type: z.enum(['ram', 'disc']),
  /** 0 = no limit; when it is reached, only topics that have a message get another one. */
  max_retained_messages: count,
  /** Kept for those who send it back: our index finds every wildcard without being told which. */
  index_specs: z.array(z.array(z.number())),
};

const settingsFields = {
  enable: flag,
  /** 0 = never; for messages that bring no expiry of their own. */
  msg_expiry_interval: duration,
  /** Counts even for those that do, and for those that are kept already. */
  msg_expiry_interval_override: z.union([z.literal('disabled'), duration], 'Not a valid duration'),
  /** Whether a message whose own expiry interval is 0 never expires; otherwise it has the usual one. */
  allow_never_expire: flag,
  /** How often expired messages are cleared away; 0 = when somebody looks for them. */
  msg_clear_interval: duration,
  /** Larger messages are passed on and not kept. */
  max_payload_size: size,
  /** An empty retained message, which removes the one kept, is not passed on. */
  stop_publish_clear_msg: flag,
  /** Retained messages sent to new subscribers. */
  delivery_rate: rate,
  /** What is published faster is passed on and not kept. */
  max_publish_rate: rate,
};

/** How a new subscriber gets what is retained; beside `delivery_rate`, which holds for all together. */
const flowControl = z.optional(
  z.strictObject({
    /** So many are looked up in one go; 0 = as many as there is time for, here and below. */
    batch_read_number: z.optional(count),
    /** So many are sent in one go. */
    batch_deliver_number: z.optional(count),
    batch_deliver_limiter: z.optional(rate),
  }),
);

const INDEX_DEFAULT = [[1, 2, 3], [1, 3], [2, 3], [3]];

export const RetainerSettings = z.strictObject({
  enable: z._default(settingsFields.enable, true),
  msg_expiry_interval: z._default(settingsFields.msg_expiry_interval, '0s'),
  msg_expiry_interval_override: z._default(settingsFields.msg_expiry_interval_override, 'disabled'),
  allow_never_expire: z._default(settingsFields.allow_never_expire, true),
  msg_clear_interval: z._default(settingsFields.msg_clear_interval, '0s'),
  max_payload_size: z._default(settingsFields.max_payload_size, '1MB'),
  stop_publish_clear_msg: z._default(settingsFields.stop_publish_clear_msg, false),
  delivery_rate: z._default(settingsFields.delivery_rate, 'infinity'),
  max_publish_rate: z._default(settingsFields.max_publish_rate, 'infinity'),
  flow_control: flowControl,
  backend: z.prefault(
    z.strictObject({
      type: z._default(backendFields.type, 'built_in_database'),
      enable: z._default(backendFields.enable, true),
      storage_type: z._default(backendFields.storage_type, 'disc'),
      max_retained_messages: z._default(backendFields.max_retained_messages, 0),
      index_specs: z._default(backendFields.index_specs, INDEX_DEFAULT),
    }),
    {},
  ),
});
export type RetainerSettings = z.output<typeof RetainerSettings>;

/** What is left out keeps its value, in the backend too. */
const RetainerChange = z.strictObject({
  ...z.partial(z.strictObject(settingsFields)).shape,
  flow_control: flowControl,
  backend: z.optional(z.partial(z.strictObject(backendFields))),
});
export type RetainerChange = z.output<typeof RetainerChange>;

/** The last retained message of a topic, in lists without its payload. */
const RetainedMessage = z.looseObject({
  topic: z.string(),
  msgid: z.string(),
  qos: z.number(),
  publish_at: timestamp,
  from_clientid: z.string(),
  from_username: z.string(), // '' = none; real brokers write `undefined` for a client without
});
export type RetainedMessage = z.infer<typeof RetainedMessage>;

/** The first messages that a filter matches, and how many there are in all. */
const Matching = z.looseObject({ topic: z.string(), count: z.number(), first: z.array(RetainedMessage) });

/** A removal of many, at work or over; one at a time. */
const Clearing = z.looseObject({
  /** The filter whose messages go; `null` = all there are. */
  topic: z.nullable(z.string()),
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  /** How many there were when it began. */
  total: z.number(),
  removed: z.number(),
  started_at: timestamp,
});
export type Clearing = z.infer<typeof Clearing>;

/** So many of what a filter matches are shown before they go. */
export const MATCHING_FIRST = 10;

export const retainer = {
  get: endpoint({
    method: 'GET',
    path: '/mqtt/retainer',
    summary: 'Settings of the retainer',
    ok: json(RetainerSettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/mqtt/retainer',
    summary: 'Change settings of the retainer; messages that are kept stay',
    body: RetainerChange,
    ok: json(RetainerSettings),
  }),
  messages: endpoint({
    method: 'GET',
    path: '/mqtt/retainer/messages',
    summary: 'Retained messages without their payloads',
    query: z.object({
      ...pageQueryFields,
      /** A filter; of what it matches nobody counts how many there are. */
      topic: z.optional(z.string()),
    }),
    ok: page(RetainedMessage),
  }),
  removeAll: endpoint({
    method: 'DELETE',
    path: '/mqtt/retainer/messages',
    summary: 'Remove all retained messages',
    ok: noContent,
  }),
  message: endpoint({
    method: 'GET',
    path: '/mqtt/retainer/message/:topic',
    summary: 'The retained message of a topic, or the first that a filter matches; payload in base64',
    ok: json(z.extend(RetainedMessage, { payload: z.string() })),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/mqtt/retainer/message/:topic',
    summary: 'Remove the retained message of a topic, or all that a filter matches',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  matching: endpoint({
    method: 'GET',
    path: '/mqtt/retainer/matching',
    summary: 'How many retained messages a filter matches, and the first of them',
    query: z.object({ topic: z.string() }),
    ok: json(Matching),
    errors: ['BAD_TOPIC'],
    extension: 'what a removal by a filter would take',
  }),
  clear: endpoint({
    method: 'POST',
    path: '/mqtt/retainer/clearing',
    summary: 'Begin to remove what a filter matches, or all there is; what comes meanwhile stays',
    body: z.strictObject({ topic: z.optional(z.nullable(z.string())) }),
    ok: json(Clearing, 202),
    errors: ['BAD_TOPIC', 'CONFLICT'],
    extension: 'removing a million messages can be watched and ended',
  }),
  clearing: endpoint({
    method: 'GET',
    path: '/mqtt/retainer/clearing',
    summary: 'How far the removal is that began last, null when none has',
    ok: json(z.nullable(Clearing)),
    extension: 'removing a million messages can be watched and ended',
  }),
  cancelClearing: endpoint({
    method: 'DELETE',
    path: '/mqtt/retainer/clearing',
    summary: 'End the removal that is at work; what is gone stays gone',
    ok: noContent,
    extension: 'removing a million messages can be watched and ended',
  }),
};
