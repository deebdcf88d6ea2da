import type { Core } from '../../../core/core.ts';
import type { Guest, GuestDelivery } from '../protocol.ts';
import type { AckMode, StompSubscription } from './subscription.ts';

/** Messages of one subscription that were sent and not acknowledged; more wait. */
const WINDOW = 1000;
/** Messages of a connection that wait, and their bytes; more are dropped, the oldest first. */
const WAITING_MAX = 1000;
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** The network has not taken so much yet: what comes next waits. */
export const HIGH_WATER_BYTES = 1024 * 1024;

interface Sent {
  readonly id: string;
  readonly delivery: GuestDelivery;
  readonly at: number; // epoch ms
}

interface Lane {
  readonly subscription: StompSubscription;
  waiting: GuestDelivery[];
  /** In the order in which they were sent; empty with `auto`. */
  readonly sent: Map<string, Sent>;
}

interface Way {
  core: Core;
  guest: Guest;
  /** Whether the network takes more. */
  isOpen: () => boolean;
  send: (subscription: StompSubscription, delivery: GuestDelivery, messageId: string) => void;
}

/** Messages on their way to one device: keeps those that wait and those that wait for its ACK, never more than it may. */
export class Outbox {
  private readonly way: Way;
  private readonly lanes = new Map<string, Lane>(); // by subscription id
  private messages = 0;
  private waiting = 0;
  private waitingBytes = 0;

  constructor(way: Way) {
    this.way = way;
  }

  open(subscription: StompSubscription): void {
    this.lanes.set(subscription.id, { subscription, waiting: [], sent: new Map() });
  }

  /** What waits for it is dropped with it. */
  close(id: string): void {
    const lane = this.lanes.get(id);
    this.lanes.delete(id);
    for (const delivery of lane?.waiting ?? []) this.unqueue(delivery);
  }

  put(id: string, delivery: GuestDelivery): void {
    const lane = this.lanes.get(id);
    if (!lane) return;
    if (lane.waiting.length === 0 && this.takes(lane)) {
      this.send(lane, delivery);
      return;
    }
    lane.waiting.push(delivery);
    this.waiting++;
    this.waitingBytes += delivery.payload.length;
    while (this.waiting > WAITING_MAX || this.waitingBytes > WAITING_BYTES_MAX) {
      const oldest = (lane.waiting.length > 0 ? lane : this.longest())?.waiting.shift();
      if (!oldest) return;
      this.unqueue(oldest);
      this.way.guest.dropped(oldest, 'queue_full');
    }
  }

  /** There is room: on the network, or after an ACK. */
  drain(): void {
    const { core, guest } = this.way;
    for (const lane of this.lanes.values())
      while (lane.waiting.length > 0 && this.takes(lane)) {
        const delivery = lane.waiting.shift()!;
        this.unqueue(delivery);
        if (delivery.message.expired(core.clock.now)) guest.dropped(delivery, 'expired');
        else this.send(lane, delivery);
      }
  }

  /** ACK and NACK; with `client` all that were sent before it are meant as well. An id that is unknown means nothing. */
  settle(messageId: string, id: string | null, accepted: boolean): void {
    const lane = this.laneOf(messageId, id);
    if (!lane) return;
    const { guest } = this.way;
    for (const { id: each, delivery, at } of [...lane.sent.values()]) {
      if (each !== messageId && lane.subscription.ack !== 'client') continue;
      lane.sent.delete(each);
      if (accepted) guest.acked(delivery, at);
      if (each === messageId) break;
    }
    this.drain();
  }

  private laneOf(messageId: string, id: string | null): Lane | undefined {
    if (id !== null) return this.lanes.get(id)?.sent.has(messageId) ? this.lanes.get(id) : undefined;
    return [...this.lanes.values()].find(({ sent }) => sent.has(messageId));
  }

  private takes({ subscription, sent }: Lane): boolean {
    return this.way.isOpen() && (!awaits(subscription.ack) || sent.size < WINDOW);
  }

  private send(lane: Lane, delivery: GuestDelivery): void {
    const { core, guest, send } = this.way;
    const id = String(++this.messages);
    if (awaits(lane.subscription.ack)) lane.sent.set(id, { id, delivery, at: core.clock.now });
    send(lane.subscription, delivery, id);
    guest.delivered(delivery);
  }

  private unqueue({ payload }: GuestDelivery): void {
    this.waiting--;
    this.waitingBytes -= payload.length;
  }

  private longest(): Lane | undefined {
    return [...this.lanes.values()].sort((a, b) => b.waiting.length - a.waiting.length)[0];
  }
}

const awaits = (ack: AckMode): boolean => ack !== 'auto';
