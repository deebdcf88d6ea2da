import { Button } from '@mantine/core';
import { type FormEvent, useId, useState } from 'react';
import type { TimeRange } from '../../charts/ChartGroup.tsx';
import { useWords } from '../../i18n/words.ts';
import { localOf, momentOf } from '../../table/filters.ts';
import { zoneOf } from '../../ui/format.ts';
import classes from './dashboard.module.css';
import { type RangeField, rangeFault } from './history.ts';
import { words } from './words.ts';

const inputOf = (at: number): string => localOf(new Date(at).toISOString());

/** From one moment to another, typed. What cannot be is said beside its field, half typed ones are not yet judged. */
export function AbsoluteRange({
  shown: [from, to],
  onApply,
  onCancel,
}: {
  shown: TimeRange;
  onApply: (range: TimeRange) => void;
  onCancel: () => void;
}) {
  const w = useWords(words);
  const id = useId();
  const [typed, setTyped] = useState({ from: inputOf(from), to: inputOf(to) });
  const [submitted, setSubmitted] = useState(false);
  const [begin, end] = [typed.from, typed.to].map((text) => Date.parse(momentOf(text) ?? '')) as [
    number,
    number,
  ];
  const found = rangeFault(begin, end, Date.now());
  const fault = found?.[1] === 'rangeIncomplete' && !submitted ? null : found;

  function submit(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (!found) onApply([begin, end]);
  }

  const input = (field: RangeField, label: string) => {
    const isWrong = fault?.[0] === field;
    return (
      <span className={classes.momentField}>
        <label className={classes.moment}>
          {label}
          <input
            type="datetime-local"
            value={typed[field]}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? `${id}-fault ${id}-zone` : `${id}-zone`}
            onChange={(event) => setTyped({ ...typed, [field]: event.currentTarget.value })}
          />
        </label>
        {isWrong && (
          <span id={`${id}-fault`} className={classes.fault} role="alert">
            {w[fault[1]]}
          </span>
        )}
      </span>
    );
  };
  // The clocks may have been changed between the two
  const zones = [...new Set([begin, end].map((at) => zoneOf(new Date(Number.isNaN(at) ? Date.now() : at))))];
  return (
    <form className={classes.absolute} onSubmit={submit} aria-label={w.absolute} noValidate>
      {input('from', w.from)}
      {input('to', w.until)}
      <span id={`${id}-zone`} className={classes.note}>
        {w.zone({ zone: zones.join(' / ') })}
      </span>
      <Button type="submit" variant="filled">
        {w.apply}
      </Button>
      <Button onClick={onCancel}>{w.cancel}</Button>
    </form>
  );
}
