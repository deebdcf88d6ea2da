import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { page, pageQueryFields } from './kit/page.ts';
import { flag, timestamp } from './kit/values.ts';

/** `$delayed/15/t`: published to `t` in 15 seconds. */
export const DELAYED_PREFIX = '$delayed/';
/** Some 49 days; a longer delay is refused. */
export const DELAY_SECONDS_MAX = 4_294_967;

const NO_INTEGER = 'Unable to parse integer value';
const nonNegative = expected('non_neg_integer()');
const count = z.number(NO_INTEGER).check(z.int(nonNegative), z.gte(0, nonNegative));

export const DelayedSettings = z.strictObject({
  /** Switched off, what waits is deleted, and `$delayed/…` is a topic like every other. */
  enable: z._default(flag, true),
  /** 0 = no limit; what comes when it is reached is refused. */
  max_delayed_messages: z._default(count, 0),
});
export type DelayedSettings = z.output<typeof DelayedSettings>;

/** A message that waits for its time; in lists without its payload. */
const DelayedMessage = z.looseObject({
  msgid: z.string(),
  node: z.string(),
  /** Without `$delayed/…` before it. */
  topic: z.string(),
  qos: z.number(),
  publish_at: timestamp,
  /** Seconds, as the publisher asked. */
  delayed_interval: z.number(),
  /** Seconds from now on. */
  delayed_remaining: z.number(),
  expected_at: timestamp,
  from_clientid: z.string(),
  from_username: z.string(), // '' = none; real brokers write `undefined` for a client without
});
export type DelayedMessage = z.infer<typeof DelayedMessage>;

export const delayed = {
  get: endpoint({
    method: 'GET',
    path: '/mqtt/delayed',
    summary: 'Settings of delayed publishing',
    ok: json(DelayedSettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/mqtt/delayed',
    summary: 'Change settings of delayed publishing; switching it off deletes what waits',
    body: z.strictObject({ enable: z.optional(flag), max_delayed_messages: z.optional(count) }),
    ok: json(DelayedSettings),
  }),
  messages: endpoint({
    method: 'GET',
    path: '/mqtt/delayed/messages',
    summary: 'Messages that wait, without their payloads; the one due last comes first',
    query: z.object({
      ...pageQueryFields,
      /** An extension: `asc` = the one due next comes first; a broker that knows it echoes `meta.order`. */
      order: z.optional(z.enum(['asc', 'desc'])),
    }),
    ok: page(DelayedMessage),
  }),
  message: endpoint({
    method: 'GET',
    path: '/mqtt/delayed/messages/:node/:msgid',
    summary: 'A message that waits; payload in base64',
    ok: json(z.extend(DelayedMessage, { payload: z.string() })),
    errors: ['MESSAGE_ID_SCHEMA_ERROR', 'MESSAGE_ID_NOT_FOUND', 'NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/mqtt/delayed/messages/:node/:msgid',
    summary: 'Delete a message that waits',
    ok: noContent,
    errors: ['MESSAGE_ID_SCHEMA_ERROR', 'MESSAGE_ID_NOT_FOUND', 'NOT_FOUND'],
  }),
};
