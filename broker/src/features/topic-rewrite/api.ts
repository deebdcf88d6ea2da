import { REWRITE_RULES_MAX, type topicRewrite } from '@mqdeck/contract/topic-rewrite';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { ruleFault } from './topic-rewrite.ts';

export const topicRewriteApi = (settings: SettingsStore): Handlers<typeof topicRewrite> => ({
  list: () => settings.get('rewrite').rules,
  update: async ({ body: rules }) => {
    if (rules.length > REWRITE_RULES_MAX)
      return fail('EXCEED_LIMIT', `There can be ${REWRITE_RULES_MAX} rules at most`, 413);
    for (const [i, rule] of rules.entries()) {
      const fault = ruleFault(rule);
      if (fault) return fail('BAD_REQUEST', `Rule ${i + 1}: ${fault}`);
    }
    await settings.change('rewrite', { rules });
    return rules;
  },
});
