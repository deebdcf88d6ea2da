import * as z from 'zod/mini';
import { byteSize, duration, flag, intBetween, note, tags } from '../kit/values.ts';
import { bridgeName, durationOrInfinity, wholeAbove0 } from './common.ts';
import { mqttShape } from './mqtt.ts';
import { type BridgeType, bridgeTypeNames, bridgeTypes } from './types.ts';
import { webhookShape } from './webhook.ts';

/**
 * Newer brokers know a bridge in two parts: a connector says where it leads, an action what goes there, a source what comes
 * from there. This is how the fields of each type are shared between them.
 */

type Shape = Record<string, z.ZodMiniType>;
interface Parting {
  connector: Shape;
  action: Shape | null;
  source: Shape | null;
  /** Parameters of an action, for a connector that has none yet and is to be watched or tried. Null: not without one. */
  idle: Record<string, unknown> | null;
}

const qos = z.union([z.literal(0), z.literal(1), z.literal(2)]);
const topic = z.string().check(z.minLength(1));

function without(shape: Shape, names: readonly string[]): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !names.includes(name)));
}
function only(shape: Shape, names: readonly string[]): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => names.includes(name)));
}

/** An action has the fields of those names, its connector all others. */
function parted(type: BridgeType, names: readonly string[], idle: Parting['idle'] = {}): Parting {
  const { shape }: { shape: Shape } = bridgeTypes[type];
  return { connector: without(shape, names), action: only(shape, names), source: null, idle };
}

const HTTP_OF_ACTION = ['method', 'body', 'max_retries', 'request_timeout'] as const;
const KAFKA_OF_SOURCE = ['kafka', 'topic_mapping', 'key_encoding_mode', 'value_encoding_mode'] as const;

export const partings: Record<BridgeType, Parting> = {
  webhook: {
    connector: without(webhookShape, HTTP_OF_ACTION),
    action: {
      ...only(webhookShape, HTTP_OF_ACTION),
      /** Behind the connector's URL. */
      path: z.optional(z.string()),
      /** Beside the connector's; one of the same name counts more. */
      headers: webhookShape.headers,
    },
    source: null,
    idle: {},
  },
  mqtt: {
    connector: {
      ...without(mqttShape, ['ingress', 'egress']),
      /** So many connections, of a source that is shared. */
      pool_size: z.optional(intBetween(1, 64)),
    },
    action: {
      topic,
      qos: z._default(z.union([qos, z.string()]), 1),
      retain: z._default(z.union([z.boolean(), z.string()]), false),
      payload: z.optional(z.string()),
    },
    source: { topic, qos: z._default(qos, 1) },
    idle: { topic: 'idle' },
  },
  mysql: parted('mysql', ['sql']),
  pgsql: parted('pgsql', ['sql']),
  timescale: parted('timescale', ['sql']),
  matrix: parted('matrix', ['sql']),
  redis_single: parted('redis_single', ['command_template'], { command_template: ['PING'] }),
  redis_sentinel: parted('redis_sentinel', ['command_template'], { command_template: ['PING'] }),
  redis_cluster: parted('redis_cluster', ['command_template'], { command_template: ['PING'] }),
  mongodb_single: parted('mongodb_single', ['collection', 'payload_template']),
  mongodb_rs: parted('mongodb_rs', ['collection', 'payload_template']),
  mongodb_sharded: parted('mongodb_sharded', ['collection', 'payload_template']),
  influxdb_api_v1: parted('influxdb_api_v1', ['write_syntax', 'precision'], { write_syntax: 'idle n=1i' }),
  influxdb_api_v2: parted('influxdb_api_v2', ['write_syntax', 'precision'], { write_syntax: 'idle n=1i' }),
  kafka: parted('kafka', ['kafka'], null),
  kafka_consumer: {
    connector: without(bridgeTypes.kafka_consumer.shape, KAFKA_OF_SOURCE),
    action: null,
    source: only(bridgeTypes.kafka_consumer.shape, KAFKA_OF_SOURCE),
    idle: null,
  },
  gcp_pubsub: parted('gcp_pubsub', ['pubsub_topic', 'payload_template'], null),
};

/** A webhook is `http` where it has two parts. */
export const partType = (type: BridgeType): string => (type === 'webhook' ? 'http' : type);
const byPartType = new Map(bridgeTypeNames.map((type) => [partType(type), type]));
export const bridgeTypeOf = (part: string): BridgeType | undefined => byPartType.get(part);

export type Direction = 'action' | 'source';
export const typesWith = (direction: Direction): BridgeType[] =>
  bridgeTypeNames.filter((type) => partings[type][direction] !== null);

const about = {
  enable: z._default(flag, true),
  description: z._default(note, ''),
  tags: z._default(tags, []),
};

const connectorFields = (type: BridgeType) => ({
  ...partings[type].connector,
  ...about,
  resource_opts: z.prefault(
    z.strictObject({
      health_check_interval: z._default(duration, '15s'),
      start_after_created: z._default(flag, true),
      start_timeout: z._default(duration, '5s'),
    }),
    {},
  ),
});

/** A connector without type and name, as it is changed and kept. */
export const connectorConfig = (type: BridgeType) => z.strictObject(connectorFields(type));
export const newConnector = (type: BridgeType) =>
  z.strictObject({ type: z.literal(partType(type)), name: bridgeName, ...connectorFields(type) });

const watching = { health_check_interval: z._default(duration, '15s') };
function delivering({ batches = false, async = false, batchSize = 1 }) {
  return {
    ...watching,
    worker_pool_size: z._default(intBetween(1, 1024), 16),
    query_mode: z._default(z.enum(['sync', 'async']), async ? 'async' : 'sync'),
    inflight_window: z._default(wholeAbove0, 100),
    request_ttl: z._default(durationOrInfinity, '45s'),
    max_buffer_bytes: z._default(byteSize, '256MB'),
    ...(batches && {
      batch_size: z._default(wholeAbove0, batchSize),
      batch_time: z._default(duration, '0ms'),
    }),
    /** As of a bridge; shown where they were given. */
    auto_restart_interval: z.optional(durationOrInfinity),
    buffer_mode: z.optional(z.enum(['memory', 'disk'])),
  };
}

const partOptions = (type: BridgeType, direction: Direction): Shape => {
  const { shape: _, ...kind } = bridgeTypes[type];
  return direction === 'action' ? delivering(kind) : watching;
};
export const partOptionNames = (type: BridgeType, direction: Direction): string[] =>
  Object.keys(partOptions(type, direction));

function partFields(type: BridgeType, direction: Direction) {
  return {
    connector: bridgeName,
    parameters: z.strictObject(partings[type][direction] ?? {}),
    ...about,
    ...(direction === 'action' && { local_topic: z.optional(topic) }),
    resource_opts: z.prefault(z.strictObject(partOptions(type, direction)), {}),
  };
}

/** An action or a source without type and name, as it is changed. */
export const partConfig = (type: BridgeType, direction: Direction) =>
  z.strictObject(partFields(type, direction));
export const newPart = (type: BridgeType, direction: Direction) =>
  z.strictObject({ type: z.literal(partType(type)), name: bridgeName, ...partFields(type, direction) });
