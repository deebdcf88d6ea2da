import { epochMs } from '@mqdeck/contract/kit/moment';
import { mqttText } from '@mqdeck/contract/kit/values';
import type { Properties } from '@mqdeck/mqtt/packets';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import * as z from 'zod/mini';
import type { Retained, RetainedStore } from './store.ts';

const bytes = z.string().check(z.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'it is no base64'));
const Row = z.strictObject({
  id: z.string().check(z.regex(/^[0-9A-Fa-f]{1,64}$/)),
  topic: z.string().check(z.refine(isValidTopic, 'nothing can be published to this topic')),
  qos: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  payload: bytes,
  /** Those that a message may carry. */
  properties: z.strictObject({
    payloadFormatIndicator: z.optional(z.union([z.literal(0), z.literal(1)])),
    messageExpiryInterval: z.optional(z.int().check(z.gte(0), z.lte(0xffff_ffff))),
    contentType: z.optional(mqttText),
    responseTopic: z.optional(mqttText.check(z.refine(isValidTopic))),
    correlationData: z.optional(bytes),
    userProperty: z.optional(z.array(z.tuple([mqttText, mqttText]))),
  }),
  from: z.string(),
  username: z.nullable(z.string()),
  timestamp: epochMs,
  expires_at: z.int().check(z.gte(0)),
});
type Row = z.output<typeof Row>;

/** What the broker tells of itself, and tells anew at each start. */
const OWN_TOPICS = '$SYS/';

/** Retained messages, wherever they are kept. */
export const retainedBacked = (store: RetainedStore) => ({
  kind: 'retained',
  row: Row,
  *rows(): Generator<Row> {
    for (const retained of store.all())
      if (retained && !retained.topic.startsWith(OWN_TOPICS)) yield rowOf(retained);
  },
  find({ topic }: Row): Row | undefined {
    const retained = store.get(topic);
    return retained && rowOf(retained);
  },
  put({ payload, properties, expires_at: expiresAt, ...row }: Row): void {
    store.put({
      ...row,
      payload: new Uint8Array(Buffer.from(payload, 'base64')),
      properties: revived(properties),
      expiresAt,
    });
  },
});

const rowOf = ({ properties, payload, expiresAt, ...rest }: Retained): Row => ({
  id: rest.id,
  topic: rest.topic,
  qos: rest.qos,
  payload: base64(payload),
  properties: plain(properties),
  from: rest.from,
  username: rest.username,
  timestamp: rest.timestamp,
  expires_at: expiresAt,
});

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

function plain({
  payloadFormatIndicator,
  messageExpiryInterval,
  contentType,
  responseTopic,
  correlationData,
  userProperty,
}: Properties): Row['properties'] {
  return {
    ...(payloadFormatIndicator !== undefined && { payloadFormatIndicator }),
    ...(messageExpiryInterval !== undefined && { messageExpiryInterval }),
    ...(contentType !== undefined && { contentType }),
    ...(responseTopic !== undefined && { responseTopic }),
    ...(correlationData && { correlationData: base64(correlationData) }),
    ...(userProperty && { userProperty }),
  };
}

function revived({ correlationData, ...others }: Row['properties']): Properties {
  const kept = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ...kept,
    ...(correlationData !== undefined && { correlationData: Buffer.from(correlationData, 'base64') }),
  };
}
