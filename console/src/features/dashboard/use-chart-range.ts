import { useCallback, useMemo } from 'react';
import type { TimeRange } from '../../charts/ChartGroup.tsx';
import { useUrlState } from '../../url-state.ts';
import { RANGE_NAMES, type RangeName, rangeReaching } from './history.ts';

/** `zoom` of an address: two moments in epoch seconds. */
export function parseZoom(text: unknown): TimeRange | null {
  const match = /^(\d{9,11})-(\d{9,11})$/.exec(typeof text === 'string' ? text : '');
  if (!match) return null;
  const [from, to] = [Number(match[1]) * 1000, Number(match[2]) * 1000];
  return from < to ? [from, to] : null;
}

const textOf = (zoom: TimeRange): string => zoom.map((at) => Math.round(at / 1000)).join('-');

/** Range and zoom of the charts, kept in the address. */
export function useChartRange(): {
  range: RangeName;
  zoom: TimeRange | null;
  setRange: (range: RangeName) => void;
  setZoom: (zoom: TimeRange | null) => void;
  /** A zoom that may begin before the range: a larger one is chosen then. */
  setAbsolute: (range: TimeRange) => void;
  /** Beside each line the one of the period before. */
  compare: boolean;
  setCompare: (compare: boolean) => void;
  /** The node whose samples are shown, of several; undefined: their sum. */
  node: string | undefined;
  setNode: (node: string | undefined) => void;
} {
  const { values, set } = useUrlState();
  const range = RANGE_NAMES.find((name) => name === values.range) ?? '1h';
  const zoomText = values.zoom;
  const zoom = useMemo(() => parseZoom(zoomText), [zoomText]);
  const setRange = useCallback(
    (name: RangeName) => set({ range: name === '1h' ? undefined : name, zoom: undefined }, 'push'),
    [set],
  );
  const setZoom = useCallback(
    (next: TimeRange | null) => set({ zoom: next ? textOf(next) : undefined }, 'push'),
    [set],
  );
  const setAbsolute = useCallback(
    (next: TimeRange) => {
      const name = rangeReaching(next[0], Date.now());
      set({ range: name === '1h' ? undefined : name, zoom: textOf(next) }, 'push');
    },
    [set],
  );
  const setCompare = useCallback(
    (compare: boolean) => set({ compare: compare ? '1' : undefined }, 'replace'),
    [set],
  );
  const setNode = useCallback((node: string | undefined) => set({ node }, 'push'), [set]);
  return {
    range,
    zoom,
    setRange,
    setZoom,
    setAbsolute,
    compare: values.compare === '1',
    setCompare,
    node: typeof values.node === 'string' ? values.node : undefined,
    setNode,
  };
}
