import { useWords } from '../i18n/words.ts';
import { IconSlow } from '../ui/icons.tsx';
import styles from './ComingTag.module.css';
import { words } from './words.ts';

/** Marks a page that is still to come. */
export function ComingTag() {
  const w = useWords(words);
  return (
    <span className={styles.tag}>
      <IconSlow size={12} />
      {w.soon}
    </span>
  );
}
