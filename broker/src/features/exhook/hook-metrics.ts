import type { ExhookMetrics } from '@mqdeck/contract/exhooks';
import { Rate } from '../../rate.ts';

/** Counts calls, of one hook of a server or of all of them, since the server is there. */
export class HookMetrics {
  private succeed = 0;
  private failed = 0;
  private dropped = 0;
  private readonly rate = new Rate();

  succeeded(): void {
    this.succeed++;
    this.rate.mark();
  }

  hasFailed(): void {
    this.failed++;
    this.rate.mark();
  }

  /** The server will never hear of it. */
  wasDropped(): void {
    this.dropped++;
    this.hasFailed();
  }

  get values(): ExhookMetrics {
    const { succeed, failed, dropped } = this;
    const { rate, rate_max } = this.rate.values;
    return {
      succeed,
      failed,
      rate: Math.ceil(rate),
      max_rate: Math.ceil(rate_max),
      ...(dropped > 0 && { dropped }),
    };
  }
}
