import { TOPIC_METRICS_MAX, type topicMetrics } from '@mqdeck/contract/topic-metrics';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import type { Counted, TopicMetricsCounter } from './topic-metrics.ts';

export function topicMetricsApi(counter: TopicMetricsCounter): Handlers<typeof topicMetrics> {
  const found = (topic: string): Counted => counter.get(topic) ?? fail('TOPIC_NOT_FOUND', 'Topic not found');
  return {
    list: () => counter.all().map(present),
    create: async ({ body: { topic } }) => {
      if (topic === '') return fail('BAD_REQUEST', 'The topic is empty');
      if (!isValidTopic(topic)) return fail('BAD_TOPIC', 'Wildcards are not supported: name one topic');
      if (counter.get(topic)) return fail('BAD_TOPIC', 'The topic is counted already');
      if (counter.size >= TOPIC_METRICS_MAX)
        return fail('EXCEED_LIMIT', `${TOPIC_METRICS_MAX} topics can be counted at most`, 409);
      return present(await counter.add(topic));
    },
    reset: ({ body: { topic } }) => {
      const now = Date.now();
      if (topic !== undefined) {
        const one = found(topic);
        one.reset(now);
        return present(one);
      }
      for (const one of counter.all()) one.reset(now);
      return counter.all().map(present);
    },
    get: ({ params: { topic } }) => present(found(topic)),
    remove: async ({ params: { topic } }) => {
      if (!(await counter.remove(topic))) fail('TOPIC_NOT_FOUND', 'Topic not found');
    },
  };
}

/** Times of these have no milliseconds. */
const seconds = (epochMs: number): string => rfc3339(epochMs).replace(/\.\d+/, '');

const present = ({ topic, createdAt, resetAt, metrics }: Counted) => ({
  topic,
  create_time: seconds(createdAt),
  ...(resetAt !== null && { reset_time: seconds(resetAt) }),
  metrics,
});
