import type { ExploredValue } from '@mqdeck/contract/topic-explorer';
import { useId, useMemo, useState } from 'react';
import { ChartGroup, type TimeRange } from '../../charts/ChartGroup.tsx';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import type { Decoded } from '../../payload/decode/decode.ts';
import { formatNumber } from '../../ui/format.ts';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './topic-explorer.module.css';
import { linesOf } from './values.ts';
import { words } from './words.ts';

/** One number of the values over time. */
export function ValuePlot({
  values,
  read,
}: {
  values: readonly ExploredValue[];
  read: (value: ExploredValue) => Decoded | null;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const id = useId();
  const lines = useMemo(() => linesOf(values, read), [values, read]);
  const [chosen, setChosen] = useState<string>();
  const [zoom, setZoom] = useState<TimeRange | null>(null);
  const line = lines.find(({ path }) => path === chosen) ?? lines[0];
  const range = useMemo<TimeRange>(
    () => [line?.times[0] ?? 0, Math.max(line?.times.at(-1) ?? 1, (line?.times[0] ?? 0) + 1000)],
    [line],
  );
  const series = useMemo(
    () =>
      line ? [{ id: line.path, label: visibleText(line.path), values: line.values, color: 1 as const }] : [],
    [line],
  );
  if (!line) return <p className={styles.text}>{w.noNumbers}</p>;
  if (line.times.length < 2) return <p className={styles.text}>{w.onlyOne}</p>;
  return (
    <>
      {lines.length > 1 && (
        <div className={styles.bar}>
          <label htmlFor={id} className={styles.sort}>
            {w.field}
            <select id={id} value={line.path} onChange={(event) => setChosen(event.currentTarget.value)}>
              {lines.map(({ path }) => (
                <option key={path} value={path}>
                  {visibleText(path)}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      <ChartGroup range={range} zoom={zoom} onZoom={setZoom}>
        <TimeChart
          title={visibleText(line.path)}
          times={line.times}
          series={series}
          fromZero={false}
          format={(value) => formatNumber(value, language, 3)}
          height={180}
        />
      </ChartGroup>
    </>
  );
}
