import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { duration, flag, intBetween, mqttText, parseBytes, parseDuration } from './kit/values.ts';
import { compileExpression, EXPRESSION_MAX } from './zone-expressions.ts';

const NO_DURATION = 'Not a valid duration';
const NO_SIZE = 'Not a valid bytesize';

const nonNegative = expected('non_neg_integer()');
const positive = expected('pos_integer()');
const count = z.number(nonNegative).check(z.int(nonNegative), z.gte(0, nonNegative));
const atLeastOne = z.number(positive).check(z.int(positive), z.gte(1, positive));
const time = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => parseDuration(value) !== null, NO_DURATION));
const lasting = duration.check(
  z.refine((value) => parseDuration(value) !== 0, 'The time must be longer than zero'),
);
const someTime = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => (parseDuration(value) ?? 0) > 0, NO_DURATION));
const size = z
  .union([z.string(), z.number()], NO_SIZE)
  .check(z.refine((value) => parseBytes(value) !== null, NO_SIZE));
const infinity = z.literal('infinity');
const disabled = z.literal('disabled');

/** The longest packet that MQTT knows. */
export const PACKET_BYTES_MAX = 268_435_455;
const packetSize = z.union([z.string(), z.number()], NO_SIZE).check(
  z.refine((value) => (parseBytes(value) ?? 0) > 0, NO_SIZE),
  z.refine((value) => (parseBytes(value) ?? 0) <= PACKET_BYTES_MAX, 'max_mqtt_packet_size_too_large'),
);

/** A part of the certificate that a client has shown: `crt` is the whole of it in base64, `md5` its fingerprint. */
export const PeerCertPart = z.enum(['disabled', 'cn', 'dn', 'crt', 'pem', 'md5']);
export type PeerCertPart = z.output<typeof PeerCertPart>;

const SharedStrategy = z.enum([
  'random',
  'round_robin',
  'round_robin_per_group',
  'sticky',
  'local',
  'hash_topic',
  'hash_clientid',
]);

const NO_EXPRESSION = 'Not an expression that can be understood';
const expression = z.string().check(
  z.maxLength(EXPRESSION_MAX),
  z.refine((value) => compileExpression(value) !== null, NO_EXPRESSION),
);

/** `expression` says what of a client, when it connects, becomes its attribute `set_as_attr`; see `zone-expressions.ts`. */
const ClientAttribute = z.strictObject({
  expression,
  set_as_attr: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'bad_attribute_name')),
});

const mqttFields = {
  /** So long a connection may be silent before its CONNECT. */
  idle_timeout: z.union([someTime, infinity], NO_DURATION),
  /** Of a CONNECT 128 KB at most, whatever this says. */
  max_packet_size: packetSize,
  max_clientid_len: intBetween(23, 65_535),
  max_topic_levels: intBetween(1, 65_535),
  max_qos_allowed: intBetween(0, 2),
  /** So many topic aliases a client may use. */
  max_topic_alias: intBetween(0, 65_535),
  retain_available: flag,
  wildcard_subscription: flag,
  shared_subscription: flag,
  /** Of a group: that of the zone of its first member. */
  shared_subscription_strategy: SharedStrategy,
  /** How `sticky` finds the first member. */
  shared_subscription_initial_sticky_pick: z.enum(['random', 'local', 'hash_topic', 'hash_clientid']),
  exclusive_subscription: flag,
  /** A client does not get what it has published itself; 5.0 clients can ask for that. */
  ignore_loop_deliver: flag,
  /** Packets are checked strictly in any case; this refuses client ids of MQTT 3.1 that are longer than 23 too. */
  strict_mode: flag,
  /** Told to 5.0 clients that ask for it. */
  response_information: mqttText,
  /** Seconds; takes the place of what clients ask for. */
  server_keepalive: z.union([intBetween(1, 65_535), disabled], expected('1..65535')),
  /** A client that is silent for so many times its keep alive is gone. */
  keepalive_multiplier: z.number().check(z.gte(1), z.lte(100)),
  /** A connection is looked at again after so long at the latest, so that another multiplier does not have to wait. */
  keepalive_check_interval: someTime,
  /** After so long a QoS 1 or 2 message is sent again to a 3.x client that has not acknowledged it; others forbid it. */
  retry_interval: z.union([time, infinity], NO_DURATION),
  use_username_as_clientid: flag,
  /** Both leave alone what a client without a certificate says. */
  peer_cert_as_username: PeerCertPart,
  peer_cert_as_clientid: PeerCertPart,
  client_attrs_init: z.array(ClientAttribute).check(z.maxLength(100)),
  /** An expression for the client id; where it gives nothing, the id stays. */
  clientid_override: z.string().check(
    z.maxLength(EXPRESSION_MAX),
    z.refine((value) => value === 'disabled' || compileExpression(value) !== null, NO_EXPRESSION),
  ),
  /** Of a 3.x client without clean session; 5.0 clients say it themselves. */
  session_expiry_interval: time,
  /** What waits for a client for so long is dropped, unless the message has an expiry of its own. */
  message_expiry_interval: z.union([someTime, infinity], NO_DURATION),
  /** QoS 2 messages of a client that wait for their PUBREL. */
  max_awaiting_rel: z.union([count, infinity], nonNegative),
  await_rel_timeout: someTime,
  /** By topic, the higher the sooner. */
  mqueue_priorities: z.union([z.record(z.string(), intBetween(0, 65_535)), disabled], expected('map()')),
  /** Of topics that `mqueue_priorities` does not name. */
  mqueue_default_priority: z.enum(['highest', 'lowest']),
  /** Whether QoS 0 messages wait for a client that is gone or slow. */
  mqueue_store_qos0: flag,
  /** 0 = no limit, as `infinity`. */
  max_mqueue_len: z.union([count, infinity], nonNegative),
  max_inflight: intBetween(1, 65_535),
  max_subscriptions: z.union([atLeastOne, infinity], expected('1..inf')),
  /** A subscription gets messages with its own QoS, if that is higher than theirs. */
  upgrade_qos: flag,
};

/** MQTT as the clients of a zone have it. */
export const MqttSettings = z.strictObject({
  idle_timeout: z._default(mqttFields.idle_timeout, '15s'),
  max_packet_size: z._default(mqttFields.max_packet_size, '1MB'),
  max_clientid_len: z._default(mqttFields.max_clientid_len, 65_535),
  max_topic_levels: z._default(mqttFields.max_topic_levels, 128),
  max_qos_allowed: z._default(mqttFields.max_qos_allowed, 2),
  max_topic_alias: z._default(mqttFields.max_topic_alias, 65_535),
  retain_available: z._default(mqttFields.retain_available, true),
  wildcard_subscription: z._default(mqttFields.wildcard_subscription, true),
  shared_subscription: z._default(mqttFields.shared_subscription, true),
  shared_subscription_strategy: z._default(mqttFields.shared_subscription_strategy, 'round_robin'),
  shared_subscription_initial_sticky_pick: z._default(
    mqttFields.shared_subscription_initial_sticky_pick,
    'random',
  ),
  exclusive_subscription: z._default(mqttFields.exclusive_subscription, false),
  ignore_loop_deliver: z._default(mqttFields.ignore_loop_deliver, false),
  strict_mode: z._default(mqttFields.strict_mode, false),
  response_information: z._default(mqttFields.response_information, ''),
  server_keepalive: z._default(mqttFields.server_keepalive, 'disabled'),
  keepalive_multiplier: z._default(mqttFields.keepalive_multiplier, 1.5),
  keepalive_check_interval: z._default(mqttFields.keepalive_check_interval, '30s'),
  retry_interval: z._default(mqttFields.retry_interval, 'infinity'),
  use_username_as_clientid: z._default(mqttFields.use_username_as_clientid, false),
  peer_cert_as_username: z._default(mqttFields.peer_cert_as_username, 'disabled'),
  peer_cert_as_clientid: z._default(mqttFields.peer_cert_as_clientid, 'disabled'),
  client_attrs_init: z._default(mqttFields.client_attrs_init, []),
  clientid_override: z._default(mqttFields.clientid_override, 'disabled'),
  session_expiry_interval: z._default(mqttFields.session_expiry_interval, '2h'),
  message_expiry_interval: z._default(mqttFields.message_expiry_interval, 'infinity'),
  max_awaiting_rel: z._default(mqttFields.max_awaiting_rel, 100),
  await_rel_timeout: z._default(mqttFields.await_rel_timeout, '300s'),
  mqueue_priorities: z._default(mqttFields.mqueue_priorities, 'disabled'),
  mqueue_default_priority: z._default(mqttFields.mqueue_default_priority, 'lowest'),
  mqueue_store_qos0: z._default(mqttFields.mqueue_store_qos0, true),
  max_mqueue_len: z._default(mqttFields.max_mqueue_len, 1000),
  max_inflight: z._default(mqttFields.max_inflight, 32),
  max_subscriptions: z._default(mqttFields.max_subscriptions, 'infinity'),
  upgrade_qos: z._default(mqttFields.upgrade_qos, false),
});
export type MqttSettings = z.output<typeof MqttSettings>;

const backoff = z.number().check(z.gte(0.5), z.lte(50));
/** `keepalive_backoff` is the multiplier in older words, half of it; where it comes, it counts. */
const olderMqttFields = { keepalive_backoff: z.optional(backoff) };

const flappingFields = {
  enable: flag,
  window_time: lasting,
  max_count: count,
  ban_time: lasting,
};

/** A client that disconnects `max_count` times within `window_time` is banned for `ban_time`. */
export const FlappingDetect = z.strictObject({
  enable: z._default(flappingFields.enable, false),
  window_time: z._default(flappingFields.window_time, '1m'),
  max_count: z._default(flappingFields.max_count, 15),
  ban_time: z._default(flappingFields.ban_time, '5m'),
});
export type FlappingDetect = z.output<typeof FlappingDetect>;

const forceShutdownFields = {
  /** Switched off, only the other limits hold. */
  enable: flag,
  /** Bytes of messages that wait for one client; beyond it the oldest go. 0 = no limit. */
  max_heap_size: size,
  /** Messages on their way to one connection while the store writes them; more wait in the queue. 0 = no limit. */
  max_mailbox_size: count,
};

/**
 * Real brokers end the process of a client that takes too much. Ours has no such process: it keeps a client within the
 * same bounds, and the client stays.
 */
export const ForceShutdown = z.strictObject({
  enable: z._default(forceShutdownFields.enable, true),
  max_heap_size: z._default(forceShutdownFields.max_heap_size, '32MB'),
  max_mailbox_size: z._default(forceShutdownFields.max_mailbox_size, 1000),
});
export type ForceShutdown = z.output<typeof ForceShutdown>;

const forceGcFields = { enable: flag, count, bytes: size };

/** Kept for those who send it back: garbage is collected when the runtime thinks that it is worth it. */
export const ForceGc = z.strictObject({
  enable: z._default(forceGcFields.enable, true),
  count: z._default(forceGcFields.count, 16_000),
  bytes: z._default(forceGcFields.bytes, '16MB'),
});
export type ForceGc = z.output<typeof ForceGc>;

const durableFields = {
  enable: flag,
  batch_size: atLeastOne,
  idle_poll_interval: time,
  heartbeat_interval: time,
  session_gc_interval: time,
  session_gc_batch_size: atLeastOne,
  message_retention_period: time,
};

/**
 * Kept for those who send it back. Whatever it says, a session whose expiry interval is longer than its connection
 * lasts on disk, with its messages, until then.
 */
export const DurableSessions = z.strictObject({
  enable: z._default(durableFields.enable, false),
  batch_size: z._default(durableFields.batch_size, 100),
  idle_poll_interval: z._default(durableFields.idle_poll_interval, '10s'),
  heartbeat_interval: z._default(durableFields.heartbeat_interval, '5000ms'),
  session_gc_interval: z._default(durableFields.session_gc_interval, '10m'),
  session_gc_batch_size: z._default(durableFields.session_gc_batch_size, 100),
  message_retention_period: z._default(durableFields.message_retention_period, '1d'),
});
export type DurableSessions = z.output<typeof DurableSessions>;

/** What holds for every client of every listener, unless its zone says otherwise. */
const GlobalZone = z.strictObject({
  mqtt: MqttSettings,
  flapping_detect: FlappingDetect,
  force_shutdown: ForceShutdown,
  force_gc: ForceGc,
  durable_sessions: DurableSessions,
});

/** What a zone says itself; for the rest it has what is global. */
export const Zone = z.strictObject({
  mqtt: z.optional(z.partial(z.strictObject(mqttFields))),
  flapping_detect: z.optional(z.partial(z.strictObject(flappingFields))),
  force_shutdown: z.optional(z.partial(z.strictObject(forceShutdownFields))),
  force_gc: z.optional(z.partial(z.strictObject(forceGcFields))),
  durable_sessions: z.optional(z.partial(z.strictObject(durableFields))),
});
export type Zone = z.output<typeof Zone>;

const ZONE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,255}$/;
/** The word for what holds without a zone; none can be called so. */
const GLOBAL_ZONE = 'global';
/** The zone of a listener that names none. It may be set like every other. */
export const DEFAULT_ZONE = 'default';

export const isZoneName = (name: string): boolean => ZONE_NAME.test(name) && name !== GLOBAL_ZONE;

const zonesOf = <S extends z.ZodMiniType>(zone: S) =>
  z.record(z.string().check(z.refine(isZoneName)), zone, {
    error: ({ code }) => (code === 'invalid_key' ? 'invalid_map_key' : undefined),
  });

/** By name. A listener whose zone is not there has what is global. */
export const Zones = zonesOf(Zone);
export type Zones = z.output<typeof Zones>;

/** Older brokers answer without some of the roots, and all with others. */
const GlobalAnswer = z.looseObject({
  mqtt: z.looseObject(MqttSettings.shape),
  flapping_detect: z.looseObject(FlappingDetect.shape),
  force_shutdown: z.looseObject(ForceShutdown.shape),
  force_gc: z.looseObject(ForceGc.shape),
  durable_sessions: z.looseObject(DurableSessions.shape),
});

export const zones = {
  getGlobal: endpoint({
    method: 'GET',
    path: '/configs/global_zone',
    summary: 'What holds for every client',
    ok: json(GlobalAnswer),
  }),
  updateGlobal: endpoint({
    method: 'PUT',
    path: '/configs/global_zone',
    summary:
      'Replace what holds for every client; each part has to come, and what a part leaves out gets its default',
    body: z.strictObject({
      ...GlobalZone.shape,
      mqtt: z.strictObject({ ...MqttSettings.shape, ...olderMqttFields }),
    }),
    ok: json(GlobalAnswer),
  }),
  /** Newer brokers have no zones that can be set, and answer 404. */
  list: endpoint({
    method: 'GET',
    path: '/configs/zones',
    summary: 'What zones say themselves, by name',
    ok: json(z.record(z.string(), z.looseObject(Zone.shape))),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/configs/zones',
    summary: 'Create or replace the zones that are named, and remove those that are null; others stay',
    body: zonesOf(
      z.nullable(
        z.strictObject({
          ...Zone.shape,
          mqtt: z.optional(z.partial(z.strictObject({ ...mqttFields, ...olderMqttFields }))),
        }),
      ),
    ),
    ok: json(z.record(z.string(), z.looseObject(Zone.shape))),
  }),
};
