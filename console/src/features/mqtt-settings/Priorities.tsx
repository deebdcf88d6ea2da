import { useRef, useState } from 'react';
import { Field } from '../../form/Field.tsx';
import form from '../../form/form.module.css';
import { numberFault } from '../../form/numbers.ts';
import { type FieldProps, useField } from '../../form/use-field.ts';
import { words as kitWords } from '../../form/words.ts';
import { useWords } from '../../i18n/words.ts';
import { RowTable, useRows } from './RowTable.tsx';
import { faultsOf, filled, newRow, type Row, type RowFault } from './rows.ts';
import { sessionWords as words } from './session-words.ts';
import {
  DISABLED,
  jsonOfPriorities,
  PRIORITY_MAX,
  PRIORITY_MIN,
  prioritiesOf,
  prioritiesOfJson,
  rowsOfPriorities,
} from './topic-priorities.ts';

type Mode = 'off' | 'table' | 'raw';
const LIMITS = { min: PRIORITY_MIN, max: PRIORITY_MAX, integer: true };

/** The order of a queue: none, or a priority of each topic, as a table or as JSON. */
export function Priorities(props: FieldProps) {
  const w = useWords(words);
  const k = useWords(kitWords);
  const rowsRef = useRef<readonly Row[]>([]);
  const rawRef = useRef(false);
  const [raw, setRaw] = useState(false);

  function faultOf({ left, right }: Row, before: readonly Row[]): RowFault | null {
    if (left === '') return { side: 'left', text: w.noTopic };
    if (/[+#]/.test(left)) return { side: 'left', text: w.wildcardTopic };
    if (before.some((row) => row.left === left)) return { side: 'left', text: w.topicTwice({ topic: left }) };
    const fault = right === '' ? k.required({ name: w.priority }) : numberFault(right, LIMITS, k);
    return fault === null ? null : { side: 'right', text: fault };
  }

  function check(value: unknown): string | null {
    if (value === DISABLED || value === undefined) return null;
    if (typeof value !== 'object') return w.notJson;
    const rows = rawRef.current ? rowsOfPriorities(value) : rowsRef.current;
    if (filled(rows).length === 0) return w.noTopic;
    const [first] = faultsOf(rows, faultOf).values();
    return first?.text ?? null;
  }

  const field = useField(props, { check, show: (value) => (value === DISABLED ? w.prioritiesOff : null) });
  const [rows, setRows] = useRows(field, rowsRef, rowsOfPriorities, prioritiesOf);
  const mode: Mode =
    field.value === DISABLED || field.value === undefined
      ? 'off'
      : raw || typeof field.value === 'string'
        ? 'raw'
        : 'table';
  rawRef.current = mode === 'raw';
  const [text, setText] = useState({ of: field.value, shown: jsonOfPriorities(field.value) });
  const shownText = Object.is(text.of, field.value) ? text.shown : jsonOfPriorities(field.value);
  const faults = field.error !== undefined && mode === 'table' ? faultsOf(rows, faultOf) : new Map();

  const change = (next: Mode) => {
    setRaw(next === 'raw');
    if (next === 'off') field.set(DISABLED);
    else if (mode === 'off' || typeof field.value !== 'object') setRows([newRow()]);
  };
  return (
    <Field
      field={faults.size > 0 ? { ...field, error: undefined } : field}
      standardText={field.standard === DISABLED ? w.prioritiesOff : undefined}
      group
    >
      <select
        className={form.input}
        aria-labelledby={`${field.id}-label`}
        aria-describedby={field.aria['aria-describedby']}
        name={field.name}
        value={mode}
        disabled={field.disabled}
        onChange={(event) => change(event.currentTarget.value as Mode)}
      >
        <option value="off">{w.prioritiesOff}</option>
        <option value="table">{w.prioritiesOn}</option>
        <option value="raw">{w.prioritiesRaw}</option>
      </select>
      {mode === 'table' && (
        <RowTable
          field={field}
          rows={rows}
          onChange={setRows}
          faults={faults}
          labels={{
            left: w.topic,
            right: w.priority,
            leftOf: (row) => w.topicOf({ row }),
            rightOf: (row) => w.priorityOf({ row }),
            add: w.addTopic,
            remove: ({ left }, at) => w.removeTopic({ topic: left || String(at) }),
          }}
        />
      )}
      {mode === 'raw' && (
        <textarea
          className={form.area}
          data-mono="true"
          rows={5}
          aria-label={w.prioritiesRaw}
          aria-invalid={field.error ? true : undefined}
          aria-describedby={field.error ? `${field.id}-error` : undefined}
          value={shownText}
          spellCheck={false}
          disabled={field.disabled}
          onChange={(event) => {
            const shown = event.currentTarget.value;
            const value = prioritiesOfJson(shown);
            setText({ of: value, shown });
            field.set(value);
          }}
          onBlur={field.blur}
        />
      )}
    </Field>
  );
}
