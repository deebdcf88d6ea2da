import { useWords } from '../i18n/words.ts';
import styles from './ProgressBar.module.css';
import { words } from './words.ts';

/** The line at the top of the window while calls are under way. Calls too quick to notice leave it unseen. */
export function ProgressBar({ active }: { active: boolean }) {
  const w = useWords(words);
  return active ? <div role="progressbar" aria-label={w.loading} className={styles.bar} /> : null;
}
