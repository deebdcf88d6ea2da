import { parseDuration } from '@mqdeck/contract/kit/values';
import type { SlowSubscriptionsSettings } from '@mqdeck/contract/slow-subscriptions';
import type { QoS } from '@mqdeck/mqtt/packets';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { Message } from '../../core/message.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { type Slow, Slowest } from './slowest.ts';

const OWNER = 'slow-subscriptions';
const SWEEP_MS = 1000;

/** Notes deliveries that take longer than the threshold, while it is switched on. The list is in memory. */
export class SlowSubscriptions {
  readonly slowest = new Slowest();
  private readonly core: Core;
  private readonly stop: () => void;
  private off: (() => void)[] = [];
  private timer: Timer | null = null;
  private notices: Timer | null = null;

  constructor(core: Core, settings: SettingsStore) {
    this.core = core;
    this.follow(settings.get('slow_subs'));
    this.stop = settings.onChange('slow_subs', (changed) => this.follow(changed));
  }

  close(): void {
    this.stop();
    this.leave();
  }

  private leave(): void {
    for (const end of this.off) end();
    this.off = [];
    this.timer?.cancel();
    this.notices?.cancel();
  }

  private follow(settings: SlowSubscriptionsSettings): void {
    const { enable, threshold, expire_interval, top_k_num, stats_type } = settings;
    this.leave();
    if (!enable) {
      this.slowest.clear();
      return;
    }
    const { hooks, clock, timers } = this.core;
    const slowMs = parseDuration(threshold)!;
    const keptMs = parseDuration(expire_interval)!;
    const note = ({ clientid }: Client, { topic, system }: Message, since: number) => {
      const timespan = clock.now - since;
      if (timespan >= slowMs && !system) this.slowest.note(clientid, topic, timespan, clock.now, top_k_num);
    };
    const whenDelivered = (client: Client, message: Message, qos: number) => {
      // What is acknowledged is measured then
      if (stats_type === 'internal' || qos === 0) note(client, message, message.timestamp);
    };
    const whenAcked = (client: Client, message: Message, sentAt: number) =>
      note(client, message, stats_type === 'response' ? sentAt : message.timestamp);
    if (stats_type !== 'response')
      this.off.push(hooks.on('message.delivered', whenDelivered, { owner: OWNER }));
    if (stats_type !== 'internal') this.off.push(hooks.on('message.acked', whenAcked, { owner: OWNER }));
    const sweep = () => {
      this.slowest.sweep(clock.now - keptMs, top_k_num);
      this.timer = timers.after(SWEEP_MS, sweep);
    };
    sweep();
    this.tellRepeatedly(settings);
  }

  /** The list, in messages of so many entries, to those who subscribed to them. */
  private tellRepeatedly({
    notice_interval,
    notice_qos,
    notice_batch_size,
  }: SlowSubscriptionsSettings): void {
    const every = parseDuration(notice_interval)!;
    if (every === 0) return;
    const { core } = this;
    const topic = `$SYS/brokers/${core.node}/slow_subs`;
    const failed = (err: unknown) => core.log.warn({ err }, 'slow subscriptions could not be published');
    const tell = () => {
      this.notices = core.timers.after(every, tell);
      if (!core.routes.hasReceivers(topic)) return;
      const entries = this.slowest.all();
      for (let i = 0; i < entries.length; i += notice_batch_size) {
        const logs = entries.slice(i, i + notice_batch_size).map(presentedAt(core.node));
        const payload = JSON.stringify({ node: core.node, timestamp: core.clock.now, logs });
        try {
          const published = core.publish({ topic, payload, qos: notice_qos as QoS, system: true });
          if (published instanceof Promise) published.catch(failed);
        } catch (err) {
          failed(err);
        }
      }
    };
    this.notices = core.timers.after(every, tell);
  }
}

/** As the API and the notices show an entry. */
export const presentedAt =
  (node: string) =>
  ({ updatedAt, ...slow }: Slow) => ({ ...slow, node, last_update_time: updatedAt });
