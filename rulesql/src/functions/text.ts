import { type Matcher, RE2JS } from 're2js';
import { SqlFault } from '../errors.ts';
import { isNumber } from '../integers.ts';
import { LIST_LENGTH_MAX, limited, TEXT_LENGTH_MAX, textOf, type Value } from '../values.ts';
import { type Functions, fn, type SqlFunction } from './function.ts';

/** Of texts; `run` gets its first argument as text, and is refused of anything else. */
const ofText = (
  name: string,
  arity: number | readonly number[],
  run: (text: string, args: Value[]) => Value,
): SqlFunction =>
  fn(arity, (args) => {
    const [value] = args;
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw SqlFault.argument(name, args);
    return run(textOf(value), args);
  });

const texts = (name: string, args: Value[], ...at: number[]): string[] =>
  at.map((place) => {
    const value = args[place];
    if (typeof value !== 'string') throw SqlFault.argument(name, args);
    return value;
  });

const whole = (name: string, args: Value[], at: number): number => {
  const value = args[at];
  if (!Number.isInteger(value)) throw SqlFault.argument(name, args);
  return value as number;
};

function joined(parts: string[], separator: string): string {
  const length = parts.reduce((sum, part) => sum + part.length + separator.length, 0);
  if (length - separator.length > TEXT_LENGTH_MAX) throw new SqlFault('system_limit');
  return parts.join(separator);
}

const EXPRESSIONS_MAX = 200;
const expressions = new Map<string, RE2JS>();

/** In linear time, whatever the pattern. */
function expressionOf(pattern: string): RE2JS {
  const known = expressions.get(pattern);
  if (known) return known;
  let made: RE2JS;
  try {
    made = RE2JS.compile(pattern);
  } catch {
    throw new SqlFault('badarg');
  }
  if (expressions.size >= EXPRESSIONS_MAX) expressions.clear();
  expressions.set(pattern, made);
  return made;
}

/** Steps that one search may take, about: the size of the expression times the length of the text. */
const SEARCH_MAX = 20_000_000;
/** Expressions of an everyday size search any text. */
const EVERYDAY_SIZE = 100;

function matcherOf(pattern: string, text: string): Matcher {
  const expression = expressionOf(pattern);
  const size = expression.programSize();
  if (size > EVERYDAY_SIZE && size * text.length > SEARCH_MAX) throw new SqlFault('system_limit');
  return expression.matcher(text);
}

/** Each hit by the replacement, in which `\\1` to `\\9` are the groups of the hit and `\\0` is all of it. */
function replaced(value: string, pattern: string, by: string): string {
  const matcher = matcherOf(pattern, value);
  let all = '';
  let from = 0;
  while (matcher.find()) {
    all += value.slice(from, matcher.start());
    all += by.replace(/\\(\d)/g, (_, group: string) =>
      Number(group) > matcher.groupCount() ? '' : (matcher.group(Number(group)) ?? ''),
    );
    from = matcher.end();
    if (all.length > TEXT_LENGTH_MAX) throw new SqlFault('system_limit');
  }
  return all + value.slice(from);
}

function split(text: string, args: Value[]): string[] {
  const [separator] = args.length > 1 ? texts('split', args, 1) : [' '];
  const [option] = args.length > 2 ? texts('split', args, 2) : [''];
  if (separator === undefined || separator === '') throw new SqlFault('badarg');
  const parts = partsOf(text, separator, option!);
  return option!.includes('notrim') ? parts : parts.filter((part) => part !== '');
}

function partsOf(text: string, separator: string, option: string): string[] {
  const leading = option.startsWith('leading');
  if (!leading && !option.startsWith('trailing')) return text.split(separator);
  const at = leading ? text.indexOf(separator) : text.lastIndexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

const LINE_ENDS = '\r\n';

function tokens(text: string, args: Value[]): string[] {
  const [separators] = texts('tokens', args, 1);
  const noLineEnds = args.length > 2 && texts('tokens', args, 2)[0] === 'nocrlf';
  const set = new Set([...separators!, ...(noLineEnds ? LINE_ENDS : '')]);
  const found: string[] = [];
  let token = '';
  for (const letter of text) {
    if (!set.has(letter)) token += letter;
    else if (token !== '') {
      found.push(token);
      token = '';
    }
  }
  if (token !== '') found.push(token);
  return found;
}

function pad(text: string, args: Value[]): string {
  const width = whole('pad', args, 1);
  const [side] = args.length > 2 ? texts('pad', args, 2) : ['trailing'];
  const [filler] = args.length > 3 ? texts('pad', args, 3) : [' '];
  if (width > TEXT_LENGTH_MAX || filler === '') throw new SqlFault('badarg');
  const missing = Math.max(0, width - [...text].length);
  const fill = (count: number) => filler!.repeat(Math.ceil(count / filler!.length)).slice(0, count);
  switch (side) {
    case 'leading':
      return fill(missing) + text;
    case 'trailing':
      return text + fill(missing);
    case 'both':
      return fill(Math.floor(missing / 2)) + text + fill(Math.ceil(missing / 2));
    default:
      throw SqlFault.argument('pad', args);
  }
}

function replace(text: string, args: Value[]): string {
  const [what, by] = texts('replace', args, 1, 2) as [string, string];
  const [which] = args.length > 3 ? texts('replace', args, 3) : ['all'];
  if (what === '') return text;
  if (which === 'all') {
    const growth = Math.max(0, by.length - what.length) * (text.length / what.length);
    if (text.length + growth > TEXT_LENGTH_MAX) throw new SqlFault('system_limit');
    return text.replaceAll(what, () => by);
  }
  if (which !== 'leading' && which !== 'trailing') throw SqlFault.argument('replace', args);
  const at = which === 'leading' ? text.indexOf(what) : text.lastIndexOf(what);
  return at === -1 ? text : text.slice(0, at) + by + text.slice(at + what.length);
}

/** `~s` a text, `~p` and `~w` any value, `~b` and `~f` numbers, `~~`, `~n`. */
function sprintf(name: string, args: Value[]): string {
  const [format] = texts(name, args, 0);
  const rest =
    name === 'sprintf' && args.length === 2 && Array.isArray(args[1]) ? [...args[1]] : args.slice(1);
  const text = format!.replace(
    /~(?:(\d+)?\.(\d+))?([spwbfcn~])/g,
    (_all, _width, digits: string | undefined, kind: string) => {
      if (kind === '~') return '~';
      if (kind === 'n') return '\n';
      if (rest.length === 0) throw new SqlFault('badarg');
      const value = rest.shift();
      if (kind === 'f')
        return Number(value).toFixed(Math.min(100, digits === undefined ? 6 : Number(digits)));
      return textOf(value);
    },
  );
  if (rest.length > 0) throw new SqlFault('badarg');
  return limited(text);
}

/** A value as a part of an SQL statement: texts in quotes, the others as they are. */
const sqlValue = (value: Value): string => {
  if (isNumber(value)) return String(value);
  if (value === undefined || value === null) return 'NULL';
  return `'${textOf(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
};

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  "'": "'",
  '"': '"',
  '?': '?',
  a: '\u0007',
  '\\': '\\',
};

const unescapeText = (text: string): string =>
  text.replace(/\\(?:x([0-9A-Fa-f]{1,6})|(.))/gs, (whole, code: string | undefined, letter: string) => {
    if (code === undefined) return ESCAPES[letter] ?? whole;
    const point = Number.parseInt(code, 16);
    if (point > 0x10ffff) throw new SqlFault('badarg');
    return String.fromCodePoint(point);
  });

export const text: Functions = {
  ascii: ofText('ascii', 1, (value) => value.codePointAt(0)),
  lower: ofText('lower', 1, (value) => value.toLowerCase()),
  upper: ofText('upper', 1, (value) => value.toUpperCase()),
  trim: ofText('trim', 1, (value) => value.trim()),
  ltrim: ofText('ltrim', 1, (value) => value.trimStart()),
  rtrim: ofText('rtrim', 1, (value) => value.trimEnd()),
  reverse: ofText('reverse', 1, (value) => [...value].reverse().join('')),
  strlen: ofText('strlen', 1, (value) => [...value].length),
  substr: ofText('substr', [2, 3], (value, args) => {
    const start = whole('substr', args, 1);
    const letters = [...value];
    const from = start < 0 ? Math.max(0, letters.length + start) : start;
    const to = args.length > 2 ? from + whole('substr', args, 2) : letters.length;
    return letters.slice(from, Math.max(from, to)).join('');
  }),
  split: ofText('split', [2, 3], split),
  tokens: ofText('tokens', [2, 3], tokens),
  pad: ofText('pad', [2, 3, 4], pad),
  replace: ofText('replace', [3, 4], replace),
  concat: fn(2, ([a, b]) => {
    if (!Array.isArray(a) || !Array.isArray(b)) return limited(textOf(a) + textOf(b));
    if (a.length + b.length > LIST_LENGTH_MAX) throw new SqlFault('system_limit');
    return [...a, ...b];
  }),
  find: ofText('find', [2, 3], (value, args) => {
    const [what] = texts('find', args, 1);
    const [side] = args.length > 2 ? texts('find', args, 2) : ['leading'];
    const at = side === 'trailing' ? value.lastIndexOf(what!) : value.indexOf(what!);
    return at === -1 ? '' : value.slice(at);
  }),
  regex_match: ofText('regex_match', 2, (value, args) =>
    matcherOf(texts('regex_match', args, 1)[0]!, value).find(),
  ),
  regex_replace: ofText('regex_replace', 3, (value, args) => {
    const [pattern, by] = texts('regex_replace', args, 1, 2);
    return replaced(value, pattern!, by!);
  }),
  regex_extract: ofText('regex_extract', 2, (value, args) => {
    const matcher = matcherOf(texts('regex_extract', args, 1)[0]!, value);
    if (!matcher.find()) return [];
    return Array.from({ length: matcher.groupCount() }, (_, at) => matcher.group(at + 1) ?? '');
  }),
  sprintf: fn([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], (args) => sprintf('sprintf', args)),
  join_to_string: fn([1, 2], (args) => {
    const [separator, list] = args.length === 1 ? [', ', args[0]] : args;
    if (!Array.isArray(list) || typeof separator !== 'string')
      throw SqlFault.argument('join_to_string', args);
    return joined(list.map(textOf), separator);
  }),
  join_to_sql_values_string: fn(1, (args) => {
    const [list] = args;
    if (!Array.isArray(list)) throw SqlFault.argument('join_to_sql_values_string', args);
    return joined(list.map(sqlValue), ', ');
  }),
  unescape: ofText('unescape', 1, unescapeText),
  rm_prefix: ofText('rm_prefix', 2, (value, args) => {
    const [prefix] = texts('rm_prefix', args, 1);
    return value.startsWith(prefix!) ? value.slice(prefix!.length) : value;
  }),
  str_utf16_le: fn(1, ([value]) => {
    const letters = textOf(value);
    const bytes = new Uint8Array(letters.length * 2);
    for (let at = 0; at < letters.length; at++) {
      bytes[2 * at] = letters.charCodeAt(at) & 0xff;
      bytes[2 * at + 1] = letters.charCodeAt(at) >> 8;
    }
    return bytes;
  }),
};
