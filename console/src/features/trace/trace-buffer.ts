import type { RawLine } from './trace-line.ts';

/** So much of a trace is kept to be looked at: as much of the end as this. */
export const SHOWN_CHARS_MAX = 5 * 1024 * 1024;

/** What was read of one node's file. */
interface Reading {
  node: string;
  /** Where to go on, in bytes. */
  position: number;
  /** The beginning of a line whose end is not there yet. */
  rest: string;
}

export interface TraceBuffer {
  readonly lines: readonly RawLine[];
  readonly readings: readonly Reading[];
  readonly chars: number;
  /** Earlier lines were left out: there is more than is shown. */
  readonly cut: boolean;
  readonly nextNumber: number;
}

export const EMPTY_BUFFER: TraceBuffer = { lines: [], readings: [], chars: 0, cut: false, nextNumber: 1 };

export const readingOf = (buffer: TraceBuffer, node: string): Reading =>
  buffer.readings.find((one) => one.node === node) ?? { node, position: 0, rest: '' };

/** Begins in the middle of a node's file: what is before is too much to show. */
export function skippedTo(buffer: TraceBuffer, node: string, position: number): TraceBuffer {
  const readings = [
    ...buffer.readings.filter((one) => one.node !== node),
    { node, position, rest: SKIP_LINE },
  ];
  return { ...buffer, readings, cut: true };
}

/** Stands for the part of a line that was not read: up to its end it says nothing. */
const SKIP_LINE = '\0';

/** Adds a piece of a node's file. Lines of several nodes stand in the order of their times. */
export function withPiece(buffer: TraceBuffer, node: string, text: string, position: number): TraceBuffer {
  const known = readingOf(buffer, node);
  const parts = (known.rest + text).split('\n');
  const rest = parts.pop()!;
  const fresh = parts
    .filter((part) => part !== '' && !part.startsWith(SKIP_LINE))
    .map((part, i): RawLine => ({ text: part, number: buffer.nextNumber + i, node }));
  const readings = [...buffer.readings.filter((one) => one.node !== node), { node, position, rest }];
  const joined = readings.length > 1 ? merged(buffer.lines, fresh) : [...buffer.lines, ...fresh];
  const chars = buffer.chars + fresh.reduce((sum, line) => sum + line.text.length + 1, 0);
  return shortened({
    ...buffer,
    lines: joined,
    readings,
    chars,
    nextNumber: buffer.nextNumber + fresh.length,
  });
}

/** Both are in order already; only the end of the first may have to wait for the second. */
function merged(before: readonly RawLine[], fresh: readonly RawLine[]): RawLine[] {
  const first = fresh[0];
  if (!first) return [...before];
  const at = before.findLastIndex((line) => timeOf(line.text) <= timeOf(first.text)) + 1;
  const tail = [...before.slice(at), ...fresh];
  // Stable: lines of one moment stay as they came
  tail.sort((a, b) => (timeOf(a.text) < timeOf(b.text) ? -1 : timeOf(a.text) > timeOf(b.text) ? 1 : 0));
  return [...before.slice(0, at), ...tail];
}

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+/;
const timeOf = (text: string): string => TIME.exec(text.slice(0, 60))?.[0] ?? '';

function shortened(buffer: TraceBuffer): TraceBuffer {
  let { chars } = buffer;
  let first = 0;
  while (chars > SHOWN_CHARS_MAX && first < buffer.lines.length) {
    chars -= buffer.lines[first]!.text.length + 1;
    first++;
  }
  return first === 0 ? buffer : { ...buffer, lines: buffer.lines.slice(first), chars, cut: true };
}
