import * as z from 'zod/mini';
import { type BridgeKind, bridgeName, commonFields } from './common.ts';
import { gcpPubsubShape } from './gcp-pubsub.ts';
import { influxdbV1Shape, influxdbV2Shape } from './influxdb.ts';
import { kafkaConsumerShape, kafkaProducerShape } from './kafka.ts';
import { mongodbRsShape, mongodbShardedShape, mongodbSingleShape } from './mongodb.ts';
import { mqttShape } from './mqtt.ts';
import { redisClusterShape, redisSentinelShape, redisSingleShape } from './redis.ts';
import { mysqlShape, pgsqlShape } from './sql.ts';
import { webhookShape } from './webhook.ts';

/** Every type of bridge: its own fields, and what it can do. */
export const bridgeTypes = {
  webhook: { shape: webhookShape, batches: false, async: true },
  mqtt: { shape: mqttShape, batches: false, async: true, mayFetchOnly: true },
  mysql: { shape: mysqlShape, batches: true, async: false },
  pgsql: { shape: pgsqlShape, batches: true, async: false },
  timescale: { shape: pgsqlShape, batches: true, async: false },
  matrix: { shape: pgsqlShape, batches: true, async: false },
  redis_single: { shape: redisSingleShape, batches: true, async: false },
  redis_sentinel: { shape: redisSentinelShape, batches: true, async: false },
  redis_cluster: { shape: redisClusterShape, batches: false, async: false },
  mongodb_single: { shape: mongodbSingleShape, batches: true, async: false },
  mongodb_rs: { shape: mongodbRsShape, batches: true, async: false },
  influxdb_api_v1: { shape: influxdbV1Shape, batches: true, async: true, batchSize: 100 },
  influxdb_api_v2: { shape: influxdbV2Shape, batches: true, async: true, batchSize: 100 },
  kafka: { shape: kafkaProducerShape, batches: true, async: true, batchSize: 500 },
  kafka_consumer: { shape: kafkaConsumerShape, batches: false, async: false, ingressOnly: true },
  gcp_pubsub: { shape: gcpPubsubShape, batches: true, async: true, batchSize: 100 },
  mongodb_sharded: { shape: mongodbShardedShape, batches: true, async: false },
} as const satisfies Record<string, BridgeKind & { shape: Record<string, z.ZodMiniType> }>;

export type BridgeType = keyof typeof bridgeTypes;
export const bridgeTypeNames = Object.keys(bridgeTypes) as BridgeType[];
export const isBridgeType = (type: string): type is BridgeType => Object.hasOwn(bridgeTypes, type);

/** A bridge's configuration without type and name, as it is changed and kept. */
export const bridgeConfig = (type: BridgeType) => {
  const { shape, ...kind } = bridgeTypes[type];
  return z.strictObject({ ...shape, ...commonFields(kind) });
};

/** The same as it is kept: with since when it is there, epoch ms. */
export const keptBridge = (type: BridgeType) => {
  const { shape, ...kind } = bridgeTypes[type];
  return z.strictObject({ ...shape, ...commonFields(kind), created_at: z.optional(z.number()) });
};

/** The same with both, as it is made. */
export const newBridge = (type: BridgeType) => {
  const { shape, ...kind } = bridgeTypes[type];
  return z.strictObject({ type: z.literal(type), name: bridgeName, ...shape, ...commonFields(kind) });
};
