import type { ProtocolVersion, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import type { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { KeptAccess } from './access.ts';
import type { Delivery } from './delivery.ts';
import type { ClientInfo } from './hooks.ts';
import type { Message } from './message.ts';

/** One subscription of a client; `filter` is as the client wrote it, `$share/…` included. */
export interface ClientSubscription extends Readonly<SubscriptionOptions> {
  readonly filter: string;
  readonly share: string | null; // the share group's name
  readonly subscriptionIdentifier: number; // 0 = none
}

/** A message on its way to a client, to look at. */
export type ClientDelivery = Readonly<
  Pick<Delivery, 'message' | 'qos' | 'retain' | 'order' | 'state' | 'packetId' | 'sentAt'>
>;

/** Where a delivery stands in a queue: by priority, highest first, and there by `order`. */
export interface QueuePlace {
  readonly priority: number;
  readonly order: number;
}

export interface ClientQueued {
  readonly priority: number;
  readonly delivery: ClientDelivery;
}

/**
 * A client the broker knows: connected now, or gone with its session kept. What hooks are handed and what lists
 * are made of; the fields are cheap to read, so filter on them and call `facts()` for the rows to show.
 */
export interface Client {
  readonly clientid: string;
  readonly username: string | null;
  readonly who: ClientInfo;
  readonly connected: boolean;
  readonly address: string;
  readonly port: number;
  readonly listener: string;
  readonly protocolVersion: ProtocolVersion;
  readonly cleanStart: boolean;
  readonly keepalive: number; // seconds in force, 0 = off
  readonly expiryInterval: number; // seconds, 0xffffffff = never
  readonly createdAt: number; // epoch ms
  readonly connectedAt: number; // epoch ms, of the latest connection
  readonly disconnectedAt: number | null; // epoch ms, null while connected
  readonly subscriptionCount: number;
  subscriptions(): Iterable<ClientSubscription>;
  subscription(filter: string): ClientSubscription | undefined;
  facts(): ClientFacts;
  /** Messages in the queue behind a place, or from its head, the next to be sent first. */
  queuedAfter(place: QueuePlace | null, limit: number): ClientQueued[];
  /** Messages sent and not acknowledged, those behind an `order`, the earliest first. */
  inflightAfter(order: number, limit: number): ClientDelivery[];
  /** Sends a message because of the subscription to `filter`, as a retained one [MQTT311-3.3.1-8]. */
  deliverRetained(message: Message, filter: string): void;
  /** Whether a message delivered now leaves now: connected, nothing queued, the connection not congested. */
  readonly ready: boolean;
  /** Calls once, as soon as the client is `ready` again; never when its session ends before. */
  onceReady(run: () => void): void;
  /** Answers of authorization that are kept for the connection, the latest first. */
  keptAccess(): KeptAccess[];
  forgetAccess(): void;
  /** In force at once for a connected client; 0 = off. Without a connection there is nothing to keep alive. */
  setKeepalive(seconds: number): void;
  /** The largest packet that it takes; absent where its protocol knows no such limit. */
  readonly packetBytesMax?: number;
  /** Ends the connection, if any, and keeps the session as its expiry says. A 5.0 client is told why. */
  close(reasonCode: ReasonCode): void;
}

/** The facts of a client under the names of the REST API. Times are epoch milliseconds. */
export interface ClientFacts {
  clientid: string;
  username: string | null;
  ip_address: string;
  port: number;
  node: string;
  listener: string;
  mountpoint: string | null;
  proto_name: string; // `MQTT`, `MQIsdp`, or what a gateway's device speaks
  proto_ver: ProtocolVersion | string;
  keepalive: number;
  clean_start: boolean;
  expiry_interval: number;
  is_bridge: boolean;
  is_persistent: boolean;
  is_expired: boolean;
  connected: boolean;
  created_at: number;
  connected_at: number;
  disconnected_at: number | null;
  auth_expire_at: number | null;
  client_attrs: Record<string, string>;
  recv_oct: number;
  recv_cnt: number;
  recv_pkt: number;
  recv_msg: number;
  'recv_msg.qos0': number;
  'recv_msg.qos1': number;
  'recv_msg.qos2': number;
  'recv_msg.dropped': number;
  'recv_msg.dropped.await_pubrel_timeout': number;
  send_oct: number;
  send_cnt: number;
  send_pkt: number;
  send_msg: number;
  'send_msg.qos0': number;
  'send_msg.qos1': number;
  'send_msg.qos2': number;
  'send_msg.dropped': number;
  'send_msg.dropped.expired': number;
  'send_msg.dropped.queue_full': number;
  'send_msg.dropped.too_large': number;
  subscriptions_cnt: number;
  subscriptions_max: number | 'infinity';
  inflight_cnt: number;
  inflight_max: number;
  mqueue_len: number;
  mqueue_max: number | 'infinity';
  mqueue_dropped: number;
  awaiting_rel_cnt: number;
  awaiting_rel_max: number | 'infinity';
}
