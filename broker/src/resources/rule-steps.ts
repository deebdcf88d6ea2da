import type { Message } from '../core/message.ts';
import type { Row } from './driver.ts';

/** What a rule does with one message or event, step by step, for whoever looks on. */
export type RuleStep =
  | { what: 'matched' }
  | { what: 'result'; result: Row }
  | { what: 'no_result' }
  | { what: 'failed'; reason: string }
  | { what: 'action'; action: string; outcome: string; reason: string | null };

/** `message`: what it is about; null where it is about none. */
export type TellRuleStep = (ruleId: string, message: Message | null, step: RuleStep) => void;
