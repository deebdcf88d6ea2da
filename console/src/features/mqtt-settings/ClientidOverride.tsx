import { compileExpression } from '@mqdeck/contract/zone-expressions';
import { useState } from 'react';
import { Field } from '../../form/Field.tsx';
import form from '../../form/form.module.css';
import { type FieldProps, useField } from '../../form/use-field.ts';
import { useWords } from '../../i18n/words.ts';
import { generalWords as words } from './general-words.ts';

const DISABLED = 'disabled';

/** No replacement, or the expression that gives the client id. */
export function ClientidOverride(props: FieldProps) {
  const w = useWords(words);
  const [last, setLast] = useState('');
  const field = useField(props, {
    check: (value) => {
      if (value === DISABLED) return null;
      const text = String(value ?? '');
      return text === '' ? w.noExpression : compileExpression(text) === null ? w.badExpression : null;
    },
    show: (value) => (value === DISABLED ? w.disabled : null),
  });
  const off = field.value === DISABLED || field.value === undefined;
  const expression = off ? '' : String(field.value);
  return (
    <Field field={field} standardText={field.standard === DISABLED ? w.disabled : undefined} group>
      <select
        className={form.input}
        aria-labelledby={`${field.id}-label`}
        aria-describedby={field.aria['aria-describedby']}
        value={off ? 'off' : 'on'}
        disabled={field.disabled}
        onChange={(event) => {
          if (event.currentTarget.value === 'on') field.set(last);
          else {
            setLast(expression);
            field.set(DISABLED);
          }
        }}
      >
        <option value="off">{w.disabled}</option>
        <option value="on">{w.byExpression}</option>
      </select>
      {!off && (
        <input
          className={form.input}
          data-mono="true"
          type="text"
          name={field.name}
          aria-label={w.expression}
          aria-invalid={field.error ? true : undefined}
          aria-describedby={field.aria['aria-describedby']}
          value={expression}
          autoComplete="off"
          spellCheck={false}
          disabled={field.disabled}
          onChange={(event) => field.set(event.currentTarget.value)}
          onBlur={field.blur}
        />
      )}
    </Field>
  );
}
