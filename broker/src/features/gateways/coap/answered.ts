import type { Clock } from '../../../core/timer-wheel.ts';
import type { Budget } from './budget.ts';

const EXCHANGE_LIFETIME_MS = 247_000; // RFC 7252, 4.8.2: as long as the same id means the same message
const MESSAGES_MAX = 128; // of a peer; the protocol lets it have one at a time (4.7)

/** Messages of a peer by their ids, with what was answered: one that comes twice is answered alike, and done once (4.5). */
export class Answered {
  private readonly clock: Clock;
  private readonly budget: Budget;
  private readonly messages = new Map<number, { at: number; datagram: Buffer | null }>();

  constructor({ clock, budget }: { clock: Clock; budget: Budget }) {
    this.clock = clock;
    this.budget = budget;
  }

  has(messageId: number): boolean {
    const known = this.messages.get(messageId);
    return known !== undefined && known.at > this.clock.now - EXCHANGE_LIFETIME_MS;
  }

  /** What was sent for it; null while there is nothing yet, or where there was no room to keep it. */
  answerTo(messageId: number): Buffer | null {
    return this.messages.get(messageId)?.datagram ?? null;
  }

  add(messageId: number): void {
    this.drop(messageId);
    const oldest = this.clock.now - EXCHANGE_LIFETIME_MS;
    for (const [id, { at }] of this.messages) {
      if (at > oldest && this.messages.size < MESSAGES_MAX) break;
      this.drop(id);
    }
    this.messages.set(messageId, { at: this.clock.now, datagram: null });
  }

  keep(messageId: number, datagram: Buffer): void {
    const known = this.messages.get(messageId);
    if (!known) return;
    if (known.datagram) this.budget.give(known.datagram.length);
    known.datagram = this.budget.take(datagram.length) ? datagram : null;
  }

  close(): void {
    for (const id of [...this.messages.keys()]) this.drop(id);
  }

  private drop(messageId: number): void {
    const datagram = this.answerTo(messageId);
    this.messages.delete(messageId);
    if (datagram) this.budget.give(datagram.length);
  }
}
