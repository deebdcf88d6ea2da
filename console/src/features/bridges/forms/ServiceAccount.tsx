import { MASK } from '@mqdeck/contract/kit/values';
import { useState } from 'react';
import { objectIn } from '../../../form/backends/json-text.ts';
import { Field } from '../../../form/Field.tsx';
import classes from '../../../form/form.module.css';
import { holdsMask, isStored } from '../../../form/secret.ts';
import { type FieldProps, useField } from '../../../form/use-field.ts';
import { useWords } from '../../../i18n/words.ts';
import { formWords as words } from './form-words.ts';

/** The key of a service account: JSON, pasted or read from a file. One that is stored is never shown, only replaced. */
export function ServiceAccount(props: FieldProps) {
  const w = useWords(words);
  const field = useField(props, { check, send });
  const [wrongFile, setWrongFile] = useState(false);
  const [hadStored, setHadStored] = useState(false);
  const stored = isStored(field.value);
  if (stored && !hadStored) setHadStored(true);

  function check(value: unknown): string | null {
    if (isStored(value)) return null;
    if (holdsMask(value)) return w.accountMask;
    const read = objectIn(value);
    if (!('fault' in read)) return null;
    return read.fault === null ? w.accountObject : w.accountFault({ reason: read.fault });
  }
  function send(value: unknown): unknown {
    if (isStored(value)) return value;
    const read = objectIn(value);
    return 'object' in read ? read.object : value;
  }
  async function choose(file: File | undefined) {
    if (!file) return;
    const fits = file.name.toLowerCase().endsWith('.json');
    setWrongFile(!fits);
    if (fits) field.set(await file.text());
  }
  return (
    <Field field={field}>
      <textarea
        {...field.aria}
        className={classes.area}
        data-mono="true"
        rows={6}
        name={field.name}
        value={stored || typeof field.value !== 'string' ? '' : field.value}
        placeholder={stored ? w.accountStored : '{ "type": "service_account", … }'}
        required={field.required && !stored}
        spellCheck={false}
        autoComplete="off"
        disabled={field.disabled}
        onChange={(event) => {
          const next = event.currentTarget.value;
          field.set(next === '' && hadStored ? MASK : next);
        }}
        onBlur={field.blur}
      />
      <label className={classes.file}>
        <input
          type="file"
          className="visually-hidden"
          accept=".json,application/json"
          aria-label={`${w.chooseFile}: ${field.label}`}
          disabled={field.disabled}
          onChange={(event) => {
            void choose(event.currentTarget.files?.[0]);
            // The same file chosen again is a change again.
            event.currentTarget.value = '';
          }}
        />
        <span className={classes.small} aria-hidden="true">
          {w.chooseFile}
        </span>
      </label>
      {wrongFile && (
        <p className={classes.error} role="alert">
          {w.wrongFile}
        </p>
      )}
    </Field>
  );
}
