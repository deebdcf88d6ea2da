import { Button } from '@mantine/core';
import { HISTORY_SECONDS } from '@mqdeck/contract/monitor';
import { type FormEvent, useId, useState } from 'react';
import type { TimeRange } from '../../charts/ChartGroup.tsx';
import { useWords } from '../../i18n/words.ts';
import { localOf, momentOf } from '../../table/filters.ts';
import classes from './dashboard.module.css';
import { words } from './words.ts';

const LEAST_MS = 60_000;
const inputOf = (at: number): string => localOf(new Date(at).toISOString());

/** From one moment to another, typed. What is older than the samples kept is refused beside the fields. */
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
  const [fault, setFault] = useState<string>();

  function submit(event: FormEvent) {
    event.preventDefault();
    const [begin, end] = [typed.from, typed.to].map((text) => Date.parse(momentOf(text) ?? ''));
    if (!begin || !end) setFault(w.rangeIncomplete);
    else if (end - begin < LEAST_MS) setFault(w.rangeShort);
    else if (begin < Date.now() - HISTORY_SECONDS * 1000) setFault(w.rangeOld);
    else if (begin > Date.now()) setFault(w.rangeFuture);
    else onApply([begin, end]);
  }

  const input = (field: 'from' | 'to', label: string) => (
    <label className={classes.moment}>
      {label}
      <input
        type="datetime-local"
        value={typed[field]}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && `${id}-fault`}
        onChange={(event) => {
          setFault(undefined);
          setTyped({ ...typed, [field]: event.currentTarget.value });
        }}
      />
    </label>
  );
  return (
    <form className={classes.absolute} onSubmit={submit} aria-label={w.absolute} noValidate>
      {input('from', w.from)}
      {input('to', w.until)}
      <Button type="submit" variant="filled">
        {w.apply}
      </Button>
      <Button onClick={onCancel}>{w.cancel}</Button>
      {fault && (
        <span id={`${id}-fault`} className={classes.fault} role="alert">
          {fault}
        </span>
      )}
    </form>
  );
}
