import type { Language } from '../i18n/language.ts';

/**
 * Numbers, sizes, spans and times in words. Grouping and date order follow the operator's own locale when it speaks the
 * console's language (en-GB, zh-TW), else the language itself.
 */
export function localeOf(language: Language): string {
  const own = navigator.languages ?? [];
  return own.find((locale) => locale.toLowerCase().split('-')[0] === language) ?? language;
}

/** In Chinese a space stands between a number and its unit, which browsers leave out. */
export const spaced = (text: string): string => text.replace(/(\d)(?=\p{Script=Han})/gu, '$1 ');

const numberFormats = new Map<string, Intl.NumberFormat>();
function numberFormat(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  let format = numberFormats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(localeOf(language), options);
    numberFormats.set(key, format);
  }
  return format;
}

/** What is shown where there is no value. */
export const NOTHING = '–';

/** 1,204 */
export const formatNumber = (value: number, language: Language, digits = 0): string =>
  Number.isFinite(value) ? numberFormat(language, { maximumFractionDigits: digits }).format(value) : NOTHING;

/** 1.2M, for axes and narrow places. */
export const formatCompact = (value: number, language: Language): string =>
  numberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

/** 0.4, 12.5, 1,204: as many digits as say something. */
export function formatRate(perSecond: number, language: Language): string {
  return formatNumber(perSecond, language, perSecond >= 100 ? 0 : perSecond >= 10 ? 1 : 2);
}

/** 42 % of a ratio of 0.42. */
export const formatPercent = (ratio: number, language: Language): string =>
  numberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(ratio);

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** 1.5 MB, in steps of 1024. */
export function formatBytes(bytes: number, language: Language): string {
  if (!Number.isFinite(bytes)) return NOTHING;
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${formatNumber(value, language, unit === 0 || value >= 100 ? 0 : 1)} ${BYTE_UNITS[unit]}`;
}

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

function inUnit(value: number, unit: string, language: Language, display: 'long' | 'narrow'): string {
  // The long form of Chinese is wordier than anybody writes: 秒钟.
  const unitDisplay = language === 'zh' && display === 'long' ? 'short' : display;
  return spaced(numberFormat(language, { style: 'unit', unit, unitDisplay }).format(value));
}

/** "1 day 2 hours 3 minutes 4 seconds", parts of zero left out. */
export function formatDuration(ms: number, language: Language): string {
  return spell(ms, language, 'long', SPANS.length);
}

/** The same for narrow places: its two largest parts, "1d 2h". */
export function formatDurationShort(ms: number, language: Language): string {
  return spell(ms, language, 'narrow', 2);
}

function spell(ms: number, language: Language, display: 'long' | 'narrow', partsMax: number): string {
  if (!Number.isFinite(ms) || ms < 0) return NOTHING;
  if (ms < 1000) return inUnit(Math.round(ms), 'millisecond', language, display);
  let rest = Math.floor(ms);
  const parts: string[] = [];
  for (const [unit, length] of SPANS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 && parts.length < partsMax) parts.push(inUnit(count, unit, language, display));
  }
  return parts.join(' ');
}

const timeFormats = new Map<Language, Intl.DateTimeFormat>();
function timeFormat(language: Language): Intl.DateTimeFormat {
  let format = timeFormats.get(language);
  if (!format) {
    format = new Intl.DateTimeFormat(localeOf(language), {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    timeFormats.set(language, format);
  }
  return format;
}

/** `UTC+01:00`, as the browser's zone is at that moment. */
export function zoneOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** A moment with its zone: 11/21/2026, 03:27:05 UTC+01:00. */
export function formatTime(moment: string | number | Date, language: Language, zone = true): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return NOTHING;
  const text = timeFormat(language).format(date);
  return zone ? `${text} ${zoneOf(date)}` : text;
}

const RELATIVE_STEPS = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

const relativeFormats = new Map<Language, Intl.RelativeTimeFormat>();
function relativeFormat(language: Language): Intl.RelativeTimeFormat {
  let format = relativeFormats.get(language);
  if (!format) {
    format = new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto', style: 'long' });
    relativeFormats.set(language, format);
  }
  return format;
}

/** "3 minutes ago", "in 2 hours". */
export function formatRelative(moment: string | number | Date, language: Language, now: number): string {
  const ms = new Date(moment).getTime() - now;
  if (Number.isNaN(ms)) return NOTHING;
  const format = relativeFormat(language);
  for (const [unit, length] of RELATIVE_STEPS) {
    if (Math.abs(ms) >= length) return spaced(format.format(Math.trunc(ms / length), unit));
  }
  return format.format(0, 'second');
}
