import './plot.css';
import uPlot from 'uplot';
import type { Language } from '../i18n/language.ts';
import { axisEnd, loneSamples, spansOf, spread, type TimeMark, type TimeSeries, withGaps } from './series.ts';
import { axisTimes } from './time-format.ts';

/** Draws one chart of time series. Made once; data, range, size, colours and language then change in place. */
export interface Plot {
  setData(times: readonly number[], series: readonly TimeSeries[]): void;
  setRange(from: number, to: number): void;
  setShown(index: number, shown: boolean): void;
  setMarks(marks: readonly TimeMark[]): void;
  setSize(width: number, height: number): void;
  /** The theme or the language is another one. */
  repaint(): void;
  /** Moves the cursor by so many samples; from the last one where there is none. */
  step(by: number): void;
  /** The time under the cursor. */
  cursorTime(): number | null;
  destroy(): void;
}

export interface Hover {
  /** Index into the times given. */
  index: number;
  /** From the left of the chart, in CSS pixels. */
  left: number;
  /** This is the chart the pointer is on, not one that follows it. */
  own: boolean;
}

export interface PlotOptions {
  series: readonly Pick<TimeSeries, 'color' | 'area' | 'beside'>[];
  /** Charts of the same key share their cursor. */
  syncKey: string;
  /** The axis begins at zero, as it must for rates. */
  fromZero: boolean;
  /** Read anew at each painting. */
  language: () => Language;
  axisValue: (value: number) => string;
  endValue: (value: number) => string;
  onHover: (hover: Hover | null) => void;
  onSelect: (from: number, to: number) => void;
  onReset: () => void;
}

interface Palette {
  series: string[];
  area: string[];
  axis: string;
  grid: string;
  panel: string;
  mark: string;
  font: string;
}

const FONT_SIZE = 11;
const END_GAP = 6;
const LABEL_HEIGHT = 14;
const AXIS_BOTTOM = 24;
/** Room for four digits, so that charts below each other mostly agree. */
const AXIS_WIDTH_MIN = 34;
const END_WIDTH_MIN = 40;
const LEAST_SELECTION_PX = 4;
const AREA_OPACITY = 0.1;
const DASH = [4, 3];
/** Marks stay at the upper edge: what the lines say must be read through the longest alarm. */
const MARK_PX = 3;
const MARK_BEGIN_PX = [1.5, 9] as const;
/** Two labels of a time axis; those of parts of a second are longer. */
const TIME_SPACE = 64;
const FINE_TIME_SPACE = 84;
const FINE_SPAN_MS = 20_000;

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const series = [1, 2, 3, 4, 5, 6].map((nr) => read(`--series-${nr}`));
  return {
    series,
    area: series.map((colour) => withOpacity(colour, AREA_OPACITY)),
    axis: read('--text-faint'),
    grid: read('--line'),
    panel: read('--panel'),
    mark: read('--warn'),
    font: `${FONT_SIZE}px ${getComputedStyle(document.body).fontFamily}`,
  };
}

/** `#58b6ff` with an alpha; the tokens are six-digit colours. */
const withOpacity = (colour: string, opacity: number): string =>
  `${colour}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0')}`;

export function createPlot(host: HTMLElement, options: PlotOptions): Plot {
  let palette = readPalette();
  let range: [number, number] = [0, 1];
  let marks: readonly TimeMark[] = [];
  /** Where each drawn row comes from; rows that were put in for gaps have none. */
  let sourceOf = new Map<number, number>();
  /** The cursor is moved by keys, which leave no event. */
  let stepping = false;
  const colourOf = (index: number) => palette.series[options.series[index]!.color - 1]!;

  const chart = new uPlot(
    {
      width: Math.max(host.clientWidth, 1),
      height: Math.max(host.clientHeight, 1),
      ms: 1,
      padding: [8, (u) => endWidth(u), 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        sync: { key: options.syncKey, scales: ['x', null], setSeries: false },
        drag: { x: true, y: false, setScale: false, dist: LEAST_SELECTION_PX },
        points: {
          size: 7,
          width: 2,
          stroke: (_u, index) => colourOf(index - 1),
          fill: () => palette.panel,
        },
        bind: {
          dblclick: () => () => {
            options.onReset();
            return null;
          },
        },
      },
      scales: {
        x: { time: true, auto: false, range: () => range },
        y: {
          range: (_u, lowest, highest) => {
            if (lowest === null || highest === null) return [0, 1];
            if (options.fromZero) return [0, axisEnd(highest)];
            const [from, to] = uPlot.rangeNum(lowest, highest, 0.1, true);
            return [lowest >= 0 ? Math.max(from ?? 0, 0) : from, to];
          },
        },
      },
      axes: [
        {
          stroke: () => palette.axis,
          font: palette.font,
          size: AXIS_BOTTOM,
          gap: 4,
          space: (_u, _axis, from, to) => (to - from <= FINE_SPAN_MS ? FINE_TIME_SPACE : TIME_SPACE),
          grid: { show: false },
          ticks: { stroke: () => palette.grid, width: 1, size: 4 },
          border: { show: true, stroke: () => palette.grid, width: 1 },
          values: (_u, splits, _axis, _space, step) => axisTimes(splits, step, options.language()),
        },
        {
          stroke: () => palette.axis,
          font: palette.font,
          gap: 4,
          space: (_u, _axis, _min, _max, height) => (height > 180 ? 44 : 28),
          size: (u, values) => axisWidth(u, values),
          grid: { stroke: () => palette.grid, width: 1 },
          ticks: { show: false },
          values: (_u, splits) => splits.map(options.axisValue),
        },
      ],
      series: [
        {},
        ...options.series.map(
          ({ area, beside }, index): uPlot.Series => ({
            stroke: () => colourOf(index),
            width: beside ? 1 : 1.5,
            ...(beside ? { dash: DASH } : {}),
            ...(area ? { fill: () => palette.area[options.series[index]!.color - 1]! } : {}),
            spanGaps: false,
            points: {
              show: !beside,
              size: 4,
              fill: () => colourOf(index),
              filter: (u, nr) => loneSamples(u.data[nr] as (number | null)[]),
            },
          }),
        ),
      ],
      hooks: {
        setSelect: [
          (u) => {
            const { left, width } = u.select;
            // The charts that follow the pointer of another one are told of its selection too.
            if (width >= LEAST_SELECTION_PX && u.cursor.event)
              options.onSelect(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        setCursor: [
          (u) => {
            const { idx, left } = u.cursor;
            const index = idx === null || idx === undefined ? undefined : sourceOf.get(idx);
            if (index === undefined || left === undefined || left < 0) options.onHover(null);
            else {
              const inside = u.valToPos(u.data[0][idx!]!, 'x') + u.bbox.left / uPlot.pxRatio;
              options.onHover({
                index,
                left: inside,
                own: stepping || Boolean(u.cursor.event),
              });
            }
          },
        ],
        drawClear: [(u) => drawMarks(u)],
        draw: [(u) => drawEnds(u)],
      },
    },
    [[], ...options.series.map(() => [])],
    host,
  );

  /** The last value in sight of each series, at the end of its line. */
  function ends(u: uPlot): { index: number; at: number; value: number }[] {
    if (u.status !== 1) return []; // uPlot asks for its padding while it is still being made
    const times = u.data[0];
    return options.series.flatMap(({ beside }, index) => {
      if (beside || !u.series[index + 1]!.show) return [];
      const values = u.data[index + 1] as (number | null | undefined)[];
      for (let i = times.length - 1; i >= 0; i--) {
        const at = times[i]!;
        if (at < range[0]) break;
        const value = values[i] ?? null;
        if (at <= range[1] && value !== null) return [{ index, at, value }];
      }
      return [];
    });
  }

  function textWidth(u: uPlot, text: string): number {
    u.ctx.save();
    u.ctx.font = palette.font;
    const { width } = u.ctx.measureText(text);
    u.ctx.restore();
    return width;
  }

  function endWidth(u: uPlot): number {
    const widths = ends(u).map(({ value }) => textWidth(u, options.endValue(value)));
    return Math.ceil(Math.max(END_WIDTH_MIN, ...widths.map((width) => width + END_GAP + 4)));
  }

  function axisWidth(u: uPlot, values: string[] | null): number {
    return Math.ceil(Math.max(AXIS_WIDTH_MIN, ...(values ?? []).map((text) => textWidth(u, text ?? '') + 8)));
  }

  /** At the upper edge: a strip for as long as something held, a stroke downwards where it began. */
  function drawMarks(u: uPlot): void {
    if (u.status !== 1) return;
    const { ctx, bbox } = u;
    const ratio = uPlot.pxRatio;
    const [strokeWidth, strokeHeight] = [MARK_BEGIN_PX[0] * ratio, MARK_BEGIN_PX[1] * ratio];
    const at = (time: number) => u.valToPos(time, 'x', true);
    ctx.save();
    ctx.fillStyle = palette.mark;
    for (const [from, to] of spansOf(marks, range))
      ctx.fillRect(at(from), bbox.top, Math.max(at(to) - at(from), strokeWidth), MARK_PX * ratio);
    for (const { from } of marks)
      if (from >= range[0] && from <= range[1]) ctx.fillRect(at(from), bbox.top, strokeWidth, strokeHeight);
    ctx.restore();
  }

  function drawEnds(u: uPlot): void {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const found = ends(u);
    const tops = found.map(({ value }) => u.valToPos(value, 'y', true));
    const places = spread(
      tops,
      LABEL_HEIGHT * ratio,
      u.bbox.top + 4 * ratio,
      u.bbox.top + u.bbox.height - 4 * ratio,
    );
    ctx.save();
    ctx.font = palette.font.replace(`${FONT_SIZE}px`, `${FONT_SIZE * ratio}px`);
    ctx.textBaseline = 'middle';
    ctx.textAlign = 'left';
    found.forEach(({ index, at, value }, nr) => {
      const x = u.valToPos(at, 'x', true);
      ctx.fillStyle = colourOf(index);
      ctx.beginPath();
      ctx.arc(x, tops[nr]!, 2.5 * ratio, 0, 2 * Math.PI);
      ctx.fill();
      ctx.fillText(options.endValue(value), u.bbox.left + u.bbox.width + END_GAP * ratio, places[nr]!);
    });
    ctx.restore();
  }

  return {
    setData(times, series) {
      const filled = withGaps(
        times,
        series.map(({ values }) => values),
      );
      const places = new Map(times.map((time, index) => [time, index]));
      sourceOf = new Map(
        filled.times.flatMap((time, row) => {
          const index = places.get(time);
          return index === undefined ? [] : [[row, index] as const];
        }),
      );
      chart.setData([filled.times, ...filled.columns], false);
      chart.setScale('x', { min: range[0], max: range[1] });
    },
    setRange(from, to) {
      if (range[0] === from && range[1] === to) return;
      range = [from, to];
      if (chart.data[0].length > 0) chart.setScale('x', { min: from, max: to });
    },
    setShown(index, shown) {
      // Without a difference uPlot would still pin the value axis to what the data are at this moment.
      if (chart.series[index + 1]!.show !== shown) chart.setSeries(index + 1, { show: shown }, false);
    },
    setMarks(next) {
      marks = next;
      chart.redraw(false, false);
    },
    setSize(width, height) {
      if (width > 0 && height > 0) chart.setSize({ width, height });
    },
    repaint() {
      palette = readPalette();
      chart.redraw(false, true);
    },
    step(by) {
      const times = chart.data[0];
      const inSight = (at: number) => at >= range[0] && at <= range[1];
      const { idx } = chart.cursor;
      let next = idx === null || idx === undefined ? times.length - (by > 0 ? 1 : 0) : idx;
      do next += by;
      while (next >= 0 && next < times.length && !sourceOf.has(next));
      const at = times[next];
      if (at === undefined || !inSight(at)) return;
      stepping = true;
      chart.setCursor({ left: chart.valToPos(at, 'x'), top: 0 });
      stepping = false;
    },
    cursorTime() {
      const { idx } = chart.cursor;
      return idx === null || idx === undefined ? null : (chart.data[0][idx] ?? null);
    },
    destroy: () => chart.destroy(),
  };
}
