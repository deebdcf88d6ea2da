import { Button } from '@mantine/core';
import { DASHBOARD_RANGES } from '@mqdeck/contract/monitor';
import { useMemo, useState } from 'react';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { ChartGroup, type TimeRange } from '../../charts/ChartGroup.tsx';
import type { TimeSeries } from '../../charts/series.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { formatDurationShort, formatNumber, formatRate, formatTime } from '../../ui/format.ts';
import { IconPause, IconPlay, IconWarn } from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import { ChartsBar } from './ChartsBar.tsx';
import classes from './dashboard.module.css';
import { hasBefore, isBeforeKnown, type Row, rowBefore, secondsToAsk } from './history.ts';
import { useAlarmMarks } from './use-alarm-marks.ts';
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

const ROWS = charts.flatMap(({ lines }) => lines.map(({ row }) => row));

/** Six charts on one time axis, of the cluster or of one node; what they show is in the address. */
export function HistoryCharts({ node: ofNode, nodes = [] }: { node?: string; nodes?: readonly string[] }) {
  const w = useWords(words);
  const language = useLanguage();
  const chosen = useChartRange();
  const { range, zoom, setZoom } = chosen;
  const [paused, setPaused] = useState(false);
  const node = ofNode ?? chosen.node;
  const seconds = secondsToAsk(range, zoom, chosen.compare, Date.now());
  const { history, pending, error, updatedAt, stale, retry } = useHistory(seconds, node, paused);
  const marks = useAlarmMarks(node, paused);

  const until = history?.times.at(-1) ?? updatedAt;
  const whole = useMemo<TimeRange>(() => [until - DASHBOARD_RANGES[range] * 1000, until], [until, range]);
  const [from, to] = zoom ?? whole;
  const span = to - from;
  const comparable = hasBefore([from, to], until);
  const compared = chosen.compare && comparable;
  const beforeUnknown = useMemo(
    () => compared && !pending && history !== undefined && !isBeforeKnown(history, ROWS, [from, to]),
    [compared, pending, history, from, to],
  );
  const drawn = useMemo(
    () =>
      charts.map(({ title, rate, lines }) => ({
        title,
        rate,
        series: lines.flatMap(({ row, label, color, area }): TimeSeries[] => {
          const values = history?.rows[row] ?? [];
          // A broker without this figure has no line for it, rather than an empty one.
          if (row === 'live_connections' && values.every((value) => value === null)) return [];
          const line = { id: row, label: w[label], values, color, area };
          if (!compared || !history) return [line];
          const before = w.before({ label: w[label], time: formatDurationShort(span, language) });
          return [
            line,
            {
              id: `${row} before`,
              label: before,
              values: rowBefore(history, row, span),
              color,
              beside: row,
            },
          ];
        }),
      })),
    [history, w, compared, span, language],
  );
  const alarmsHere = marks.filter((mark) => mark.from <= to && (mark.to === null || mark.to >= from)).length;

  return (
    <section className={classes.charts} aria-label={w.range}>
      <ChartsBar
        {...chosen}
        shown={[from, to]}
        nodes={ofNode === undefined ? nodes : []}
        comparable={comparable}
        beforeUnknown={beforeUnknown}
      >
        <Button
          leftSection={paused ? <IconPlay size={14} /> : <IconPause size={14} />}
          aria-pressed={paused}
          onClick={() => setPaused(!paused)}
        >
          {paused ? w.resume : w.pause}
        </Button>
        {alarmsHere > 0 && (
          <Link to={paths.currentAlarms()} className={classes.alarmsHere}>
            <IconWarn size={14} />
            {w.alarmsHere({ count: alarmsHere })}
          </Link>
        )}
        {paused ? (
          <span className={classes.stale} role="status">
            {w.paused({ time: formatTime(until, language) })}
          </span>
        ) : (
          stale && (
            <span className={classes.stale} role="status">
              {w.stale({ time: formatTime(updatedAt, language) })}
            </span>
          )
        )}
      </ChartsBar>
      {error && !history ? (
        <Panel>
          <QueryFailed error={error} retry={retry} />
        </Panel>
      ) : (
        <ChartGroup range={whole} zoom={zoom} onZoom={setZoom} marks={marks}>
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
