import { useCallback, useMemo } from 'react';
import type { TimeRange } from '../../charts/ChartGroup.tsx';
import { useUrlState } from '../../url-state.ts';
import { RANGE_NAMES, type RangeName } from './history.ts';

/** `zoom` of an address: two moments in epoch seconds. */
export function parseZoom(text: unknown): TimeRange | null {
  const match = /^(\d{9,11})-(\d{9,11})$/.exec(typeof text === 'string' ? text : '');
  if (!match) return null;
  const [from, to] = [Number(match[1]) * 1000, Number(match[2]) * 1000];
  return from < to ? [from, to] : null;
}

/** Range and zoom of the charts, kept in the address. */
export function useChartRange(): {
  range: RangeName;
  zoom: TimeRange | null;
  setRange: (range: RangeName) => void;
  setZoom: (zoom: TimeRange | null) => void;
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
    (next: TimeRange | null) =>
      set({ zoom: next ? next.map((at) => Math.round(at / 1000)).join('-') : undefined }, 'push'),
    [set],
  );
  return { range, zoom, setRange, setZoom };
}
