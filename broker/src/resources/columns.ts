import type { Alarm } from '@mqdeck/contract/alarms';
import type { ConnectPacket, Properties, QoS } from '@mqdeck/mqtt/packets';
import { reasonName } from '@mqdeck/mqtt/reason-codes';
import type { Columns } from '@mqdeck/rulesql/compile';
import type { Value, ValueMap } from '@mqdeck/rulesql/values';
import type { Client } from '../core/client.ts';
import type { Access, AccessRequest, ClientInfo, DropReason } from '../core/hooks.ts';
import type { Message } from '../core/message.ts';

/** Messages and events as rules see them: the columns of the API, with its names. */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text where it is text, else the bytes. */
export function payloadOf(bytes: Uint8Array): Value {
  try {
    return strict.decode(bytes);
  } catch {
    return new Uint8Array(bytes); // the message's own is a view of what the network brought
  }
}

const PROPERTY_NAMES = {
  payloadFormatIndicator: 'Payload-Format-Indicator',
  messageExpiryInterval: 'Message-Expiry-Interval',
  contentType: 'Content-Type',
  responseTopic: 'Response-Topic',
  correlationData: 'Correlation-Data',
  subscriptionIdentifier: 'Subscription-Identifier',
  sessionExpiryInterval: 'Session-Expiry-Interval',
  receiveMaximum: 'Receive-Maximum',
  maximumPacketSize: 'Maximum-Packet-Size',
  topicAliasMaximum: 'Topic-Alias-Maximum',
  requestResponseInformation: 'Request-Response-Information',
  requestProblemInformation: 'Request-Problem-Information',
  reasonString: 'Reason-String',
  serverReference: 'Server-Reference',
} as const satisfies Partial<Record<keyof Properties, string>>;

/** MQTT properties by the names of the standard; those of the user as a map, and in their order as a list. */
export function propertiesOf(properties: Properties): ValueMap {
  const map: ValueMap = {};
  for (const [key, name] of Object.entries(PROPERTY_NAMES)) {
    const value = properties[key as keyof typeof PROPERTY_NAMES];
    if (value === undefined) continue;
    if (value instanceof Uint8Array) map[name] = payloadOf(value);
    else map[name] = Array.isArray(value) ? [...(value as Value[])] : (value as Value);
  }
  const pairs = properties.userProperty ?? [];
  if (pairs.length > 0) {
    map['User-Property'] = Object.fromEntries(pairs);
    map['User-Property-Pairs'] = pairs.map(([key, value]) => ({ key, value }));
  }
  return map;
}

const peerOf = (who: ClientInfo | null) => ({
  peerhost: who?.address || undefined,
  peername: who?.address ? `${who.address}:${who.port}` : undefined,
});

const nameOf = (username: string | null | undefined): string | undefined => username ?? undefined;

/** What all rows have, and when: one row is made for all rules. */
export interface RowMaker {
  node: string;
  now: () => number; // epoch ms
}

const hex = (id: string) => id.toUpperCase();

function messageColumns(message: Message) {
  const { publisher } = message;
  let payload: { text: Value } | null = null;
  return {
    id: hex(message.id),
    /** Decoded by whoever reads it first. */
    get payload(): Value {
      payload ??= { text: payloadOf(message.payload) };
      return payload.text;
    },
    topic: message.topic,
    qos: message.qos as number,
    flags: { retain: message.retain, dup: false },
    publish_received_at: message.timestamp,
    pub_props: propertiesOf(message.properties),
    client_attrs: { ...publisher?.attributes },
  };
}

export const rowOf = ({ node, now }: RowMaker) => {
  const frame = (event: string) => ({ event, node, timestamp: now() });
  const toReceiver = (message: Message, client: Client) => ({
    from_clientid: message.from,
    from_username: nameOf(message.publisher?.username),
    clientid: client.clientid,
    username: nameOf(client.username),
    ...peerOf(message.publisher),
  });
  const connection = (client: Client) => {
    const { proto_name, proto_ver } = client.facts();
    return {
      clientid: client.clientid,
      username: nameOf(client.username),
      ...peerOf(client.who),
      sockname: client.listener,
      proto_name,
      proto_ver: proto_ver as number,
      client_attrs: { ...client.who.attributes },
    };
  };
  return {
    publish(message: Message): Columns {
      // Assigned, not spread: a spread would decode the payload for rules that do not look at it
      return Object.assign(messageColumns(message), {
        ...frame('message.publish'),
        timestamp: message.timestamp,
        clientid: message.from,
        username: nameOf(message.publisher?.username),
        ...peerOf(message.publisher),
      });
    },
    delivered: (client: Client, message: Message, qos: QoS): Columns =>
      Object.assign(messageColumns(message), {
        ...frame('message.delivered'),
        ...toReceiver(message, client),
        qos,
      }),
    acked: (client: Client, message: Message): Columns =>
      Object.assign(messageColumns(message), {
        ...frame('message.acked'),
        ...toReceiver(message, client),
        puback_props: {},
      }),
    /** Nobody subscribed. */
    dropped: (message: Message, reason: DropReason): Columns =>
      Object.assign(messageColumns(message), {
        ...frame('message.dropped'),
        reason,
        clientid: message.from,
        username: nameOf(message.publisher?.username),
        ...peerOf(message.publisher),
      }),
    deliveryDropped: (client: Client, message: Message, reason: DropReason): Columns =>
      Object.assign(messageColumns(message), {
        ...frame('delivery.dropped'),
        reason,
        ...toReceiver(message, client),
      }),
    connected: (client: Client, packet: ConnectPacket | undefined): Columns => ({
      ...frame('client.connected'),
      ...connection(client),
      mountpoint: client.who.mountpoint ?? undefined,
      keepalive: client.keepalive,
      clean_start: client.cleanStart,
      expiry_interval: client.expiryInterval,
      is_bridge: client.facts().is_bridge,
      conn_props: propertiesOf(packet?.properties ?? {}),
      connected_at: client.connectedAt,
    }),
    disconnected: (client: Client, reason: string): Columns => ({
      ...frame('client.disconnected'),
      ...connection(client),
      reason,
      disconn_props: {},
      connected_at: client.connectedAt,
      disconnected_at: client.disconnectedAt ?? now(),
    }),
    connack: (who: ClientInfo, reasonCode: number, packet: ConnectPacket | undefined): Columns => ({
      ...frame('client.connack'),
      clientid: who.clientid,
      username: nameOf(who.username),
      ...peerOf(who),
      sockname: who.listener,
      proto_name: who.protocolVersion === 3 ? 'MQIsdp' : 'MQTT',
      proto_ver: who.protocolVersion,
      reason_code: reasonWord(reasonCode),
      keepalive: packet?.keepAlive,
      clean_start: packet?.cleanStart,
      expiry_interval: packet?.properties.sessionExpiryInterval ?? 0,
      connected_at: now(),
      conn_props: propertiesOf(packet?.properties ?? {}),
    }),
    authenticated: (who: ClientInfo, reasonCode: number, anonymous: boolean): Columns => ({
      ...frame('client.check_authn_complete'),
      clientid: who.clientid,
      username: nameOf(who.username),
      ...peerOf(who),
      reason_code: reasonWord(reasonCode),
      is_superuser: who.isSuperuser,
      is_anonymous: anonymous,
      client_attrs: { ...who.attributes },
    }),
    authorized: (
      who: ClientInfo,
      { action, topic }: AccessRequest,
      result: Access,
      source: string,
    ): Columns => ({
      ...frame('client.check_authz_complete'),
      clientid: who.clientid,
      username: nameOf(who.username),
      ...peerOf(who),
      topic,
      action,
      authz_source: source,
      result,
      client_attrs: { ...who.attributes },
    }),
    subscribed: (client: Client, filter: string, qos: QoS): Columns => ({
      ...frame('session.subscribed'),
      ...aboutSubscription(client, filter),
      qos,
      sub_props: {},
    }),
    unsubscribed: (client: Client, filter: string): Columns => ({
      ...frame('session.unsubscribed'),
      ...aboutSubscription(client, filter),
      qos: client.subscription(filter)?.qos,
      unsub_props: {},
    }),
    alarm: (event: 'activate' | 'deactivate', alarm: Alarm): Columns => ({
      ...frame(event === 'activate' ? 'alarm.activated' : 'alarm.deactivated'),
      name: alarm.name,
      message: alarm.message,
      details: alarm.details as Value,
      activated_at: Date.parse(alarm.activate_at),
      ...(event === 'deactivate' && { deactivated_at: Date.parse(alarm.deactivate_at ?? '') || now() }),
    }),
  };
};

const aboutSubscription = (client: Client, filter: string) => ({
  clientid: client.clientid,
  username: nameOf(client.username),
  ...peerOf(client.who),
  topic: filter,
  client_attrs: { ...client.who.attributes },
});

/** `success`, `not_authorized`: the words of the standard in the API's spelling. */
const reasonWord = (reasonCode: number): string =>
  reasonName(reasonCode)
    .replace(/(?<=.)[A-Z]/g, (capital) => `_${capital}`)
    .toLowerCase();
