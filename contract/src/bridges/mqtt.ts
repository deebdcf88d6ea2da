import * as z from 'zod/mini';
import { parseServer } from '../kit/servers.ts';
import { sslClient } from '../kit/ssl.ts';
import { duration, flag, secret, text } from '../kit/values.ts';

/** 0, 1, 2, or a text with placeholders. */
const qos = z.pipe(
  z.union([z.number(), z.string()]),
  z.transform((value) => (value === 0 || value === 1 || value === 2 ? (value as 0 | 1 | 2) : String(value))),
);
const retain = z.union([z.boolean(), z.string()]);
const topic = z.string().check(z.minLength(1));

/** From the other broker to here: what comes is published at `local.topic`, when there is one, and rules may read it. */
const Ingress = z.strictObject({
  remote: z.strictObject({
    topic,
    qos: z._default(z.union([z.literal(0), z.literal(1), z.literal(2)]), 1),
  }),
  local: z.prefault(
    z.strictObject({
      topic: z.optional(z.string()),
      qos: z._default(qos, '${qos}'),
      retain: z._default(retain, '${retain}'),
      payload: z.optional(z.string()),
    }),
    {},
  ),
  /** So many connections share the messages, where the other broker knows shared subscriptions. */
  pool_size: z.optional(z.number().check(z.int(), z.gte(1), z.lte(64))),
});

/** From here to the other broker; without a payload template the message goes unchanged. */
const Egress = z.strictObject({
  local: z.optional(z.strictObject({ topic: z.optional(z.string()) })),
  remote: z.strictObject({
    topic,
    qos: z._default(qos, '${qos}'),
    retain: z._default(retain, '${retain}'),
    payload: z.optional(z.string()),
  }),
  pool_size: z.optional(z.number().check(z.int(), z.gte(1), z.lte(64))),
});

/** Another broker. At least one direction; their remote topics must differ. */
export const mqttShape = {
  server: z
    .string()
    .check(z.refine((value) => parseServer(value.replace(/^mqtts?:\/\//, '')) !== null, 'bad_host_port')),
  /** `cluster_singleton`: one connection; `cluster_shareload`: ingress is shared by connections. */
  mode: z._default(z.enum(['cluster_singleton', 'cluster_shareload']), 'cluster_shareload'),
  proto_ver: z._default(z.enum(['v3', 'v4', 'v5']), 'v4'),
  clientid: z.optional(text),
  clientid_prefix: z.optional(text),
  username: z.optional(text),
  password: z.optional(secret),
  clean_start: z._default(flag, true),
  /** Tells the other broker that it is a bridge: what it sends does not come back. */
  bridge_mode: z._default(flag, false),
  keepalive: z._default(duration, '300s'),
  retry_interval: z._default(duration, '15s'),
  reconnect_interval: z.optional(duration),
  max_inflight: z._default(z.number().check(z.int(), z.gte(1), z.lte(65_535)), 32),
  ingress: z.optional(Ingress),
  egress: z.optional(Egress),
  ssl: sslClient,
};
