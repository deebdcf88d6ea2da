import { parseJson } from './integers.ts';
import { jsonOf, textOf, type Value, type ValueMap } from './values.ts';

const PLACE = /\$\{([^{}\s[\]]*)\}/g;

/**
 * Makes functions of a text with places to be filled from a row: `${a.b}`, `${.a}`, and `${}` or `${.}` for the whole row.
 * `text`: maps and lists become JSON, and what is not there the text `undefined`. `value`: the same, but what stands alone
 * in a place comes as it is. `encode` prepares each filled place for where the text is used.
 */
export function template(source: string): {
  text(row: ValueMap, encode?: (value: string) => string): string;
  value(row: ValueMap): Value;
} {
  const parts = source.split(PLACE); // texts at even places, names at odd ones
  if (parts.length === 1) return { text: () => source, value: () => source };
  const read = parts.map((part, at) => (at % 2 === 1 ? reader(part) : null));
  const text = (row: ValueMap, encode?: (value: string) => string): string => {
    let all = '';
    for (let at = 0; at < parts.length; at++) {
      const get = read[at];
      if (!get) all += parts[at]!;
      else all += encode ? encode(textOf(get(row))) : textOf(get(row));
    }
    return all;
  };
  const alone = parts.length === 3 && parts[0] === '' && parts[2] === '';
  return { text, value: alone ? (row) => read[1]!(row) : (row) => text(row) };
}

function reader(name: string): (row: ValueMap) => Value {
  const path = name.split('.').filter((key) => key !== '');
  return path.length === 0 ? jsonOf : (row) => lookUp(row, path);
}

/** The value at a path; undefined where it leads nowhere. A text on the way that holds JSON is read as that. */
export function lookUp(row: ValueMap, path: readonly string[]): Value {
  let one: Value = row;
  for (const key of path) {
    const map: Value = typeof one === 'string' ? inside(one) : one;
    if (typeof map !== 'object' || map === null || !Object.hasOwn(map, key)) return undefined;
    one = (map as ValueMap)[key];
  }
  return one;
}

/** Several places of a template look into the same text. */
let last: { text: string; json: Value } | null = null;

function inside(text: string): Value {
  if (!/^\s*[{[]/.test(text)) return undefined;
  if (last?.text === text) return last.json;
  let json: Value;
  try {
    json = parseJson(text) as Value;
  } catch {
    json = undefined;
  }
  last = { text, json };
  return json;
}
