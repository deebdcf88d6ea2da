import { Button } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { TimeRange } from '../../charts/ChartGroup.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { AbsoluteRange } from './AbsoluteRange.tsx';
import classes from './dashboard.module.css';
import { RangeSelect } from './RangeSelect.tsx';
import type { useChartRange } from './use-chart-range.ts';
import { words } from './words.ts';

/** What the charts show: which time, of which node, compared or not. */
export function ChartsBar({
  range,
  zoom,
  setRange,
  setZoom,
  setAbsolute,
  compare,
  setCompare,
  node,
  setNode,
  shown,
  nodes,
  comparable,
  beforeUnknown,
  children,
}: ReturnType<typeof useChartRange> & {
  shown: TimeRange;
  /** To choose from; fewer than two are no choice. */
  nodes: readonly string[];
  /** The period before is kept. */
  comparable: boolean;
  /** Nothing is known of the period before, though it is asked for. */
  beforeUnknown: boolean;
  children: ReactNode;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const [typing, setTyping] = useState(false);
  const noteId = useId();
  const nothingBefore = !comparable ? w.compareNone : beforeUnknown ? w.compareUnknown : null;
  return (
    <div className={classes.chartsBar}>
      <RangeSelect value={zoom ? null : range} onChange={setRange} />
      <Button aria-expanded={typing} onClick={() => setTyping(!typing)}>
        {w.absolute}
      </Button>
      {nodes.length > 1 && (
        <label className={classes.moment}>
          {w.node}
          <select value={node ?? ''} onChange={(event) => setNode(event.currentTarget.value || undefined)}>
            <option value="">{w.allNodes}</option>
            {nodes.map((one) => (
              <option key={one} value={one}>
                {visibleText(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label className={classes.compare}>
        <input
          type="checkbox"
          checked={compare && comparable}
          disabled={!comparable}
          aria-describedby={nothingBefore ? noteId : undefined}
          onChange={(event) => setCompare(event.currentTarget.checked)}
        />
        {w.compare}
      </label>
      {nothingBefore && (
        <span id={noteId} className={classes.note} role="status">
          {nothingBefore}
        </span>
      )}
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
      {children}
      {typing && (
        <AbsoluteRange
          shown={shown}
          onApply={(next) => {
            setTyping(false);
            setAbsolute(next);
          }}
          onCancel={() => setTyping(false)}
        />
      )}
    </div>
  );
}
