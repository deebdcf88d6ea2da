import { useCallback, useLayoutEffect, useRef } from 'react';
import { useController } from 'react-hook-form';
import { useWords } from '../i18n/words.ts';
import { type Check, useFormKit } from './form-context.ts';
import type { Facts } from './schema-facts.ts';
import { words } from './words.ts';

export interface FieldProps {
  /** The field's dotted name in the contract. */
  name: string;
  /** The word of that name in the form's words unless told. */
  label?: string | undefined;
  hint?: string | undefined;
  /** Must be filled in even where the contract would take an empty text. */
  required?: boolean | undefined;
  /** What it is when nobody says anything; shown as placeholder, and a way back. The contract's default unless told. */
  standard?: unknown;
  disabled?: boolean | undefined;
  /** A rule of this form alone, such as "differs from the old one". */
  check?: Check | undefined;
}

export interface FieldState {
  id: string;
  name: string;
  label: string;
  hint: string | undefined;
  error: string | undefined;
  value: unknown;
  set: (value: unknown) => void;
  blur: () => void;
  required: boolean;
  disabled: boolean;
  facts: Facts;
  standard: unknown;
  /** Connects a control with its hint and error. */
  aria: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** One field of the form around it: value, error, label and the ids that tie them together. */
export function useField(
  { name, label, hint, required, standard, disabled, check }: FieldProps,
  own?: { check?: Check; send?: (value: unknown) => unknown; show?: (value: unknown) => string | null },
): FieldState {
  const w = useWords(words);
  const kit = useFormKit();
  const { field, fieldState } = useController({ name });
  const facts = kit.factsOf(name);
  const text = label ?? kit.label(name);
  const off = disabled === true || kit.readOnly;

  const latest = useRef<{
    check: Check;
    send: ((value: unknown) => unknown) | undefined;
    show: ((value: unknown) => string | null) | undefined;
  }>(undefined);
  latest.current = {
    check: (value) => {
      if (off) return null;
      if (required && isEmpty(value))
        return facts.kind === 'choice' ? w.select({ name: text }) : w.required({ name: text });
      return own?.check?.(value) ?? check?.(value) ?? null;
    },
    send: own?.send,
    show: own?.show,
  };
  const usual = standard ?? facts.standard;
  const { declare } = kit;
  const sends = own?.send !== undefined;
  useLayoutEffect(
    () =>
      declare(name, {
        label: text,
        check: (value) => latest.current!.check(value),
        send: sends ? (value) => latest.current!.send?.(value) : undefined,
        show: (value) => latest.current!.show?.(value) ?? null,
        standard: usual,
      }),
    [declare, name, text, sends, usual],
  );

  const id = `${kit.id}-${name.replaceAll('.', '-')}`;
  const hintText = hint ?? kit.hint(name);
  const error = fieldState.error?.message;
  const described = [...(error ? [`${id}-error`] : []), ...(hintText ? [`${id}-hint`] : [])].join(' ');
  const { onChange, onBlur } = field;
  return {
    id,
    name,
    label: text,
    hint: hintText,
    error,
    value: field.value,
    set: useCallback((value: unknown) => onChange(value), [onChange]),
    blur: onBlur,
    required: required === true,
    disabled: off,
    facts,
    standard: usual,
    aria: { id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined },
  };
}
