import { useEffect, useId, useState } from 'react';
import { Field } from './Field.tsx';
import type { TextProps } from './fields.tsx';
import classes from './form.module.css';
import { useField } from './use-field.ts';

const TYPING_MS = 300;

/** A text for which there are suggestions; anything else may be typed. `useSuggested` is a hook that finds them. */
export function Suggest({
  useSuggested,
  placeholder,
  ...props
}: Omit<TextProps, 'mono' | 'autoComplete'> & { useSuggested: (typed: string) => readonly string[] }) {
  const field = useField(props);
  const list = useId();
  const value = String(field.value ?? '');
  const suggested = useSuggested(useRested(value));
  return (
    <Field field={field}>
      <input
        {...field.aria}
        className={classes.input}
        data-mono
        type="text"
        list={list}
        name={field.name}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        required={field.required}
        disabled={field.disabled}
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
      <datalist id={list}>
        {suggested.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </Field>
  );
}

/** A text that has not changed for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
