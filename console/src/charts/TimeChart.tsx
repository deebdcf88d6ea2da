import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { useShownTheme } from '../preferences.ts';
import { formatCompact, formatNumber, formatTime } from '../ui/format.ts';
import { IconColumns, IconMonitoring, IconWarn } from '../ui/icons.tsx';
import { useChartGroup } from './ChartGroup.tsx';
import classes from './charts.module.css';
import type { Hover, Plot } from './plot.ts';
import { SamplesTable } from './SamplesTable.tsx';
import { marksAt, summaryOf, type TimeSeries, usualStep } from './series.ts';
import { words } from './words.ts';

export interface TimeChartProps {
  title: string;
  /** Epoch milliseconds, in order. */
  times: readonly number[];
  series: readonly TimeSeries[];
  /** Stands on the axis: "msg/s". Empty for plain counts. */
  unit?: string;
  /** A value in words, without its unit. */
  format: (value: number) => string;
  /** False lets the axis begin where the values do. */
  fromZero?: boolean;
  /** In pixels, or a CSS length. */
  height?: number | string;
  /** Nothing has been answered yet: that there are no samples is not said. */
  loading?: boolean;
}

/** The nearest a zoom goes. */
const LEAST_SPAN_MS = 60_000;
const KEY_ZOOM = 0.5;

/** One chart of a ChartGroup. What the eye sees, a sentence and a table say as well. */
export function TimeChart({
  title,
  times,
  series,
  unit = '',
  format,
  fromZero = true,
  height = 150,
  loading = false,
}: TimeChartProps) {
  const w = useWords(words);
  const language = useLanguage();
  const group = useChartGroup();
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [asTable, setAsTable] = useState(false);
  const [hover, setHover] = useState<Hover | null>(null);

  const shown = series.filter(({ id, beside }) => !hidden.includes(beside ?? id));
  const named = series.filter(({ beside }) => beside === undefined);
  const withUnit = (value: number) => (unit ? `${format(value)} ${unit}` : format(value));
  const [from, to] = group.range;
  const summaries = useMemo(
    () => series.map(({ values }) => summaryOf(times, values, [from, to])),
    [times, series, from, to],
  );
  const inSight = group.marks.filter((mark) => mark.from <= to && (mark.to === null || mark.to >= from));
  const sentence = [
    w.chart({ title }),
    ...series.map(({ label }, i) => {
      const summary = summaries[i];
      if (!summary) return w.summaryNone({ label });
      return w.summary({
        label,
        last: withUnit(summary.last),
        lowest: withUnit(summary.lowest),
        highest: withUnit(summary.highest),
        highestAt: formatTime(summary.highestAt, language),
        mean: withUnit(summary.mean),
      });
    }),
    ...inSight.map((mark) => w.mark({ label: mark.label, at: formatTime(mark.from, language) })),
  ].join(' ');
  const nothing = !loading && summaries.every((summary) => summary === null);
  const at = hover === null ? undefined : times[hover.index];

  return (
    <figure className={classes.chart} aria-label={title}>
      <figcaption className={classes.chartHead}>
        <span className={classes.chartTitle}>{title}</span>
        {unit && <span className={classes.unit}>{unit}</span>}
        <span className={classes.legend}>
          {named.length > 1 &&
            named.map(({ id, label, color }) => {
              const off = hidden.includes(id);
              return (
                <button
                  key={id}
                  type="button"
                  className={classes.legendEntry}
                  aria-pressed={!off}
                  title={(off ? w.show : w.hide)({ label })}
                  onClick={() => setHidden(off ? hidden.filter((one) => one !== id) : [...hidden, id])}
                >
                  <span className={classes.swatch} style={{ background: `var(--series-${color})` }} />
                  {label}
                </button>
              );
            })}
        </span>
        <button
          type="button"
          className={classes.chartButton}
          aria-label={`${asTable ? w.showChart : w.showTable}: ${title}`}
          title={asTable ? w.showChart : w.showTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? <IconMonitoring size={14} /> : <IconColumns size={14} />}
        </button>
      </figcaption>
      {asTable ? (
        <SamplesTable
          title={title}
          times={times}
          series={series}
          format={withUnit}
          range={group.range}
          marks={group.marks}
          height={height}
        />
      ) : (
        <div className={classes.plotBox} style={{ height }}>
          <PlotCanvas
            key={series.map(({ id, color, area, beside }) => `${id} ${color} ${area} ${beside}`).join()}
            times={times}
            series={series}
            hidden={hidden}
            fromZero={fromZero}
            label={sentence}
            help={w.chartHelp}
            axisValue={(value) =>
              Number.isInteger(value) ? formatCompact(value, language) : formatNumber(value, language, 2)
            }
            endValue={(value) => (value >= 10_000 ? formatCompact(value, language) : format(value))}
            onHover={setHover}
          />
          {nothing && <span className={classes.noSamples}>{w.noSamples}</span>}
          {at !== undefined && hover !== null && (
            <div
              className={classes.tip}
              aria-hidden={hover.own ? undefined : true}
              style={{ transform: `translate(${hover.left}px, 0)` }}
              data-side={at > (from + to) / 2 ? 'left' : 'right'}
            >
              <div className={classes.tipBox}>
                {hover.own && <div className={classes.tipTime}>{formatTime(at, language)}</div>}
                {shown.map(({ id, label, color, values, beside }) => (
                  <div key={id} className={classes.tipLine}>
                    <span
                      className={classes.swatch}
                      data-beside={beside === undefined ? undefined : true}
                      style={{ background: `var(--series-${color})` }}
                    />
                    {shown.length > 1 && <span className={classes.tipLabel}>{label}</span>}
                    <span className={classes.tipValue}>
                      {values[hover.index] === null || values[hover.index] === undefined
                        ? '–'
                        : withUnit(values[hover.index]!)}
                    </span>
                  </div>
                ))}
                {marksAt(inSight, at, usualStep(times)).map((mark) => (
                  <div key={mark.id} className={classes.tipMark}>
                    <IconWarn size={12} />
                    {mark.label}
                  </div>
                ))}
              </div>
            </div>
          )}
        </div>
      )}
    </figure>
  );
}

interface PlotCanvasProps {
  times: readonly number[];
  series: readonly TimeSeries[];
  hidden: readonly string[];
  fromZero: boolean;
  label: string;
  help: string;
  axisValue: (value: number) => string;
  endValue: (value: number) => string;
  onHover: (hover: Hover | null) => void;
}

/**
 * Where the drawing library lives: it is loaded with the first chart, made once and then only told what changes. Another
 * set of series is another canvas (its key).
 */
function PlotCanvas(props: PlotCanvasProps) {
  const { times, series, hidden, label, help } = props;
  const group = useChartGroup();
  const language = useLanguage();
  const theme = useShownTheme();
  const host = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<Plot | null>(null);
  const latest = useRef({ ...props, group, language });
  latest.current = { ...props, group, language };

  useEffect(() => {
    const box = host.current!;
    let made: Plot | undefined;
    let gone = false;
    const observer = new ResizeObserver(([entry]) => {
      made?.setSize(Math.floor(entry!.contentRect.width), Math.floor(entry!.contentRect.height));
    });
    void import('./plot.ts').then(({ createPlot }) => {
      if (gone) return;
      made = createPlot(box, {
        series: latest.current.series,
        syncKey: latest.current.group.key,
        fromZero: latest.current.fromZero,
        language: () => latest.current.language,
        axisValue: (value) => latest.current.axisValue(value),
        endValue: (value) => latest.current.endValue(value),
        onHover: (hover) => latest.current.onHover(hover),
        onSelect: (from, to) => zoomTo(latest.current.group.zoom, from, to),
        onReset: () => latest.current.group.zoom(null),
      });
      observer.observe(box);
      setPlot(made);
    });
    return () => {
      gone = true;
      observer.disconnect();
      made?.destroy();
      setPlot(null);
    };
  }, []);

  const [from, to] = group.range;
  useEffect(() => plot?.setRange(from, to), [plot, from, to]);
  useEffect(() => plot?.setData(times, series), [plot, times, series]);
  useEffect(() => plot?.setMarks(group.marks), [plot, group.marks]);
  useEffect(() => {
    latest.current.series.forEach(({ id, beside }, index) => {
      plot?.setShown(index, !hidden.includes(beside ?? id));
    });
  }, [plot, hidden]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: theme and language are the reason to paint anew
  useEffect(() => plot?.repaint(), [plot, theme, language]);

  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
    const by = steps[event.key];
    if (by !== undefined) plot?.step(by);
    else if (event.key === '+' || event.key === '-') {
      const middle = plot?.cursorTime() ?? (from + to) / 2;
      const half = ((to - from) / 2) * (event.key === '+' ? KEY_ZOOM : 1 / KEY_ZOOM);
      zoomTo(group.zoom, middle - half, middle + half);
    } else if (event.key === 'Escape' && group.zoomed) group.zoom(null);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={host}
      className={classes.plot}
      role="img"
      aria-label={label}
      aria-description={help}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the cursor through the samples
      tabIndex={0}
      onKeyDown={onKeyDown}
    />
  );
}

function zoomTo(zoom: (range: readonly [number, number]) => void, from: number, to: number): void {
  const missing = Math.max(0, LEAST_SPAN_MS - (to - from)) / 2;
  zoom([Math.round(from - missing), Math.round(to + missing)]);
}
