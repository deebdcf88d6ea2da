import { type ReactNode, useId } from 'react';
import { useWords } from '../../i18n/words.ts';
import { IconClose, IconPlus } from '../../ui/icons.tsx';
import type { FormFault } from './connection-form.ts';
import { newPair, type Pair } from './pairs.ts';
import styles from './websocket-client.module.css';
import { words } from './words.ts';

/** What is wrong with a field, in words. */
function useFaultSentence(): (fault: FormFault | undefined, label: string) => string | undefined {
  const w = useWords(words);
  return (fault, label) => {
    if (!fault) return undefined;
    switch (fault.kind) {
      case 'payload': // the payload's own field says what is wrong with it
        return undefined;
      case 'required':
        return w.required({ name: label });
      case 'range':
        return w.range({ min: String(fault.min), max: String(fault.max) });
      case 'host':
        return w.badHost;
      case 'topic':
        return w.badTopic;
      default:
        return w[fault.kind];
    }
  };
}

interface FieldProps {
  label: string;
  fault?: FormFault | undefined;
  /** In place of what `fault` says. */
  error?: string | undefined;
  hint?: ReactNode;
}

function useField({ label, fault, error, hint }: FieldProps) {
  const id = useId();
  const text = useFaultSentence()(fault, label) ?? error;
  const described = [text ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ');
  return {
    id,
    aria: {
      id,
      'aria-invalid': text ? (true as const) : undefined,
      'aria-describedby': described || undefined,
    },
    below: (
      <>
        {text && (
          <p className={styles.error} id={`${id}-error`} role="alert">
            {text}
          </p>
        )}
        {hint && (
          <p className={styles.hint} id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </>
    ),
  };
}

export function TextField({
  value,
  onChange,
  mono,
  type = 'text',
  unit,
  placeholder,
  numeric,
  onLeave,
  side,
  ...props
}: FieldProps & {
  value: string;
  onChange: (value: string) => void;
  mono?: boolean | undefined;
  type?: 'text' | 'password' | undefined;
  unit?: string | undefined;
  placeholder?: string | undefined;
  numeric?: boolean | undefined;
  onLeave?: (() => void) | undefined;
  /** A button beside the field. */
  side?: ReactNode;
}) {
  const { id, aria, below } = useField(props);
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {props.label}
      </label>
      <div className={styles.control}>
        <input
          {...aria}
          className={styles.input}
          data-mono={mono || undefined}
          type={type}
          inputMode={numeric ? 'numeric' : undefined}
          value={value}
          placeholder={placeholder}
          autoComplete={type === 'password' ? 'new-password' : 'off'}
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={onLeave}
        />
        {unit && <span className={styles.unit}>{unit}</span>}
        {side}
      </div>
      {below}
    </div>
  );
}

export function ChoiceField<V extends string | number>({
  value,
  onChange,
  options,
  ...props
}: FieldProps & {
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; label: string }[];
}) {
  const { id, aria, below } = useField(props);
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {props.label}
      </label>
      <select
        {...aria}
        className={styles.input}
        value={value}
        onChange={(event) => {
          const chosen = options.find((one) => String(one.value) === event.currentTarget.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
      {below}
    </div>
  );
}

export const QOS_OPTIONS = ([0, 1, 2] as const).map((value) => ({ value, label: String(value) }));

export function CheckField({
  checked,
  onChange,
  ...props
}: FieldProps & { checked: boolean; onChange: (checked: boolean) => void }) {
  const { aria, below } = useField(props);
  return (
    <div className={styles.field}>
      <label className={styles.check}>
        <input
          {...aria}
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>{props.label}</span>
      </label>
      {below}
    </div>
  );
}

/** Names and values in their order; a name may occur twice. */
export function PairsField({
  pairs,
  onChange,
  ...props
}: FieldProps & { pairs: readonly Pair[]; onChange: (pairs: readonly Pair[]) => void }) {
  const w = useWords(words);
  const { below } = useField(props);
  const edit = (id: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)));
  return (
    <fieldset className={styles.pairs}>
      <legend className={styles.label}>{props.label}</legend>
      {pairs.map(({ id, name, value }, at) => (
        <div key={id} className={styles.pair}>
          <input
            className={styles.input}
            aria-label={w.propertyName({ row: at + 1 })}
            placeholder={w.name}
            value={name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => edit(id, { name: event.currentTarget.value })}
          />
          <input
            className={styles.input}
            aria-label={w.propertyValue({ row: at + 1 })}
            placeholder={w.value}
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => edit(id, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            className={styles.iconButton}
            aria-label={w.removeProperty({ row: at + 1 })}
            onClick={() => onChange(pairs.filter((pair) => pair.id !== id))}
          >
            <IconClose size={14} />
          </button>
        </div>
      ))}
      <button type="button" className={styles.textButton} onClick={() => onChange([...pairs, newPair()])}>
        <IconPlus size={14} />
        {w.addProperty}
      </button>
      {below}
    </fieldset>
  );
}

/** What is rarely needed; says how many of it are set. */
export function Folded({
  label,
  children,
  open,
}: {
  label: string;
  children: ReactNode;
  /** Opened from outside, because something in it is wrong. */
  open?: boolean | undefined;
}) {
  return (
    <details className={styles.folded} open={open || undefined}>
      <summary>{label}</summary>
      <div className={styles.fields}>{children}</div>
    </details>
  );
}
