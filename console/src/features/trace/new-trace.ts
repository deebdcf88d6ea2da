import { TRACE_TYPES, type TraceType } from '@mqdeck/contract/traces';

const two = (value: number) => String(value).padStart(2, '0');

/** As a field for date and time wants it, in the browser's zone, to the second. */
export function localTime(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** RFC 3339 of such a field; undefined when it holds no moment. */
export function momentOf(local: string): string | undefined {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** A name to begin with, which no other trace is likely to have. */
export const nameAt = (at: number): string => `trace_${localTime(at).replace(/[-:]/g, '').replace('T', '_')}`;

const V4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

export function isAddress(text: string): boolean {
  return (
    V4.test(text) || (/^[0-9A-Fa-f:.]+$/.test(text) && text.includes(':') && URL.canParse(`http://[${text}]`))
  );
}

/** What a link asks to trace: `clientid:sensor-1`. */
export function askedFor(text: string): { type: TraceType; condition: string } {
  const at = text.indexOf(':');
  const type = TRACE_TYPES.find((one) => one === text.slice(0, at));
  return type === undefined ? { type: 'clientid', condition: '' } : { type, condition: text.slice(at + 1) };
}
