import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { queryBool, queryInt } from './kit/query.ts';
import { timestamp } from './kit/values.ts';

/** So many events of a client are remembered, the latest. */
export const CLIENT_EVENTS_MAX = 64;
/** So many clients, those of whom something was heard last. */
export const CLIENTS_REMEMBERED_MAX = 10_000;

export const CLIENT_EVENT_TYPES = [
  'connected', // also `took_over`: from whom
  'disconnected', // `reason`; when it was kicked out, `by` whom
  'refused', // CONNECT was answered by a failure
  'denied', // it may not publish or subscribe
  'limited', // a limit did not let its messages through
  'subscribed',
  'unsubscribed',
  'subscribe_refused', // it may, and it cannot be
  'session_discarded', // the client began anew
  'session_ended', // it expired, or was ended by somebody
] as const;
export type ClientEventType = (typeof CLIENT_EVENT_TYPES)[number];

/** Whoever did it through the API. */
const Actor = z.looseObject({
  from: z.string(), // `dashboard`, `rest_api`
  source: z.string(), // the user or the key
  source_ip: z.string(),
  operation: z.string(), // `DELETE /clients/:clientid`
});
export type ClientEventActor = z.infer<typeof Actor>;

export const ClientEvent = z.looseObject({
  /** Grows from event to event, of all clients. */
  id: z.number(),
  type: z.string(), // one of CLIENT_EVENT_TYPES; a newer broker may know others
  at: timestamp,
  /** The same came so often in a row, the last time then. */
  times: z.optional(z.number()),
  last_at: z.optional(timestamp),
  ip_address: z.optional(z.string()),
  port: z.optional(z.number()),
  listener: z.optional(z.string()),
  username: z.optional(z.nullable(z.string())),
  proto_name: z.optional(z.string()), // of a gateway's device: `STOMP`; none = MQTT
  proto_ver: z.optional(z.union([z.number(), z.string()])),
  keepalive: z.optional(z.number()), // seconds
  clean_start: z.optional(z.boolean()),
  expiry_interval: z.optional(z.number()), // seconds
  session_present: z.optional(z.boolean()), // it found its session again
  took_over: z.optional(z.string()), // address and port of the connection that it ended
  taken_over_by: z.optional(z.string()),
  connected_ms: z.optional(z.number()), // how long the connection lasted
  reason: z.optional(z.string()), // `keepalive_timeout`, `kicked` …
  reason_code: z.optional(z.number()), // of CONNACK or SUBACK
  why: z.optional(z.nullable(z.string())), // what was wrong beyond the code
  action: z.optional(z.string()), // that was denied: `publish` or `subscribe`
  /** The type of a source, `client_info` rules of the credentials, `no_match`, `undecided`, `system_topic`, `exhook`, `plugin …`, `hook`. */
  denied_by: z.optional(z.string()),
  rule: z.optional(z.nullable(z.string())), // by which it was denied, as an ACL says it
  topic: z.optional(z.string()),
  filters: z.optional(z.array(z.string())), // the first of them
  filter_count: z.optional(z.number()),
  qos: z.optional(z.number()),
  by: z.optional(Actor),
});
export type ClientEvent = z.infer<typeof ClientEvent>;

/** A client of which something was heard, connected or not. */
export const SeenClient = z.looseObject({
  clientid: z.string(),
  connected: z.boolean(),
  last_type: z.string(),
  last_at: timestamp,
  /** The gateway whose device it is at the moment: it is in no list of MQTT clients. */
  gateway: z.optional(z.string()),
});
export type SeenClient = z.infer<typeof SeenClient>;

const EXTENSION =
  'what happened to a client across its sessions, also to one that is gone or was never let in';

export const clientEvents = {
  list: endpoint({
    method: 'GET',
    path: '/clients/:clientid/events',
    summary: 'What happened to a client since the broker started, the latest first',
    query: z.object({ limit: z._default(queryInt({ min: 1, max: CLIENT_EVENTS_MAX }), CLIENT_EVENTS_MAX) }),
    ok: json(
      z.looseObject({
        data: z.array(ClientEvent),
        meta: z.looseObject({
          connected: z.boolean(),
          forgotten: z.number(), // earlier ones that are not remembered
          since: timestamp, // when the broker started
          gateway: z.optional(z.string()), // whose device it is at the moment
        }),
      }),
    ),
    errors: ['CLIENTID_NOT_FOUND'], // nothing was ever heard of it, as far as is remembered
    extension: EXTENSION,
  }),
  clients: endpoint({
    method: 'GET',
    path: '/client_events',
    summary: 'Clients of which something was heard since the broker started, the latest first',
    query: z.object({
      like_clientid: z.optional(z.string()),
      /** Only those that are there, or only those that are not. */
      connected: z.optional(queryBool),
      limit: z._default(queryInt({ min: 1, max: 100 }), 20),
    }),
    ok: json(z.looseObject({ data: z.array(SeenClient) })),
    extension: EXTENSION,
  }),
};
