import { MASK } from '@mqdeck/contract/kit/values';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { IconClose, IconEye, IconEyeOff } from '../ui/icons.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { Field } from './Field.tsx';
import classes from './form.module.css';
import { percentParts } from './measures.ts';
import { numberFault, parseNumber } from './numbers.ts';
import { holdsMask, isStored } from './secret.ts';
import { type FieldProps, useField } from './use-field.ts';
import { blank } from './values.ts';
import { words } from './words.ts';

/** The plain fields: text, secret, number, percent, switch, many lines, many texts. */

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

export interface TextProps extends FieldProps {
  /** Identifiers, topics, payloads. */
  mono?: boolean | undefined;
  placeholder?: string | undefined;
  autoComplete?: string | undefined;
}

export function Text({ mono, placeholder, autoComplete = 'off', ...props }: TextProps) {
  const field = useField(props);
  return (
    <Field field={field}>
      <input
        {...field.aria}
        className={classes.input}
        data-mono={mono || undefined}
        type="text"
        name={field.name}
        value={textOf(field.value)}
        placeholder={placeholder ?? textOf(field.standard)}
        autoComplete={autoComplete}
        spellCheck={false}
        required={field.required}
        disabled={field.disabled}
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
    </Field>
  );
}

export function TextArea({
  mono,
  placeholder,
  rows = 4,
  ...props
}: TextProps & { rows?: number | undefined }) {
  const field = useField(props);
  return (
    <Field field={field}>
      <textarea
        {...field.aria}
        className={classes.area}
        data-mono={mono || undefined}
        rows={rows}
        name={field.name}
        value={textOf(field.value)}
        placeholder={placeholder ?? textOf(field.standard)}
        spellCheck={false}
        required={field.required}
        disabled={field.disabled}
        onChange={(event) => field.set(event.currentTarget.value)}
        onBlur={field.blur}
      />
    </Field>
  );
}

/**
 * A secret. One that is stored is never shown: the field is empty and says so, and left empty it keeps what is stored.
 */
export function Secret({
  autoComplete = 'new-password',
  removable,
  fresh = false,
  ...props
}: FieldProps & {
  autoComplete?: string | undefined;
  /** The stored one may be taken away. */
  removable?: boolean | undefined;
  /** Nothing is stored that it could replace, as in a change of password: asterisks are just asterisks. */
  fresh?: boolean | undefined;
}) {
  const w = useWords(words);
  const field = useField(props, {
    check: (value) => (!fresh && holdsMask(value) ? w.maskPart : null),
    show: (value) => (isStored(value) ? w.secretKept : blank(value) ? w.secretNone : w.secretNew),
  });
  const [seen, setSeen] = useState(false);
  // Once the form came with a stored secret, an emptied field means "keep", not "none".
  const [hadStored, setHadStored] = useState(false);
  const stored = !fresh && isStored(field.value);
  if (stored && !hadStored) setHadStored(true);
  const removed = hadStored && field.value === '';
  return (
    <Field
      field={field}
      beside={
        removable && hadStored && (stored || removed) ? (
          <button type="button" className={classes.restore} onClick={() => field.set(removed ? MASK : '')}>
            {removed ? w.secretKeep : w.secretRemove}
          </button>
        ) : undefined
      }
    >
      <div className={classes.control}>
        <input
          {...field.aria}
          className={classes.bare}
          type={seen ? 'text' : 'password'}
          name={field.name}
          value={stored ? '' : textOf(field.value)}
          placeholder={stored ? w.secretStored : ''}
          autoComplete={autoComplete}
          spellCheck={false}
          required={field.required && !stored}
          disabled={field.disabled}
          onChange={(event) => {
            const next = event.currentTarget.value;
            field.set(next === '' && hadStored ? MASK : next);
          }}
          onBlur={field.blur}
        />
        <button
          type="button"
          className={classes.inside}
          aria-label={`${seen ? w.hide : w.show}: ${field.label}`}
          aria-pressed={seen}
          onClick={() => setSeen(!seen)}
        >
          {seen ? <IconEyeOff size={15} /> : <IconEye size={15} />}
        </button>
      </div>
    </Field>
  );
}

interface NumberProps extends FieldProps {
  min?: number | undefined;
  max?: number | undefined;
  integer?: boolean | undefined;
  /** Written behind the number: "clients", "msg/s". */
  unit?: string | undefined;
}

/** A number; its limits are the contract's. What is no number stays as typed, beside what is wrong with it. */
export function NumberField({ min, max, integer, unit, ...props }: NumberProps) {
  const w = useWords(words);
  const limitsRef = useRef<{ min?: number | undefined; max?: number | undefined; integer: boolean }>(
    undefined,
  );
  const field = useField(props, {
    check: (value) =>
      value === undefined || value === null || value === ''
        ? null
        : numberFault(String(value), limitsRef.current!, w),
  });
  const whole = integer ?? field.facts.integer;
  limitsRef.current = { min: min ?? field.facts.min, max: max ?? field.facts.max, integer: whole };
  const [typed, setTyped] = useTyped(field.value, field.set);
  return (
    <Field field={field}>
      <div className={classes.control}>
        <input
          {...field.aria}
          className={classes.bare}
          type="text"
          inputMode={whole ? 'numeric' : 'decimal'}
          name={field.name}
          value={typed}
          placeholder={textOf(field.standard)}
          autoComplete="off"
          required={field.required}
          disabled={field.disabled}
          onChange={(event) => {
            const text = event.currentTarget.value;
            // An emptied number is left out of what is sent; a wrong one stays a text, which the check refuses.
            setTyped(text, text.trim() === '' ? '' : (parseNumber(text, whole) ?? text));
          }}
          onBlur={field.blur}
        />
        {unit && <span className={classes.unit}>{unit}</span>}
      </div>
    </Field>
  );
}

/** The text as typed (`1.`, `007`), as long as nobody else changed the value. */
function useTyped(
  value: unknown,
  set: (value: unknown) => void,
): [string, (text: string, value: unknown) => void] {
  const [state, setState] = useState({ text: textOf(value), value });
  const current = Object.is(state.value, value) ? state.text : textOf(value);
  return [
    current,
    (text, next) => {
      setState({ text, value: next });
      set(next);
    },
  ];
}

/** A share; the API's text is `80%`. */
export function Percent(props: FieldProps) {
  const w = useWords(words);
  const field = useField(props, {
    check: (value) =>
      value === undefined || value === '' ? null : numberFault(percentParts(value), { min: 0, max: 100 }, w),
  });
  return (
    <Field field={field}>
      <div className={classes.control}>
        <input
          {...field.aria}
          className={classes.bare}
          type="text"
          inputMode="decimal"
          name={field.name}
          value={percentParts(field.value)}
          placeholder={percentParts(field.standard)}
          autoComplete="off"
          required={field.required}
          disabled={field.disabled}
          onChange={(event) => {
            const text = event.currentTarget.value.trim();
            field.set(text === '' ? '' : `${text}%`);
          }}
          onBlur={field.blur}
        />
        <span className={classes.unit}>%</span>
      </div>
    </Field>
  );
}

/** On or off; `on` and `off` where the API has words for it. Nothing said is off, unless `off` must be said. */
export function Toggle({
  on = true,
  off = false,
  ...props
}: FieldProps & { on?: string | boolean | undefined; off?: string | boolean | undefined }) {
  const w = useWords(words);
  const field = useField(props, {
    show: (value) => (value === on || value === String(on) ? w.on : blank(value) ? null : w.off),
  });
  const checked =
    field.value === on || field.value === String(on) || (field.value === undefined && field.standard === on);
  return (
    <div className={classes.field} data-field={field.name}>
      <label className={classes.toggle}>
        <input
          {...field.aria}
          type="checkbox"
          role="switch"
          className={classes.switch}
          name={field.name}
          checked={checked}
          aria-checked={checked}
          disabled={field.disabled}
          onChange={(event) => field.set(event.currentTarget.checked ? on : off)}
          onBlur={field.blur}
        />
        <span>{field.label}</span>
      </label>
      {field.error && (
        <p className={classes.error} id={`${field.id}-error`} role="alert">
          {field.error}
        </p>
      )}
      {field.hint && (
        <p className={classes.hint} id={`${field.id}-hint`}>
          {field.hint}
        </p>
      )}
    </div>
  );
}

/** Several texts. Enter or a comma ends one, Backspace takes the last one away, a paste may bring many. */
export function MultiText({ separator = ',', ...props }: FieldProps & { separator?: string }) {
  const w = useWords(words);
  const [text, setText] = useState('');
  const textRef = useRef('');
  const input = useRef<HTMLInputElement>(null);
  const field = useField(props);
  const tags: readonly string[] = Array.isArray(field.value) ? field.value.map(String) : [];
  useEffect(() => {
    textRef.current = text;
  }, [text]);

  const add = (typed: string) => {
    const fresh = typed
      .split(new RegExp(`[\\n${separator}]`))
      .map((one) => one.trim())
      .filter((one) => one !== '');
    setText('');
    const next = [...new Set([...tags, ...fresh])];
    if (next.length !== tags.length) field.set(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The Enter that ends a word of an input method is not ours.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && text.trim() !== '') {
      event.preventDefault();
      add(text);
    }
    if (event.key === 'Backspace' && text === '' && tags.length > 0) field.set(tags.slice(0, -1));
  };
  return (
    <Field field={field}>
      {/* biome-ignore lint/a11y: a click beside the tags is a click into the field, which the keyboard reaches anyway */}
      <div
        className={classes.tags}
        onClick={(event) => {
          if (event.target === event.currentTarget) input.current?.focus();
        }}
      >
        {tags.map((tag) => (
          <span key={tag} className={classes.tag}>
            <bdi>{visibleText(tag)}</bdi>
            {!field.disabled && (
              <button
                type="button"
                className={classes.tagRemove}
                aria-label={w.removeTag({ tag })}
                onClick={() => {
                  field.set(tags.filter((one) => one !== tag));
                  input.current?.focus();
                }}
              >
                <IconClose size={11} />
              </button>
            )}
          </span>
        ))}
        <input
          {...field.aria}
          ref={input}
          className={classes.tagInput}
          type="text"
          value={text}
          placeholder={tags.length === 0 ? w.addTag : ''}
          autoComplete="off"
          spellCheck={false}
          disabled={field.disabled}
          onChange={(event) => {
            const next = event.currentTarget.value;
            if (next.includes(separator) || next.includes('\n')) add(next);
            else setText(next);
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text');
            if (!pasted.includes('\n')) return;
            event.preventDefault();
            add(text + pasted);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => {
            if (textRef.current.trim() !== '') add(textRef.current);
            field.blur();
          }}
        />
      </div>
    </Field>
  );
}
