import { ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import { Code } from './message.ts';
import { type CoapResponse, problem } from './peer.ts';

const CODES: ReadonlyMap<number, string> = new Map<number, string>([
  [ReasonCode.BadUserNameOrPassword, Code.Unauthorized],
  [ReasonCode.NotAuthorized, Code.Unauthorized],
  [ReasonCode.BadAuthenticationMethod, Code.Unauthorized],
  [ReasonCode.Banned, Code.Forbidden],
  [ReasonCode.ClientIdentifierNotValid, Code.BadRequest],
  [ReasonCode.MalformedPacket, Code.BadRequest],
  [ReasonCode.ProtocolError, Code.BadRequest],
  [ReasonCode.TopicNameInvalid, Code.BadRequest],
  [ReasonCode.TopicFilterInvalid, Code.BadRequest],
  [ReasonCode.PayloadFormatInvalid, Code.BadRequest],
  [ReasonCode.QoSNotSupported, Code.BadRequest],
  [ReasonCode.RetainNotSupported, Code.BadRequest],
  [ReasonCode.WildcardSubscriptionsNotSupported, Code.BadRequest],
  [ReasonCode.SharedSubscriptionsNotSupported, Code.BadRequest],
  [ReasonCode.PacketTooLarge, Code.RequestEntityTooLarge],
  [ReasonCode.QuotaExceeded, Code.ServiceUnavailable],
  [ReasonCode.ServerBusy, Code.ServiceUnavailable],
  [ReasonCode.ServerUnavailable, Code.ServiceUnavailable],
  [ReasonCode.ServerShuttingDown, Code.ServiceUnavailable],
  [ReasonCode.ConnectionRateExceeded, Code.ServiceUnavailable],
  [ReasonCode.MessageRateTooHigh, Code.ServiceUnavailable],
]);

export const isRefused = (reasonCode: number): boolean => reasonCode >= 0x80;

/** What a device hears when the broker refuses; the reason by its name in MQTT. */
export const refusal = (reasonCode: ReasonCode): CoapResponse =>
  problem(CODES.get(reasonCode) ?? Code.InternalServerError, reasonName(reasonCode));
