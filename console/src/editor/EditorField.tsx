import type { ReactNode } from 'react';
import { Field } from '../form/Field.tsx';
import type { Check } from '../form/form-context.ts';
import { type FieldProps, useField } from '../form/use-field.ts';
import { CodeEditor, type CodeEditorProps } from './CodeEditor.tsx';

/** A text in a language, as a field of a form: SQL, JSON, rules. */
export function EditorField({
  language,
  size,
  placeholder,
  check,
  checkText,
  found,
  suggest,
  explain,
  reveal,
  help,
  beside,
  ...props
}: FieldProps &
  Pick<CodeEditorProps, 'language' | 'size' | 'placeholder' | 'found' | 'suggest' | 'explain' | 'reveal'> & {
    check?: Check | undefined;
    /** Finds problems with their lines while somebody types; `check` decides whether it may be sent. */
    checkText?: CodeEditorProps['check'];
    /** Below the text: an example, the placeholders. */
    help?: ReactNode;
    /** At the end of the label's line. */
    beside?: ReactNode;
  }) {
  const field = useField({ ...props, ...(check ? { check } : {}) });
  const text = typeof field.value === 'string' ? field.value : '';
  return (
    <Field field={{ ...field, standard: undefined }} beside={beside}>
      <CodeEditor
        id={field.id}
        label={field.label}
        value={text}
        onChange={field.set}
        onBlur={field.blur}
        language={language}
        size={size}
        readOnly={field.disabled}
        placeholder={placeholder}
        description={[field.error, field.hint].filter(Boolean).join(' ')}
        invalid={field.error !== undefined}
        check={checkText}
        found={found}
        suggest={suggest}
        explain={explain}
        reveal={reveal}
      />
      {help}
    </Field>
  );
}
