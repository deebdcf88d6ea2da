import { type ReactNode, useId, useMemo, useState } from 'react';
import { CodeEditor, type EditorSize } from '../../editor/CodeEditor.tsx';
import type { Explain, Suggest } from '../../editor/languages.ts';
import type { CheckText, Problem } from '../../editor/problem.ts';
import { Field } from '../../form/Field.tsx';
import classes from '../../form/form.module.css';
import type { Check } from '../../form/form-context.ts';
import { useField } from '../../form/use-field.ts';
import { useWords } from '../../i18n/words.ts';
import { IconClose, IconPlus } from '../../ui/icons.tsx';
import { formWords } from './form-words.ts';
import { problemsOf } from './problems.ts';
import styles from './rules.module.css';
import { partsOf, type SqlParts, sqlOf } from './sql-parts.ts';
import { sqlWords } from './sql-words.ts';
import type { Known } from './suggest.ts';

const EMPTY: SqlParts = { kind: 'select', fields: '*', each: '', inCase: '', sources: ['t/#'], where: '' };

/** The statement's parts, each in a field; what they make together is kept with every key. */
export function SqlForm({
  name,
  check,
  suggest,
  explain,
  known,
  beside,
}: {
  name: string;
  check: Check;
  suggest: Suggest;
  explain: Explain;
  known: Known;
  beside: ReactNode;
}) {
  const w = useWords(formWords);
  const id = useId();
  const field = useField({ name, required: true, check });
  const sql = typeof field.value === 'string' ? field.value : '';
  const [parts, setParts] = useState<SqlParts>(() => read(sql) ?? EMPTY);
  // A text that did not come from these fields is read anew, while it can be.
  const [made, setMade] = useState(sql);
  if (made !== sql) {
    const fresh = read(sql);
    if (fresh) setParts(fresh);
    setMade(sql);
  }
  const change = (part: Partial<SqlParts>) => {
    const next = { ...parts, ...part };
    const text = sqlOf(next);
    setParts(next);
    setMade(text);
    field.set(text);
  };
  const isForeach = parts.kind === 'foreach';
  const noSource = parts.sources.every((source) => source.trim() === '');
  const common = { parts, suggest, explain, onBlur: field.blur };
  const fieldsLabel = isForeach ? w.foreach : w.select;
  return (
    <Field field={field} beside={beside} group>
      <fieldset className={styles.sqlForm} aria-labelledby={`${field.id}-label`}>
        <label className={styles.part}>
          <span className={classes.label}>{w.kind}</span>
          <select
            className={classes.input}
            value={parts.kind}
            onChange={(event) => change({ kind: event.currentTarget.value as SqlParts['kind'] })}
          >
            <option value="select">{w.kindSelect}</option>
            <option value="foreach">{w.kindForeach}</option>
          </select>
        </label>
        <fieldset className={styles.part}>
          <legend className={classes.label}>
            {w.from}
            <span className={classes.required} aria-hidden="true">
              {' '}
              *
            </span>
          </legend>
          {parts.sources.map((source, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a source has no other name than its place
            <div key={at} className={styles.sourceRow}>
              <input
                className={classes.input}
                data-mono="true"
                aria-label={w.fromNr({ nr: at + 1 })}
                aria-invalid={noSource || undefined}
                list={`${id}-sources`}
                value={source}
                placeholder={w.fromPlaceholder}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => change({ sources: parts.sources.with(at, event.currentTarget.value) })}
                onBlur={field.blur}
              />
              {parts.sources.length > 1 && (
                <button
                  type="button"
                  className={classes.inside}
                  aria-label={w.removeFrom({ source: source || String(at + 1) })}
                  onClick={() => change({ sources: parts.sources.toSpliced(at, 1) })}
                >
                  <IconClose size={14} />
                </button>
              )}
            </div>
          ))}
          <datalist id={`${id}-sources`}>
            {[...known.events.map(({ event }) => event), ...known.bridgeSources].map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          {noSource && (
            <p className={classes.error} role="alert">
              {w.fromRequired}
            </p>
          )}
          <button
            type="button"
            className={classes.small}
            onClick={() => change({ sources: [...parts.sources, ''] })}
          >
            <IconPlus size={14} />
            {w.addFrom}
          </button>
        </fieldset>
        <Part
          {...common}
          part="fields"
          label={fieldsLabel}
          required
          onText={(fields) => change({ fields })}
        />
        {isForeach && (
          <>
            <Part {...common} part="each" label={w.do} onText={(each) => change({ each })} />
            <Part {...common} part="inCase" label={w.inCase} onText={(inCase) => change({ inCase })} />
          </>
        )}
        <Part {...common} part="where" label={w.where} onText={(where) => change({ where })} />
      </fieldset>
    </Field>
  );
}

function read(sql: string): SqlParts | null {
  const parts = partsOf(sql);
  return typeof parts === 'object' ? parts : null;
}

type TextPart = 'fields' | 'each' | 'inCase' | 'where';
const SIZE: EditorSize = 'small';

function Part({
  part,
  label,
  parts,
  required = false,
  suggest,
  explain,
  onText,
  onBlur,
}: {
  part: TextPart;
  label: string;
  parts: SqlParts;
  required?: boolean;
  suggest: Suggest;
  explain: Explain;
  onText: (text: string) => void;
  onBlur: () => void;
}) {
  const w = useWords(formWords);
  const sw = useWords(sqlWords);
  const id = useId();
  const { kind, sources } = parts;
  const [before, after] = useMemo(() => aroundOf(part, kind, sources), [part, kind, sources]);
  const checkText = useMemo<CheckText>(
    () => within(before, after, (text) => problemsOf(text, sw)),
    [before, after, sw],
  );
  const suggestHere = useMemo<Suggest>(
    () => (typed, text) => suggest(before + typed, before + text + after),
    [before, after, suggest],
  );
  const text = parts[part];
  const missing = required && text.trim() === '';
  return (
    <div className={styles.part}>
      <label className={classes.label} htmlFor={id}>
        {label}
        {required && (
          <span className={classes.required} aria-hidden="true">
            {' '}
            *
          </span>
        )}
      </label>
      <CodeEditor
        id={id}
        label={label}
        value={text}
        onChange={onText}
        onBlur={onBlur}
        language="rule-sql"
        size={SIZE}
        invalid={missing}
        check={checkText}
        suggest={suggestHere}
        explain={explain}
      />
      {missing && (
        <p className={classes.error} role="alert">
          {w.required({ name: label })}
        </p>
      )}
    </div>
  );
}

/** What makes a statement of a part, so that it can be read alone. */
function aroundOf(part: TextPart, kind: SqlParts['kind'], sources: readonly string[]): [string, string] {
  const from = sqlOf({ ...EMPTY, fields: '*', sources: sources.some(Boolean) ? sources : ['t'] }).slice(
    'SELECT\n  *'.length,
  );
  switch (part) {
    case 'fields':
      return [kind === 'select' ? 'SELECT ' : 'FOREACH ', from];
    case 'each':
      return ['FOREACH payload as item DO ', from];
    case 'inCase':
      return ['FOREACH payload as item INCASE ', from];
    case 'where':
      return [`SELECT *${from}\nWHERE `, ''];
  }
}

/** Faults of the whole at their place in the part; those behind its end are at its end. */
function within(before: string, after: string, check: CheckText): CheckText {
  const lines = before.split('\n');
  const shift = lines.at(-1)!.length;
  return (text) => {
    if (text.trim() === '') return [];
    const own = text.split('\n');
    return check(before + text + after).flatMap((problem): Problem[] => {
      const line = problem.line - lines.length + 1;
      if (line < 1) return [];
      if (line > own.length)
        return problem.severity === 'error' ? [{ ...problem, line: own.length, column: undefined }] : [];
      const left = line === 1 ? shift : 0;
      const { column, endColumn } = problem;
      return [
        {
          ...problem,
          line,
          column: column === undefined ? undefined : Math.max(1, column - left),
          endColumn: endColumn === undefined ? undefined : Math.max(1, endColumn - left),
        },
      ];
    });
  };
}
