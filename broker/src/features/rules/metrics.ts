import { RULE_COUNTERS, type RuleCounter } from '@mqdeck/contract/rules';
import { Rate } from '../../rate.ts';

/** What a rule has seen and done since it was made, or since the last reset. */
export class RuleMetrics {
  private readonly clock: { readonly now: number };
  private counts = zero();
  private rate: Rate;

  constructor(clock: { readonly now: number }) {
    this.clock = clock;
    this.rate = new Rate(clock);
  }

  matched(): void {
    this.counts.matched++;
    this.rate.mark();
  }

  add(counter: Exclude<RuleCounter, 'matched'>): void {
    this.counts[counter]++;
  }

  reset(): void {
    this.counts = zero();
    this.rate = new Rate(this.clock);
  }

  get values() {
    const { rate, rate_last5m, rate_max } = this.rate.values;
    return {
      ...this.counts,
      'matched.rate': rate,
      'matched.rate.last5m': rate_last5m,
      'matched.rate.max': rate_max,
    };
  }
}

const zero = () => Object.fromEntries(RULE_COUNTERS.map((name) => [name, 0])) as Record<RuleCounter, number>;
