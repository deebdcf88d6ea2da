import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { flag, parseDuration } from './kit/values.ts';

const NO_INTERVAL = 'Not a valid duration';

/** `disabled`, or how often; never without a pause. */
const interval = z.union(
  [
    z.literal('disabled'),
    z
      .union([z.string(), z.number()])
      .check(z.refine((value) => (parseDuration(value) ?? 0) > 0, { error: NO_INTERVAL })),
  ],
  NO_INTERVAL,
);

const fields = {
  /** Version, description, nodes, figures and counters. */
  sys_msg_interval: interval,
  /** Uptime and time. */
  sys_heartbeat_interval: interval,
};

const eventFields = {
  client_connected: flag,
  client_disconnected: flag,
  client_subscribed: flag,
  client_unsubscribed: flag,
  /** Extensions, on `$event/message_delivered` and so on; of messages that the broker did not send itself. */
  message_delivered: flag,
  message_dropped: flag,
  message_acked: flag,
};

/** What the broker tells of itself on topics below `$SYS/brokers`. */
export const SysTopicsSettings = z.strictObject({
  sys_msg_interval: z._default(fields.sys_msg_interval, '1m'),
  sys_heartbeat_interval: z._default(fields.sys_heartbeat_interval, '30s'),
  sys_event_messages: z.prefault(
    z.strictObject({
      client_connected: z._default(eventFields.client_connected, true),
      client_disconnected: z._default(eventFields.client_disconnected, true),
      client_subscribed: z._default(eventFields.client_subscribed, false),
      client_unsubscribed: z._default(eventFields.client_unsubscribed, false),
      message_delivered: z._default(eventFields.message_delivered, false),
      message_dropped: z._default(eventFields.message_dropped, false),
      message_acked: z._default(eventFields.message_acked, false),
    }),
    {},
  ),
});
export type SysTopicsSettings = z.output<typeof SysTopicsSettings>;

/** What is left out keeps its value, among the events too. */
const SysTopicsChange = z.strictObject({
  ...z.partial(z.strictObject(fields)).shape,
  sys_event_messages: z.optional(z.partial(z.strictObject(eventFields))),
});
export type SysTopicsChange = z.output<typeof SysTopicsChange>;

export const sysTopics = {
  get: endpoint({
    method: 'GET',
    path: '/configs/sys_topics',
    summary: 'Settings of the system topics',
    ok: json(SysTopicsSettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/configs/sys_topics',
    summary: 'Change settings of the system topics',
    body: SysTopicsChange,
    ok: json(SysTopicsSettings),
  }),
};
