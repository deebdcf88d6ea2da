import type { GatewayName } from '@mqdeck/contract/gateways';
import type { Properties, QoS, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import type { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import type { Client } from '../../core/client.ts';
import type { Core, Log } from '../../core/core.ts';
import type { DropReason } from '../../core/hooks.ts';
import type { Message } from '../../core/message.ts';

/** Another end: a socket of TCP or TLS, or whoever sends datagrams from one address and port. */
export interface Link {
  readonly transport: 'tcp' | 'ssl' | 'udp' | 'dtls';
  readonly listener: string; // `stomp:tcp:default`
  readonly address: string;
  readonly port: number;
  readonly certCommonName: string | null;
  readonly certSubject: string | null;
  /** Sent and not yet taken by the network. */
  readonly bufferedBytes: number;
  /** One datagram, or the next bytes of the stream. */
  send(bytes: Uint8Array): void;
  /** What was sent still leaves; `onClose` follows. A peer that sends another datagram later is a new link. */
  end(): void;
  destroy(): void;
  /** Stops and resumes what comes in, where that can be: a peer of datagrams cannot be told to wait. */
  pause?(): void;
  resume?(): void;
}

/** What happens on a link goes to these. */
export interface LinkEvents {
  /** A chunk of the stream, or one datagram. */
  onBytes(bytes: Buffer): void;
  onDrain?(): void;
  /** Once, whoever ended it. */
  onClose(): void;
}

/** A protocol that runs: what one `start` made, for all listeners of its gateway. */
export interface Protocol {
  accept(link: Link): LinkEvents;
  /** The gateway stops; its links are ended and its guests leave right after. */
  close(): void | Promise<void>;
}

/** Each gateway has one of these. A change of its configuration ends what runs and starts it anew. */
export type StartProtocol<Config> = (gateway: Gateway<Config>) => Protocol | Promise<Protocol>;

/** What a protocol is given: its configuration, and the broker as its devices see it. */
export interface Gateway<Config> {
  readonly name: GatewayName;
  readonly config: Config;
  readonly core: Core;
  readonly log: Log;
  readonly outbound: OutboundPolicy;
  /** Where relative paths of its configuration begin. */
  readonly folder: string;
  /** Where it listens now. */
  listening(): readonly { transport: Link['transport']; host: string; port: number }[];
  /** Those who are there now, by client id. Each gateway has its own. */
  readonly guests: ReadonlyMap<string, Guest>;
  /**
   * Lets a device in: blacklist, limits, authentication of the listener or the gateway. One that is there under the
   * same client id is sent away first (`onGone('takenover')`), unless it is the same request again.
   */
  connect(request: GuestRequest): Promise<Guest | GuestRefused>;
}

export interface GuestRequest {
  readonly link: Link;
  readonly clientid: string; // '' = one is made
  readonly username: string | null;
  readonly password: string | null;
  readonly keepalive: number; // seconds, 0 = none
  readonly protocolName: string; // `STOMP`, as the list of clients shows it
  readonly protocolVersion: string; // `1.2`
  readonly cleanStart?: boolean;
  readonly expiryInterval?: number; // seconds
  readonly will?: GuestMessage | null;
  /** Shown beside the usual facts of the client, and offered to authentication as placeholders: `endpoint_name`, `lifetime` … */
  readonly extra?: Readonly<Record<string, string | number | boolean | null>>;
  /** A message for it, called in the turn it was published in; `topic` is as the device knows it, without mountpoint. */
  receive(delivery: GuestDelivery): void;
  /** It has left without having said so: an operator kicked it, another took its place, its authentication ended, the gateway stops. */
  onGone(why: 'kicked' | 'takenover' | 'expired' | 'stopped'): void;
}

export interface GuestRefused {
  readonly refused: ReasonCode;
  /** For the operator and the log; the device hears it where its protocol has a text. */
  readonly why: string;
}

export interface GuestMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly expiryInterval?: number; // seconds, as in MQTT 5; none = never
  readonly properties?: Readonly<Pick<Properties, 'contentType' | 'userProperty'>>;
}

export interface GuestDelivery extends GuestMessage {
  readonly message: Message;
  readonly filter: string; // of the subscription, as the device wrote it
  readonly subProps: Readonly<Record<string, unknown>>;
}

export interface GuestSubscription extends Readonly<SubscriptionOptions> {
  readonly filter: string; // as the device wrote it
  readonly subProps: Readonly<Record<string, unknown>>; // `{ subid: '7' }`
  readonly isNew: boolean;
}

/** A device of a gateway in the broker: what it may do is asked, what it does is counted, hooks hear of it. */
export interface Guest extends Client {
  readonly protocolName: string;
  readonly guestVersion: string;
  extra: Readonly<Record<string, string | number | boolean | null>>;
  readonly guestSubscriptions: ReadonlyMap<string, GuestSubscription>;
  /** Asks for permission and subscribes; retained messages follow. 0, 1, 2: the QoS granted; otherwise why not. */
  subscribe(
    filter: string,
    options?: Partial<SubscriptionOptions>,
    subProps?: Record<string, unknown>,
  ): Promise<ReasonCode>;
  unsubscribe(filter: string): boolean;
  /** Asks for permission and publishes; resolves when the message is as safe as its QoS promises. */
  publish(message: GuestMessage): Promise<ReasonCode>;
  /** Whether it may; for protocols that must say so before the message is whole. */
  may(action: 'publish' | 'subscribe', topic: string, qos?: QoS): Promise<boolean>;
  /** Another address, the same device: it is known by these from now on. */
  moveTo(link: Link): void;
  setWill(will: GuestMessage | null): void;
  /** For the counters and hooks: it was handed to the device, the device has it, it never will. */
  delivered(delivery: GuestDelivery): void;
  acked(delivery: GuestDelivery, sentAt: number): void;
  dropped(delivery: GuestDelivery, reason: DropReason): void;
  /** Bytes and packets of its protocol, for its row in the list. */
  countReceived(bytes: number, packets?: number): void;
  countSent(bytes: number, packets?: number): void;
  /** Its device has gone and may come back: what is for it goes on to be handed over, until it leaves. */
  rest(reason: string, publishWill: boolean): void;
  /** It goes, and its subscriptions with it; `publishWill` as its protocol says. */
  leave(reason: string, publishWill: boolean): void;
}
