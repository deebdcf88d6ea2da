import type { CheckedRequest } from '@mqdeck/contract/kit/endpoint';
import type { publish } from '@mqdeck/contract/publish';
import type { Properties } from '@mqdeck/mqtt/packets';
import { encodeProperties, USER_PROPERTIES_MAX } from '@mqdeck/mqtt/properties';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import type { Core, Published, PublishInput } from '../../core/core.ts';
import { type Handlers, withStatus } from '../../http/handlers.ts';
import { Turn } from '../../paging/turn.ts';

type Body = CheckedRequest<typeof publish.one>['body'];
type Failure = { message: string; reason_code: number };
type Result = { id: string } | Failure;

/** What a message takes beside topic, properties and payload: its header and lengths. */
const HEADER_BYTES = 16;

export function publishApi(core: Core): Handlers<typeof publish> {
  return {
    one: async ({ body }) => {
      const input = inputOf(core, body);
      if ('reason_code' in input) return withStatus(400, input);
      const published = await core.publish(input);
      if (published.mustLast) await core.flushed();
      const result = resultOf(published);
      return withStatus('id' in result ? 200 : 202, result);
    },
    many: async ({ body: messages }) => {
      const inputs = messages.map((message) => inputOf(core, message));
      // One that cannot be sent keeps all from being sent.
      const wrong = inputs.find((input) => 'reason_code' in input);
      if (wrong) return withStatus(400, [wrong]);
      const results: Result[] = [];
      const turn = new Turn();
      let mustLast = false;
      for (const input of inputs as PublishInput[]) {
        const published = await core.publish(input);
        mustLast ||= published.mustLast;
        results.push(resultOf(published));
        if (turn.over) await turn.next();
      }
      if (mustLast) await core.flushed(); // once for all of them
      return withStatus(results.every((result) => 'id' in result) ? 200 : 202, results);
    },
  };
}

function resultOf({ id, receivers }: Published): Result {
  if (receivers > 0) return { id };
  return { message: 'no_matching_subscribers', reason_code: ReasonCode.NoMatchingSubscribers };
}

function inputOf({ settings }: Core, body: Body): PublishInput | Failure {
  const { topic, qos, retain, clientid, payload_encoding, properties } = body;
  if (!isValidTopic(topic))
    return { message: 'topic_name_invalid', reason_code: ReasonCode.TopicNameInvalid };
  const payload = payload_encoding === 'base64' ? fromBase64(body.payload) : Buffer.from(body.payload);
  if (!payload)
    return { message: 'decode_base64_payload_failed', reason_code: ReasonCode.ImplementationSpecificError };
  const ours = propertiesOf(properties);
  if ((ours.userProperty?.length ?? 0) > USER_PROPERTIES_MAX)
    return { message: 'too_many_user_properties', reason_code: ReasonCode.QuotaExceeded };
  const bytes = payload.length + Buffer.byteLength(topic) + encodeProperties(ours).length + HEADER_BYTES;
  if (bytes > settings.maxPacketBytes)
    return { message: 'packet_too_large', reason_code: ReasonCode.QuotaExceeded };
  return {
    topic,
    payload,
    qos,
    retain,
    properties: ours,
    ...(clientid !== undefined && { clientid }),
  };
}

/** Null when it is not base64; node itself would read anything. */
function fromBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, 'base64') : null;
}

function propertiesOf(given: Body['properties']): Properties {
  const { payload_format_indicator, message_expiry_interval, response_topic, content_type } = given;
  const { correlation_data, user_properties } = given;
  return {
    ...(payload_format_indicator !== undefined && { payloadFormatIndicator: payload_format_indicator }),
    ...(message_expiry_interval !== undefined && { messageExpiryInterval: message_expiry_interval }),
    ...(response_topic !== undefined && { responseTopic: response_topic }),
    ...(content_type !== undefined && { contentType: content_type }),
    ...(correlation_data !== undefined && { correlationData: Buffer.from(correlation_data) }),
    ...(user_properties && { userProperty: Object.entries(user_properties) }),
  };
}
