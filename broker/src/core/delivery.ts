import type { QoS } from '@mqdeck/mqtt/packets';
import type { Message } from './message.ts';
import type { Subscription } from './router.ts';

/** Where a delivery stands: in the queue, sent, or (QoS 2) received by the client and to be released. */
export const DeliveryState = { Queued: 0, Sent: 1, Released: 2 } as const;
export type DeliveryState = (typeof DeliveryState)[keyof typeof DeliveryState];

/** One message on its way to one session, when it cannot simply be sent and forgotten. */
export class Delivery {
  readonly message: Message;
  /** Null when it came back from the store. */
  readonly subscription: Subscription | null;
  readonly identifier: number; // subscription identifier
  readonly qos: QoS;
  readonly retain: boolean;
  readonly sequence: number; // its number in the session, for the store
  state: DeliveryState = DeliveryState.Queued;
  packetId = 0;
  sentAt = 0; // epoch ms
  queuedBytes = 0; // while it is in the queue
  order = 0; // its place in the queue, then in the order of sending: when it got there, µs since the epoch
  stored = false; // the store has a row of it …
  ownBody = false; // … with the message in it
  over = false; // acknowledged or dropped

  constructor(
    message: Message,
    subscription: Subscription | null,
    identifier: number,
    qos: QoS,
    retain: boolean,
    sequence: number,
  ) {
    this.message = message;
    this.subscription = subscription;
    this.identifier = identifier;
    this.qos = qos;
    this.retain = retain;
    this.sequence = sequence;
  }
}
