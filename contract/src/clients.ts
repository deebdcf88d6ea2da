import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { page, pageQueryFields, sortQueryFields } from './kit/page.ts';
import { queryBool, queryList, queryTime } from './kit/query.ts';
import { bulk, intBetween, orInfinity, parseBytes, text, timestamp } from './kit/values.ts';
import { Subscription } from './subscriptions.ts';

/** Session expiry interval that means never, and the largest number of several protocol fields. */
export const UINT32_MAX = 4_294_967_295;

const counter = z.optional(z.number());

/** A client the cluster knows: connected now, or gone with its session kept. */
export const Client = z.looseObject({
  clientid: z.string(),
  username: z.nullable(z.string()),
  connected: z.boolean(),
  node: z.string(),
  ip_address: z.string(),
  port: z.union([z.number(), z.string()]),
  listener: z.optional(z.string()),
  proto_name: z.string(), // MQTT, MQIsdp, or a gateway's
  proto_ver: z.union([z.number(), z.string()]), // 3, 4, 5
  keepalive: z.number(), // seconds, 0 = off
  clean_start: z.boolean(),
  expiry_interval: z.number(), // seconds, UINT32_MAX = never
  is_bridge: z.boolean(),
  is_persistent: z.optional(z.boolean()),
  is_expired: z.optional(z.boolean()),
  durable: z.optional(z.boolean()),
  enable_authn: z.optional(z.boolean()),
  mountpoint: z.optional(z.nullable(z.string())),
  zone: z.optional(z.string()),
  created_at: timestamp,
  connected_at: z.optional(timestamp),
  disconnected_at: z.optional(timestamp),
  peersni: z.optional(z.nullable(z.string())),
  auth_expire_at: z.optional(z.nullable(z.unknown())),
  client_attrs: z.optional(z.record(z.string(), z.unknown())),
  subscriptions_cnt: z.number(),
  subscriptions_max: orInfinity,
  inflight_cnt: z.number(),
  inflight_max: orInfinity,
  mqueue_len: z.number(),
  mqueue_max: orInfinity,
  mqueue_dropped: z.number(),
  awaiting_rel_cnt: z.number(),
  awaiting_rel_max: orInfinity,
  heap_size: counter, // words
  reductions: counter,
  mailbox_len: counter,
  recv_oct: counter, // bytes
  send_oct: counter,
  recv_cnt: counter, // reads and writes of the socket
  send_cnt: counter,
  recv_pkt: counter, // MQTT packets
  send_pkt: counter,
  recv_msg: counter, // PUBLISH packets
  'recv_msg.qos0': counter,
  'recv_msg.qos1': counter,
  'recv_msg.qos2': counter,
  'recv_msg.dropped': counter,
  'recv_msg.dropped.await_pubrel_timeout': counter,
  send_msg: counter,
  'send_msg.qos0': counter,
  'send_msg.qos1': counter,
  'send_msg.qos2': counter,
  'send_msg.dropped': counter,
  'send_msg.dropped.expired': counter,
  'send_msg.dropped.queue_full': counter,
  'send_msg.dropped.too_large': counter,
});
export type Client = z.infer<typeof Client>;

export const CLIENT_SORT = [
  'clientid',
  'username',
  'connected',
  'ip_address',
  'keepalive',
  'expiry_interval',
  'proto_ver',
  'connected_at',
  'created_at',
  'subscriptions_cnt',
  'mqueue_len',
  'inflight_cnt',
  'mqueue_dropped',
  'recv_msg',
  'send_msg',
  'recv_oct',
  'send_oct',
] as const;

const qos = z.literal([0, 1, 2]);
const bit = z.literal([0, 1]);

const SubscribeRequest = z.strictObject({
  topic: text,
  qos: z._default(qos, 0),
  nl: z._default(bit, 0),
  rap: z._default(bit, 0),
  rh: z._default(qos, 0),
});

const PAYLOADS_MAX = 1024 * 1024;

const payloadsMax = z.pipe(
  z.union([z.string(), z.number()], 'Not a valid bytesize').check(
    z.refine((value) => parseBytes(value) !== null, { error: 'Not a valid bytesize', abort: true }),
    z.refine((value) => parseBytes(value) !== 0, 'must be higher than 0'),
  ),
  z.transform((value) => parseBytes(value) ?? PAYLOADS_MAX),
);

const waitingQuery = z.object({
  limit: pageQueryFields.limit,
  /** `meta.position` of the page before: the page goes on behind it, whatever has left the queue meanwhile. */
  position: z.optional(z.string()),
  payload: z._default(z.enum(['none', 'base64', 'plain']), 'base64'),
  /** Of all payloads of a page together, as they are written. The first one is there whatever its size. */
  max_payload_bytes: z._default(payloadsMax, PAYLOADS_MAX),
});

const waitingFields = {
  msgid: z.string(),
  topic: z.string(),
  qos: z.number(), // of the delivery
  from_clientid: z.string(),
  from_username: z.string(), // '' = none; real brokers write `undefined` for a client without
  publish_at: z.number(), // epoch ms
  inserted_at: z.string(), // ns since the epoch; with the priority it is the position of the message
  payload: z.optional(z.string()),
  // What the real API does not tell:
  retain: z.optional(z.boolean()),
  payload_bytes: z.optional(z.number()),
  expires_at: z.optional(z.number()), // epoch ms; absent = never
};

/** A message that waits for a client. */
const WaitingMessage = z.looseObject(waitingFields);
export type WaitingMessage = z.infer<typeof WaitingMessage>;

/** One in its queue. */
export const QueuedMessage = z.looseObject({ ...waitingFields, mqueue_priority: orInfinity });
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** One that was sent to it and that it has not acknowledged. */
export const InflightMessage = z.looseObject({
  ...waitingFields,
  // What the real API does not tell:
  packet_id: z.optional(z.number()),
  awaits: z.optional(z.enum(['PUBACK', 'PUBREC', 'PUBCOMP'])),
  sent_at: z.optional(z.number()), // epoch ms of the latest sending
});
export type InflightMessage = z.infer<typeof InflightMessage>;

/** Where the queue begins and where the page ends; `none` where nothing is. */
const waiting = <S extends z.ZodMiniType>(message: S) =>
  json(
    z.looseObject({
      data: z.array(message),
      meta: z.looseObject({ start: z.string(), position: z.string() }),
    }),
  );

const UnsubscribeRequest = z.strictObject({ topic: text });

export const clients = {
  list: endpoint({
    method: 'GET',
    path: '/clients',
    summary: 'Clients that are connected or whose session is kept',
    query: z.object({
      ...pageQueryFields,
      ...sortQueryFields(CLIENT_SORT),
      node: z.optional(z.string()),
      clientid: z.optional(queryList),
      username: z.optional(queryList),
      like_clientid: z.optional(z.string()),
      like_username: z.optional(z.string()),
      ip_address: z.optional(z.string()),
      conn_state: z.optional(z.enum(['connected', 'disconnected', 'idle'])),
      clean_start: z.optional(queryBool),
      /** 3, 4 or 5; anything but a number is INVALID_PARAMETER. */
      proto_ver: z.optional(z.union([z.string(), z.number()])),
      proto_name: z.optional(z.string()),
      gte_created_at: z.optional(queryTime),
      lte_created_at: z.optional(queryTime),
      gte_connected_at: z.optional(queryTime),
      lte_connected_at: z.optional(queryTime),
      /** Comma-separated names of the fields wanted; all without it. */
      fields: z.optional(z.string()),
    }),
    ok: page(z.partial(Client)),
    errors: ['NODE_DOWN', 'INVALID_PARAMETER'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/clients/:clientid',
    summary: 'One client with all its figures',
    ok: json(Client),
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  kickOut: endpoint({
    method: 'DELETE',
    path: '/clients/:clientid',
    summary: 'End the connection of a client and its session; a session without connection is cleaned',
    ok: noContent,
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  kickOutMany: endpoint({
    method: 'POST',
    path: '/clients/kickout/bulk',
    summary: 'Kick out several clients; unknown ids are passed over',
    body: bulk(text),
    ok: noContent,
  }),
  subscriptions: endpoint({
    method: 'GET',
    path: '/clients/:clientid/subscriptions',
    summary: "A client's subscriptions",
    ok: json(z.array(Subscription)),
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  subscribe: endpoint({
    method: 'POST',
    path: '/clients/:clientid/subscribe',
    summary: 'Subscribe on behalf of a client',
    body: SubscribeRequest,
    ok: json(Subscription),
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  subscribeMany: endpoint({
    method: 'POST',
    path: '/clients/:clientid/subscribe/bulk',
    summary: 'Subscribe to several filters on behalf of a client',
    body: bulk(SubscribeRequest),
    ok: json(z.array(Subscription)),
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  unsubscribe: endpoint({
    method: 'POST',
    path: '/clients/:clientid/unsubscribe',
    summary: 'Unsubscribe on behalf of a client; an unknown filter is no error',
    body: UnsubscribeRequest,
    ok: noContent,
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  unsubscribeMany: endpoint({
    method: 'POST',
    path: '/clients/:clientid/unsubscribe/bulk',
    summary: 'Unsubscribe from several filters on behalf of a client',
    body: bulk(UnsubscribeRequest),
    ok: noContent,
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  mqueueMessages: endpoint({
    method: 'GET',
    path: '/clients/:clientid/mqueue_messages',
    summary: "The messages in a client's queue, in the order in which they will be sent",
    query: waitingQuery,
    ok: waiting(QueuedMessage),
    errors: ['CLIENTID_NOT_FOUND', 'INVALID_PARAMETER'],
  }),
  inflightMessages: endpoint({
    method: 'GET',
    path: '/clients/:clientid/inflight_messages',
    summary: 'The messages sent to a client that it has not acknowledged, the earliest first',
    query: waitingQuery,
    ok: waiting(InflightMessage),
    errors: ['CLIENTID_NOT_FOUND', 'INVALID_PARAMETER'],
  }),
  keepalive: endpoint({
    method: 'PUT',
    path: '/clients/:clientid/keepalive',
    summary: 'Change the keep-alive interval of a connected client',
    body: z.strictObject({ interval: z.optional(intBetween(0, 65_535)) }),
    ok: json(Client),
    errors: ['CLIENTID_NOT_FOUND'],
  }),
};
