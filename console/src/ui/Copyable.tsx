import { useEffect, useRef, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import styles from './Copyable.module.css';
import { copyText } from './copy-text.ts';
import { IconCheck, IconCopy } from './icons.tsx';
import { toast } from './toast.ts';
import { visibleText } from './visible-text.ts';
import { words } from './words.ts';

const COPIED_SHOWN_MS = 1500;

/** An identifier: monospaced, cut by an ellipsis, copied by a click on the sign beside it. */
export function Copyable({ text, children }: { text: string; children?: React.ReactNode }) {
  const w = useWords(words);
  const shown = visibleText(text);
  return (
    <span className={styles.copyable}>
      <span className={styles.text} title={shown}>
        {children ?? shown}
      </span>
      <CopyButton text={text} label={w.copyThing({ text: shown })} />
    </span>
  );
}

/** The sign alone, for texts shown elsewhere. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const w = useWords(words);
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const copy = async () => {
    if (!(await copyText(text))) {
      toast('bad', w.copyFailed);
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), COPIED_SHOWN_MS);
  };
  return (
    <button
      type="button"
      className={styles.button}
      data-copied={copied || undefined}
      aria-label={label ?? w.copy}
      title={w.copy}
      onClick={() => void copy()}
    >
      {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      <span role="status" className="visually-hidden">
        {copied ? w.copied : ''}
      </span>
    </button>
  );
}
