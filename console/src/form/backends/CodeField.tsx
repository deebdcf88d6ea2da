import { type ReactNode, useCallback } from 'react';
import { CodeEditor, type CodeEditorProps } from '../../editor/CodeEditor.tsx';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { Field } from '../Field.tsx';
import classes from '../form.module.css';
import type { Check } from '../form-context.ts';
import { type FieldProps, useField } from '../use-field.ts';
import { same } from '../values.ts';
import { Placeholders } from './Help.tsx';
import { words } from './words.ts';

const NONE: readonly string[] = [];

/** A query, a command or a body in a language. The way back to its default asks first, because it is long work. */
export function CodeField({
  language = 'plain',
  rows = 4,
  placeholders = NONE,
  placeholdersText,
  send,
  check,
  help,
  ...props
}: Omit<FieldProps, 'check'> & {
  language?: CodeEditorProps['language'] | undefined;
  /** About how many are shown without scrolling. */
  rows?: number | undefined;
  /** Names that may stand in `${}`: suggested while typing and listed below. A stable list. */
  placeholders?: readonly string[];
  /** What becomes of them; unless told, what a client shows takes their place. */
  placeholdersText?: string | undefined;
  check?: Check | undefined;
  /** What is sent instead of the text. */
  send?: ((value: unknown) => unknown) | undefined;
  /** Below the text, such as an example. */
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
  const suggest = useCallback(
    (before: string) => {
      const [typed] = /\$\{?[\w.]*$/.exec(before) ?? [];
      if (typed === undefined) return null;
      return { length: typed.length, suggestions: placeholders.map((name) => ({ label: `\${${name}}` })) };
    },
    [placeholders],
  );
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
      <CodeEditor
        id={field.id}
        label={field.label}
        value={text}
        onChange={field.set}
        onBlur={field.blur}
        language={language}
        size={rows <= 4 ? 'small' : rows <= 10 ? 'medium' : 'large'}
        readOnly={field.disabled}
        description={[field.error, field.hint].filter(Boolean).join(' ')}
        invalid={field.error !== undefined}
        suggest={placeholders.length > 0 ? suggest : undefined}
      />
      {placeholders.length > 0 && <Placeholders names={placeholders} text={placeholdersText} />}
      {help}
    </Field>
  );
}
