import { createContext, type ReactNode, useContext, useId, useMemo } from 'react';
import type { TimeMark } from './series.ts';

export type TimeRange = readonly [from: number, to: number];

interface Group {
  /** Charts of one key share their cursor. */
  key: string;
  /** What all charts show. */
  range: TimeRange;
  zoomed: boolean;
  zoom: (range: TimeRange | null) => void;
  marks: readonly TimeMark[];
}

const NO_MARKS: readonly TimeMark[] = [];

const GroupContext = createContext<Group | null>(null);

/** Charts on one time axis: one cursor, one zoom. The page says what is shown and keeps the zoom. */
export function ChartGroup({
  range,
  zoom,
  onZoom,
  marks = NO_MARKS,
  children,
}: {
  /** Epoch milliseconds. */
  range: TimeRange;
  /** A part of the range, or null for all of it. */
  zoom: TimeRange | null;
  onZoom: (range: TimeRange | null) => void;
  /** Stand on all charts. */
  marks?: readonly TimeMark[];
  children: ReactNode;
}) {
  const key = useId();
  const [from, to] = zoom ?? range;
  const zoomed = zoom !== null;
  const group = useMemo<Group>(
    () => ({ key, range: [from, to], zoomed, zoom: onZoom, marks }),
    [key, from, to, zoomed, onZoom, marks],
  );
  return <GroupContext value={group}>{children}</GroupContext>;
}

export function useChartGroup(): Group {
  const group = useContext(GroupContext);
  if (!group) throw new Error('a chart stands in a ChartGroup');
  return group;
}
