import { BANNED_AS, BANNED_PATTERNS_MAX, BANNED_REASON_MAX } from '@mqdeck/contract/banned';
import { epochSecond } from '@mqdeck/contract/kit/moment';
import * as z from 'zod/mini';
import { type Ban, canonical } from './ban.ts';
import type { Blacklist } from './banned.ts';

const isCanonical = ({ as, who }: Pick<Ban, 'as' | 'who'>): boolean => {
  const form = canonical(as, who);
  return 'who' in form && form.who === who;
};
const note = z.string().check(z.maxLength(BANNED_REASON_MAX));

/** Who may not connect. One whose time is over is no more. */
export const blacklistBacked = (blacklist: Blacklist, now: () => number = Date.now) => ({
  kind: 'banned',
  row: z
    .strictObject({
      as: z.enum(BANNED_AS),
      who: z.string(),
      by: note,
      reason: note,
      at: epochSecond,
      until: z.nullable(epochSecond),
    })
    .check(z.refine(isCanonical, 'nobody can be banned like this')),
  *rows() {
    for (const slice of blacklist.bans.slices()) yield* slice;
  },
  find: ({ as, who }: Ban) => blacklist.bans.get(as, who),
  put(ban: Ban): void {
    blacklist.bans.remove(ban.as, ban.who);
    if (ban.until === null || ban.until * 1000 > now()) blacklist.bans.add(ban);
  },
  inspect() {
    let patterns = blacklist.bans.patternCount;
    return {
      fault({ as, who }: Ban): string | null {
        if (as.endsWith('_re') && !blacklist.bans.get(as, who) && ++patterns > BANNED_PATTERNS_MAX)
          return `there can be ${BANNED_PATTERNS_MAX} patterns at most`;
        return null;
      },
    };
  },
  restored: () => blacklist.disconnectBanned(),
});
