import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { timestamp } from './kit/values.ts';

export const TOPIC_METRICS_MAX = 512;

/** What is counted of a topic, each as `<name>.count` and, in messages per second, as `<name>.rate`. */
export const TOPIC_COUNTERS = [
  'messages.in',
  'messages.out',
  'messages.dropped',
  'messages.qos0.in',
  'messages.qos0.out',
  'messages.qos1.in',
  'messages.qos1.out',
  'messages.qos2.in',
  'messages.qos2.out',
] as const;
export type TopicCounter = (typeof TOPIC_COUNTERS)[number];

export const TopicMetrics = z.looseObject({
  topic: z.string(),
  create_time: timestamp,
  /** Since when it is counted, where that is not since `create_time`: a reset, or a restart. */
  reset_time: z.optional(timestamp),
  metrics: z.record(z.string(), z.number()),
});
export type TopicMetrics = z.infer<typeof TopicMetrics>;

/** The topics as they are kept. */
export const TopicMetricsSettings = z.strictObject({
  topics: z._default(z.array(z.strictObject({ topic: z.string(), create_time: z.number() })), []), // epoch ms
});
export type TopicMetricsSettings = z.output<typeof TopicMetricsSettings>;

export const topicMetrics = {
  list: endpoint({
    method: 'GET',
    path: '/mqtt/topic_metrics',
    summary: 'Topics whose messages are counted one by one',
    ok: json(z.array(TopicMetrics)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/mqtt/topic_metrics',
    summary: 'Count the messages of a topic from now on; wildcards are refused',
    body: z.strictObject({ topic: z.string() }),
    ok: json(TopicMetrics),
    errors: ['BAD_TOPIC', 'EXCEED_LIMIT'],
  }),
  reset: endpoint({
    method: 'PUT',
    path: '/mqtt/topic_metrics',
    summary: 'Begin anew at nought, for a topic or for all',
    body: z.strictObject({ action: z.literal('reset'), topic: z.optional(z.string()) }),
    ok: json(z.union([TopicMetrics, z.array(TopicMetrics)])),
    errors: ['TOPIC_NOT_FOUND'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/mqtt/topic_metrics/:topic',
    summary: 'What was counted of a topic',
    ok: json(TopicMetrics),
    errors: ['TOPIC_NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/mqtt/topic_metrics/:topic',
    summary: 'Count a topic no more',
    ok: noContent,
    errors: ['TOPIC_NOT_FOUND'],
  }),
};
