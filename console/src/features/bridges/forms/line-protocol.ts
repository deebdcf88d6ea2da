/** InfluxDB's line protocol with placeholders, as text and as the parts of a form. */

export interface Pair {
  key: string;
  value: string;
}
export interface Point {
  measurement: string;
  tags: readonly Pair[];
  fields: readonly Pair[];
  timestamp: string;
}

/** The parts of one line; null when it is none, or several. */
export function pointOf(text: string): Point | null {
  const line = text.trim();
  if (line === '' || line.includes('\n')) return null;
  const parts = split(line, ' ').filter((part) => part !== '');
  const [head, fieldText, timestamp = '', ...rest] = parts;
  if (head === undefined || fieldText === undefined || rest.length > 0) return null;
  const [measurement = '', ...tagTexts] = split(head, ',');
  const tags = tagTexts.map(pairOf);
  const fields = split(fieldText, ',').map(pairOf);
  const all = [...tags, ...fields];
  if (measurement === '' || !all.every((pair) => pair !== null)) return null;
  return {
    measurement: plain(measurement),
    tags: tags.map((pair) => ({ key: pair!.key, value: plain(pair!.value) })),
    fields: fields.map((pair) => pair!),
    timestamp,
  };
}

/** The line of a form's parts. Values of fields stand as they are: quotation marks make a text, `i` and `u` a whole number. */
export function lineOf({ measurement, tags, fields, timestamp }: Point): string {
  const head = [
    escaped(measurement, /[, ]/g),
    ...tags.map(({ key, value }) => `${escaped(key)}=${escaped(value)}`),
  ].join(',');
  const body = fields.map(({ key, value }) => `${escaped(key)}=${value}`).join(',');
  return [head, body, timestamp].filter((part) => part !== '').join(' ');
}

/** Cuts where the mark stands outside of quotation marks and placeholders, and not behind a backslash. */
function split(text: string, mark: string): string[] {
  const parts = [''];
  let inText = false;
  let inPlaceholder = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '\\' && i + 1 < text.length) {
      parts[parts.length - 1] += char + text[++i]!;
      continue;
    }
    if (char === '"' && !inPlaceholder) inText = !inText;
    if (char === '$' && text[i + 1] === '{') inPlaceholder = true;
    if (char === '}') inPlaceholder = false;
    if (char === mark && !inText && !inPlaceholder) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

function pairOf(text: string): Pair | null {
  const [key = '', ...rest] = split(text, '=');
  const value = rest.join('=');
  return key === '' || value === '' ? null : { key: plain(key), value };
}

const plain = (text: string): string => text.replace(/\\([,= ])/g, '$1');
/** Not within placeholders, whose names are ours. */
const escaped = (text: string, marks = /[,= ]/g): string =>
  text.replace(/\$\{[^{}]*\}|[^$]+|\$/g, (part) =>
    part.startsWith('${') ? part : part.replace(marks, '\\$&'),
  );
