import { textOf, type Value } from '@mqdeck/rulesql/values';
import { BackendConfigError } from '../../../backends/backend.ts';
import type { Row } from '../../../resources/driver.ts';
import { valueAt } from './statement.ts';

/** InfluxDB's line protocol as a template: places are values, escaped where they stand. */

type Piece = string | { name: string };
interface Pair {
  key: Piece[];
  value: Piece[];
  /** A text in quotes. */
  quoted: boolean;
  suffix: '' | 'i' | 'u';
}
interface Line {
  measurement: Piece[];
  tags: Pair[];
  fields: Pair[];
  timestamp: Piece[] | null;
}

/** Makes the lines of a row; null when nothing of the row is in any of them. Throws BackendConfigError. */
export function lineTemplate(source: string): (row: Row) => string | null {
  const lines = source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(lineOf);
  if (lines.length === 0) throw new BackendConfigError('write_syntax', 'it is empty');
  return (row) => {
    const written = lines.map((line) => write(line, row)).filter((line) => line !== null);
    return written.length === 0 ? null : written.join('\n');
  };
}

const fault = (why: string): never => {
  throw new BackendConfigError('write_syntax', why);
};

function lineOf(line: string): Line {
  const parts = cut(line, ' ').filter((part) => part !== '');
  const [head, fields, timestamp, ...more] = parts;
  if (head === undefined || fields === undefined || more.length > 0)
    return fault('a line is: measurement[,tag=value …] field=value[,field=value …] [timestamp]');
  const [measurement, ...tags] = cut(head, ',');
  if (!measurement) return fault('a line begins with its measurement');
  return {
    measurement: piecesOf(measurement),
    tags: tags.map((tag) => pairOf(tag, false)),
    fields: cut(fields, ',').map((field) => pairOf(field, true)),
    timestamp: timestamp === undefined ? null : piecesOf(timestamp),
  };
}

/** Cuts at a sign that stands neither behind a backslash, nor within quotes, nor within a place. */
function cut(text: string, at: string): string[] {
  const parts = [''];
  let quoted = false;
  let inPlace = false;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!;
    if (letter === '\\' && i + 1 < text.length) {
      parts[parts.length - 1] += letter + text[++i]!;
      continue;
    }
    if (letter === '$' && text[i + 1] === '{') inPlace = true;
    if (letter === '}') inPlace = false;
    if (letter === '"' && !inPlace) quoted = !quoted;
    if (letter === at && !quoted && !inPlace) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  if (quoted) return fault('a quote is not closed');
  return parts;
}

function pairOf(text: string, isField: boolean): Pair {
  const [key, ...rest] = cut(text, '=');
  const value = rest.join('=');
  if (!key || value === '') return fault(`"${text}" is no key=value`);
  const quoted = value.startsWith('"') && value.endsWith('"') && value.length > 1;
  const suffix = isField && !quoted ? (/\}([iu])$/.exec(value)?.[1] ?? '') : '';
  const bare = quoted ? value.slice(1, -1) : suffix === '' ? value : value.slice(0, -1);
  return { key: piecesOf(key), value: piecesOf(bare), quoted, suffix: suffix as Pair['suffix'] };
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(/\$\{([^{}\s]*)\}/g)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push({ name: match[1]! });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

const escapeName = (text: string) => text.replace(/[\r\n]/g, ' ').replace(/([,= \\])/g, '\\$1');
const escapeText = (text: string) => text.replace(/(["\\])/g, '\\$1');

/** What the pieces say, each place escaped for where it stands; null when one of them has no value. */
function filled(pieces: readonly Piece[], row: Row, escaped: (text: string) => string): string | null {
  let all = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      all += piece;
      continue;
    }
    const value = valueAt(row, piece.name);
    if (value === undefined || value === null) return null;
    all += escaped(textOf(value));
  }
  return all;
}

/** As `filled`, outside of quotes. InfluxDB reads a backslash at the end as an escape of the sign behind it. */
function filledName(pieces: readonly Piece[], row: Row): string | null {
  const name = filled(pieces, row, escapeName);
  return name?.endsWith('\\') ? null : name;
}

function write({ measurement, tags, fields, timestamp }: Line, row: Row): string | null {
  const name = filledName(measurement, row);
  if (name === null || name === '') return null;
  const written = fields.map((field) => writeField(field, row)).filter((field) => field !== null);
  if (written.length === 0) return null;
  const withTags = tags.map((tag) => {
    const key = filledName(tag.key, row);
    const value = filledName(tag.value, row);
    return key && value ? `,${key}=${value}` : '';
  });
  const at = timestamp === null ? null : filled(timestamp, row, (text) => text);
  const time = at !== null && /^-?\d+$/.test(at) ? ` ${at}` : '';
  return `${name}${withTags.join('')} ${written.join(',')}${time}`;
}

function writeField({ key, value, quoted, suffix }: Pair, row: Row): string | null {
  const name = filledName(key, row);
  if (!name) return null;
  if (quoted) {
    const text = filled(value, row, escapeText);
    return text === null ? null : `${name}="${text}"`;
  }
  const [only] = value;
  if (value.length === 1 && only !== undefined && typeof only !== 'string') {
    const written = plain(valueAt(row, only.name), suffix);
    return written === null ? null : `${name}=${written}`;
  }
  const text = filledName(value, row);
  return text === null ? null : `${name}=${text}${suffix}`;
}

/** A value that stands alone: a number as one, a text in quotes. */
function plain(value: Value, suffix: Pair['suffix']): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return suffix === '' ? String(value) : null;
  const text = textOf(value);
  const isNumber = typeof value === 'number' || /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  if (suffix !== '') return /^[+-]?\d+$/.test(text) ? `${text}${suffix}` : null;
  return isNumber ? text : `"${escapeText(text)}"`;
}
