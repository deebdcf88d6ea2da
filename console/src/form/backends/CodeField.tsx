import type { ReactNode } from 'react';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { Field } from '../Field.tsx';
import classes from '../form.module.css';
import type { Check } from '../form-context.ts';
import { type FieldProps, useField } from '../use-field.ts';
import { same } from '../values.ts';
import { words } from './words.ts';

/** A query, a command or a body in a language. The way back to its default asks first, because it is long work. */
export function CodeField({
  rows = 4,
  send,
  check,
  help,
  ...props
}: Omit<FieldProps, 'check'> & {
  rows?: number | undefined;
  language?: 'sql' | 'json' | 'plain' | undefined;
  check?: Check | undefined;
  /** What is sent instead of the text. */
  send?: ((value: unknown) => unknown) | undefined;
  /** Below the text: an example, the placeholders. */
  help?: ReactNode;
}) {
  const w = useWords(words);
  const field = useField(props, { ...(check ? { check } : {}), ...(send ? { send } : {}) });
  const { standard } = field;
  const text = typeof field.value === 'string' ? field.value : '';
  const restore = async () => {
    const asked = text.trim() === '' || same(text, standard);
    const title = w.restoreTitle({ name: field.label });
    if (asked || (await confirm({ title, text: w.restoreText, action: w.restore }))) field.set(standard);
  };
  return (
    <Field
      field={{ ...field, standard: undefined }}
      beside={
        standard !== undefined && !same(text, standard) ? (
          <button
            type="button"
            className={classes.restore}
            aria-label={`${field.label}: ${w.restore}`}
            disabled={field.disabled}
            onClick={() => void restore()}
          >
            {w.restore}
          </button>
        ) : undefined
      }
    >
      <textarea
        {...field.aria}
        className={classes.area}
        data-mono="true"
        rows={rows}
        name={field.name}
        value={text}
        spellCheck={false}
        required={field.required}
        disabled={field.disabled}
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
      {help}
    </Field>
  );
}
