import { parseDuration } from '@mqdeck/contract/kit/values';
import type { RetainerSettings } from '@mqdeck/contract/retainer';
import type { Message } from '../../core/message.ts';
import type { Retained } from './store.ts';

/** When a message that is to be kept expires, epoch ms, 0 = never: its own expiry first, then the usual one. */
export function expiryOf({ timestamp, properties }: Message, settings: RetainerSettings): number {
  const own = properties.messageExpiryInterval;
  if (own !== undefined && own > 0) return timestamp + own * 1000;
  if (own === 0 && settings.allow_never_expire) return 0;
  const usual = parseDuration(settings.msg_expiry_interval);
  const end = usual ? timestamp + usual : 0;
  return Number.isSafeInteger(end) ? end : 0; // after the end of time: no store and no backup can hold it
}

/** Tells whether kept messages have expired by the settings of this moment: the override counts for those there are too. */
export class Expiry {
  private readonly settings: () => RetainerSettings;
  private override: string | number = 'disabled';
  private overrideMs: number | null = null;

  constructor(settings: () => RetainerSettings) {
    this.settings = settings;
  }

  /** What holds until `now` moves on. */
  expired(retained: Retained, now: number): boolean {
    const { msg_expiry_interval_override: override, allow_never_expire } = this.settings();
    if (override !== this.override) {
      this.override = override;
      this.overrideMs = override === 'disabled' ? null : parseDuration(override);
    }
    const { expiresAt, timestamp, properties } = retained;
    if (this.overrideMs === null) return expiresAt !== 0 && expiresAt <= now;
    if (properties.messageExpiryInterval === 0 && allow_never_expire) return false;
    return this.overrideMs !== 0 && timestamp + this.overrideMs <= now;
  }
}
