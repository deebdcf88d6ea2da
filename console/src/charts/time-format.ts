import type { Language } from '../i18n/language.ts';
import { localeOf } from '../ui/format.ts';

const SECOND_MS = 1000;
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

/** As many digits of a second as keep two marks apart. */
function fractionOf(stepMs: number): { fractionalSecondDigits?: 1 | 2 | 3 } {
  if (stepMs % SECOND_MS === 0) return {};
  const fractionalSecondDigits = stepMs % 100 === 0 ? 1 : stepMs % 10 === 0 ? 2 : 3;
  return { fractionalSecondDigits };
}

function timeFormat(stepMs: number, language: Language): Intl.DateTimeFormat {
  if (stepMs % MINUTE_MS === 0) return format(language, 'minute', clock);
  const fraction = fractionOf(stepMs);
  const name = `second ${fraction.fractionalSecondDigits ?? 0}`;
  return format(language, name, { ...clock, second: '2-digit', ...fraction });
}

/** The marks of a time axis: the date where a day begins, else the time, as fine as their distance asks for. */
export function axisTimes(times: readonly number[], stepMs: number, language: Language): string[] {
  const day = format(language, 'day', { day: 'numeric', month: 'short' });
  const time = timeFormat(stepMs, language);
  return times.map((at) => {
    const date = new Date(at);
    const dayBegins =
      date.getHours() === 0 &&
      date.getMinutes() === 0 &&
      date.getSeconds() === 0 &&
      date.getMilliseconds() === 0;
    return (stepMs >= DAY_MS || dayBegins ? day : time).format(date);
  });
}
