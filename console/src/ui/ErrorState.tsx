import { Button } from '@mantine/core';
import { useWords } from '../i18n/words.ts';
import { IconRefresh, IconWarn } from './icons.tsx';
import styles from './Standing.module.css';
import { words } from './words.ts';

/** A part of the page that could not be loaded: says what, offers to try again, leaves the rest alone. */
export function ErrorState({
  title,
  text,
  retry,
}: {
  title?: string | undefined;
  text?: string | undefined;
  retry?: (() => unknown) | undefined;
}) {
  const w = useWords(words);
  return (
    <div className={styles.standing} role="alert">
      <div className={styles.sign} data-tone="bad">
        <IconWarn size={28} />
      </div>
      <p className={styles.title}>{title ?? w.failed}</p>
      {text && <p className={styles.text}>{text}</p>}
      {retry && (
        <div className={styles.action}>
          <Button leftSection={<IconRefresh size={15} />} onClick={() => void retry()}>
            {w.retry}
          </Button>
        </div>
      )}
    </div>
  );
}
