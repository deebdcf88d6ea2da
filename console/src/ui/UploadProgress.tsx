import { Button } from '@mantine/core';
import { useId } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { formatBytes, formatPercent } from './format.ts';
import styles from './UploadProgress.module.css';
import { words } from './words.ts';

/**
 * How far a file has come. Once all of it is sent, `then` says what the broker does with it, and there is nothing to
 * cancel any more.
 */
export function UploadProgress({
  name,
  sent,
  total,
  then,
  onCancel,
}: {
  name: string;
  sent: number;
  /** 0 as long as nobody knows. */
  total: number;
  then: string;
  onCancel: () => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const id = useId();
  const arrived = total > 0 && sent >= total;
  const share = total > 0 && !arrived ? sent / total : undefined;
  const figures =
    share === undefined
      ? undefined
      : w.uploadedOf({
          percent: formatPercent(share, language),
          sent: formatBytes(sent, language),
          total: formatBytes(total, language),
        });
  return (
    <div className={styles.upload}>
      <p id={id} role="status">
        {arrived ? then : w.uploading({ name })}
      </p>
      <div className={styles.line}>
        <progress
          aria-labelledby={id}
          aria-valuetext={figures}
          max={1}
          {...(share === undefined ? {} : { value: share })}
        />
        {!arrived && <Button onClick={onCancel}>{w.cancel}</Button>}
      </div>
      <p aria-hidden className={styles.figures}>
        {figures}
      </p>
    </div>
  );
}
