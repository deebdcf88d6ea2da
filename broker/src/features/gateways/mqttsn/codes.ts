import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { ReturnCode, type TopicRef } from './packets.ts';

const FAILURE = 0x80; // reason codes from here on

/** What the device should try again later. */
const CONGESTED: ReadonlySet<number> = new Set([
  ReasonCode.ServerUnavailable,
  ReasonCode.ServerBusy,
  ReasonCode.ReceiveMaximumExceeded,
  ReasonCode.MessageRateTooHigh,
  ReasonCode.QuotaExceeded,
  ReasonCode.ConnectionRateExceeded,
]);

/** The four codes that MQTT-SN has for all that may happen. */
export function returnCodeOf(reasonCode: number): ReturnCode {
  if (reasonCode < FAILURE) return ReturnCode.Accepted;
  if (CONGESTED.has(reasonCode)) return ReturnCode.Congestion;
  const topic = reasonCode === ReasonCode.TopicNameInvalid || reasonCode === ReasonCode.TopicFilterInvalid;
  return topic ? ReturnCode.InvalidTopicId : ReturnCode.NotSupported;
}

/** The two bytes of an acknowledgement that say which topic it is about. */
export const topicIdOf = (topic: TopicRef): number =>
  topic.kind === 'short' ? Buffer.from(topic.name).readUInt16BE() : topic.id;
