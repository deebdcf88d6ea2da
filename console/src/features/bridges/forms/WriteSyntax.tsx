import { useId, useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import form from '../../../form/form.module.css';
import { useWords } from '../../../i18n/words.ts';
import { IconClose, IconPlus } from '../../../ui/icons.tsx';
import { formWords as words } from './form-words.ts';
import styles from './forms.module.css';
import { lineOf, type Pair, type Point, pointOf } from './line-protocol.ts';
import { Template } from './Template.tsx';

const NAME = 'write_syntax';

/** A data point as line protocol, or in a form that writes the line; each turns into the other where it can. */
export function WriteSyntax() {
  const w = useWords(words);
  const id = useId();
  const { setValue } = useFormContext();
  const given: unknown = useWatch({ name: NAME });
  const text = typeof given === 'string' ? given : '';
  // What is half typed in the form is no line yet: it is kept here as long as the text is the one made of it.
  const [draft, setDraft] = useState<{ point: Point; line: string }>();
  const point = draft?.line === text ? draft.point : pointOf(text);
  const [asParts, setAsParts] = useState(false);
  const shown = asParts && point !== null;

  const change = (next: Point) => {
    const line = lineOf(next);
    setDraft({ point: next, line });
    setValue(NAME, line, { shouldDirty: true });
  };
  return (
    <>
      <fieldset className={styles.sides}>
        <legend>{w.writeAs}</legend>
        <label>
          <input type="radio" name={id} checked={!shown} onChange={() => setAsParts(false)} />
          {w.asLine}
        </label>
        <label>
          <input
            type="radio"
            name={id}
            checked={shown}
            disabled={point === null}
            aria-describedby={point === null ? `${id}-why` : undefined}
            onChange={() => setAsParts(true)}
          />
          {w.asParts}
        </label>
        {point === null && (
          <span id={`${id}-why`} className={form.hint}>
            {w.notOneLine}
          </span>
        )}
      </fieldset>
      {shown ? <Parts point={point} onChange={change} /> : null}
      <div hidden={shown}>
        <Template name={NAME} hint={w.lineHint} required />
      </div>
    </>
  );
}

function Parts({ point, onChange }: { point: Point; onChange: (next: Point) => void }) {
  const w = useWords(words);
  const id = useId();
  const one = (part: 'measurement' | 'timestamp', label: string, hint?: string) => (
    <div className={form.field}>
      <label className={form.label} htmlFor={`${id}-${part}`}>
        {label}
      </label>
      <input
        id={`${id}-${part}`}
        className={form.input}
        data-mono="true"
        value={point[part]}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ ...point, [part]: event.currentTarget.value })}
      />
      {hint && <p className={form.hint}>{hint}</p>}
    </div>
  );
  return (
    <>
      {one('measurement', w.measurement)}
      <Pairs
        legend={w.tags}
        side={w.tag}
        add={w.addTag}
        pairs={point.tags}
        onChange={(tags) => onChange({ ...point, tags })}
      />
      <Pairs
        legend={w.fields}
        side={w.field}
        add={w.addField}
        hint={w.lineHint}
        pairs={point.fields}
        onChange={(fields) => onChange({ ...point, fields })}
      />
      {one('timestamp', w.timestamp, w.timestampHint)}
    </>
  );
}

function Pairs({
  legend,
  side,
  add,
  hint,
  pairs,
  onChange,
}: {
  legend: string;
  side: string;
  add: string;
  hint?: string | undefined;
  pairs: readonly Pair[];
  onChange: (pairs: readonly Pair[]) => void;
}) {
  const w = useWords(words);
  const edit = (at: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair, i) => (i === at ? { ...pair, ...part } : pair)));
  return (
    <fieldset className={styles.pairs}>
      <legend>{legend}</legend>
      {pairs.map(({ key, value }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a pair has nothing else that stays while it is typed
        <div key={i} className={styles.pair}>
          <input
            className={form.input}
            data-mono="true"
            aria-label={w.pairKey({ side, row: i + 1 })}
            value={key}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => edit(i, { key: event.currentTarget.value })}
          />
          <input
            className={form.input}
            data-mono="true"
            aria-label={w.pairValue({ side, row: i + 1 })}
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => edit(i, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            className={form.small}
            aria-label={w.removePair({ side, row: i + 1 })}
            onClick={() => onChange(pairs.filter((_, other) => other !== i))}
          >
            <IconClose size={13} />
          </button>
        </div>
      ))}
      {hint && <p className={form.hint}>{hint}</p>}
      <button
        type="button"
        className={form.small}
        onClick={() => onChange([...pairs, { key: '', value: '' }])}
      >
        <IconPlus size={13} /> {add}
      </button>
    </fieldset>
  );
}
