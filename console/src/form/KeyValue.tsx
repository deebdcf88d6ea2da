import { useRef, useState } from 'react';
import { useWords } from '../i18n/words.ts';
import { IconClose, IconPlus } from '../ui/icons.tsx';
import { Field } from './Field.tsx';
import classes from './form.module.css';
import { newPair, objectOf, type Pair, pairFaults, pairsOf } from './key-value.ts';
import { type FieldProps, useField } from './use-field.ts';
import { same } from './values.ts';
import { words } from './words.ts';

/** Keys and values, such as headers. A key that occurs twice is refused, never silently merged. */
export function KeyValue({
  keyLabel,
  valueLabel,
  ...props
}: FieldProps & { keyLabel?: string | undefined; valueLabel?: string | undefined }) {
  const w = useWords(words);
  const rowsRef = useRef<readonly Pair[]>([]);
  const field = useField(props, {
    check: () => {
      const [first] = pairFaults(rowsRef.current).values();
      if (!first) return null;
      return first.kind === 'empty' ? w.emptyKey : w.duplicateKey({ key: first.key });
    },
  });
  const [rows, setRows] = useState<readonly Pair[]>(() => pairsOf(field.value));
  // A reset or a load from outside brings other rows; what was typed here says the same as the value.
  const [made, setMade] = useState<unknown>(field.value);
  let shown = rows;
  if (!same(made, field.value)) {
    shown = pairsOf(field.value);
    setRows(shown);
    setMade(field.value);
  }
  rowsRef.current = shown;
  const faults = pairFaults(shown);

  const change = (next: readonly Pair[]) => {
    const value = objectOf(next);
    setRows(next);
    rowsRef.current = next;
    setMade(value);
    field.set(value);
  };
  const edit = (id: number, part: Partial<Pair>) =>
    change(shown.map((row) => (row.id === id ? { ...row, ...part } : row)));

  return (
    // A row that is wrong says it itself.
    <Field field={faults.size > 0 ? { ...field, error: undefined } : field} group>
      <fieldset className={classes.pairs} aria-labelledby={`${field.id}-label`} disabled={field.disabled}>
        {shown.length > 0 && (
          <div className={classes.pairHead} aria-hidden="true">
            <span>{keyLabel ?? w.key}</span>
            <span>{valueLabel ?? w.value}</span>
          </div>
        )}
        {shown.map(({ id, key, value }, i) => {
          const fault = faults.get(id);
          return (
            <div key={id} className={classes.pair}>
              <input
                className={classes.input}
                data-mono="true"
                aria-label={w.keyOf({ row: i + 1 })}
                aria-invalid={fault ? true : undefined}
                aria-describedby={fault ? `${field.id}-fault-${id}` : undefined}
                value={key}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => edit(id, { key: event.currentTarget.value })}
              />
              <input
                className={classes.input}
                data-mono="true"
                aria-label={w.valueOf({ row: i + 1 })}
                value={value}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => edit(id, { value: event.currentTarget.value })}
              />
              <button
                type="button"
                className={classes.inside}
                aria-label={w.removeRow({ key: key || String(i + 1) })}
                onClick={() => change(shown.filter((row) => row.id !== id))}
              >
                <IconClose size={14} />
              </button>
              {fault && (
                <p className={classes.error} id={`${field.id}-fault-${id}`}>
                  {fault.kind === 'empty' ? w.emptyKey : w.duplicateKey({ key: fault.key })}
                </p>
              )}
            </div>
          );
        })}
        <button type="button" className={classes.small} onClick={() => change([...shown, newPair()])}>
          <IconPlus size={14} />
          {w.addRow}
        </button>
      </fieldset>
    </Field>
  );
}
