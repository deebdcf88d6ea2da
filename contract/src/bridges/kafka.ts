import * as z from 'zod/mini';
import { servers } from '../kit/servers.ts';
import { sslClient } from '../kit/ssl.ts';
import { byteSize, duration, flag, intBetween, secret, text } from '../kit/values.ts';

const required = z.string().check(z.minLength(1));
const topic = z.string().check(z.regex(/^[A-Za-z0-9._-]{1,249}$/, 'invalid_topic_name'));

const Login = z.strictObject({
  mechanism: z.enum(['plain', 'scram_sha_256', 'scram_sha_512']),
  username: required,
  password: secret,
});
const Kerberos = z.strictObject({ kerberos_principal: required, kerberos_keytab_file: required });
const common = {
  bootstrap_hosts: servers,
  connect_timeout: z._default(duration, '5s'),
  min_metadata_refresh_interval: z._default(duration, '3s'),
  metadata_request_timeout: z._default(duration, '5s'),
  /** Kerberos is refused when it is saved: the library that we use does not speak it. */
  authentication: z._default(z.union([z.literal('none'), Login, Kerberos]), 'none'),
  socket_opts: z.prefault(
    z.strictObject({
      sndbuf: z._default(byteSize, '1024KB'),
      recbuf: z._default(byteSize, '1024KB'),
      nodelay: z._default(flag, true),
    }),
    {},
  ),
  ssl: sslClient,
};

export const KAFKA_COMPRESSIONS = ['no_compression', 'snappy', 'gzip'] as const;

export const kafkaProducerShape = {
  ...common,
  kafka: z.strictObject({
    topic,
    message: z.prefault(
      z.strictObject({
        key: z._default(z.string(), '${.clientid}'),
        value: z._default(z.string(), '${.}'),
        timestamp: z._default(z.string(), '${.timestamp}'),
      }),
      {},
    ),
    max_batch_bytes: z._default(byteSize, '896KB'),
    compression: z._default(z.enum(KAFKA_COMPRESSIONS), 'no_compression'),
    /** `key_dispatch`: what has the same key goes to the same partition. */
    partition_strategy: z._default(z.enum(['random', 'key_dispatch']), 'random'),
    required_acks: z._default(z.enum(['all_isr', 'leader_only', 'none']), 'all_isr'),
    partition_count_refresh_interval: z._default(duration, '60s'),
    max_inflight: z._default(intBetween(1, 1000), 10),
    /** Where rows wait: `disk` and `hybrid` survive the broker. */
    buffer: z.prefault(
      z.strictObject({
        mode: z._default(z.enum(['memory', 'disk', 'hybrid']), 'memory'),
        per_partition_limit: z._default(byteSize, '2GB'),
        segment_bytes: z._default(byteSize, '100MB'),
        memory_overload_protection: z._default(flag, false),
      }),
      {},
    ),
  }),
};

export const kafkaConsumerShape = {
  ...common,
  kafka: z.prefault(
    z.strictObject({
      max_batch_bytes: z._default(byteSize, '896KB'),
      max_rejoin_attempts: z._default(intBetween(1, 1000), 5),
      offset_reset_policy: z._default(z.enum(['latest', 'earliest']), 'latest'),
      offset_commit_interval_seconds: z._default(intBetween(1, 3600), 5),
    }),
    {},
  ),
  topic_mapping: z
    .array(
      z.strictObject({
        kafka_topic: topic,
        mqtt_topic: text,
        qos: z._default(z.union([z.literal(0), z.literal(1), z.literal(2)]), 0),
        payload_template: z._default(z.string(), '${.}'),
      }),
    )
    .check(z.minLength(1), z.maxLength(100)),
  key_encoding_mode: z._default(z.enum(['none', 'base64']), 'none'),
  value_encoding_mode: z._default(z.enum(['none', 'base64']), 'none'),
};
