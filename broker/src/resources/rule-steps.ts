import type { Message } from '../core/message.ts';
import type { Row } from './driver.ts';
import type { RowFate } from './row-fate.ts';

/** What a rule does with one message or event, step by step, for whoever looks on. */
export type RuleStep =
  | { what: 'matched' }
  | { what: 'result'; result: Row }
  | { what: 'no_result' }
  | { what: 'failed'; reason: string }
  | { what: 'action'; action: string; outcome: string; reason: string | null }
  /** Later: what became of the result on its way to a bridge. */
  | { what: 'fate'; action: string; fate: RowFate; reason: string | null };

/** `message`: what it is about; null where it is about none. */
export type TellRuleStep = (ruleId: string, message: Message | null, step: RuleStep) => void;
