import { rateOf } from '@mqdeck/contract/kit/rates';
import { parseBytes } from '@mqdeck/contract/kit/values';
import { burstOf, type LimiterType } from '@mqdeck/contract/limiter';
import type { Language } from '../../i18n/language.ts';
import type { Words } from '../../i18n/words.ts';
import { formatBytes, formatDuration } from '../../ui/format.ts';
import type { words } from './words.ts';

type W = Words<typeof words>;
type Written = string | number | undefined;

interface Numbers {
  rate: Written;
  capacity?: Written;
  initial?: Written;
  /** Of the node, on top of its rate. */
  burst?: Written;
}

/** What is counted, with its number: "100 messages", "1 MB". */
function amountText(type: LimiterType, count: number, w: W, language: Language): string {
  if (type === 'bytes_in') return formatBytes(count, language);
  return w[`${type}.amount`]({ count });
}

function rateText(type: LimiterType, count: number, ms: number, w: W, language: Language): string {
  const amount = amountText(type, count, w, language);
  const unit = ({ 1000: 's', 60000: 'm', 3600000: 'h', 86400000: 'd' } as const)[ms];
  return unit ? w[`per.${unit}`]({ amount }) : w.perSpan({ amount, span: formatDuration(ms, language) });
}

const read = (value: Written): number | null => (value === undefined ? null : parseBytes(value));

/** What the numbers mean, in a sentence; nothing while they cannot be read. */
export function sentenceOf(
  type: LimiterType,
  who: 'client' | 'bucket' | 'node',
  { rate, capacity, initial, burst }: Numbers,
  w: W,
  language: Language,
): string | null {
  const facts = rate === undefined ? undefined : rateOf(rate);
  if (facts === undefined) return null;
  if (facts === null) return w[`unlimited.${who}`];
  const room = capacity === undefined || capacity === 'infinity' ? facts.count : read(capacity);
  const more = burst === undefined ? 0 : burstOf(burst);
  if (room === null || more === null) return null;
  const atOnce = amountText(type, Math.max(1, room + more), w, language);
  const then = rateText(type, facts.count, facts.ms, w, language);
  const sentence = w[`says.${type}.${who}`]({ atOnce, then });
  const begins = read(initial);
  // Addresses that were not there begin with all there is room for.
  if (begins === null || (type === 'connection' && who === 'client')) return sentence;
  const start =
    begins === 0
      ? w.beginsEmpty
      : w.begins({ amount: amountText(type, Math.min(begins, room), w, language) });
  return `${sentence}${language === 'zh' ? '' : ' '}${start}`;
}
