import type { ReactNode } from 'react';
import { useWords } from '../i18n/words.ts';
import classes from './form.module.css';
import type { FieldState } from './use-field.ts';
import { same } from './values.ts';
import { words } from './words.ts';

/** Label above, control, then what is wrong or what it means. */
export function Field({
  field,
  children,
  beside,
  standardText,
  group,
}: {
  field: FieldState;
  children: ReactNode;
  /** At the end of the label's line. */
  beside?: ReactNode;
  /** The default in words, where its value alone would not do. */
  standardText?: string | undefined;
  /** Several controls under one label. */
  group?: boolean | undefined;
}) {
  const w = useWords(words);
  const { id, label, hint, error, standard, value, required, disabled } = field;
  // An object has no words of its own.
  const mute = standard === undefined || standard === '' || typeof standard === 'object';
  const shown = standardText ?? (mute ? undefined : String(standard));
  const canRestore = shown !== undefined && !disabled && !same(value, standard);
  const name = (
    <>
      {label}
      {required && (
        <span className={classes.required} aria-hidden="true">
          {' '}
          *
        </span>
      )}
    </>
  );
  return (
    <div className={classes.field} data-field={field.name} data-wrong={error ? true : undefined}>
      <div className={classes.labelLine}>
        {group ? (
          <span className={classes.label} id={`${id}-label`}>
            {name}
          </span>
        ) : (
          <label className={classes.label} htmlFor={id}>
            {name}
          </label>
        )}
        {canRestore ? (
          <button
            type="button"
            className={classes.restore}
            aria-label={`${label}: ${w.restore({ value: shown })}`}
            onClick={() => field.set(standard)}
          >
            {w.standard({ value: shown })}
          </button>
        ) : (
          beside
        )}
      </div>
      {children}
      {error && (
        <p className={classes.error} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint && (
        <p className={classes.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
