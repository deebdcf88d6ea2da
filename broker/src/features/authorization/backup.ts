import { BuiltInRule } from '@mqdeck/contract/authorization';
import { bulk } from '@mqdeck/contract/kit/values';
import * as z from 'zod/mini';
import { type BuiltInRules, isOwner } from './built-in-rules.ts';

const OWNERS = ['clientid', 'username', 'all'] as const;
const Row = z.strictObject({
  who: z.enum(OWNERS),
  /** '' for those of all. */
  owner: z.string().check(z.refine(isOwner, 'nobody can have this name')),
  rules: bulk(BuiltInRule),
});
type Row = z.output<typeof Row>;

/** Rules of the built-in database. */
export const authzRulesBacked = (rules: BuiltInRules, forget: () => void) => ({
  kind: 'authz_rules',
  row: Row,
  *rows(): Generator<Row> {
    if (rules.all.length > 0) yield { who: 'all', owner: '', rules: rules.all };
    for (const who of ['clientid', 'username'] as const)
      for (const slice of rules[who].slices())
        for (const { key, value } of slice) yield { who, owner: String(key), rules: value };
  },
  find({ who, owner }: Row): Row | undefined {
    const found = who === 'all' ? rules.all : rules[who].get(owner);
    return found && (who !== 'all' || found.length > 0) ? { who, owner, rules: found } : undefined;
  },
  put({ who, owner, rules: wanted }: Row): void {
    if (who === 'all') rules.all = wanted;
    else rules[who].put(owner, wanted);
  },
  /** Answers that are kept were given by the old ones. */
  restored: forget,
});
