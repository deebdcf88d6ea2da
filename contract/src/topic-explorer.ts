import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { queryInt } from './kit/query.ts';

/** Topics beyond these are counted with their parent only. */
export const EXPLORED_TOPICS_MAX = 20_000;
/** Of a value; what is longer is cut. */
export const EXPLORED_VALUE_BYTES_MAX = 16 * 1024;
/** The last values of a topic that somebody looks at. */
export const EXPLORED_VALUES_MAX = 100;
/** Nobody has looked for so long: what was gathered is forgotten, and gathering ends. */
export const EXPLORED_IDLE_SECONDS = 120;

const topic = z.string().check(z.minLength(1), z.maxLength(65_535));

/** One level of a topic, with what is below it. */
export const ExploredNode = z.looseObject({
  /** Of its level alone; may be empty. */
  name: z.string(),
  /** The whole topic, or the beginning of those below. */
  topic: z.string(),
  /** Levels directly below. */
  children: z.number(),
  /** Topics with messages in and below it. */
  topics: z.number(),
  /** In and below it, since gathering began. */
  messages: z.number(),
  bytes: z.number(),
  rate: z.number(), // messages a second
  last_at: z.optional(z.number()), // epoch ms
  /** Its own last message; absent when it has had none itself. */
  own: z.optional(
    z.looseObject({
      messages: z.number(),
      at: z.number(), // epoch ms
      bytes: z.number(),
      qos: z.number(),
      retained: z.boolean(), // the broker keeps a message of it
      subscribers: z.number(), // 1000 at most are counted
      /** The beginning of the payload, base64. */
      preview: z.string(),
    }),
  ),
});
export type ExploredNode = z.infer<typeof ExploredNode>;

export const ExplorerStatus = z.looseObject({
  since: z.number(), // epoch ms
  topics: z.number(),
  topics_max: z.number(),
  /** Topics that were not taken in: there were too many, or their values took too much memory. */
  left_out: z.number(),
  /** Messages since it began, and how many of them were looked at: fewer on a busy broker. */
  messages: z.number(),
  sampled: z.number(),
  memory_bytes: z.number(),
  memory_max: z.number(),
});
export type ExplorerStatus = z.infer<typeof ExplorerStatus>;

export const ExploredValue = z.looseObject({
  at: z.number(), // epoch ms
  payload: z.string(), // base64
  bytes: z.number(), // of the whole payload
  qos: z.number(),
  retain: z.boolean(),
  from: z.string(),
  content_type: z.optional(z.string()),
});
export type ExploredValue = z.infer<typeof ExploredValue>;

export const topicExplorer = {
  tree: endpoint({
    method: 'GET',
    path: '/topic_explorer',
    summary:
      'Topics that messages are published to, level by level: those below `parent`, or whose name contains `search`. The first question begins the gathering',
    query: z.object({
      /** Without it the top; the beginning of topics, without the slash behind it. */
      parent: z.optional(z.string()),
      search: z.optional(z.string().check(z.minLength(1))),
      limit: z._default(queryInt({ min: 1, max: 1000 }), 200),
      sort: z._default(z.enum(['name', 'messages', 'rate', 'last_at']), 'name'),
    }),
    ok: json(
      z.looseObject({
        data: z.array(ExploredNode),
        /** There are more than `limit`. */
        hasnext: z.boolean(),
        status: ExplorerStatus,
      }),
    ),
    extension: 'a live tree of topics',
  }),
  topic: endpoint({
    method: 'GET',
    path: '/topic_explorer/topic',
    summary: 'The last values of a topic, the newest first; they are kept from the first question on',
    query: z.object({ topic, after: z.optional(queryInt({ min: 0 })) }),
    ok: json(
      z.looseObject({
        topic: z.string(),
        messages: z.number(),
        rate: z.number(),
        retained: z.boolean(),
        subscribers: z.number(),
        values: z.array(ExploredValue),
      }),
    ),
    extension: 'a live tree of topics',
  }),
  forget: endpoint({
    method: 'DELETE',
    path: '/topic_explorer',
    summary: 'Forget what was gathered and begin anew',
    ok: noContent,
    extension: 'a live tree of topics',
  }),
};
