/// <reference path="./snappyjs.d.ts" />
import type { kafkaConsumerShape, kafkaProducerShape } from '@mqdeck/contract/bridges/kafka';
import { parseServers } from '@mqdeck/contract/kit/servers';
import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import { template } from '@mqdeck/rulesql/template';
import { textOf, type Value } from '@mqdeck/rulesql/values';
import kafkajs, {
  type Consumer,
  type Kafka,
  type KafkaMessage,
  type Message,
  type Producer,
  type SASLOptions,
} from 'kafkajs';
import snappy from 'snappyjs';
import type * as z from 'zod/mini';
import { BackendConfigError } from '../../../backends/backend.ts';
import { tlsOptions } from '../../../backends/tls.ts';
import { payloadOf } from '../../../resources/columns.ts';
import { DeliveryError, type Driver, type DriverContext, type Row } from '../../../resources/driver.ts';

type Of<S extends Record<string, z.ZodMiniType>> = { [K in keyof S]: z.output<S[K]> };
export type KafkaProducerConfig = Of<typeof kafkaProducerShape>;
export type KafkaConsumerConfig = Of<typeof kafkaConsumerShape>;

// A module of the older kind: it exports one thing
const { CompressionCodecs, CompressionTypes, logLevel, Partitioners } = kafkajs;

const PORT = 9092;
const COMPRESSION = {
  no_compression: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
} as const;
const ACKS = { all_isr: -1, leader_only: 1, none: 0 } as const;

/** Of messages that some clients have cut into pieces before they were packed. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
CompressionCodecs[CompressionTypes.Snappy] = () => ({
  compress: async ({ buffer }: { buffer: Buffer }) => Buffer.from(snappy.compress(buffer)),
  decompress: async (buffer: Buffer) => {
    if (!buffer.subarray(0, 8).equals(XERIAL)) return Buffer.from(snappy.uncompress(buffer));
    const parts: Buffer[] = [];
    for (let at = 16; at + 4 <= buffer.length; ) {
      const size = buffer.readInt32BE(at);
      parts.push(Buffer.from(snappy.uncompress(buffer.subarray(at + 4, at + 4 + size))));
      at += 4 + size;
    }
    return Buffer.concat(parts);
  },
});

function clientOf(
  config: KafkaProducerConfig | KafkaConsumerConfig,
  { id, log, outbound }: DriverContext,
): Kafka {
  const tls = tlsOptions(config.ssl);
  const sasl = saslOf(config.authentication);
  return new kafkajs.Kafka({
    clientId: `mqdeck-${id.replace(/[^\w.-]/g, '-')}`,
    brokers: parseServers(config.bootstrap_hosts)!.map(({ host, port }) => `${host}:${port ?? PORT}`),
    connectionTimeout: parseDuration(config.connect_timeout)!,
    requestTimeout: Math.max(1000, parseDuration(config.metadata_request_timeout)!),
    ...(tls && { ssl: tls }),
    socketFactory: ({ host, port, ssl, onConnect }) => outbound.connect({ host, port, tls: ssl }, onConnect),
    ...(sasl && { sasl }),
    retry: { retries: 0 }, // the resource around it tries again
    logLevel: logLevel.NOTHING,
    logCreator: () => (entry) => log.debug({ bridge: id, ...entry.log }, 'kafka'),
  });
}

function saslOf(authentication: KafkaProducerConfig['authentication']): SASLOptions | null {
  if (authentication === 'none') return null;
  if ('kerberos_principal' in authentication)
    throw new BackendConfigError('authentication', 'Kerberos is not available here; use PLAIN or SCRAM');
  const { mechanism, username, password } = authentication;
  const login = { username, password };
  if (mechanism === 'plain') return { mechanism: 'plain', ...login };
  return mechanism === 'scram_sha_256'
    ? { mechanism: 'scram-sha-256', ...login }
    : { mechanism: 'scram-sha-512', ...login };
}

/** Whether its name exists; where brokers make topics by themselves, asking makes them. */
async function lookFor(kafka: Kafka, topics: string[]): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.fetchTopicMetadata({ topics });
  } catch (cause) {
    throw new Error(explained(cause));
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** Rows as messages of a topic. */
export function kafkaProducerDriver(config: KafkaProducerConfig, context: DriverContext): Driver {
  const { topic, message, max_batch_bytes, compression, partition_strategy, required_acks } = config.kafka;
  const kafka = clientOf(config, context);
  const batchBytes = parseBytes(max_batch_bytes)!;
  const [key, value, timestamp] = [message.key, message.value, message.timestamp].map((one) => template(one));
  let producer: Producer | null = null;

  function messageOf(row: Row): Message {
    const at = textOf(timestamp!.value(row));
    const name = key!.value(row);
    return {
      key: name === undefined || name === null ? null : bytesOf(name),
      value: bytesOf(value!.value(row)),
      ...(/^\d{1,15}$/.test(at) && { timestamp: at }),
    };
  }

  return {
    async open() {
      const made = kafka.producer({
        maxInFlightRequests: config.kafka.max_inflight,
        allowAutoTopicCreation: true,
        metadataMaxAge: parseDuration(config.kafka.partition_count_refresh_interval)!,
        createPartitioner: partition_strategy === 'key_dispatch' ? Partitioners.DefaultPartitioner : atRandom,
      });
      await connected(() => made.connect());
      producer = made;
      await lookFor(kafka, [topic]);
    },
    check: () => lookFor(kafka, [topic]),
    async deliver(rows) {
      if (producer === null) throw new DeliveryError('it is not open', true);
      let refused = 0;
      for (const messages of inBatches(rows.map(messageOf), batchBytes)) {
        try {
          await producer.send({
            topic,
            messages,
            acks: ACKS[required_acks],
            compression: COMPRESSION[compression],
          });
        } catch (cause) {
          if (!isTooLarge(cause) || messages.length === rows.length)
            throw new DeliveryError(explained(cause), !isTooLarge(cause));
          refused += messages.length;
        }
      }
      return refused;
    },
    async close() {
      await producer?.disconnect();
      producer = null;
    },
  };
}

const atRandom =
  () =>
  ({ partitionMetadata }: { partitionMetadata: { partitionId: number }[] }) =>
    partitionMetadata[Math.floor(Math.random() * partitionMetadata.length)]?.partitionId ?? 0;

const bytesOf = (value: Value): Buffer =>
  value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(textOf(value));

function* inBatches(messages: Message[], bytesMax: number): Generator<Message[]> {
  let batch: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.value ?? '') + Buffer.byteLength(message.key ?? '') + 64;
    if (batch.length > 0 && bytes + size > bytesMax) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Messages of topics as rows, and as messages here. */
export function kafkaConsumerDriver(config: KafkaConsumerConfig, context: DriverContext): Driver {
  const { id, receive, publish, broken } = context;
  const kafka = clientOf(config, context);
  const topics = [...new Set(config.topic_mapping.map(({ kafka_topic }) => kafka_topic))];
  const mappings = config.topic_mapping.map(({ kafka_topic, mqtt_topic, qos, payload_template }) => ({
    kafka_topic,
    qos,
    topic: template(mqtt_topic),
    payload: template(payload_template),
  }));
  let consumer: Consumer | null = null;

  function take(topic: string, partition: number, message: KafkaMessage): void {
    const row: Row = {
      topic,
      partition,
      key: encoded(message.key, config.key_encoding_mode),
      value: encoded(message.value, config.value_encoding_mode),
      headers: Object.fromEntries(
        Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]),
      ),
      ts: Number(message.timestamp),
      ts_type: 'create',
      offset: Number(message.offset),
    };
    receive(row);
    for (const mapping of mappings) {
      if (mapping.kafka_topic !== topic || mapping.topic.text(row) === '') continue;
      publish({ topic: mapping.topic.text(row), payload: mapping.payload.value(row), qos: mapping.qos });
    }
  }

  return {
    async open() {
      const made = kafka.consumer({
        groupId: `mqdeck-${id.replace(/[^\w.-]/g, '-')}`,
        maxBytesPerPartition: parseBytes(config.kafka.max_batch_bytes)!,
        sessionTimeout: 10_000,
        retry: { retries: config.kafka.max_rejoin_attempts },
      });
      consumer = made;
      await lookFor(kafka, topics);
      await connected(() => made.connect());
      await made.subscribe({ topics, fromBeginning: config.kafka.offset_reset_policy === 'earliest' });
      made.on(made.events.CRASH, ({ payload: { error } }) => {
        if (consumer === made) broken(explained(error));
      });
      // Joining its group waits for members that went without a word: longer than anybody waits for a connection
      const joined = made.run({
        autoCommitInterval: config.kafka.offset_commit_interval_seconds * 1000,
        eachMessage: async ({ topic, partition, message }) => take(topic, partition, message),
      });
      joined.catch((cause) => {
        if (consumer === made) broken(explained(cause));
      });
    },
    check: () => lookFor(kafka, topics),
    async deliver() {
      throw new DeliveryError('this bridge brings messages in only', false);
    },
    async close() {
      const old = consumer;
      consumer = null;
      await old?.disconnect();
    },
  };
}

function encoded(bytes: Buffer | null, mode: 'none' | 'base64'): Value {
  if (bytes === null) return undefined;
  return mode === 'base64' ? bytes.toString('base64') : payloadOf(bytes);
}

async function connected(connect: () => Promise<void>): Promise<void> {
  try {
    await connect();
  } catch (cause) {
    throw new Error(explained(cause));
  }
}

const isTooLarge = (cause: unknown): boolean =>
  (cause as { type?: unknown }).type === 'MESSAGE_TOO_LARGE' ||
  (cause as { type?: unknown }).type === 'INVALID_RECORD';

function explained(cause: unknown): string {
  const { message, type, code } = cause as { message?: string; type?: string; code?: unknown };
  if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return 'there is no such topic';
  if (/SASL|authentication/i.test(message ?? '')) return 'the server refused the login';
  if (code === 'ECONNREFUSED') return 'nobody listens at that address';
  return (message ?? 'it failed').slice(0, 300);
}
