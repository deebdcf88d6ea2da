import type { Hocon, HoconObject } from './hocon-reader.ts';
import { isHoconObject } from './hocon-reader.ts';

const BARE_NAME = /^[A-Za-z0-9_-]+$/;
/** A word of the configuration's own, as `disabled`; texts of operators stand in quotes unless they look like one. */
const BARE_WORD = /^[a-z][a-z_]*$/;
const MEANS_SOMETHING = ['true', 'false', 'null', 'include'];

/** The text of it: names in the order of the alphabet, two blanks a level, what is short on one line. */
export function writeHocon(value: HoconObject): string {
  return fields(value, '')
    .map((line) => `${line}\n`)
    .join('');
}

const fields = (object: HoconObject, indent: string): string[] =>
  Object.keys(object)
    .sort()
    .map((key) => `${indent}${field(key, object[key]!, indent)}`);

function field(key: string, value: Hocon, indent: string): string {
  const name = BARE_NAME.test(key) ? key : JSON.stringify(key);
  return isHoconObject(value) ? `${name} ${written(value, indent)}` : `${name} = ${written(value, indent)}`;
}

function written(value: Hocon, indent: string): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => written(item, inner))
    : Object.keys(value)
        .sort()
        .map((key) => field(key, value[key]!, inner));
  const isShort = Object.values(value).every((one) => !isBlock(one) && !String(one).includes('\n'));
  const isOneLine = isShort && (Array.isArray(value) || items.length <= 1);
  if (isOneLine) return `${open}${items.join(', ')}${close}`;
  const ends = Array.isArray(value) ? ',\n' : '\n';
  return `${open}\n${items.map((item) => `${inner}${item}`).join(ends)}\n${indent}${close}`;
}

const isBlock = (value: Hocon): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Rules and certificates keep their lines, so that they can be read. */
function text(value: string): string {
  if (BARE_WORD.test(value) && !MEANS_SOMETHING.includes(value)) return value;
  const keepsLines = value.includes('\n') && !/"""|"$|\r|^~\n/.test(value);
  return keepsLines ? `"""${value}"""` : JSON.stringify(value);
}
