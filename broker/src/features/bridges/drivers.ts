import type { BridgeType } from '@mqdeck/contract/bridges/types';
import type { DriverFactory } from '../../resources/driver.ts';
import { lazyDriver } from './lazy-driver.ts';

/**
 * How each type of bridge reaches its target; the configuration is checked by the contract before. A driver and its
 * library are loaded when the first bridge of their types is opened.
 */
export const drivers: Record<BridgeType, DriverFactory<never>> = {
  webhook: lazyDriver(async () => (await import('./drivers/webhook.ts')).webhookDriver),
  mqtt: lazyDriver(async () => (await import('./drivers/mqtt.ts')).mqttDriver),
  mysql: lazyDriver(async () => (await import('./drivers/sql.ts')).mysqlDriver),
  pgsql: lazyDriver(async () => (await import('./drivers/sql.ts')).pgsqlDriver),
  timescale: lazyDriver(async () => (await import('./drivers/sql.ts')).pgsqlDriver),
  matrix: lazyDriver(async () => (await import('./drivers/sql.ts')).pgsqlDriver),
  redis_single: lazyDriver(async () => (await import('./drivers/redis.ts')).redisDriver),
  redis_sentinel: lazyDriver(async () => (await import('./drivers/redis.ts')).redisDriver),
  redis_cluster: lazyDriver(async () => (await import('./drivers/redis.ts')).redisDriver),
  mongodb_single: lazyDriver(async () => (await import('./drivers/mongodb.ts')).mongodbDriver),
  mongodb_rs: lazyDriver(async () => (await import('./drivers/mongodb.ts')).mongodbDriver),
  mongodb_sharded: lazyDriver(async () => (await import('./drivers/mongodb.ts')).mongodbDriver),
  influxdb_api_v1: lazyDriver(async () => (await import('./drivers/influxdb.ts')).influxdbV1Driver),
  influxdb_api_v2: lazyDriver(async () => (await import('./drivers/influxdb.ts')).influxdbV2Driver),
  kafka: lazyDriver(async () => (await import('./drivers/kafka.ts')).kafkaProducerDriver),
  kafka_consumer: lazyDriver(async () => (await import('./drivers/kafka.ts')).kafkaConsumerDriver),
  gcp_pubsub: lazyDriver(async () => (await import('./drivers/gcp-pubsub.ts')).gcpPubsubDriver),
};
