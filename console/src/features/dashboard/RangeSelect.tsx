import { useId } from 'react';
import { useWords } from '../../i18n/words.ts';
import classes from './dashboard.module.css';
import { RANGE_NAMES, type RangeName } from './history.ts';
import { words } from './words.ts';

/** The ranges side by side: native radio buttons, so arrow keys choose. None is chosen while another time is shown. */
export function RangeSelect({
  value,
  onChange,
}: {
  value: RangeName | null;
  onChange: (range: RangeName) => void;
}) {
  const w = useWords(words);
  const name = useId();
  return (
    <fieldset className={classes.ranges}>
      <legend className="visually-hidden">{w.range}</legend>
      {RANGE_NAMES.map((range) => (
        <label key={range}>
          <input
            type="radio"
            name={name}
            value={range}
            checked={range === value}
            onChange={() => onChange(range)}
          />
          <span>{range}</span>
        </label>
      ))}
    </fieldset>
  );
}
