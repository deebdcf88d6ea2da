import type { BridgeType } from '@mqdeck/contract/bridges/types';
import type { DriverFactory } from '../../resources/driver.ts';
import { gcpPubsubDriver } from './drivers/gcp-pubsub.ts';
import { influxdbV1Driver, influxdbV2Driver } from './drivers/influxdb.ts';
import { kafkaConsumerDriver, kafkaProducerDriver } from './drivers/kafka.ts';
import { mongodbDriver } from './drivers/mongodb.ts';
import { mqttDriver } from './drivers/mqtt.ts';
import { redisDriver } from './drivers/redis.ts';
import { mysqlDriver, pgsqlDriver } from './drivers/sql.ts';
import { webhookDriver } from './drivers/webhook.ts';

/** How each type of bridge reaches its target; the configuration is checked by the contract before. */
export const drivers: Record<BridgeType, DriverFactory<never>> = {
  webhook: webhookDriver,
  mqtt: mqttDriver,
  mysql: mysqlDriver,
  pgsql: pgsqlDriver,
  timescale: pgsqlDriver,
  matrix: pgsqlDriver,
  redis_single: redisDriver,
  redis_sentinel: redisDriver,
  redis_cluster: redisDriver,
  mongodb_single: mongodbDriver,
  mongodb_rs: mongodbDriver,
  mongodb_sharded: mongodbDriver,
  influxdb_api_v1: influxdbV1Driver,
  influxdb_api_v2: influxdbV2Driver,
  kafka: kafkaProducerDriver,
  kafka_consumer: kafkaConsumerDriver,
  gcp_pubsub: gcpPubsubDriver,
};
