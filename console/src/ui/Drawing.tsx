import type { SVGProps } from 'react';

export interface DrawingProps extends Omit<SVGProps<SVGSVGElement>, 'name'> {
  /** Paths. */
  shapes: readonly string[];
  /** Edge in pixels. */
  size?: number;
}

/** Own drawings: strokes on a grid of 24. Decoration for the eye only; the word beside it, or a label, says it. */
export function Drawing({ shapes, size = 18, ...rest }: DrawingProps) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      {...rest}
    >
      {shapes.map((shape) => (
        <path key={shape} d={shape} />
      ))}
    </svg>
  );
}
