import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { page, pageQueryFields, sortQueryFields } from './kit/page.ts';
import { queryInt } from './kit/query.ts';

const bit = z.number().check(z.int(), z.gte(0), z.lte(1));

/** A client's subscription. `topic` holds the filter as it was subscribed, shared ones with `$share/group/`. */
export const Subscription = z.looseObject({
  clientid: z.string(),
  node: z.string(),
  topic: z.string(),
  qos: z.number(),
  nl: z.optional(bit), // no local
  rap: z.optional(bit), // retain as published
  rh: z.optional(z.number()), // retain handling
  durable: z.optional(z.boolean()),
});
export type Subscription = z.infer<typeof Subscription>;

const SUBSCRIPTION_SORT = ['clientid', 'topic', 'qos'] as const;

export const subscriptions = {
  list: endpoint({
    method: 'GET',
    path: '/subscriptions',
    summary: 'All subscriptions',
    query: z.object({
      ...pageQueryFields,
      ...sortQueryFields(SUBSCRIPTION_SORT),
      node: z.optional(z.string()),
      clientid: z.optional(z.string()),
      qos: z.optional(queryInt({ min: 0, max: 2 })),
      share_group: z.optional(z.string()),
      /** The filter itself, not what it matches. Shared subscriptions are not found by it. */
      topic: z.optional(z.string()),
      /** A filter; found are the subscriptions whose own filter, read like a topic, it matches. */
      match_topic: z.optional(z.string()),
    }),
    ok: page(Subscription),
    errors: ['NODE_DOWN'],
  }),
};

/** A filter that somebody is subscribed to; wildcards included. */
export const Topic = z.looseObject({ topic: z.string(), node: z.string() });
export type Topic = z.infer<typeof Topic>;

export const topics = {
  list: endpoint({
    method: 'GET',
    path: '/topics',
    summary: 'All filters that are subscribed',
    query: z.object({
      ...pageQueryFields,
      ...sortQueryFields(['topic']),
      topic: z.optional(z.string()),
      node: z.optional(z.string()),
    }),
    ok: page(Topic),
  }),
  get: endpoint({
    method: 'GET',
    path: '/topics/:topic',
    summary: 'Where one filter is subscribed',
    ok: json(z.array(Topic)),
    errors: ['TOPIC_NOT_FOUND'],
  }),
};
