import type { BuiltInRule } from '@mqdeck/contract/authorization';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Field } from '../../../form/Field.tsx';
import classes from '../../../form/form.module.css';
import { useField } from '../../../form/use-field.ts';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../../ui/icons.tsx';
import styles from './permissions.module.css';
import { ACTIONS, LEVELS, NEW_RULE, PERMISSIONS, RETAINS, whole } from './rule-choices.ts';
import { topicHint, topicProblem } from './topic-problem.ts';
import { permissionWords } from './words.ts';

interface Row {
  id: number;
  rule: BuiltInRule;
}
let lastId = 0;
const rowFor = (rule: BuiltInRule): Row => {
  lastId += 1;
  return { id: lastId, rule };
};

/** The rules of one client id or username, in their order: written, moved and taken away. */
export function RulesField({ name }: { name: string }) {
  const w = useWords(permissionWords);
  const language = useLanguage();
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');
  const field = useField(
    { name, label: w.rules },
    {
      check: (value) => {
        const rules = value as readonly BuiltInRule[];
        if (rules.length === 0) return w.noRules;
        for (const [i, rule] of rules.entries()) {
          const text = problemOf(rule);
          if (text) return w.ruleFault({ number: i + 1, text });
        }
        return null;
      },
    },
  );
  const [rows, setRows] = useState<readonly Row[]>(() =>
    ((field.value ?? []) as BuiltInRule[]).map(whole).map(rowFor),
  );

  function problemOf(rule: BuiltInRule): string | null {
    return topicProblem(rule.topic, w) ?? (rule.qos.length === 0 ? w.qosFault : null);
  }
  const change = (next: readonly Row[]) => {
    setRows(next);
    field.set(next.map(({ rule }) => rule));
  };
  /** Draws the rows at once, so that the focus can go to one of them before anything else is typed. */
  const changeNow = (next: readonly Row[]) => flushSync(() => change(next));
  const edit = (id: number, part: Partial<BuiltInRule>) =>
    change(rows.map((row) => (row.id === id ? { ...row, rule: { ...row.rule, ...part } } : row)));
  /** The focus follows what was moved, and goes to the neighbour of what was taken away. */
  const focusRow = (at: number, part: string) => {
    const row = list.current?.children[at];
    const wanted = row?.querySelector<HTMLElement>(`[data-part="${part}"]:not(:disabled)`);
    (wanted ?? row?.querySelector<HTMLElement>('[data-part="topic"]'))?.focus();
  };
  const move = (at: number, by: -1 | 1) => {
    const row = rows[at]!;
    changeNow(rows.toSpliced(at, 1).toSpliced(at + by, 0, row));
    setSaid(w.movedTo({ number: at + by + 1 }));
    focusRow(at + by, by < 0 ? 'up' : 'down');
  };
  const remove = (at: number) => {
    changeNow(rows.toSpliced(at, 1));
    focusRow(Math.min(at, rows.length - 2), 'remove');
  };
  const add = () => {
    changeNow([...rows, rowFor(NEW_RULE)]);
    focusRow(rows.length, 'topic');
  };

  return (
    <Field field={{ ...field, hint: topicHint(w) }} group>
      <ol className={styles.rows} ref={list} aria-labelledby={`${field.id}-label`}>
        {rows.map(({ id, rule }, i) => {
          const number = i + 1;
          const problem = problemOf(rule);
          const told = problem !== null && (field.error !== undefined || rule.topic !== '');
          const label = (what: string) => `${w.rule({ number })}: ${what}`;
          return (
            <li key={id} className={styles.row}>
              <select
                className={classes.input}
                aria-label={label(w.permission)}
                value={rule.permission}
                data-permission={rule.permission}
                onChange={({ currentTarget: { value } }) =>
                  edit(id, { permission: value as BuiltInRule['permission'] })
                }
              >
                {Object.entries(PERMISSIONS).map(([value, word]) => (
                  <option key={value} value={value}>
                    {word[language]}
                  </option>
                ))}
              </select>
              <select
                className={classes.input}
                aria-label={label(w.action)}
                value={rule.action}
                onChange={({ currentTarget: { value } }) =>
                  edit(id, { action: value as BuiltInRule['action'] })
                }
              >
                {Object.entries(ACTIONS).map(([value, word]) => (
                  <option key={value} value={value}>
                    {word[language]}
                  </option>
                ))}
              </select>
              <input
                className={classes.input}
                data-mono="true"
                data-part="topic"
                aria-label={label(w.topic)}
                aria-invalid={told || undefined}
                aria-describedby={told ? `${field.id}-fault-${id}` : undefined}
                value={rule.topic}
                placeholder="devices/${clientid}/#"
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => edit(id, { topic: event.currentTarget.value })}
              />
              {told && (
                <p className={classes.error} id={`${field.id}-fault-${id}`}>
                  {problem}
                </p>
              )}
              <div className={styles.conditions}>
                <fieldset className={styles.levels}>
                  <legend className="visually-hidden">{label(w.qos)}</legend>
                  <span aria-hidden="true">{w.qos}</span>
                  {LEVELS.map((level) => (
                    <label key={level}>
                      <input
                        type="checkbox"
                        checked={rule.qos.includes(level)}
                        aria-label={label(w.qosLevel({ level }))}
                        onChange={({ currentTarget: { checked } }) =>
                          edit(id, {
                            qos: LEVELS.filter((one) => (one === level ? checked : rule.qos.includes(one))),
                          })
                        }
                      />
                      {level}
                    </label>
                  ))}
                </fieldset>
                <label className={styles.retain}>
                  {w.retain}
                  <select
                    className={classes.input}
                    aria-label={label(w.retain)}
                    value={String(rule.retain)}
                    disabled={rule.action === 'subscribe'}
                    onChange={({ currentTarget: { value } }) =>
                      edit(id, { retain: value === 'all' ? 'all' : value === 'true' })
                    }
                  >
                    {Object.entries(RETAINS).map(([value, word]) => (
                      <option key={value} value={value}>
                        {word[language]}
                      </option>
                    ))}
                  </select>
                </label>
                <span className={styles.tools}>
                  <button
                    type="button"
                    className={styles.tool}
                    data-part="up"
                    aria-label={w.up({ number })}
                    disabled={i === 0}
                    onClick={() => move(i, -1)}
                  >
                    <IconArrowUp size={14} />
                  </button>
                  <button
                    type="button"
                    className={styles.tool}
                    data-part="down"
                    aria-label={w.down({ number })}
                    disabled={i === rows.length - 1}
                    onClick={() => move(i, 1)}
                  >
                    <IconArrowDown size={14} />
                  </button>
                  <button
                    type="button"
                    className={styles.tool}
                    data-part="remove"
                    aria-label={w.removeRule({ number })}
                    onClick={() => remove(i)}
                  >
                    <IconTrash size={14} />
                  </button>
                </span>
              </div>
            </li>
          );
        })}
      </ol>
      <button type="button" className={`${classes.small} ${styles.add}`} onClick={add}>
        <IconPlus size={14} />
        {w.addRule}
      </button>
      <span role="status" className="visually-hidden">
        {said}
      </span>
    </Field>
  );
}
