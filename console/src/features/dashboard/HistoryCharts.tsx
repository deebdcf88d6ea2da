import { Button } from '@mantine/core';
import { DASHBOARD_RANGES } from '@mqdeck/contract/monitor';
import { useMemo } from 'react';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { ChartGroup, type TimeRange } from '../../charts/ChartGroup.tsx';
import type { TimeSeries } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatNumber, formatRate, formatTime } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import classes from './dashboard.module.css';
import { type Row, secondsToAsk } from './history.ts';
import { RangeSelect } from './RangeSelect.tsx';
import { useChartRange } from './use-chart-range.ts';
import { useHistory } from './use-history.ts';
import { words } from './words.ts';

type Title = 'received' | 'sent' | 'dropped' | 'connections' | 'subscriptions' | 'topics';
type Line = Pick<TimeSeries, 'color' | 'area'> & { row: Row; label: 'sessions' | 'live' | Title };
const charts: readonly { title: Title; rate: boolean; lines: readonly Line[] }[] = [
  { title: 'received', rate: true, lines: [{ row: 'received', label: 'received', color: 1, area: true }] },
  {
    title: 'connections',
    rate: false,
    lines: [
      { row: 'connections', label: 'sessions', color: 4 },
      { row: 'live_connections', label: 'live', color: 3, area: true },
    ],
  },
  { title: 'sent', rate: true, lines: [{ row: 'sent', label: 'sent', color: 3, area: true }] },
  {
    title: 'subscriptions',
    rate: false,
    lines: [{ row: 'subscriptions', label: 'subscriptions', color: 1, area: true }],
  },
  { title: 'dropped', rate: true, lines: [{ row: 'dropped', label: 'dropped', color: 2, area: true }] },
  { title: 'topics', rate: false, lines: [{ row: 'topics', label: 'topics', color: 5, area: true }] },
];

/** Six charts on one time axis, of the cluster or of one node; range and zoom are in the address. */
export function HistoryCharts({ node }: { node?: string }) {
  const w = useWords(words);
  const language = useLanguage();
  const { range, zoom, setRange, setZoom } = useChartRange();
  const answer = useHistory(secondsToAsk(range, zoom?.[0], Date.now()), node);
  const { history, error, updatedAt, stale, retry } = answer;

  const until = history?.times.at(-1) ?? updatedAt;
  const whole = useMemo<TimeRange>(() => [until - DASHBOARD_RANGES[range] * 1000, until], [until, range]);
  const drawn = useMemo(
    () =>
      charts.map(({ title, rate, lines }) => ({
        title,
        rate,
        series: lines.flatMap(({ row, label, color, area }): TimeSeries[] => {
          const values = history?.rows[row] ?? [];
          // A broker without this figure has no line for it, rather than an empty one.
          if (row === 'live_connections' && values.every((value) => value === null)) return [];
          return [{ id: row, label: w[label], values, color, area }];
        }),
      })),
    [history, w],
  );

  return (
    <section className={classes.charts} aria-label={w.range}>
      <div className={classes.chartsBar}>
        <RangeSelect value={range} onChange={setRange} />
        {zoom ? (
          <>
            <span className={classes.zoomed}>
              {w.zoomed({ from: formatTime(zoom[0], language, false), to: formatTime(zoom[1], language) })}
            </span>
            <Button onClick={() => setZoom(null)}>{w.zoomReset}</Button>
          </>
        ) : (
          <span className={classes.hint}>{w.zoomHint}</span>
        )}
        {stale && (
          <span className={classes.stale} role="status">
            {w.stale({ time: formatTime(updatedAt, language) })}
          </span>
        )}
      </div>
      {error && !history ? (
        <Panel>
          <QueryFailed error={error} retry={retry} />
        </Panel>
      ) : (
        <ChartGroup range={whole} zoom={zoom} onZoom={setZoom}>
          <div className={classes.chartGrid}>
            {drawn.map(({ title, rate, series }) => (
              <TimeChart
                key={title}
                title={w[title]}
                unit={rate ? w.perSecond : ''}
                times={history?.times ?? NO_TIMES}
                loading={history === undefined}
                series={series}
                format={(value) => (rate ? formatRate(value, language) : formatNumber(value, language))}
                height="var(--plot-height)"
              />
            ))}
          </div>
        </ChartGroup>
      )}
    </section>
  );
}

const NO_TIMES: readonly number[] = [];
