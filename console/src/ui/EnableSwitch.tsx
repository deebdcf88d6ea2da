import { useState } from 'react';
import styles from './EnableSwitch.module.css';

/**
 * Turns a thing of a list on and off. It shows what was asked for while that is under way, then what is: `onChange`
 * ends when the list was read anew, or when it was refused or taken back.
 */
export function EnableSwitch({
  on,
  label,
  text,
  onChange,
  disabledReason,
}: {
  on: boolean;
  /** Names the thing: "Enable password_based:mysql". */
  label: string;
  /** Written beside it, where no head of a column says it. */
  text?: string | undefined;
  onChange: (on: boolean) => Promise<unknown>;
  disabledReason?: string | undefined;
}) {
  const [asked, setAsked] = useState<boolean>();
  return (
    <label className={styles.label} title={disabledReason}>
      <input
        type="checkbox"
        role="switch"
        className={styles.switch}
        aria-label={label}
        checked={asked ?? on}
        aria-checked={asked ?? on}
        disabled={disabledReason !== undefined}
        aria-busy={asked !== undefined || undefined}
        onChange={(event) => {
          if (asked !== undefined) return;
          const next = event.currentTarget.checked;
          setAsked(next);
          void onChange(next).finally(() => setAsked(undefined));
        }}
      />
      {text && <span>{text}</span>}
    </label>
  );
}
