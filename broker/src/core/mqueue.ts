import type { ClientQueued, QueuePlace } from './client.ts';
import type { Delivery } from './delivery.ts';

const NONE: readonly Delivery[] = [];

/** Deliveries waiting in order, oldest first, in a ring that grows. */
class Ring {
  length = 0;
  private cells: (Delivery | undefined)[] = new Array(16);
  private first = 0;

  push(delivery: Delivery): void {
    if (this.length === this.cells.length) this.grow();
    this.cells[(this.first + this.length) & (this.cells.length - 1)] = delivery;
    this.length++;
  }

  peek(): Delivery | undefined {
    return this.length === 0 ? undefined : this.cells[this.first];
  }

  shift(): Delivery | undefined {
    if (this.length === 0) return undefined;
    const delivery = this.cells[this.first];
    this.cells[this.first] = undefined;
    this.first = (this.first + 1) & (this.cells.length - 1);
    this.length--;
    return delivery;
  }

  at(index: number): Delivery {
    return this.cells[(this.first + index) & (this.cells.length - 1)]!;
  }

  /** The index of the first delivery behind a place. They stand in order: it is halved to, not walked to. */
  indexAfter(order: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle).order > order) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  *[Symbol.iterator](): Generator<Delivery> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  private grow(): void {
    const cells: (Delivery | undefined)[] = [...this];
    cells.length *= 2;
    this.cells = cells;
    this.first = 0;
  }
}

const DELIVERY_BYTES = 150; // of the objects around a queued message, for each queue it is in

/** What all queues of a broker hold together. Keeps the sum, about; a message in several of them is counted once. */
export class QueueBudget {
  bytes = 0;
  private readonly max: () => number;

  constructor(max: () => number = () => Number.POSITIVE_INFINITY) {
    this.max = max;
  }

  hasRoom({ message, queuedBytes }: Delivery): boolean {
    return this.bytes + DELIVERY_BYTES + (message.queues === 0 ? queuedBytes : 0) <= this.max();
  }

  take({ message, queuedBytes }: Delivery): void {
    this.bytes += DELIVERY_BYTES + (message.queues === 0 ? queuedBytes : 0);
    message.queues++;
  }

  release({ message, queuedBytes }: Delivery): void {
    message.queues--;
    this.bytes -= DELIVERY_BYTES + (message.queues === 0 ? queuedBytes : 0);
  }
}

/**
 * A session's message queue: what its client cannot take yet. One ring as a rule, one per priority when topics have
 * priorities; the highest goes first.
 */
export class Mqueue {
  length = 0;
  bytes = 0;
  private readonly rings: { priority: number; ring: Ring }[] = []; // highest first
  private readonly budget: QueueBudget;

  constructor(budget: QueueBudget = new QueueBudget()) {
    this.budget = budget;
  }

  /** Takes it in; what had to go for it, the oldest of the lowest priority, comes back, or it itself. */
  push(delivery: Delivery, priority: number, max: number, bytesMax: number): readonly Delivery[] {
    delivery.queuedBytes = delivery.message.bytes;
    if (delivery.queuedBytes > bytesMax) return [delivery];
    let dropped: Delivery[] | null = null;
    while (
      (this.length > 0 && (this.length >= max || this.bytes + delivery.queuedBytes > bytesMax)) ||
      !this.budget.hasRoom(delivery)
    ) {
      dropped ??= [];
      const lowest = this.rings.findLast((other) => other.ring.length > 0);
      if (lowest === undefined || lowest.priority > priority) {
        dropped.push(delivery); // nothing waits here, or it matters more
        return dropped;
      }
      dropped.push(this.shiftFrom(lowest.ring)!);
    }
    this.put(delivery, priority);
    return dropped ?? NONE;
  }

  /** Takes it in, whatever the limits say. */
  put(delivery: Delivery, priority: number): void {
    delivery.queuedBytes = delivery.message.bytes;
    this.ring(priority).push(delivery);
    this.length++;
    this.bytes += delivery.queuedBytes;
    this.budget.take(delivery);
  }

  /** The session has ended: what it holds counts no more. */
  release(): void {
    for (const delivery of this) this.budget.release(delivery);
  }

  peek(): Delivery | undefined {
    for (const { ring } of this.rings) if (ring.length > 0) return ring.peek();
    return undefined;
  }

  shift(): Delivery | undefined {
    for (const { ring } of this.rings) {
      if (ring.length === 0) continue;
      return this.shiftFrom(ring);
    }
    return undefined;
  }

  private shiftFrom(ring: Ring): Delivery | undefined {
    const delivery = ring.shift();
    if (delivery === undefined) return undefined;
    this.length--;
    this.bytes -= delivery.queuedBytes;
    this.budget.release(delivery);
    return delivery;
  }

  /** The deliveries behind a place, or from the head, the next to be sent first. */
  after(place: QueuePlace | null, limit: number): ClientQueued[] {
    const found: ClientQueued[] = [];
    for (const { priority, ring } of this.rings) {
      if (place !== null && priority > place.priority) continue;
      let i = place?.priority === priority ? ring.indexAfter(place.order) : 0;
      for (; i < ring.length && found.length < limit; i++) found.push({ priority, delivery: ring.at(i) });
    }
    return found;
  }

  *[Symbol.iterator](): Generator<Delivery> {
    for (const { ring } of this.rings) yield* ring;
  }

  private ring(priority: number): Ring {
    for (const known of this.rings) if (known.priority === priority) return known.ring;
    const ring = new Ring();
    this.rings.push({ priority, ring });
    this.rings.sort((a, b) => b.priority - a.priority);
    return ring;
  }
}
