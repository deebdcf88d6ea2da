import { PREDEFINED_ID_MAX } from '@mqdeck/contract/gateways';
import { useEffect, useRef } from 'react';
import { Field } from '../../../form/Field.tsx';
import classes from '../../../form/form.module.css';
import { parseNumber } from '../../../form/numbers.ts';
import { useField } from '../../../form/use-field.ts';
import { useWords, type Words } from '../../../i18n/words.ts';
import { IconClose, IconPlus } from '../../../ui/icons.tsx';
import { formWords } from './form-words.ts';
import styles from './forms.module.css';

/** More of them belong into a file; those that are there already stay. */
const ROWS_MAX = 10;

/** A row as it is typed: a wrong id stays a text. */
interface Row {
  id: unknown;
  topic: unknown;
}

/** What is wrong with the first wrong row. */
function faultIn(rows: readonly Row[], w: Words<typeof formWords>): string | null {
  const seen = new Set<unknown>();
  for (const [i, { id, topic }] of rows.entries()) {
    const row = i + 1;
    if (!isId(id)) return w.idFault({ row });
    if (seen.has(id)) return w.idTwice({ row, id: String(id) });
    seen.add(id);
    if (topic === undefined || topic === '') return w.topicMissing({ row });
    if (/[#+]/.test(String(topic))) return w.topicFault({ row });
  }
  return null;
}

const isId = (id: unknown): id is number =>
  Number.isInteger(id) && Number(id) >= 1 && Number(id) <= PREDEFINED_ID_MAX;

/** The smallest id above all that are there, else the smallest that is free. */
function nextId(rows: readonly Row[]): number {
  const used = new Set(rows.map(({ id }) => id));
  const next = Math.max(0, ...rows.map(({ id }) => (isId(id) ? id : 0))) + 1;
  if (next <= PREDEFINED_ID_MAX) return next;
  let free = 1;
  while (used.has(free)) free += 1;
  return free;
}

/** Topics that devices know by a number. */
export function PredefinedTopics() {
  const w = useWords(formWords);
  const field = useField(
    { name: 'predefined' },
    { check: (value) => faultIn(Array.isArray(value) ? (value as Row[]) : [], w) },
  );
  const rows = Array.isArray(field.value) ? (field.value as Row[]) : [];
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  /** What has the focus once the rows stand as they were put: the topic of one, or the button. */
  const toFocus = useRef<number | 'add'>(undefined);
  useEffect(() => {
    const wanted = toFocus.current;
    toFocus.current = undefined;
    if (wanted === 'add') add.current?.focus();
    else if (wanted !== undefined)
      list.current?.children[wanted]?.querySelector<HTMLElement>('[data-control="topic"]')?.focus();
  });
  const put = (i: number, part: Partial<Row>) => field.set(rows.with(i, { ...rows[i]!, ...part }));
  const full = rows.length >= ROWS_MAX;
  const wrong = (row: Row, i: number) =>
    field.error !== undefined &&
    faultIn([...rows.slice(0, i), row], w) !== null &&
    faultIn(rows.slice(0, i), w) === null;
  return (
    <Field field={field} group>
      <ul ref={list} id={field.id} className={classes.rows} aria-labelledby={`${field.id}-label`}>
        {rows.map((row, i) => {
          const place = { row: i + 1 };
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its place
            <li key={i} className={styles.row}>
              <input
                className={classes.input}
                data-mono="true"
                aria-label={w.idOfRow(place)}
                aria-invalid={wrong(row, i) || undefined}
                aria-describedby={field.aria['aria-describedby']}
                inputMode="numeric"
                value={String(row.id ?? '')}
                autoComplete="off"
                disabled={field.disabled}
                onChange={(event) => {
                  const text = event.currentTarget.value;
                  put(i, { id: parseNumber(text, true) ?? text });
                }}
                onBlur={field.blur}
              />
              <input
                className={classes.input}
                data-mono="true"
                data-control="topic"
                aria-label={w.topicOfRow(place)}
                aria-describedby={field.aria['aria-describedby']}
                value={String(row.topic ?? '')}
                placeholder="sensors/temperature"
                spellCheck={false}
                autoComplete="off"
                disabled={field.disabled}
                onChange={(event) => put(i, { topic: event.currentTarget.value })}
                onBlur={field.blur}
              />
              <button
                type="button"
                className={classes.rowTool}
                aria-label={w.removeRow(place)}
                disabled={field.disabled}
                onClick={() => {
                  field.set(rows.filter((_, at) => at !== i));
                  toFocus.current = rows.length > 1 ? Math.min(i, rows.length - 2) : 'add';
                }}
              >
                <IconClose size={14} />
              </button>
            </li>
          );
        })}
      </ul>
      <button
        ref={add}
        type="button"
        className={classes.small}
        disabled={field.disabled || full}
        title={full ? w.topicsFull({ max: ROWS_MAX }) : undefined}
        onClick={() => {
          field.set([...rows, { id: nextId(rows), topic: '' }]);
          toFocus.current = rows.length;
        }}
      >
        <IconPlus size={13} />
        {w.addTopic}
      </button>
    </Field>
  );
}
