import type { ConnectPacket, Properties, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import { reasonName } from '@mqdeck/mqtt/reason-codes';
import type { Core } from '../../core/core.ts';
import type { ClientInfo } from '../../core/hooks.ts';
import type { Message } from '../../core/message.ts';
import type { ConnInfo, HookClientInfo, HookMessage } from './protocol.ts';

interface Property {
  name: string;
  value: string;
}

/** As EMQX names what the specification calls a Session Expiry Interval. */
const PROPERTY_NAMES: Partial<Record<keyof Properties, string>> = {
  payloadFormatIndicator: 'Payload-Format-Indicator',
  messageExpiryInterval: 'Message-Expiry-Interval',
  contentType: 'Content-Type',
  responseTopic: 'Response-Topic',
  correlationData: 'Correlation-Data',
  sessionExpiryInterval: 'Session-Expiry-Interval',
  authenticationMethod: 'Authentication-Method',
  authenticationData: 'Authentication-Data',
  requestProblemInformation: 'Request-Problem-Information',
  requestResponseInformation: 'Request-Response-Information',
  receiveMaximum: 'Receive-Maximum',
  topicAliasMaximum: 'Topic-Alias-Maximum',
  maximumPacketSize: 'Maximum-Packet-Size',
  subscriptionIdentifier: 'Subscription-Identifier',
  assignedClientIdentifier: 'Assigned-Client-Identifier',
  serverKeepAlive: 'Server-Keep-Alive',
  responseInformation: 'Response-Information',
  serverReference: 'Server-Reference',
  reasonString: 'Reason-String',
  maximumQoS: 'Maximum-QoS',
  retainAvailable: 'Retain-Available',
  wildcardSubscriptionAvailable: 'Wildcard-Subscription-Available',
  subscriptionIdentifierAvailable: 'Subscription-Identifier-Available',
  sharedSubscriptionAvailable: 'Shared-Subscription-Available',
};

/** What servers are told of clients and messages, in the words of the protocol. */
export class Facts {
  private readonly core: Core;
  /** Of those who came since a server wants to hear of clients. */
  private readonly packets = new WeakMap<ClientInfo, ConnectPacket>();
  private readonly known = new WeakSet<ClientInfo>();

  constructor(core: Core) {
    this.core = core;
  }

  came(who: ClientInfo, packet: ConnectPacket): void {
    this.packets.set(who, packet);
  }

  /** Somebody said who it is. */
  isKnown(who: ClientInfo): void {
    this.known.add(who);
  }

  connection(who: ClientInfo): ConnInfo {
    const packet = this.packets.get(who);
    return {
      node: this.core.node,
      clientid: who.clientid,
      username: who.username ?? '',
      peerhost: who.address,
      sockport: this.portOf(who.listener),
      proto_name:
        protocolOf(who) === 'mqtt' ? (who.protocolVersion === 3 ? 'MQIsdp' : 'MQTT') : protocolOf(who),
      proto_ver: String(who.protocolVersion),
      keepalive: packet?.keepAlive ?? 0,
      peerport: who.port,
    };
  }

  client(who: ClientInfo, password = ''): HookClientInfo {
    return {
      node: this.core.node,
      clientid: who.clientid,
      username: who.username ?? '',
      password,
      peerhost: who.address,
      sockport: this.portOf(who.listener),
      protocol: protocolOf(who),
      mountpoint: who.mountpoint ?? '',
      is_superuser: who.isSuperuser,
      anonymous: !this.known.has(who),
      cn: who.certCommonName ?? '',
      dn: who.certSubject ?? '',
      peerport: who.port,
    };
  }

  message(message: Message): HookMessage {
    const { publisher } = message;
    const headers: Record<string, string> = {};
    if (publisher !== null && publisher.listener !== '') {
      if (publisher.username !== null) headers.username = publisher.username;
      headers.protocol = protocolOf(publisher);
      headers.peerhost = publisher.address;
    }
    return {
      node: this.core.node,
      id: message.id,
      qos: message.qos,
      from: message.from,
      topic: message.topic,
      payload: message.payload,
      timestamp: message.timestamp,
      headers,
    };
  }

  private portOf(listener: string): number {
    return this.core.listeners.find(({ id }) => id === listener)?.port ?? 0;
  }
}

const protocolOf = ({ guest }: ClientInfo): string =>
  guest === undefined ? 'mqtt' : guest.protocolName.toLowerCase();

/** Those of a packet, User Property apart. */
export function propertiesOf(properties: Readonly<Properties>): {
  props: Property[];
  user_props: Property[];
} {
  const { userProperty = [], ...others } = properties;
  return {
    props: Object.entries(others).flatMap(([key, value]) => {
      const name = PROPERTY_NAMES[key as keyof Properties];
      return name === undefined || value === undefined ? [] : [{ name, value: textOf(value) }];
    }),
    user_props: userProperty.map(([name, value]) => ({ name, value })),
  };
}

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
};

export const optionsOf = (options: Readonly<Partial<SubscriptionOptions>>) => ({
  qos: options.qos ?? 0,
  rh: options.retainHandling ?? 0,
  rap: Number(options.retainAsPublished ?? false),
  nl: Number(options.noLocal ?? false),
});

/** `not_authorized` of NotAuthorized. */
export const resultCode = (reasonCode: number): string =>
  reasonName(reasonCode)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase();
