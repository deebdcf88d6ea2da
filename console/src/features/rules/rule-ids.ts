import { DUPLICATION_SUFFIX } from '@mqdeck/contract/rules';

const RANDOM_LENGTH = 4;
const SIGNS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** An id to begin with: `rule_x7k2`. */
export function randomRuleId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH));
  return `rule_${Array.from(bytes, (byte) => SIGNS[byte % SIGNS.length]).join('')}`;
}

/** What copies of a rule begin with, those of a copy too. */
const copyStem = (id: string): string => id.replace(/_duplication(_\d+)?$/, '') + DUPLICATION_SUFFIX;

/** The first that is free of `a_duplication`, `a_duplication_1`, `a_duplication_2` … */
export function copyId(id: string, taken: Iterable<string>): string {
  const known = new Set(taken);
  const stem = copyStem(id);
  if (!known.has(stem)) return stem;
  let count = 1;
  while (known.has(`${stem}_${count}`)) count++;
  return `${stem}_${count}`;
}

/** As many as one answer holds; the ids of copies are few. */
const COPIES_MAX = 1000;

/** Asks the list for the rules whose ids a copy must not have. */
export const copiesOf = (id: string) => ({ like_id: copyStem(id), limit: COPIES_MAX }) as never;
