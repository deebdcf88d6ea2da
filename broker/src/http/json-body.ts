import { Readable } from 'node:stream';
import { Turn } from '../paging/turn.ts';

/** Shorter lists are written in one go. */
const ROWS_AT_ONCE = 200;
const CHUNK_CHARACTERS = 65_536;

/** The JSON of an answer; long lists are written piece by piece, so that ten thousand rows keep nobody waiting. */
export function jsonBody(body: unknown): string | Readable {
  if (Array.isArray(body)) return isLong(body) ? streamed('[', body, ']') : JSON.stringify(body);
  const { data, ...rest } = Object(body) as { data?: unknown };
  if (!Array.isArray(data) || !isLong(data)) return JSON.stringify(body);
  const others = JSON.stringify(rest).slice(1); // `}` or `"meta":{…}}`
  return streamed('{"data":[', data, others === '}' ? ']}' : `],${others}`);
}

const isLong = (rows: unknown[]): boolean => rows.length > ROWS_AT_ONCE;

const streamed = (start: string, rows: unknown[], end: string): Readable =>
  Readable.from(pieces(start, rows, end), { objectMode: false });

async function* pieces(start: string, rows: unknown[], end: string): AsyncGenerator<Buffer> {
  const turn = new Turn();
  let text = start;
  for (const [i, row] of rows.entries()) {
    text += `${i === 0 ? '' : ','}${JSON.stringify(row) ?? 'null'}`;
    if (text.length > CHUNK_CHARACTERS) {
      yield Buffer.from(text);
      text = '';
    }
    if (turn.over) await turn.next();
  }
  yield Buffer.from(text + end);
}
