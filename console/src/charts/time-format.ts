import type { Language } from '../i18n/language.ts';
import { localeOf } from '../ui/format.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();
function format(language: Language, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${name}`;
  let known = formats.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat(localeOf(language), options);
    formats.set(key, known);
  }
  return known;
}

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** The marks of a time axis: the date where a day begins, else the time, as fine as their distance asks for. */
export function axisTimes(times: readonly number[], stepMs: number, language: Language): string[] {
  const day = format(language, 'day', { day: 'numeric', month: 'short' });
  const time =
    stepMs < MINUTE_MS
      ? format(language, 'second', { ...clock, second: '2-digit' })
      : format(language, 'minute', clock);
  return times.map((at) => {
    const date = new Date(at);
    const dayBegins = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
    return (stepMs >= DAY_MS || dayBegins ? day : time).format(date);
  });
}
