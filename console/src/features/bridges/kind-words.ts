import { defineWords } from '../../i18n/words.ts';

/** What each type is called, and what it does in a sentence. */
export const kindWords = defineWords({
  webhook: { en: 'HTTP', zh: 'HTTP' },
  mqtt: { en: 'MQTT', zh: 'MQTT' },
  kafka: { en: 'Kafka producer', zh: 'Kafka 生产者' },
  kafka_consumer: { en: 'Kafka consumer', zh: 'Kafka 消费者' },
  gcp_pubsub: { en: 'GCP Pub/Sub', zh: 'GCP Pub/Sub' },
  mysql: { en: 'MySQL', zh: 'MySQL' },
  pgsql: { en: 'PostgreSQL', zh: 'PostgreSQL' },
  timescale: { en: 'TimescaleDB', zh: 'TimescaleDB' },
  matrix: { en: 'MatrixDB', zh: 'MatrixDB' },
  mongodb: { en: 'MongoDB', zh: 'MongoDB' },
  mongodb_single: { en: 'MongoDB, single', zh: 'MongoDB 单节点' },
  mongodb_rs: { en: 'MongoDB, replica set', zh: 'MongoDB 副本集' },
  mongodb_sharded: { en: 'MongoDB, sharded', zh: 'MongoDB 分片集群' },
  redis: { en: 'Redis', zh: 'Redis' },
  redis_single: { en: 'Redis, single', zh: 'Redis 单节点' },
  redis_sentinel: { en: 'Redis, Sentinel', zh: 'Redis 哨兵' },
  redis_cluster: { en: 'Redis, cluster', zh: 'Redis 集群' },
  influxdb: { en: 'InfluxDB', zh: 'InfluxDB' },
  influxdb_api_v1: { en: 'InfluxDB v1', zh: 'InfluxDB v1' },
  influxdb_api_v2: { en: 'InfluxDB v2', zh: 'InfluxDB v2' },

  services: { en: 'Services and brokers', zh: '服务与 Broker' },
  streams: { en: 'Streams', zh: '流与消息队列' },
  databases: { en: 'SQL databases', zh: 'SQL 数据库' },
  stores: { en: 'Documents and keys', zh: '文档与键值' },
  series: { en: 'Time series', zh: '时序数据' },

  webhookText: { en: 'Sends each result as an HTTP request.', zh: '将每条结果作为 HTTP 请求发送。' },
  mqttText: {
    en: 'Sends messages to another MQTT broker, fetches them from there, or both.',
    zh: '向另一个 MQTT Broker 发送消息，或从其接收消息，也可同时进行。',
  },
  kafkaText: { en: 'Writes each result to a Kafka topic.', zh: '将每条结果写入 Kafka 主题。' },
  kafka_consumerText: {
    en: 'Reads Kafka topics and publishes what comes as MQTT messages.',
    zh: '消费 Kafka 主题，并将数据发布为 MQTT 消息。',
  },
  gcp_pubsubText: {
    en: 'Publishes each result to a topic of Google Cloud Pub/Sub.',
    zh: '将每条结果发布到 Google Cloud Pub/Sub 主题。',
  },
  mysqlText: { en: 'Runs an SQL statement for each result.', zh: '对每条结果执行一条 SQL 语句。' },
  pgsqlText: { en: 'Runs an SQL statement for each result.', zh: '对每条结果执行一条 SQL 语句。' },
  matrixText: {
    en: 'Runs an SQL statement in MatrixDB for each result.',
    zh: '对每条结果在 MatrixDB 中执行一条 SQL 语句。',
  },
  timescaleText: {
    en: 'Runs an SQL statement in TimescaleDB for each result.',
    zh: '对每条结果在 TimescaleDB 中执行一条 SQL 语句。',
  },
  mongodbText: {
    en: 'Stores each result as a document of a collection.',
    zh: '将每条结果存为集合中的一个文档。',
  },
  redisText: { en: 'Runs a Redis command for each result.', zh: '对每条结果执行一条 Redis 命令。' },
  influxdbText: {
    en: 'Writes each result as a point of a measurement.',
    zh: '将每条结果写为 measurement 中的一个数据点。',
  },
});
