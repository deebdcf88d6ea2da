import {
  type ByteUnit,
  type DurationUnit,
  parseBytes,
  parseDuration,
  splitBytes,
  splitDuration,
} from '@mqdeck/contract/kit/values';

/** A number and its unit as two controls hold them, and the one text that the API knows. */
export interface Measure<U extends string> {
  amount: string;
  unit: U;
}

export const durationParts = (
  value: unknown,
  units: readonly DurationUnit[],
): Measure<DurationUnit> | null => {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const ms = parseDuration(value);
  if (ms === null || value === '') return null;
  // The text's own unit stays, so that 60s is not shown as 1 minute.
  const own = typeof value === 'string' ? /^(\d+)(ms|s|m|h|d|w)$/.exec(value) : null;
  if (own && units.includes(own[2] as DurationUnit)) return { amount: own[1]!, unit: own[2] as DurationUnit };
  const { amount, unit } = splitDuration(ms, units);
  return { amount: String(amount), unit };
};

/** Bare bytes have a unit of their own: a size that is no whole number of KB must not be rounded by being looked at. */
export type SizeUnit = ByteUnit | 'B';

export const sizeParts = (value: unknown): Measure<SizeUnit> | null => {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const bytes = parseBytes(value);
  if (bytes === null || value === '') return null;
  const own = typeof value === 'string' ? /^(\d+)(kb|mb|gb)$/i.exec(value) : null;
  if (own) return { amount: own[1]!, unit: own[2]!.toUpperCase() as ByteUnit };
  if (bytes % 1024 !== 0) return { amount: String(bytes), unit: 'B' };
  const { amount, unit } = splitBytes(bytes);
  return { amount: String(amount), unit };
};

/** The API's text; an empty amount is an empty text, a wrong one stays as typed for the check to find. */
export const joined = ({ amount, unit }: Measure<string>): string =>
  amount.trim() === '' ? '' : `${amount.trim()}${unit === 'B' ? '' : unit}`;

/** `1000/s`; a span of several, `100/10s`, has a unit of its own so that it stays as it is. */
const RATE = /^(\d{1,15})\/(\d*(?:ms|s|m|h|d))$/;

export const rateParts = (value: unknown): Measure<string> | null => {
  const [, amount, unit] = (typeof value === 'string' && RATE.exec(value)) || [];
  return amount === undefined || unit === undefined ? null : { amount, unit: unit.replace(/^1(?=\D)/, '') };
};

/** The number before the stroke; null when it is no rate. */
export const parseRate = (value: string | number): number | null => {
  const parts = rateParts(value);
  return parts ? Number(parts.amount) : null;
};

export const joinedRate = ({ amount, unit }: Measure<string>): string =>
  amount.trim() === '' ? '' : `${amount.trim()}/${unit}`;

/** `10MB/s`; bytes without a unit, or in a span of several, have a unit of their own. */
const BYTE_RATE = /^(\d{1,15})((?:KB|MB|GB)?\/\d*(?:ms|s|m|h|d))$/i;

export const byteRateParts = (value: unknown): Measure<string> | null => {
  const [, amount, unit] = (typeof value === 'string' && BYTE_RATE.exec(value)) || [];
  return amount === undefined || unit === undefined ? null : { amount, unit: unit.replace(/^\//, 'B/') };
};

/** The number before the unit; null when it is no such rate. */
export const parseByteRate = (value: string | number): number | null => {
  const parts = byteRateParts(value);
  return parts ? Number(parts.amount) : null;
};

export const joinedByteRate = ({ amount, unit }: Measure<string>): string =>
  amount.trim() === '' ? '' : `${amount.trim()}${unit.replace(/^B/, '')}`;

export const percentParts = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/%$/, '') : typeof value === 'number' ? String(value) : '';
