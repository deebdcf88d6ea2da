import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, findProgram, Runner, runToEnd } from './engine.ts';

/** The library that speaks Kafka's protocol as a server, a compiler for it, and an independent client. */
export const KAFKA_PROGRAMS = ['gcc', 'kcat'] as const;

/** Prints where its mock cluster listens; takes its broker down and up as it is told by `d` and `u`, and refuses what it gets next as too large by `t`. */
const PROGRAM = `
#include <stdio.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

int main(void) {
  char error[256];
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  rd_kafka_t *client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  if (!client) return 1;
  rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(client, 1);
  if (!cluster) return 2;
  rd_kafka_mock_topic_create(cluster, "mqtt", 4, 1);
  printf("ready %s\\n", rd_kafka_mock_cluster_bootstraps(cluster));
  fflush(stdout);
  for (int c; (c = getchar()) != EOF;) {
    if (c == 'd') rd_kafka_mock_broker_set_down(cluster, 1);
    if (c == 't') rd_kafka_mock_push_request_errors(cluster, 0, 1, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    if (c == 'u') rd_kafka_mock_broker_set_up(cluster, 1);
  }
}
`;

export interface KafkaEngine extends Omit<Engine, 'port'> {
  /** Topics: \`mqtt\` with four partitions; others are made when they are asked for. */
  readonly address: string;
  /** The next messages are refused as too large. */
  refuseNext(): void;
}

/** A cluster of one broker that keeps its messages in memory. */
export async function startKafka(): Promise<KafkaEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'mqdeck-kafka-'));
  const source = join(folder, 'cluster.c');
  const program = join(folder, 'cluster');
  writeFileSync(source, PROGRAM);
  await runToEnd(findProgram('gcc')!, ['-o', program, source, '-lrdkafka'], {});
  const runner = new Runner({ command: program, args: [], ready: /^ready / });
  const line = await runner.start();
  return {
    address: /ready ([^\s,]+)/.exec(line)?.[1] ?? '',
    kill: async () => runner.tell('d'),
    start: async () => runner.tell('u'),
    refuseNext: () => runner.tell('t'),
    close: async () => {
      await runner.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
