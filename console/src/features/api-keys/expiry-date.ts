import { type ApiKey, NEVER_EXPIRES } from '@mqdeck/contract/api-keys';
import { serverNow } from '../../api/server-clock.ts';

/** When a key expires, as the form offers it; `moment` = one that is entered. */
export const EXPIRY_CHOICES = ['never', 'week', 'month', 'year', 'moment'] as const;
export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number];

const DAYS = { week: 7, month: 30, year: 365 } as const;
/** From so long before its end on a key is said to expire soon. */
const SOON_MS = 7 * 24 * 3600 * 1000;

/** The last second of the day so many days from now, where the operator is. */
function endOfDay(days: number, now: number): Date {
  const day = new Date(now);
  day.setDate(day.getDate() + days);
  day.setHours(23, 59, 59, 0);
  return day;
}

/** What the API is told; null while no whole moment is entered. */
export function expiresAt(choice: ExpiryChoice, entered: string, now = serverNow()): string | null {
  if (choice === 'never') return NEVER_EXPIRES;
  if (choice !== 'moment') return endOfDay(DAYS[choice], now).toISOString();
  const date = new Date(entered);
  return entered === '' || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** What of a key matters to whoever looks after it: a disabled one is not missed when its time is over. */
export type KeyState = 'enabled' | 'disabled' | 'expired' | 'soon';
export const KEY_STATES: readonly KeyState[] = ['enabled', 'soon', 'expired', 'disabled'];

/** Whether it is over the broker says, by its own clock. */
export function stateOf({ enable, expired, expired_at }: ApiKey, now = serverNow()): KeyState {
  if (!enable) return 'disabled';
  if (expired) return 'expired';
  return expired_at !== NEVER_EXPIRES && Date.parse(expired_at) - now < SOON_MS ? 'soon' : 'enabled';
}
