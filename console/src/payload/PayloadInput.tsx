import { type ReactNode, useId, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { FormatSwitch } from './FormatSwitch.tsx';
import styles from './payload.module.css';
import { editPayload, type PayloadFault, type PayloadFormat, parsePayload } from './payload-formats.ts';
import { faultSentence, words } from './words.ts';

/** A payload while it is written: `parsePayload(text, format)` is what will be sent. */
export interface PayloadDraft {
  text: string;
  format: PayloadFormat;
}

/**
 * Where a payload is written. The other format shows the same bytes; what is wrong with the text stands beside it once
 * the field was left, or from the start with `checked`. @public
 */
export function PayloadInput({
  draft,
  onChange,
  label,
  rows = 5,
  checked = false,
  disabled,
  hint,
}: {
  draft: PayloadDraft;
  onChange: (draft: PayloadDraft) => void;
  label?: string | undefined;
  rows?: number | undefined;
  /** Somebody tried to send it: what is wrong is said at once. */
  checked?: boolean | undefined;
  disabled?: boolean | undefined;
  hint?: ReactNode;
}) {
  const w = useWords(words);
  const id = useId();
  const [left, setLeft] = useState(false);
  const [refused, setRefused] = useState<PayloadFormat>();
  const { text, format } = draft;
  const parsed = parsePayload(text, format);
  const fault: PayloadFault | undefined = 'fault' in parsed ? parsed.fault : undefined;
  const wrong = fault && (left || checked) ? faultSentence(fault, w) : undefined;
  const error = refused ? w.notEditable({ format: w[refused] }) : wrong;

  const change = (next: PayloadFormat) => {
    setRefused(undefined);
    if ('fault' in parsed) {
      // It is nothing in this format; perhaps it is something in that one.
      onChange({ text, format: next });
      return;
    }
    const edited = editPayload(parsed.bytes, next);
    if (edited === null) setRefused(next);
    else onChange({ text: edited, format: next });
  };
  const described = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ');
  return (
    <div className={styles.input}>
      <div className={styles.inputHead}>
        <label htmlFor={id} className={styles.label}>
          {label ?? w.payload}
        </label>
        <FormatSwitch value={format} onChange={change} />
      </div>
      <textarea
        id={id}
        className={styles.area}
        rows={rows}
        value={text}
        spellCheck={false}
        autoComplete="off"
        disabled={disabled}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
        onChange={(event) => {
          setRefused(undefined);
          onChange({ text: event.currentTarget.value, format });
        }}
        onBlur={() => setLeft(true)}
      />
      {error && (
        <p className={styles.error} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
