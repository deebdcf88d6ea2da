import type { Client } from '@mqdeck/contract/clients';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatNumber, NOTHING } from '../../ui/format.ts';
import { IconTrash, IconWarn } from '../../ui/icons.tsx';
import styles from './clients.module.css';
import { words } from './words.ts';

/** A queue this full is worth a look, and one this full is about to lose messages. */
const FILLING = 0.5;
const NEARLY_FULL = 0.9;

/** How full the queue is; it calls for attention when it fills up or has lost messages. */
export function QueueCell({ row }: { row: Partial<Client> }) {
  const w = useWords(words);
  const language = useLanguage();
  const { mqueue_len: used, mqueue_max: total, mqueue_dropped: dropped = 0 } = row;
  if (used === undefined) return NOTHING;
  // 0 is how brokers write "no limit".
  const limited = typeof total === 'number' && total > 0;
  const share = limited ? used / total : 0;
  const fullness = share >= NEARLY_FULL ? 'bad' : share >= FILLING ? 'warn' : 'good';
  const state = share >= 1 ? w.full : { bad: w.nearlyFull, warn: w.filling, good: '' }[fullness];
  const hint = w.queueHint({
    used: formatNumber(used, language),
    total: limited ? formatNumber(total, language) : '∞',
    dropped: formatNumber(dropped, language),
  });
  const lost = formatNumber(dropped, language);
  return (
    <span className={styles.queueRoom}>
      <span className={styles.queue} data-tone={fullness} title={hint}>
        {fullness !== 'good' && dropped === 0 && <IconWarn size={13} />}
        <span>{formatNumber(used, language)}</span>
        {limited && <span className={styles.faint}>/ {formatNumber(total, language)}</span>}
        {state && <span className="visually-hidden">{state}</span>}
        {dropped > 0 && (
          <span className={styles.queueDrops}>
            <IconTrash size={12} />
            {/* Where the column is narrow the sign stands for the word. */}
            <span className={styles.queueDropsShort} aria-hidden="true">
              {lost}
            </span>
            <span className={styles.queueDropsLong}>{w.droppedHere({ count: lost })}</span>
          </span>
        )}
      </span>
    </span>
  );
}
