import {
  TOPIC_COUNTERS,
  TOPIC_METRICS_MAX,
  type TopicCounter,
  type TopicMetricsSettings,
} from '@mqdeck/contract/topic-metrics';
import type { QoS } from '@mqdeck/mqtt/packets';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import type { Core } from '../../core/core.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';

const OWNER = 'topic-metrics';
const TICK_MS = 1000;
const RATE_TICKS = 5; // rates are those of the last 5 s: calm, and still of this moment
/** Before whatever gives a message another topic, or consumes it. */
const FIRST = 1000;

const IN: TopicCounter[] = ['messages.qos0.in', 'messages.qos1.in', 'messages.qos2.in'];
const OUT: TopicCounter[] = ['messages.qos0.out', 'messages.qos1.out', 'messages.qos2.out'];

/** The counters of one topic. */
export class Counted {
  readonly topic: string;
  readonly createdAt: number; // epoch ms
  resetAt: number | null;
  private counts = zero();
  private readings: Record<TopicCounter, number>[] = [];

  constructor(topic: string, createdAt: number, resetAt: number | null) {
    this.topic = topic;
    this.createdAt = createdAt;
    this.resetAt = resetAt;
  }

  add(total: TopicCounter, one?: TopicCounter): void {
    this.counts[total]++;
    if (one !== undefined) this.counts[one]++;
  }

  reset(now: number): void {
    this.counts = zero();
    this.readings = [];
    this.resetAt = now;
  }

  tick(): void {
    this.readings.push({ ...this.counts });
    if (this.readings.length > RATE_TICKS + 1) this.readings.shift();
  }

  get metrics(): Record<string, number> {
    const seconds = Math.max(1, this.readings.length - 1);
    const [oldest = this.counts, newest = this.counts] = [this.readings[0], this.readings.at(-1)];
    return Object.fromEntries(
      TOPIC_COUNTERS.flatMap((name) => [
        [`${name}.count`, this.counts[name]],
        [`${name}.rate`, Math.round((100 * (newest[name] - oldest[name])) / seconds) / 100],
      ]),
    );
  }
}

const zero = () =>
  Object.fromEntries(TOPIC_COUNTERS.map((name) => [name, 0])) as Record<TopicCounter, number>;

/** Counts the messages of the topics it was told of, which outlive a restart; what it counted does not. */
export class TopicMetricsCounter {
  private readonly core: Core;
  private readonly settings: SettingsStore;
  private readonly counted = new Map<string, Counted>();
  private off: (() => void)[] = [];
  private readonly stop: () => void;
  /** What this has put into the settings itself. */
  private written: TopicMetricsSettings | null = null;
  private timer: Timer | null = null;

  constructor(core: Core, settings: SettingsStore) {
    this.core = core;
    this.settings = settings;
    settings.guard('topic_metrics', check);
    this.take(settings.get('topic_metrics'));
    this.stop = settings.onChange('topic_metrics', (values) => values !== this.written && this.take(values));
  }

  get size(): number {
    return this.counted.size;
  }

  all(): Counted[] {
    return [...this.counted.values()];
  }

  get(topic: string): Counted | undefined {
    return this.counted.get(topic);
  }

  async add(topic: string): Promise<Counted> {
    const counted = new Counted(topic, this.core.clock.refresh(), null);
    this.counted.set(topic, counted);
    await this.changed();
    return counted;
  }

  async remove(topic: string): Promise<boolean> {
    if (!this.counted.delete(topic)) return false;
    await this.changed();
    return true;
  }

  close(): void {
    this.stop();
    this.rest();
  }

  private rest(): void {
    for (const end of this.off) end();
    this.timer?.cancel();
  }

  /** The list as it stands in the settings; what is counted already goes on. */
  private take({ topics }: TopicMetricsSettings): void {
    const now = this.core.clock.now;
    const wanted = new Map(topics.map(({ topic, create_time }) => [topic, create_time]));
    for (const topic of this.counted.keys()) if (!wanted.has(topic)) this.counted.delete(topic);
    for (const [topic, createdAt] of wanted)
      if (!this.counted.has(topic)) this.counted.set(topic, new Counted(topic, createdAt, now));
    this.follow();
  }

  private changed(): Promise<void> {
    this.follow();
    const topics = this.all().map(({ topic, createdAt }) => ({ topic, create_time: createdAt }));
    this.written = { topics };
    return this.settings.change('topic_metrics', this.written);
  }

  /** Hooks are joined only while there is something to count. */
  private follow(): void {
    const wanted = this.counted.size > 0;
    if (wanted === this.off.length > 0) return;
    if (!wanted) {
      this.rest();
      this.off = [];
      return;
    }
    const { hooks } = this.core;
    this.off = [
      hooks.on(
        'message.publish',
        ({ topic, qos }) => void this.counted.get(topic)?.add('messages.in', IN[qos]),
        { owner: OWNER, priority: FIRST },
      ),
      hooks.on(
        'message.delivered',
        (_, { topic }, qos: QoS) => this.counted.get(topic)?.add('messages.out', OUT[qos]),
        { owner: OWNER },
      ),
      hooks.on('message.dropped', (_, { topic }) => this.counted.get(topic)?.add('messages.dropped'), {
        owner: OWNER,
      }),
    ];
    this.tick();
  }

  private tick(): void {
    for (const counted of this.counted.values()) counted.tick();
    this.timer = this.core.timers.after(TICK_MS, () => this.tick());
  }
}

function check({ topics }: TopicMetricsSettings): void {
  if (topics.length > TOPIC_METRICS_MAX)
    throw new SettingsFault(['topics'], `${TOPIC_METRICS_MAX} topics can be counted at most`);
  const seen = new Set<string>();
  for (const [i, { topic }] of topics.entries()) {
    if (!isValidTopic(topic)) throw new SettingsFault(['topics', i, 'topic'], 'one topic, without wildcards');
    if (seen.has(topic)) throw new SettingsFault(['topics', i, 'topic'], 'this topic stands there twice');
    seen.add(topic);
  }
}
