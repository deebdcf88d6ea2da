import { type CurrentFigures, SAMPLE_SECONDS, type Sample } from '@mqdeck/contract/monitor';
import type { Core } from '../../core/core.ts';
import type { Metric } from '../../core/counters.ts';
import type { Store } from '../../core/store/store.ts';
import { AMOUNTS, type Figures, Series } from './series.ts';

type Amount = (typeof AMOUNTS)[number];
type Amounts = Record<Amount, number>;

const COUNTERS: Record<Amount, readonly Metric[]> = {
  received: ['messages.received'],
  sent: ['messages.sent'],
  dropped: ['messages.dropped'],
  persisted: ['messages.persisted'],
  validation_succeeded: ['messages.validation_succeeded'],
  validation_failed: ['messages.validation_failed'],
  transformation_succeeded: ['messages.transformation_succeeded'],
  transformation_failed: ['messages.transformation_failed'],
  // Not those of No Local: their subscriber does not want them
  dropped_elsewhere: [
    'packets.publish.dropped',
    'delivery.dropped.expired',
    'delivery.dropped.qos0_msg',
    'delivery.dropped.queue_full',
    'delivery.dropped.too_large',
  ],
};

/** What only the real broker's durable sessions have. */
const NOT_HERE = { subscriptions_durable: 0, disconnected_durable_sessions: 0 };

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Ranges up to so many seconds are answered in steps of so many seconds. */
const STEPS: readonly (readonly [upTo: number, step: number])[] = [
  [HOUR, SAMPLE_SECONDS],
  [DAY, 60],
  [3 * DAY, 300],
  [Number.POSITIVE_INFINITY, 600],
];

const TICK_MS = 1000;
const RATE_TICKS = 5; // rates are those of the last 5 s: calm, and still of this moment

/** Samples the broker's figures and answers with their history and with the rates of this moment. */
export class Monitor {
  private readonly core: Core;
  private readonly series: Series;
  private readonly now: () => number;
  private sampled: Amounts;
  private readings: { at: number; amounts: Amounts }[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(core: Core, store: Store, now: () => number = Date.now) {
    this.core = core;
    this.series = new Series(store);
    this.now = now;
    this.sampled = this.amounts();
    this.tick();
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  /** Every second; the first one of each ten takes a sample. */
  tick(): void {
    const now = this.now();
    const last = this.readings.at(-1);
    this.core.gauges.sample();
    this.readings.push({ at: now, amounts: this.amounts() });
    if (this.readings.length > RATE_TICKS + 1) this.readings.shift();
    const interval = (at: number) => Math.floor(at / (SAMPLE_SECONDS * 1000));
    if (last && interval(now) !== interval(last.at)) this.sample(now);
  }

  /** The last so many seconds, all there is without; times of which nothing is known are rows without figures. */
  history(latest: number | undefined): Sample[] {
    const now = this.now();
    const stepMs = 1000 * STEPS.find(([upTo]) => (latest ?? Number.POSITIVE_INFINITY) <= upTo)![1];
    const first = this.series.first;
    // Nothing older than the oldest row is kept, so nobody makes us count through the ages.
    const from = latest === undefined ? (first ?? now) : now - Math.min(latest, 7 * DAY) * 1000;
    const rows = this.series.merged(from, stepMs);
    const last = this.series.last ?? 0;
    const until = now - last < 2 * SAMPLE_SECONDS * 1000 ? last : now;
    const samples: Sample[] = [];
    for (let at = Math.floor(from / stepMs) * stepMs; at <= until; at += stepMs) {
      const figures = rows.get(at);
      samples.push(figures ? { time_stamp: at, ...presented(figures) } : { time_stamp: at });
    }
    return samples;
  }

  current(): CurrentFigures {
    const { gauges } = this.core;
    const oldest = this.readings[0]!;
    const seconds = Math.max((this.now() - oldest.at) / 1000, 1);
    const amounts = this.amounts();
    const rate = (amount: Amount) => Math.round((amounts[amount] - oldest.amounts[amount]) / seconds);
    const subscriptions = gauges.get('subscriptions');
    return {
      ...NOT_HERE,
      connections: gauges.get('connections'),
      live_connections: gauges.get('live_connections'),
      subscriptions,
      subscriptions_ram: subscriptions,
      shared_subscriptions: gauges.get('subscriptions.shared'),
      topics: gauges.get('topics'),
      retained_msg_count: gauges.get('retained'),
      received_msg_rate: rate('received'),
      sent_msg_rate: rate('sent'),
      dropped_msg_rate: rate('dropped'),
      dropped_elsewhere_rate: rate('dropped_elsewhere'),
      persisted_rate: rate('persisted'),
      validation_succeeded_rate: rate('validation_succeeded'),
      validation_failed_rate: rate('validation_failed'),
      transformation_succeeded_rate: rate('transformation_succeeded'),
      transformation_failed_rate: rate('transformation_failed'),
    };
  }

  clear(): void {
    this.series.clear();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private sample(now: number): void {
    const { gauges } = this.core;
    const amounts = this.amounts();
    const since = this.sampled;
    this.sampled = amounts;
    // Counters that were reset begin anew: what they show is what happened since.
    const grown = (amount: Amount) =>
      amounts[amount] >= since[amount] ? amounts[amount] - since[amount] : amounts[amount];
    this.series.add(now, {
      connections: gauges.get('connections'),
      live_connections: gauges.get('live_connections'),
      subscriptions: gauges.get('subscriptions'),
      topics: gauges.get('topics'),
      ...(Object.fromEntries(AMOUNTS.map((amount) => [amount, grown(amount)])) as Amounts),
    });
  }

  private amounts(): Amounts {
    const { counters } = this.core;
    const total = (amount: Amount) => COUNTERS[amount].reduce((sum, name) => sum + counters.get(name), 0);
    return Object.fromEntries(AMOUNTS.map((amount) => [amount, total(amount)])) as Amounts;
  }
}

const presented = (figures: Figures) => ({
  ...NOT_HERE,
  ...figures,
  subscriptions_ram: figures.subscriptions,
});
