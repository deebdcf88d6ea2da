import type { Properties } from '@mqdeck/mqtt/packets';
import { isValidFilter, isValidTopic } from '@mqdeck/mqtt/topics';
import * as z from 'zod/mini';
import type { MessageChange } from '../../core/message.ts';

/** What handlers of plugins may answer. It comes from other people's code: nothing of it is taken unseen. */

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'must be bytes');
const short = z.string().check(z.maxLength(1000));
const mqttText = z.string().check(z.maxLength(65_535));
const qos = z.literal([0, 1, 2]);

const properties = z.strictObject({
  payloadFormatIndicator: z.optional(z.literal([0, 1])),
  messageExpiryInterval: z.optional(z.number().check(z.int(), z.gte(0), z.lte(0xffffffff))),
  contentType: z.optional(mqttText),
  responseTopic: z.optional(mqttText),
  correlationData: z.optional(bytes),
  userProperty: z.optional(z.array(z.tuple([mqttText, mqttText])).check(z.maxLength(1000))),
});

const change = {
  topic: z.optional(z.string().check(z.refine(isValidTopic, 'must be a topic'))),
  payload: z.optional(bytes),
  qos: z.optional(qos),
  retain: z.optional(z.boolean()),
  properties: z.optional(properties),
};

const publishAnswer = z.union([
  z.strictObject({ drop: z.literal(true) }),
  z.strictObject({ refuse: short }),
  z.strictObject(change),
]);
export type PublishAnswer = { drop: true } | { refuse: string } | MessageChange;

const connectAnswer = z.strictObject({ refuse: short });
const authenticateAnswer = z.union([
  z.strictObject({ allow: z.literal(true), superuser: z.optional(z.boolean()) }),
  z.strictObject({ allow: z.literal(false), why: z.optional(short) }),
]);
const authorizeAnswer = z.enum(['allow', 'deny']);
const subscribeAnswer = z.array(z.string().check(z.refine(isValidFilter, 'must be a topic filter')));

const publishRequest = z.strictObject({ ...change, topic: z.string(), payload: bytes });
export interface PublishRequest extends MessageChange {
  topic: string;
  payload: Uint8Array;
  properties?: Properties;
}

/** Throws with what is wrong. Null and undefined are no opinion. */
const reader =
  <T>(schema: z.ZodMiniType) =>
  (answer: unknown): T | undefined => {
    if (answer === undefined || answer === null) return undefined;
    const result = z.safeParse(schema, answer);
    if (result.success) return result.data as T;
    const { path, message } = result.error.issues[0]!;
    throw new Error(`its answer cannot be used: ${path.join('.')}${path.length > 0 ? ': ' : ''}${message}`);
  };

export const readPublish = reader<PublishAnswer>(publishAnswer);
export const readConnect = reader<{ refuse: string }>(connectAnswer);
export const readAuthenticate = reader<{ allow: true; superuser?: boolean } | { allow: false; why?: string }>(
  authenticateAnswer,
);
export const readAuthorize = reader<'allow' | 'deny'>(authorizeAnswer);
export const readSubscribe = reader<string[]>(subscribeAnswer);
export const readRequest = reader<PublishRequest>(publishRequest);
