import type { PluginMetrics } from '@mqdeck/contract/plugins';
import { rfc3339 } from '../../paging/rfc3339.ts';

/** What a plugin has done since it was started, over the restarts that nobody asked for. */
export class PluginCounters {
  asked = 0;
  told = 0;
  failed = 0;
  timedOut = 0;
  published = 0;
  ended = 0;
  restarted = 0;
  private error: { at: number; reason: string } | null = null;
  private readonly startedAt: number;

  constructor(now: number) {
    this.startedAt = now;
  }

  failedWith(reason: string, now: number): void {
    this.error = { at: now, reason };
  }

  shown(memoryBytes: number | null): PluginMetrics {
    const { asked, told, failed, timedOut, published, ended, restarted, error } = this;
    return {
      asked,
      told,
      failed,
      timed_out: timedOut,
      published,
      ended,
      restarted,
      memory: memoryBytes,
      since: rfc3339(this.startedAt),
      last_error: error && { at: rfc3339(error.at), reason: error.reason },
    };
  }
}
