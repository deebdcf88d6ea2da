import type { Words } from '../i18n/words.ts';
import type { words } from './words.ts';

/** Numbers as operators type them: ASCII digits only. `0x10`, `1e3`, `Infinity` and `１２` are no numbers here. */

type W = Words<typeof words>;

export interface NumberLimits {
  min?: number | undefined;
  max?: number | undefined;
  integer?: boolean | undefined;
}

export function parseNumber(text: string, integer = false): number | null {
  const plain = text.trim();
  if (!(integer ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/).test(plain)) return null;
  return Number(plain);
}

/** The sentence for a number outside its limits, or null. */
export function rangeFault(value: number, { min, max }: NumberLimits, w: W): string | null {
  const below = min !== undefined && value < min;
  const above = max !== undefined && value > max;
  if (!below && !above) return null;
  if (min !== undefined && max !== undefined) return w.range({ min: String(min), max: String(max) });
  return below ? w.atLeast({ min: String(min) }) : w.atMost({ max: String(max) });
}

export function numberFault(text: string, limits: NumberLimits, w: W): string | null {
  const value = parseNumber(text, limits.integer);
  if (value === null) return w.type({ type: limits.integer ? w.aWholeNumber : w.aNumber });
  return rangeFault(value, limits, w);
}
