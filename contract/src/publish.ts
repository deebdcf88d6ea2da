import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { bulk, flag, intBetween, mqttText, text } from './kit/values.ts';

const PublishProperties = z.strictObject({
  payload_format_indicator: z.optional(z.literal([0, 1])),
  message_expiry_interval: z.optional(intBetween(0, 4_294_967_295)),
  /** A topic: whoever answers publishes to it, so it has no wildcards. */
  response_topic: z.optional(mqttText.check(z.refine((topic) => /^[^+#]+$/.test(topic), 'bad_topic'))),
  correlation_data: z.optional(mqttText),
  content_type: z.optional(mqttText),
  user_properties: z.optional(z.record(mqttText, mqttText)),
});

const PublishRequest = z.strictObject({
  topic: text,
  payload: text,
  qos: z._default(z.literal([0, 1, 2]), 0),
  retain: z._default(flag, false),
  clientid: z.optional(text),
  payload_encoding: z._default(z.enum(['plain', 'base64']), 'plain'),
  properties: z._default(PublishProperties, {}),
});

/** Failures of a publish carry an MQTT reason code: 16 nobody matched, 131 encoding, 144 topic, 151 too large. */
const Published = z.union([
  z.looseObject({ id: z.string() }),
  z.looseObject({ message: z.string(), reason_code: z.number() }),
]);

export const publish = {
  /** 200 with the id of the message, or 202 where nobody is subscribed. */
  one: endpoint({
    method: 'POST',
    path: '/publish',
    summary: 'Publish a message',
    body: PublishRequest,
    ok: json(Published),
  }),
  /** 200, or 202 where one of them matched nobody. */
  many: endpoint({
    method: 'POST',
    path: '/publish/bulk',
    summary: 'Publish several messages',
    body: bulk(PublishRequest),
    ok: json(z.array(Published)),
  }),
};
