import { SqlFault } from '../errors.ts';
import { integer, isInteger } from '../integers.ts';
import type { Value } from '../values.ts';
import { type Functions, fn } from './function.ts';

const PER_SECOND: Record<string, bigint> = {
  second: 1n,
  millisecond: 1000n,
  microsecond: 1_000_000n,
  nanosecond: 1_000_000_000n,
};
const NANO = 1_000_000_000n;

function perSecond(unit: Value): bigint {
  const found = typeof unit === 'string' && Object.hasOwn(PER_SECOND, unit) ? PER_SECOND[unit] : undefined;
  if (found === undefined) throw new SqlFault('badarg');
  return found;
}

/** Seconds east of Greenwich. */
function offsetSeconds(offset: Value): number {
  if (Number.isInteger(offset) && Math.abs(offset as number) < 86_400) return offset as number;
  if (offset === 'Z' || offset === 'z' || offset === '') return 0;
  if (offset === 'local') return -new Date().getTimezoneOffset() * 60;
  const parts = typeof offset === 'string' ? /^([+-])(\d\d):?(\d\d)(?::(\d\d))?$/.exec(offset) : null;
  if (!parts) throw new SqlFault('bad_time_offset');
  const [, sign, hours, minutes, seconds = '0'] = parts;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}

const two = (value: number): string => String(value).padStart(2, '0');

function zoneText(seconds: number, colon: string): string {
  const size = Math.abs(seconds);
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(size / 3600))}${colon}${two(Math.floor(size / 60) % 60)}`;
}

interface Moment {
  nanos: bigint; // since the epoch
}

function momentOf(value: Value, unit: Value): Moment {
  if (!isInteger(value)) throw new SqlFault('badarg');
  const nanos = (BigInt(value) * NANO) / perSecond(unit);
  if (nanos < -62_135_596_800n * NANO || nanos >= 253_402_300_800n * NANO) throw new SqlFault('badarg'); // years 1 to 9999
  return { nanos };
}

/** Of a moment the whole seconds, downwards, and the rest. */
function split({ nanos }: Moment): { seconds: number; rest: number } {
  const rest = ((nanos % NANO) + NANO) % NANO;
  return { seconds: Number((nanos - rest) / NANO), rest: Number(rest) };
}

const SIGNS = /%(:z|[36]N|[YmdHMSNz%])/g;

function format(moment: Moment, offset: number, pattern: string): string {
  const { seconds, rest } = split(moment);
  const date = new Date((seconds + offset) * 1000);
  const fraction = String(rest).padStart(9, '0');
  return pattern.replace(SIGNS, (_, sign: string) => {
    switch (sign) {
      case 'Y':
        return String(date.getUTCFullYear()).padStart(4, '0');
      case 'm':
        return two(date.getUTCMonth() + 1);
      case 'd':
        return two(date.getUTCDate());
      case 'H':
        return two(date.getUTCHours());
      case 'M':
        return two(date.getUTCMinutes());
      case 'S':
        return two(date.getUTCSeconds());
      case 'N':
        return fraction;
      case '3N':
        return fraction.slice(0, 3);
      case '6N':
        return fraction.slice(0, 6);
      case 'z':
        return zoneText(offset, '');
      case ':z':
        return zoneText(offset, ':');
      default:
        return '%';
    }
  });
}

const READS: Record<string, string> = {
  Y: '(\\d{4})',
  m: '(\\d{2})',
  d: '(\\d{2})',
  H: '(\\d{2})',
  M: '(\\d{2})',
  S: '(\\d{2})',
  N: '(\\d{1,9})',
  '3N': '(\\d{3})',
  '6N': '(\\d{6})',
  z: '(Z|[+-]\\d{2}:?\\d{2})',
  ':z': '(Z|[+-]\\d{2}:?\\d{2})',
};

/** Whether a day is in the calendar. Engines count 29 February 2027 as 1 March. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** The moment in a text of that form. */
function read(text: string, pattern: string, offset: number): Moment {
  const signs: string[] = [];
  const expression = pattern
    .split(SIGNS)
    .map((part, at) => {
      if (at % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      if (part === '%') return '%';
      if (signs.includes(part)) throw new SqlFault('badarg'); // two of one kind: which counts, and where does one end
      signs.push(part);
      return READS[part]!;
    })
    .join('');
  const found = new RegExp(`^${expression}$`).exec(text);
  if (!found) throw new SqlFault('badarg');
  const parts = new Map(signs.map((sign, at) => [sign, found[at + 1]!]));
  const zone = parts.get('z') ?? parts.get(':z');
  const day = `${parts.get('Y') ?? '1970'}-${parts.get('m') ?? '01'}-${parts.get('d') ?? '01'}`;
  const clock = `${parts.get('H') ?? '00'}:${parts.get('M') ?? '00'}:${parts.get('S') ?? '00'}`;
  const ms = isDay(day) && clock < '24' ? Date.parse(`${day}T${clock}Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new SqlFault('badarg');
  const fraction = (parts.get('N') ?? parts.get('6N') ?? parts.get('3N') ?? '0').padEnd(9, '0');
  const away = zone === undefined ? offset : offsetSeconds(zone);
  return { nanos: BigInt(ms - away * 1000) * 1_000_000n + BigInt(fraction) };
}

const countOf = ({ nanos }: Moment, unit: Value): number | bigint => {
  const scale = NANO / perSecond(unit);
  return integer((nanos - (((nanos % scale) + scale) % scale)) / scale);
};

const DIGITS: Record<string, number> = { second: 0, millisecond: 3, microsecond: 6, nanosecond: 9 };

function rfc3339(moment: Moment, unit: Value): string {
  perSecond(unit);
  const digits = DIGITS[unit as string]!;
  const { rest } = split(moment);
  const fraction = digits === 0 ? '' : `.${String(rest).padStart(9, '0').slice(0, digits)}`;
  return `${format(moment, 0, '%Y-%m-%dT%H:%M:%S')}${fraction}+00:00`;
}

const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?\d*([Zz]|[+-]\d{2}:\d{2})$/;

function fromRfc3339(value: Value): Moment {
  const parts = typeof value === 'string' ? RFC3339.exec(value) : null;
  const ms =
    parts && isDay(parts[1]!) ? Date.parse(`${parts[1]}T${parts[2]}${parts[4]!.toUpperCase()}`) : Number.NaN;
  if (!parts || Number.isNaN(ms)) throw new SqlFault('badarg');
  return { nanos: BigInt(ms) * 1_000_000n + BigInt((parts[3] ?? '0').padEnd(9, '0')) };
}

const text = (value: Value): string => {
  if (typeof value !== 'string') throw new SqlFault('badarg');
  return value;
};

export const time: Functions = {
  now_timestamp: fn([0, 1], ([unit = 'second'], { now }) =>
    countOf({ nanos: BigInt(now()) * 1_000_000n }, unit),
  ),
  now_rfc3339: fn([0, 1], ([unit = 'second'], { now }) =>
    rfc3339({ nanos: BigInt(now()) * 1_000_000n }, unit),
  ),
  unix_ts_to_rfc3339: fn([1, 2], ([value, unit = 'second']) => rfc3339(momentOf(value, unit), unit)),
  rfc3339_to_unix_ts: fn([1, 2], ([value, unit = 'second']) => countOf(fromRfc3339(value), unit)),
  format_date: fn(4, ([unit, offset, pattern, value]) =>
    format(momentOf(value, unit), offsetSeconds(offset), text(pattern)),
  ),
  date_to_unix_ts: fn([3, 4], (args) => {
    const [unit, offset, pattern, value] = args.length === 3 ? [args[0], 0, args[1], args[2]] : args;
    return countOf(read(text(value), text(pattern), offsetSeconds(offset)), unit);
  }),
  timezone_to_second: fn(1, ([offset]) => offsetSeconds(offset)),
  timezone_to_offset_seconds: fn(1, ([offset]) => offsetSeconds(offset)),
  mongo_date: fn([0, 1, 2], ([value, unit = 'millisecond'], { now }) => {
    const moment = momentOf(value === undefined ? now() : value, value === undefined ? 'millisecond' : unit);
    return `ISODate(${format(moment, 0, '%Y-%m-%dT%H:%M:%S.%3N')}Z)`;
  }),
};
