import * as z from 'zod/mini';
import { expected } from './faults.ts';

/** Values that the API writes in its own way, once for the broker's checks and the console's fields. */

/** A text; JSON numbers are taken as text, as the real API does. */
export const text = z.pipe(z.union([z.string(), z.number()], expected('binary()')), z.transform(String));

/** Whether a text can stand in an MQTT packet: 65,535 bytes of UTF-8 at most, no U+0000, no lone surrogate. */
function isMqttText(value: string): boolean {
  if (value.length > 65_535 || /\0|\p{Surrogate}/u.test(value)) return false;
  return value.length * 3 <= 65_535 || new TextEncoder().encode(value).length <= 65_535;
}

/** A text that travels in an MQTT packet. */
export const mqttText = text.check(z.refine(isMqttText, 'bad_mqtt_text'));

/** Of a text that only people read: a name, a description, a note. */
export const NOTE_BYTES_MAX = 64 * 1024;
const NOTE_TOO_LONG = expected(`up to ${NOTE_BYTES_MAX} bytes`);

const isNote = (value: string): boolean =>
  value.length * 3 <= NOTE_BYTES_MAX ||
  (value.length <= NOTE_BYTES_MAX && new TextEncoder().encode(value).length <= NOTE_BYTES_MAX);

/** A text that only people read. */
export const note = text.check(z.refine(isNote, NOTE_TOO_LONG));

/** Words by which people find things. */
export const tags = z.array(z.string().check(z.maxLength(255))).check(z.maxLength(100));

/** What a program keeps beside a thing; the broker does not look into it. */
export const metadata = z
  .looseObject({})
  .check(z.refine((value) => isNote(JSON.stringify(value)), NOTE_TOO_LONG));

/** More items than this in one call would keep everybody else waiting. */
const BULK_MAX = 10_000;
export const bulk = <S extends z.ZodMiniType>(item: S) => z.array(item).check(z.maxLength(BULK_MAX));

/** A switch in a body; the words `true` and `false` are taken too. */
export const flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false'])], 'Unable to parse boolean value'),
  z.transform((value) => value === true || value === 'true'),
);

/** A whole number of a body, both bounds included. */
export const intBetween = (min: number, max: number) => {
  const range = expected(`${min}..${max}`);
  return z.number(range).check(z.int(range), z.gte(min, range), z.lte(max, range));
};

/** A moment in an answer: RFC 3339 with numeric offset. */
export const timestamp = z.string();

/** A number without bound, or one. */
export const orInfinity = z.union([z.number(), z.literal('infinity')]);

const MS_OF = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
export type DurationUnit = keyof typeof MS_OF;
const DURATION = /^(\d+(ms|s|m|h|d|w))+$/;

/** Milliseconds of `15s`, `1h30m`, or of a bare number (milliseconds); null when it is no duration. */
export function parseDuration(value: string | number): number | null {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : null;
  if (/^\d+$/.test(value)) return Number(value);
  if (!DURATION.test(value)) return null;
  let ms = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+)(ms|s|m|h|d|w)/g)) {
    ms += Number(amount) * MS_OF[unit as DurationUnit];
  }
  return ms;
}

/** Number and largest unit that divides it: 90000 gives `{ amount: 90, unit: 's' }`. */
export function splitDuration(
  ms: number,
  units: readonly DurationUnit[] = ['ms', 's', 'm', 'h'],
): { amount: number; unit: DurationUnit } {
  const fitting = units.filter((unit) => ms % MS_OF[unit] === 0);
  const unit = ms === 0 ? (units.includes('s') ? 's' : units[0]!) : (fitting.at(-1) ?? units[0]!);
  return { amount: ms / MS_OF[unit], unit };
}

/** A duration such as `15s`, written back exactly as it was sent. */
export const duration = z.union([
  z.string().check(z.refine((value) => parseDuration(value) !== null, 'bad_duration')),
  z.number().check(z.gte(0)),
]);

const BYTES_OF = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const;
export type ByteUnit = Exclude<keyof typeof BYTES_OF, 'B'>;

/** Bytes of `1MB`, `512kb`, or of a bare number; null when it is no size. Steps of 1024, whole numbers only. */
export function parseBytes(value: string | number): number | null {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : null;
  const match = /^(\d+)(kb|mb|gb)?$/i.exec(value);
  if (!match) return null;
  return Number(match[1]) * BYTES_OF[(match[2]?.toUpperCase() ?? 'B') as keyof typeof BYTES_OF];
}

/** Number and largest unit that divides it: 1048576 gives `{ amount: 1, unit: 'MB' }`. */
export function splitBytes(bytes: number): { amount: number; unit: ByteUnit } {
  const unit = (['GB', 'MB', 'KB'] as const).find((u) => bytes % BYTES_OF[u] === 0) ?? 'KB';
  return { amount: bytes / BYTES_OF[unit], unit };
}

/** A size such as `1MB`. */
export const byteSize = z.union([
  z.string().check(z.refine((value) => parseBytes(value) !== null, 'bad_bytesize')),
  z.number().check(z.gte(0)),
]);

/** `80%`, 0 to 100. */
export const percent = z
  .string()
  .check(
    z.refine((value) => /^\d{1,3}(\.\d+)?%$/.test(value) && Number.parseFloat(value) <= 100, 'bad_percent'),
  );

/** What a secret looks like in every answer; sent back unchanged it keeps the stored one. */
export const MASK = '******';

/** A secret in a body. Whoever stores it replaces MASK by what is stored; answers carry MASK alone. */
export const secret = z.string();
