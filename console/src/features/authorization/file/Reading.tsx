import type { AclFile } from '@mqdeck/contract/acl/parse-file';
import { useId } from 'react';
import { useWords } from '../../../i18n/words.ts';
import { IconBad, IconGood } from '../../../ui/icons.tsx';
import styles from './file.module.css';
import { readingWords } from './reading-words.ts';
import { ruleText } from './rule-text.ts';
import { ruleWords } from './rule-words.ts';

/** As many sentences as somebody reads; the rest is told as a number. */
const SHOWN = 200;

/** Every rule as a sentence, in the order in which they are asked; each leads to its line. */
export function Reading({
  file: { rules, faults },
  onLine,
}: {
  file: AclFile;
  onLine: (line: number) => void;
}) {
  const w = useWords(readingWords);
  const r = useWords(ruleWords);
  const id = useId();
  return (
    <section className={styles.reading} aria-labelledby={id}>
      <h2 id={id} className={styles.title}>
        {w.title}
      </h2>
      <p className={styles.note}>{faults.length > 0 ? w.faulty : rules.length === 0 ? w.none : w.order}</p>
      <ol className={styles.rules}>
        {rules.slice(0, SHOWN).map(({ rule, line }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule is what stands at its place
          <li key={i}>
            <button
              type="button"
              className={styles.rule}
              data-permission={rule.permission}
              onClick={() => onLine(line)}
            >
              {rule.permission === 'allow' ? <IconGood size={15} /> : <IconBad size={15} />}
              <span>
                {ruleText(rule, r)}
                <span className={styles.line}>{w.line({ line })}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
      {rules.length > SHOWN && <p className={styles.note}>{w.more({ count: rules.length - SHOWN })}</p>}
    </section>
  );
}
