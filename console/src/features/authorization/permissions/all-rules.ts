import { api } from '@mqdeck/contract/api';
import type { BuiltInRule } from '@mqdeck/contract/authorization';
import { ApiError } from '../../../api/api-error.ts';
import { refresh } from '../../../api/query-client.ts';
import { sentenceOf } from '../../../api/report.ts';
import { request } from '../../../api/request.ts';
import type { Position } from '../../../table/reorder/order.ts';
import { toast } from '../../../ui/toast.ts';
import { whole } from './rule-choices.ts';

/** The rules for all are saved as one list; what others did to it meanwhile is kept. */

/** A rule has no name of its own. */
export const idOf = (rule: BuiltInRule): string => {
  const { permission, action, topic, qos, retain } = whole(rule);
  return JSON.stringify([permission, action, topic, [...qos].sort(), retain]);
};

/** Two that are alike would be one row: the second never decides anything. */
export const distinct = (rules: readonly BuiltInRule[]): BuiltInRule[] =>
  [...new Map(rules.toReversed().map((rule) => [idOf(rule), rule])).values()].toReversed();

const now = async (): Promise<BuiltInRule[]> =>
  distinct((await request(api.authorization.allRules, {}, { quiet: true })).rules);

const placeOf = (rules: readonly BuiltInRule[], rule: BuiltInRule): number =>
  rules.findIndex((one) => idOf(one) === idOf(rule));

/** The body with a rule in the place of another, or behind all; null when that one is gone. */
export async function withRule(
  edited: BuiltInRule | undefined,
  rule: BuiltInRule,
): Promise<{ rules: BuiltInRule[] } | null> {
  const rules = await now();
  if (edited === undefined) return { rules: [...rules, rule] };
  const at = placeOf(rules, edited);
  return at < 0 ? null : { rules: rules.with(at, rule) };
}

/** Changes the list; false when the rule is gone or the broker refused, which a toast says. */
export async function changeRule(
  rule: BuiltInRule,
  change: (rules: BuiltInRule[], at: number) => BuiltInRule[],
  gone: string,
): Promise<boolean> {
  try {
    const rules = await now();
    const at = placeOf(rules, rule);
    if (at < 0) {
      toast('info', gone);
      return false;
    }
    await request(api.authorization.setAllRules, { body: { rules: change(rules, at) } }, { quiet: true });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast('bad', sentenceOf(error));
    return false;
  } finally {
    await refresh([api.authorization.allRules]);
  }
}

/** The list with the rule at `at` where `position` says. */
export function placed(rules: readonly BuiltInRule[], at: number, position: Position): BuiltInRule[] {
  const rule = rules[at]!;
  const rest = rules.toSpliced(at, 1);
  if (position === 'front') return [rule, ...rest];
  if (position === 'rear') return [...rest, rule];
  const after = position.startsWith('after:');
  const neighbour = rest.findIndex((one) => idOf(one) === position.slice(position.indexOf(':') + 1));
  return neighbour < 0 ? [...rules] : rest.toSpliced(neighbour + (after ? 1 : 0), 0, rule);
}
