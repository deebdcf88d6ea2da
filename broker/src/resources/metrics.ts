import { Rate } from '../rate.ts';

/** Why a row was given up before it was sent. */
export type Dropped = 'expired' | 'other' | 'queue_full' | 'resource_not_found' | 'resource_stopped';

const COUNTERS = ['matched', 'success', 'failed', 'retried', 'late_reply', 'received'] as const;
type Counter = (typeof COUNTERS)[number];
const REASONS: readonly Dropped[] = [
  'expired',
  'other',
  'queue_full',
  'resource_not_found',
  'resource_stopped',
];

/** What a bridge was given, and what became of it, since the last reset. */
export class ResourceMetrics {
  private readonly clock: { readonly now: number };
  private counts = zero();
  private drops = none();
  private rate: Rate;
  private resetAt: number;

  constructor(clock: { readonly now: number }) {
    this.clock = clock;
    this.rate = new Rate(clock);
    this.resetAt = clock.now;
  }

  matched(): void {
    this.counts.matched++;
    this.rate.mark();
  }

  add(counter: Exclude<Counter, 'matched'>, count = 1): void {
    this.counts[counter] += count;
    if (counter === 'received') for (let i = 0; i < count; i++) this.rate.mark();
  }

  drop(reason: Dropped, count = 1): void {
    this.drops[reason] += count;
  }

  reset(): void {
    this.counts = zero();
    this.drops = none();
    this.rate = new Rate(this.clock);
    this.resetAt = this.clock.now;
  }

  /** Under the names of the API. `queuing` and `inflight` are of this moment. */
  values(queuing: number, queuingBytes: number, inflight: number) {
    const dropped = REASONS.reduce((sum, reason) => sum + this.drops[reason], 0);
    const { success, failed } = this.counts;
    return {
      ...this.counts,
      sent: success + failed,
      dropped,
      ...(Object.fromEntries(REASONS.map((reason) => [`dropped.${reason}`, this.drops[reason]])) as Record<
        `dropped.${Dropped}`,
        number
      >),
      queuing,
      queuing_bytes: queuingBytes,
      inflight,
      ...this.rate.values,
      last_reset: this.resetAt,
    };
  }
}

const zero = () => Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Record<Counter, number>;
const none = () => Object.fromEntries(REASONS.map((name) => [name, 0])) as Record<Dropped, number>;
