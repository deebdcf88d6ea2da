import type { Delivery } from './delivery.ts';

const PACKET_ID_MAX = 0xffff;

/**
 * Deliveries that wait for an acknowledgement, by packet id. Keeps them in a table at least twice as large as they
 * are many, at `packetId & mask`: an id is given out only when its place is free, so a look-up is one comparison.
 */
export class Inflight {
  size = 0;
  private slots: (Delivery | undefined)[];
  private mask: number;
  private last = 0; // the packet id given out last

  constructor(limit: number) {
    const slots = tableSize(limit);
    this.slots = new Array(slots);
    this.mask = slots - 1;
  }

  /** Gives the delivery a packet id [MQTT-2.2.1-4]. The caller keeps `size` below the limit. */
  add(delivery: Delivery): number {
    if (this.size * 2 > this.mask && this.mask < PACKET_ID_MAX) this.grow();
    let packetId = this.last;
    do packetId = packetId === PACKET_ID_MAX ? 1 : packetId + 1;
    while (this.slots[packetId & this.mask] !== undefined);
    this.last = packetId;
    delivery.packetId = packetId;
    this.slots[packetId & this.mask] = delivery;
    this.size++;
    return packetId;
  }

  /** Puts back one that has its packet id, from the store. */
  restore(delivery: Delivery): void {
    while (this.slots[delivery.packetId & this.mask] !== undefined && this.mask < PACKET_ID_MAX) this.grow();
    this.slots[delivery.packetId & this.mask] = delivery;
    this.size++;
    if (delivery.packetId > this.last) this.last = delivery.packetId;
  }

  get(packetId: number): Delivery | undefined {
    const found = this.slots[packetId & this.mask];
    return found !== undefined && found.packetId === packetId ? found : undefined;
  }

  remove(delivery: Delivery): void {
    this.slots[delivery.packetId & this.mask] = undefined;
    this.size--;
  }

  /** In the order of sending [MQTT-4.6.0-1]. */
  inOrder(): Delivery[] {
    return this.slots
      .filter((delivery): delivery is Delivery => delivery !== undefined)
      .sort((a, b) => a.order - b.order);
  }

  /** Those that were sent after another one, in order. Of a wide window only numbers are sorted, not what they stand for. */
  after(order: number, limit: number): Delivery[] {
    const orders = new Float64Array(this.size);
    let later = 0;
    for (const delivery of this.slots)
      if (delivery !== undefined && delivery.order > order) orders[later++] = delivery.order;
    const last = later > limit ? orders.subarray(0, later).sort()[limit - 1]! : Number.POSITIVE_INFINITY;
    return this.slots
      .filter(
        (delivery): delivery is Delivery =>
          delivery !== undefined && delivery.order > order && delivery.order <= last,
      )
      .sort((a, b) => a.order - b.order);
  }

  private grow(): void {
    const old = this.slots;
    const slots = Math.min((this.mask + 1) * 2, PACKET_ID_MAX + 1);
    this.slots = new Array(slots);
    this.mask = slots - 1;
    for (const delivery of old) if (delivery) this.slots[delivery.packetId & this.mask] = delivery;
  }
}

function tableSize(limit: number): number {
  let slots = 16;
  while (slots < 2 * limit && slots < 128) slots *= 2; // a large limit is seldom used up: grow when it is
  return slots;
}
