import { type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import form from '../../form/form.module.css';
import type { FieldState } from '../../form/use-field.ts';
import { same } from '../../form/values.ts';
import { IconClose, IconPlus } from '../../ui/icons.tsx';
import styles from './mqtt-settings.module.css';
import { newRow, type Row, type RowFault } from './rows.ts';

/** What the sides of the rows are called. */
interface RowLabels {
  left: string;
  right: string;
  leftOf: (row: number) => string;
  rightOf: (row: number) => string;
  add: string;
  remove: (row: Row, at: number) => string;
}

/** The rows of a field, as long as nobody else changed its value. `latest` has them for the field's check. */
export function useRows(
  field: FieldState,
  latest: RefObject<readonly Row[]>,
  rowsOf: (value: unknown) => Row[],
  valueFrom: (rows: readonly Row[]) => unknown,
): [readonly Row[], (rows: readonly Row[]) => void] {
  const [state, setState] = useState<{ rows: readonly Row[]; value: unknown }>(() => ({
    rows: rowsOf(field.value),
    value: field.value,
  }));
  let now = state;
  if (!same(state.value, field.value)) {
    now = { rows: rowsOf(field.value), value: field.value };
    setState(now);
  }
  latest.current = now.rows;
  return [
    now.rows,
    (rows) => {
      const value = valueFrom(rows);
      latest.current = rows; // the value is checked before it is drawn
      setState({ rows, value });
      field.set(value);
    },
  ];
}

/** Rows of two texts with what is wrong below each. */
export function RowTable({
  field,
  rows,
  onChange,
  faults,
  labels,
}: {
  field: FieldState;
  rows: readonly Row[];
  onChange: (rows: readonly Row[]) => void;
  faults: ReadonlyMap<number, RowFault>;
  labels: RowLabels;
}) {
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const edit = (id: number, part: Partial<Row>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const side = (row: Row, at: number, which: 'left' | 'right') => {
    const fault = faults.get(row.id);
    const wrong = fault?.side === which;
    return (
      <input
        className={form.input}
        data-mono={which === 'left' || undefined}
        aria-label={which === 'left' ? labels.leftOf(at + 1) : labels.rightOf(at + 1)}
        aria-invalid={wrong || undefined}
        aria-describedby={wrong ? `${field.id}-fault-${row.id}` : undefined}
        value={row[which]}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => edit(row.id, { [which]: event.currentTarget.value })}
      />
    );
  };
  return (
    <fieldset
      ref={fieldset}
      className={form.pairs}
      aria-labelledby={`${field.id}-label`}
      disabled={field.disabled}
    >
      {rows.length > 0 && (
        <div className={`${form.pairHead} ${styles.row}`} aria-hidden="true">
          <span>{labels.left}</span>
          <span>{labels.right}</span>
        </div>
      )}
      {rows.map((row, at) => {
        const fault = faults.get(row.id);
        return (
          <div key={row.id} className={`${form.pair} ${styles.row}`}>
            {side(row, at, 'left')}
            {side(row, at, 'right')}
            <button
              type="button"
              className={form.inside}
              aria-label={labels.remove(row, at + 1)}
              onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
            >
              <IconClose size={14} />
            </button>
            {fault && (
              <p className={form.error} id={`${field.id}-fault-${row.id}`}>
                {fault.text}
              </p>
            )}
          </div>
        );
      })}
      <button
        type="button"
        className={form.small}
        onClick={() => {
          // Drawn at once: what is typed next belongs in the new row.
          flushSync(() => onChange([...rows, newRow()]));
          fieldset.current?.querySelector<HTMLElement>('div:last-of-type > input')?.focus();
        }}
      >
        <IconPlus size={14} />
        {labels.add}
      </button>
    </fieldset>
  );
}
