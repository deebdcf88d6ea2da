import { useWords } from '../i18n/words.ts';
import classes from './charts.module.css';
import { words } from './words.ts';

const HIGH = 0.75;
const NEARLY_FULL = 0.9;

export type Fullness = 'good' | 'warn' | 'bad';

export const fullnessOf = (used: number, total: number): Fullness => {
  const ratio = total > 0 ? used / total : 0;
  return ratio >= NEARLY_FULL ? 'bad' : ratio >= HIGH ? 'warn' : 'good';
};

/** How much of something is used: a bar, the two numbers, and a word once it matters. */
export function BarMeter({
  label,
  used,
  total,
  format,
  compact = false,
}: {
  label: string;
  used: number;
  total: number;
  format: (value: number) => string;
  /** The bar and what is used; the whole is in the hover text. */
  compact?: boolean;
}) {
  const w = useWords(words);
  const fullness = fullnessOf(used, total);
  const word = total > 0 && used >= total ? w.full : { bad: w.nearlyFull, warn: w.high, good: '' }[fullness];
  const text = w.used({ used: format(used), total: format(total) });
  const spoken = word ? `${text}, ${word}` : text;
  return (
    <span className={classes.meter} data-fullness={fullness} title={`${label}: ${spoken}`}>
      <span className="visually-hidden">{spoken}</span>
      <span className={classes.meterBar} aria-hidden="true">
        <span
          className={classes.meterFill}
          style={{ width: `${total > 0 ? Math.min(100, (used / total) * 100) : 0}%` }}
        />
      </span>
      <span className={classes.meterText} aria-hidden="true">
        {compact ? format(used) : text}
        {word && <span className={classes.meterWord}> {word}</span>}
      </span>
    </span>
  );
}
