import type { ReasonCode } from './reason-codes.ts';

/** Protocol level of CONNECT: 3 = MQTT 3.1 (MQIsdp), 4 = 3.1.1, 5 = 5.0. */
export type ProtocolVersion = 3 | 4 | 5;
export type QoS = 0 | 1 | 2;

/** Control packet types, table 2-1. */
export const PacketType = {
  CONNECT: 1,
  CONNACK: 2,
  PUBLISH: 3,
  PUBACK: 4,
  PUBREC: 5,
  PUBREL: 6,
  PUBCOMP: 7,
  SUBSCRIBE: 8,
  SUBACK: 9,
  UNSUBSCRIBE: 10,
  UNSUBACK: 11,
  PINGREQ: 12,
  PINGRESP: 13,
  DISCONNECT: 14,
  AUTH: 15,
} as const;

/** All properties of MQTT 5.0, table 2-4, by their names. Which packet may carry which is the codec's to check. */
export interface Properties {
  payloadFormatIndicator?: 0 | 1;
  messageExpiryInterval?: number; // seconds
  contentType?: string;
  responseTopic?: string;
  correlationData?: Uint8Array;
  subscriptionIdentifier?: number[]; // PUBLISH may carry several; SUBSCRIBE one
  sessionExpiryInterval?: number; // seconds, 0xffffffff = never
  assignedClientIdentifier?: string;
  serverKeepAlive?: number; // seconds
  authenticationMethod?: string;
  authenticationData?: Uint8Array;
  requestProblemInformation?: boolean;
  willDelayInterval?: number; // seconds
  requestResponseInformation?: boolean;
  responseInformation?: string;
  serverReference?: string;
  reasonString?: string;
  receiveMaximum?: number;
  topicAliasMaximum?: number;
  topicAlias?: number;
  maximumQoS?: 0 | 1;
  retainAvailable?: boolean;
  userProperty?: [name: string, value: string][]; // order kept, names may repeat
  maximumPacketSize?: number; // bytes
  wildcardSubscriptionAvailable?: boolean;
  subscriptionIdentifierAvailable?: boolean;
  sharedSubscriptionAvailable?: boolean;
}

export interface Will {
  topic: string;
  payload: Uint8Array;
  qos: QoS;
  retain: boolean;
  properties: Properties;
}

export interface ConnectPacket {
  type: typeof PacketType.CONNECT;
  protocolVersion: ProtocolVersion;
  /** MQTT 3.1 bridges set bit 7 of the protocol level; EMQX reports it as `is_bridge`. */
  bridge: boolean;
  cleanStart: boolean;
  keepAlive: number; // seconds, 0 = off
  clientid: string;
  username: string | null;
  password: Uint8Array | null;
  will: Will | null;
  properties: Properties;
}

export interface ConnackPacket {
  type: typeof PacketType.CONNACK;
  sessionPresent: boolean;
  /** 5.0: reason code; 3.x: return code 0…5 (see `connackReturnCode`). */
  reasonCode: number;
  properties: Properties;
}

export interface PublishPacket {
  type: typeof PacketType.PUBLISH;
  topic: string;
  payload: Uint8Array;
  qos: QoS;
  retain: boolean;
  dup: boolean;
  packetId: number; // 0 with QoS 0
  properties: Properties;
}

export interface AckPacket {
  type:
    | typeof PacketType.PUBACK
    | typeof PacketType.PUBREC
    | typeof PacketType.PUBREL
    | typeof PacketType.PUBCOMP;
  packetId: number;
  reasonCode: number; // 0 before 5.0
  properties: Properties;
}

export interface SubscriptionOptions {
  qos: QoS;
  noLocal: boolean;
  retainAsPublished: boolean;
  retainHandling: 0 | 1 | 2;
}

export interface SubscribePacket {
  type: typeof PacketType.SUBSCRIBE;
  packetId: number;
  subscriptions: ({ filter: string } & SubscriptionOptions)[];
  properties: Properties;
}

export interface SubackPacket {
  type: typeof PacketType.SUBACK;
  packetId: number;
  reasonCodes: number[];
  properties: Properties;
}

export interface UnsubscribePacket {
  type: typeof PacketType.UNSUBSCRIBE;
  packetId: number;
  filters: string[];
  properties: Properties;
}

export interface UnsubackPacket {
  type: typeof PacketType.UNSUBACK;
  packetId: number;
  reasonCodes: number[]; // empty before 5.0
  properties: Properties;
}

export interface PingreqPacket {
  type: typeof PacketType.PINGREQ;
}
export interface PingrespPacket {
  type: typeof PacketType.PINGRESP;
}

export interface DisconnectPacket {
  type: typeof PacketType.DISCONNECT;
  reasonCode: ReasonCode | number;
  properties: Properties;
}

export interface AuthPacket {
  type: typeof PacketType.AUTH;
  reasonCode: ReasonCode | number;
  properties: Properties;
}

export type Packet =
  | ConnectPacket
  | ConnackPacket
  | PublishPacket
  | AckPacket
  | SubscribePacket
  | SubackPacket
  | UnsubscribePacket
  | UnsubackPacket
  | PingreqPacket
  | PingrespPacket
  | DisconnectPacket
  | AuthPacket;
