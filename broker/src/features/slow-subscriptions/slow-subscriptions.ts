import { parseDuration } from '@mqdeck/contract/kit/values';
import type { SlowSubscriptionsSettings } from '@mqdeck/contract/slow-subscriptions';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { Message } from '../../core/message.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { Slowest } from './slowest.ts';

const OWNER = 'slow-subscriptions';
const SWEEP_MS = 1000;

/** Notes deliveries that take longer than the threshold, while it is switched on. The list is in memory. */
export class SlowSubscriptions {
  readonly slowest = new Slowest();
  private readonly core: Core;
  private readonly stop: () => void;
  private off: (() => void)[] = [];
  private timer: Timer | null = null;

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
  }

  private follow({ enable, threshold, expire_interval, top_k_num, stats_type }: SlowSubscriptionsSettings) {
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
  }
}
