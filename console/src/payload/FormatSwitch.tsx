import { useId } from 'react';
import { useWords } from '../i18n/words.ts';
import styles from './payload.module.css';
import { PAYLOAD_FORMATS, type PayloadFormat } from './payload-formats.ts';
import { words } from './words.ts';

/** The four formats beside each other; the arrow keys go through them. */
export function FormatSwitch({
  value,
  onChange,
}: {
  value: PayloadFormat;
  onChange: (format: PayloadFormat) => void;
}) {
  const w = useWords(words);
  const name = useId();
  return (
    <fieldset className={styles.formats}>
      <legend className="visually-hidden">{w.format}</legend>
      {PAYLOAD_FORMATS.map((format) => (
        <label key={format} className={styles.format}>
          <input
            type="radio"
            className={styles.radio}
            name={name}
            value={format}
            checked={format === value}
            onChange={() => onChange(format)}
          />
          <span className={styles.formatName}>{w[format]}</span>
        </label>
      ))}
    </fieldset>
  );
}
