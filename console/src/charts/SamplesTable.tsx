import { useLanguage, useWords } from '../i18n/words.ts';
import { formatTime, NOTHING } from '../ui/format.ts';
import type { TimeRange } from './ChartGroup.tsx';
import classes from './charts.module.css';
import { marksAt, type TimeMark, type TimeSeries, usualStep } from './series.ts';
import { words } from './words.ts';

/** The samples of a chart, newest first, for those who want numbers or do not see the lines. */
export function SamplesTable({
  title,
  times,
  series,
  format,
  range: [from, to],
  marks,
  height,
}: {
  title: string;
  times: readonly number[];
  series: readonly TimeSeries[];
  format: (value: number) => string;
  range: TimeRange;
  marks: readonly TimeMark[];
  height: number | string;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const rows = times
    .flatMap((time, index) => (time >= from && time <= to ? [{ time, index }] : []))
    .reverse();
  const stepMs = usualStep(times);
  const marked = rows.some(({ time }) => marksAt(marks, time, stepMs).length > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section className={classes.samples} style={{ height }} tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{w.time}</th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col">
                {label}
              </th>
            ))}
            {marked && <th scope="col">{w.marks}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, index }) => (
            <tr key={time}>
              <td>{formatTime(time, language)}</td>
              {series.map(({ id, values }) => {
                const value = values[index] ?? null;
                return <td key={id}>{value === null ? NOTHING : format(value)}</td>;
              })}
              {marked && (
                <td className={classes.marksOf}>
                  {marksAt(marks, time, stepMs)
                    .map(({ label }) => label)
                    .join(', ')}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
