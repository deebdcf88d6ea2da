import { type CompiledRule, compileRule } from '@mqdeck/contract/acl/match';
import type { AuthzRule } from '@mqdeck/contract/acl/rule';
import { ruleText } from '@mqdeck/contract/acl/write-rule';
import type { AccessRequest, ClientInfo } from '../../core/hooks.ts';
import { compilePattern } from './patterns.ts';
import type { DecidingRule, SourceVerdict } from './source.ts';

export const NO_MATCH: SourceVerdict = Object.freeze({ result: 'nomatch', why: 'no rule fits' });

/** Throws PatternError. */
export const compileAll = (rules: readonly AuthzRule[]): CompiledRule[] =>
  rules.map((rule) => compileRule(rule, compilePattern));

/** The place of the first rule that fits, -1 when none does. */
export function firstFit(rules: readonly CompiledRule[], who: ClientInfo, request: AccessRequest): number {
  for (let i = 0; i < rules.length; i++) if (rules[i]!.fits(who, request)) return i;
  return -1;
}

/** What the rule at that place says. */
export function verdictOf(
  rules: readonly CompiledRule[],
  place: number,
  more: Partial<DecidingRule> = {},
): SourceVerdict {
  if (place < 0) return NO_MATCH;
  const { rule } = rules[place]!;
  const text = more.text ?? ruleText(rule);
  return { result: rule.permission, why: text, rule: { index: place + 1, ...more, text } };
}
