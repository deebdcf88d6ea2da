import type { BuiltInRules } from './built-in-rules.ts';
import { firstFit, NO_MATCH, verdictOf } from './rules.ts';
import type { Source } from './source.ts';

/** Rules of the built-in database: those of the client id, then those of the username, then those for all. */
export const openBuiltInSource = (rules: BuiltInRules): Source => ({
  authorize: (who, request) => {
    const kinds = [
      ['clientid', rules.clientid.of(who.clientid)],
      ['username', who.username === null ? [] : rules.username.of(who.username)],
      ['all', rules.compiledForAll],
    ] as const;
    for (const [of, owned] of kinds) {
      const place = firstFit(owned, who, request);
      if (place >= 0) return verdictOf(owned, place, { of });
    }
    return NO_MATCH;
  },
  status: 'connected',
  reason: null,
  resourceMetrics: null,
  close: () => Promise.resolve(),
});
