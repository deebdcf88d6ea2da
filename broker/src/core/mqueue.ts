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

  *[Symbol.iterator](): Generator<Delivery> {
    for (let i = 0; i < this.length; i++) yield this.cells[(this.first + i) & (this.cells.length - 1)]!;
  }

  private grow(): void {
    const cells: (Delivery | undefined)[] = [...this];
    cells.length *= 2;
    this.cells = cells;
    this.first = 0;
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

  /** Takes it in; what had to go for it, the oldest of the lowest priority, comes back, or it itself. */
  push(delivery: Delivery, priority: number, max: number, bytesMax: number): readonly Delivery[] {
    delivery.queuedBytes = delivery.message.bytes;
    if (delivery.queuedBytes > bytesMax) return [delivery];
    let dropped = NONE;
    while (this.length > 0 && (this.length >= max || this.bytes + delivery.queuedBytes > bytesMax)) {
      const lowest = this.rings.findLast((other) => other.ring.length > 0);
      if (lowest === undefined || lowest.priority > priority) return [...dropped, delivery]; // what waits matters more
      dropped = [...dropped, this.shiftFrom(lowest.ring)!];
    }
    this.ring(priority).push(delivery);
    this.length++;
    this.bytes += delivery.queuedBytes;
    return dropped;
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
    this.length--;
    this.bytes -= delivery?.queuedBytes ?? 0;
    return delivery;
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
