import { parseAddress, parseNetwork } from '@mqdeck/contract/acl/network';
import {
  BANNED_AS,
  BANNED_PATTERN_MAX,
  BANNED_WHO_MAX,
  type Banned,
  type BannedAs,
  FOREVER,
} from '@mqdeck/contract/banned';
import { serverNow } from '../../api/server-clock.ts';
import type { Words } from '../../i18n/words.ts';
import type { words } from './words.ts';

type W = Words<typeof words>;

export const isKind = (as: unknown): as is BannedAs => (BANNED_AS as readonly unknown[]).includes(as);

/** How a value of each kind looks. */
export const EXAMPLES: Record<BannedAs, string> = {
  clientid: 'sensor-17',
  username: 'fleet-a',
  peerhost: '10.0.0.7',
  clientid_re: '^test-\\d+$',
  username_re: '^tmp_',
  peerhost_net: '10.0.0.0/8',
};

/** Whether a path of the API can name it: browsers take segments of dots out of a path, and an empty one names nothing. */
export const hasPath = ({ who }: Pick<Banned, 'who'>): boolean => who !== '' && who !== '.' && who !== '..';

/** What is wrong with a value before it is sent; whether a pattern can be understood the broker says. */
export function whoFault(as: unknown, value: unknown, w: W): string | null {
  const who = String(value ?? '');
  if (who.trim() === '') return w.whoRequired;
  if (as === 'peerhost') return parseAddress(who.trim()) ? null : w.badAddress;
  if (as === 'peerhost_net') return parseNetwork(who.trim()) ? null : w.badNetwork;
  const max = as === 'clientid_re' || as === 'username_re' ? BANNED_PATTERN_MAX : BANNED_WHO_MAX;
  return who.length > max ? w.tooLong({ max }) : null;
}

export function untilFault(value: unknown, w: W): string | null {
  if (value === FOREVER) return null;
  const moment = Date.parse(String(value ?? ''));
  if (Number.isNaN(moment)) return w.untilRequired;
  return moment <= serverNow() ? w.untilPast : null;
}

/** A network of no bits. */
export const isEverybody = (as: unknown, who: unknown): boolean =>
  as === 'peerhost_net' && parseNetwork(String(who ?? '').trim())?.bits === 0;

export const isOver = ({ until }: Banned): boolean => until !== FOREVER && Date.parse(until) <= serverNow();
