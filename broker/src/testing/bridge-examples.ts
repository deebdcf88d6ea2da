import type { BridgeType } from '@mqdeck/contract/bridges/types';

const login = { username: 'u', password: 'p' };
const sql = { server: '127.0.0.1:1', database: 'd', ...login };
const servers = '127.0.0.1:1,127.0.0.1:2';
const redis = { ...login, command_template: ['SET', '${topic}', '${payload}'] };
const mongo = { database: 'd', ...login, collection: 'c', payload_template: '{}' };
const influx = { server: '127.0.0.1:1', write_syntax: 'm v=1', precision: 's' };
const mqtt = { server: '127.0.0.1:1', clientid_prefix: 'x', ...login };

/** A configuration of each type of bridge with a field of each part; a type that is missing does not compile. */
export const bridgeExamples: Record<BridgeType, Record<string, unknown>> = {
  webhook: { url: 'http://h:1/a?b=${c}', method: 'put', headers: { a: 'b' }, body: '${.}', pool_size: 2 },
  mqtt: { ...mqtt, egress: { remote: { topic: 'a/${topic}', qos: 2 } }, local_topic: 'out/#' },
  mysql: { ...sql, sql: 'insert into t(a) values (${a})' },
  pgsql: { ...sql, sql: 'insert into t(a) values (${a})' },
  timescale: { ...sql, disable_prepared_statements: true },
  matrix: sql,
  redis_single: { server: '127.0.0.1:1', ...redis, database: 3 },
  redis_sentinel: { servers, sentinel: 's', ...redis },
  redis_cluster: { servers, ...redis },
  mongodb_single: { server: '127.0.0.1:1', ...mongo },
  mongodb_rs: { servers, replica_set_name: 'rs', ...mongo },
  mongodb_sharded: { servers, ...mongo },
  influxdb_api_v1: { ...influx, database: 'd', ...login },
  influxdb_api_v2: { ...influx, org: 'o', bucket: 'b', token: 't' },
  kafka: { bootstrap_hosts: servers, kafka: { topic: 't', compression: 'gzip' } },
  kafka_consumer: { bootstrap_hosts: servers, topic_mapping: [{ kafka_topic: 't', mqtt_topic: 'm' }] },
  gcp_pubsub: { pubsub_topic: 'topic', service_account_json: '{}', pipelining: 5 },
};
