import type { ConsoleHandler } from '@mqdeck/contract/log';
import type { Entry } from './entry.ts';

export type Format = Pick<
  ConsoleHandler,
  'formatter' | 'payload_encode' | 'time_offset' | 'timestamp_format'
>;

const PAYLOAD_BYTES_MAX = 1024; // of a message that may have a megabyte

/** One line for one entry, whatever clients have put into their names. */
export function lineOf(entry: Entry, format: Format): string {
  const epoch =
    format.timestamp_format === 'epoch' ||
    (format.timestamp_format === 'auto' && format.formatter === 'json');
  const time = epoch ? entry.at * 1000 : timeText(entry.at, format.time_offset);
  const { level, msg } = entry;
  const facts = shownFacts(entry, format.payload_encode);
  if (format.formatter === 'json') {
    const head = { time, level, msg };
    return visible(JSON.stringify(Object.assign({ ...head }, facts, head)));
  }
  return visible(`${time} [${level}] ${oneLine(msg)}${factsText(facts)}`);
}

/** As ` clientid=sensor reason="not now"`. */
export const factsText = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${plainOrQuoted(value)}`)
    .join('');

/** The facts, and the payload as it is to be shown. */
export const shownFacts = (
  { facts, payload }: Entry,
  encode: Format['payload_encode'],
): Record<string, unknown> =>
  payload === null ? { ...facts } : { ...facts, payload: payloadText(payload, encode) };

function payloadText(payload: Uint8Array, encode: Format['payload_encode']): string {
  if (encode === 'hidden') return '******';
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.length, PAYLOAD_BYTES_MAX));
  const text = bytes.toString(encode === 'hex' ? 'hex' : 'utf8');
  return payload.length > PAYLOAD_BYTES_MAX ? `${text}… (${payload.length} bytes)` : text;
}

/** A moment in RFC 3339 with an offset: that of the machine, none, or a given one. */
function timeText(at: number, offset: string): string {
  const minutes = offsetMinutes(at, offset);
  const local = new Date(at + minutes * 60_000).toISOString().slice(0, -1);
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function offsetMinutes(at: number, offset: string): number {
  if (offset === 'utc') return 0;
  if (offset === 'system') return -new Date(at).getTimezoneOffset();
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function plainOrQuoted(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

/** Without line breaks of its own, which would pass for further entries. */
const oneLine = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');

/** What JSON leaves as it is and a terminal obeys: the control characters of C1, other line ends, text turned round. */
const visible = (text: string): string =>
  text.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
