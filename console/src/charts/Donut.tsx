import type { ReactNode } from 'react';
import { useLanguage } from '../i18n/words.ts';
import { formatPercent } from '../ui/format.ts';
import classes from './charts.module.css';

export interface DonutPart {
  label: string;
  value: number;
  color: 1 | 2 | 3 | 4 | 5 | 6;
}

const RADIUS = 15.9155; // a circumference of 100, so that a part's length is its percentage
const GAP = 0.8;

/** Shares of a whole, with the words beside the ring; nothing is said by colour alone. */
export function Donut({
  parts,
  format,
  middle,
}: {
  parts: readonly DonutPart[];
  format: (value: number) => string;
  /** In the ring: mostly the sum. */
  middle?: ReactNode;
}) {
  const language = useLanguage();
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  let turned = 25; // begins at twelve o'clock
  return (
    <div className={classes.donut}>
      <div className={classes.donutRing}>
        <svg viewBox="0 0 36 36" aria-hidden="true" focusable="false">
          <circle cx="18" cy="18" r={RADIUS} fill="none" stroke="var(--hover)" strokeWidth={4} />
          {total > 0 &&
            parts.map(({ label, value, color }) => {
              const share = (value / total) * 100;
              const offset = turned;
              turned -= share;
              const length = Math.max(share - (share < 100 ? GAP : 0), 0);
              return (
                <circle
                  key={label}
                  cx="18"
                  cy="18"
                  r={RADIUS}
                  fill="none"
                  stroke={`var(--series-${color})`}
                  strokeWidth={4}
                  strokeDasharray={`${length} ${100 - length}`}
                  strokeDashoffset={offset}
                />
              );
            })}
        </svg>
        {middle && <span className={classes.donutMiddle}>{middle}</span>}
      </div>
      <dl className={classes.donutLegend}>
        {parts.map(({ label, value, color }) => (
          <div key={label}>
            <dt>
              <span className={classes.swatch} style={{ background: `var(--series-${color})` }} />
              {label}
            </dt>
            <dd>
              {format(value)}
              <span className={classes.donutShare}>
                {total > 0 ? formatPercent(value / total, language) : ''}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
