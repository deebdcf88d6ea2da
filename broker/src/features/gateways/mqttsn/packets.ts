/** The messages of MQTT-SN 1.2 under the names of the specification; numbers are those of its table 3. */
export const MsgType = {
  ADVERTISE: 0x00,
  SEARCHGW: 0x01,
  GWINFO: 0x02,
  CONNECT: 0x04,
  CONNACK: 0x05,
  WILLTOPICREQ: 0x06,
  WILLTOPIC: 0x07,
  WILLMSGREQ: 0x08,
  WILLMSG: 0x09,
  REGISTER: 0x0a,
  REGACK: 0x0b,
  PUBLISH: 0x0c,
  PUBACK: 0x0d,
  PUBCOMP: 0x0e,
  PUBREC: 0x0f,
  PUBREL: 0x10,
  SUBSCRIBE: 0x12,
  SUBACK: 0x13,
  UNSUBSCRIBE: 0x14,
  UNSUBACK: 0x15,
  PINGREQ: 0x16,
  PINGRESP: 0x17,
  DISCONNECT: 0x18,
  WILLTOPICUPD: 0x1a,
  WILLTOPICRESP: 0x1b,
  WILLMSGUPD: 0x1c,
  WILLMSGRESP: 0x1d,
  ENCAPSULATED: 0xfe,
} as const;
type Types = typeof MsgType;

/** Section 5.3.10. */
export const ReturnCode = { Accepted: 0, Congestion: 1, InvalidTopicId: 2, NotSupported: 3 } as const;
/** Other codes are reserved; a peer may send them. */
export type ReturnCode = number;

/** -1: without a connection, to a predefined or short topic, and nobody acknowledges it. */
export type SnQos = -1 | 0 | 1 | 2;

/** The TopicIdType of section 5.3.4 with what it says of two bytes. */
export type TopicRef =
  | { readonly kind: 'normal'; readonly id: number }
  | { readonly kind: 'predefined'; readonly id: number }
  | { readonly kind: 'short'; readonly name: string }; // two bytes

/** The same where a client subscribes: a name or filter instead of an id of the registry. */
export type SubscribedTopic =
  | { readonly kind: 'name'; readonly name: string }
  | Exclude<TopicRef, { kind: 'normal' }>;

export interface ConnectPacket {
  type: Types['CONNECT'];
  will: boolean;
  cleanSession: boolean;
  protocolId: number;
  duration: number; // keep alive, seconds
  clientid: string;
}

/** `topic` null: the message is empty, the will is to be deleted. */
export interface WillTopicPacket {
  type: Types['WILLTOPIC'] | Types['WILLTOPICUPD'];
  topic: string | null;
  qos: SnQos;
  retain: boolean;
}

export interface PublishPacket {
  type: Types['PUBLISH'];
  dup: boolean;
  qos: SnQos;
  retain: boolean;
  topic: TopicRef;
  msgId: number;
  data: Uint8Array;
}

export interface SubscribePacket {
  type: Types['SUBSCRIBE'];
  dup: boolean;
  qos: SnQos;
  topic: SubscribedTopic;
  msgId: number;
}

export type AckPacket = {
  type: Types['REGACK'] | Types['PUBACK'];
  topicId: number;
  msgId: number;
  code: ReturnCode;
};

export type Packet =
  | { type: Types['ADVERTISE']; gatewayId: number; duration: number }
  | { type: Types['SEARCHGW']; radius: number }
  | { type: Types['GWINFO']; gatewayId: number; address: Uint8Array }
  | ConnectPacket
  | { type: Types['CONNACK'] | Types['WILLTOPICRESP'] | Types['WILLMSGRESP']; code: ReturnCode }
  | { type: Types['WILLTOPICREQ'] | Types['WILLMSGREQ'] | Types['PINGRESP'] }
  | WillTopicPacket
  | { type: Types['WILLMSG'] | Types['WILLMSGUPD']; message: Uint8Array }
  | { type: Types['REGISTER']; topicId: number; msgId: number; name: string }
  | AckPacket
  | PublishPacket
  | { type: Types['PUBREC'] | Types['PUBREL'] | Types['PUBCOMP'] | Types['UNSUBACK']; msgId: number }
  | SubscribePacket
  | { type: Types['SUBACK']; qos: SnQos; topicId: number; msgId: number; code: ReturnCode }
  | { type: Types['UNSUBSCRIBE']; topic: SubscribedTopic; msgId: number }
  | { type: Types['PINGREQ']; clientid: string | null }
  | { type: Types['DISCONNECT']; duration: number | null };

/** What a forwarder puts around a message of a node behind it, section 5.5. */
export interface Encapsulated {
  radius: number;
  node: Uint8Array;
  /** The message itself, with its length. */
  message: Uint8Array;
}

export const Flag = {
  dup: 0x80,
  qos: 0x60,
  qosShift: 5,
  retain: 0x10,
  will: 0x08,
  cleanSession: 0x04,
  topicIdType: 0x03,
} as const;

export const PROTOCOL_ID = 0x01;
/** The length of a message has two bytes at most, and a datagram of IPv4 carries so much. */
export const DATAGRAM_BYTES_MAX = 65_507;
/** Length, type, flags, topic id and message id of a PUBLISH, at most. */
export const PUBLISH_HEADER_BYTES = 9;
/** The same around the name in a REGISTER. */
export const REGISTER_HEADER_BYTES = 8;
