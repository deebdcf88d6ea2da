import { useWords } from '../i18n/words.ts';
import styles from './Skeleton.module.css';
import { words } from './words.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, nr) => nr);
/** Lines of uneven length look like text that is about to come. */
const WIDTHS = ['72%', '48%', '61%', '55%', '80%', '42%'];

function Loading({ children, className }: { children: React.ReactNode; className?: string | undefined }) {
  const w = useWords(words);
  return (
    <div role="status" aria-label={w.loading} {...(className ? { className } : {})}>
      {children}
    </div>
  );
}

/** The shape of rows to come. */
export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <Loading className={styles.rows}>
      {numbers(rows).map((nr) => (
        <div key={nr} className={styles.row}>
          <span className={styles.bone} style={{ width: WIDTHS[nr % WIDTHS.length] }} />
        </div>
      ))}
    </Loading>
  );
}

/** The shape of label–value pairs to come. */
export function SkeletonFacts({ count = 6 }: { count?: number }) {
  return (
    <Loading className={styles.facts}>
      {numbers(count).map((nr) => (
        <div key={nr}>
          <span className={styles.bone} style={{ width: '40%' }} />
          <span className={styles.bone} style={{ width: WIDTHS[nr % WIDTHS.length] }} />
        </div>
      ))}
    </Loading>
  );
}

/** One block of a given height: a chart or a card to come. */
export function SkeletonBlock({ height }: { height: number }) {
  return (
    <Loading>
      <span className={styles.bone} style={{ height, width: '100%' }} />
    </Loading>
  );
}

/** A page to come: head and rows. */
export function SkeletonPage() {
  return (
    <div className={styles.page}>
      <span className={styles.bone} style={{ height: 22, width: 180 }} />
      <SkeletonRows rows={10} />
    </div>
  );
}
