/** Reason codes of MQTT 5.0, table 2-6, under the names of the specification. */
export const ReasonCode = {
  Success: 0x00,
  GrantedQoS1: 0x01,
  GrantedQoS2: 0x02,
  DisconnectWithWill: 0x04,
  NoMatchingSubscribers: 0x10,
  NoSubscriptionExisted: 0x11,
  ContinueAuthentication: 0x18,
  ReAuthenticate: 0x19,
  UnspecifiedError: 0x80,
  MalformedPacket: 0x81,
  ProtocolError: 0x82,
  ImplementationSpecificError: 0x83,
  UnsupportedProtocolVersion: 0x84,
  ClientIdentifierNotValid: 0x85,
  BadUserNameOrPassword: 0x86,
  NotAuthorized: 0x87,
  ServerUnavailable: 0x88,
  ServerBusy: 0x89,
  Banned: 0x8a,
  ServerShuttingDown: 0x8b,
  BadAuthenticationMethod: 0x8c,
  KeepAliveTimeout: 0x8d,
  SessionTakenOver: 0x8e,
  TopicFilterInvalid: 0x8f,
  TopicNameInvalid: 0x90,
  PacketIdentifierInUse: 0x91,
  PacketIdentifierNotFound: 0x92,
  ReceiveMaximumExceeded: 0x93,
  TopicAliasInvalid: 0x94,
  PacketTooLarge: 0x95,
  MessageRateTooHigh: 0x96,
  QuotaExceeded: 0x97,
  AdministrativeAction: 0x98,
  PayloadFormatInvalid: 0x99,
  RetainNotSupported: 0x9a,
  QoSNotSupported: 0x9b,
  UseAnotherServer: 0x9c,
  ServerMoved: 0x9d,
  SharedSubscriptionsNotSupported: 0x9e,
  ConnectionRateExceeded: 0x9f,
  MaximumConnectTime: 0xa0,
  SubscriptionIdentifiersNotSupported: 0xa1,
  WildcardSubscriptionsNotSupported: 0xa2,
} as const;
export type ReasonCode = (typeof ReasonCode)[keyof typeof ReasonCode];

/** The peer broke the protocol: thrown by the codec and the core, heard by the client. */
export class MqttError extends Error {
  readonly reasonCode: ReasonCode;
  constructor(reasonCode: ReasonCode, message?: string) {
    super(message ?? reasonName(reasonCode));
    this.name = 'MqttError';
    this.reasonCode = reasonCode;
  }
}

const names = new Map<number, string>(Object.entries(ReasonCode).map(([name, code]) => [code, name]));

/** The specification's name of a reason code, e.g. `NotAuthorized`; `0x7f` style for an unknown one. */
export const reasonName = (code: number): string =>
  names.get(code) ?? `0x${code.toString(16).padStart(2, '0')}`;

/** A packet whose bytes cannot be read as the specification says. */
export const malformed = (message: string): MqttError => new MqttError(ReasonCode.MalformedPacket, message);

/** A readable packet that must not be sent like this. */
export const protocolError = (message: string): MqttError => new MqttError(ReasonCode.ProtocolError, message);
