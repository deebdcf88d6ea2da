import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';

export const REWRITE_RULES_MAX = 20;
const RE_LENGTH_MAX = 1024;

/** The first rule whose `source_topic` matches decides, whether or not its regular expression fits. */
export const RewriteRule = z.strictObject({
  action: z.enum(['publish', 'subscribe', 'all']),
  /** A filter: which topics, or filters of subscriptions, the rule is about. */
  source_topic: z.string().check(z.minLength(1)),
  /** A regular expression of the RE2 kind, which needs no more time than the topic is long. */
  re: z.string().check(z.minLength(1), z.maxLength(RE_LENGTH_MAX)),
  /** `$1` … `$9` are the groups of the expression, `${clientid}` and `${username}` who publishes or subscribes. */
  dest_topic: z.string().check(z.minLength(1)),
});
export type RewriteRule = z.output<typeof RewriteRule>;

export const RewriteSettings = z.strictObject({ rules: z._default(z.array(RewriteRule), []) });
export type RewriteSettings = z.output<typeof RewriteSettings>;

export const topicRewrite = {
  list: endpoint({
    method: 'GET',
    path: '/mqtt/topic_rewrite',
    summary: 'Rules that give topics another name on their way',
    ok: json(z.array(RewriteRule)),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/mqtt/topic_rewrite',
    summary: 'Replace all rules; they hold for what is published and subscribed from then on',
    body: z.array(RewriteRule),
    ok: json(z.array(RewriteRule)),
    errors: ['EXCEED_LIMIT'],
  }),
};
