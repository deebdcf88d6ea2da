import classes from './charts.module.css';
import type { Values } from './series.ts';

const WIDTH = 100;
const HEIGHT = 24;
const AIR = 1.5;

/** Straight pieces of samples without a gap between them, in a box of 100 × 24. */
export function sparkPieces(values: Values): string[] {
  const known = values.filter((value) => value !== null);
  const highest = Math.max(...known, 0);
  const lowest = Math.min(...known, 0);
  const span = highest - lowest || 1;
  const x = (i: number) => (values.length < 2 ? WIDTH : (i / (values.length - 1)) * WIDTH);
  const y = (value: number) => HEIGHT - AIR - ((value - lowest) / span) * (HEIGHT - 2 * AIR);
  const pieces: string[][] = [];
  let open = false;
  values.forEach((value, i) => {
    if (value === null) {
      open = false;
      return;
    }
    const point = `${x(i).toFixed(2)} ${y(value).toFixed(2)}`;
    if (open) pieces.at(-1)!.push(point);
    else pieces.push([point]);
    open = true;
  });
  // A sample alone is a dash of its own, wide enough to be seen.
  return pieces.map((points) => `M${points.length === 1 ? `${points[0]}h0.8` : points.join('L')}`);
}

/** A line without axes beside a figure; it says nothing that the figure's words do not. */
export function Sparkline({
  values,
  color = 1,
  height = HEIGHT,
}: {
  values: Values;
  color?: 1 | 2 | 3 | 4 | 5 | 6;
  height?: number;
}) {
  const pieces = sparkPieces(values);
  const colour = `var(--series-${color})`;
  return (
    <svg
      className={classes.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      height={height}
      aria-hidden="true"
      focusable="false"
    >
      {pieces.map((d) => {
        const from = d.slice(1).split(' ')[0];
        const lastPoint = d.slice(d.lastIndexOf('L') + 1).split(' ')[0];
        return (
          <g key={d}>
            {d.includes('L') && (
              <path d={`${d}L${lastPoint} ${HEIGHT}L${from} ${HEIGHT}Z`} fill={colour} fillOpacity={0.12} />
            )}
            <path
              d={d}
              fill="none"
              stroke={colour}
              strokeWidth={1.5}
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
            />
          </g>
        );
      })}
    </svg>
  );
}
