/** A whole number as typed; empty is none. */
export type NumberText = string;

export interface RangeFault {
  kind: 'range';
  min: number;
  max: number;
}

export function numberFrom(
  text: NumberText,
  min: number,
  max: number,
  onFault: (fault: RangeFault) => void,
): number | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const value = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
  if (value >= min && value <= max) return value;
  onFault({ kind: 'range', min, max });
  return undefined;
}
