import type { Words } from '../i18n/words.ts';
import type { Problem } from './problem.ts';
import type { words } from './words.ts';

/** Where a text stops being JSON, if it does. Browsers name the place in different ways, so it is found here. */
export function jsonProblems(text: string, w: Words<typeof words>): readonly Problem[] {
  if (isJson(text)) return [];
  const at = firstFault(text);
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const ends = text.slice(at).trim() === '';
  return [{ line, column, endColumn: column + 1, text: ends ? w.jsonEnd : w.json }];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR =
  /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;

/** The index of the first character that cannot stand where it does. */
function firstFault(text: string): number {
  let at = 0;
  const skip = () => {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
  };
  const scalar = (): string | undefined => {
    SCALAR.lastIndex = at;
    const found = SCALAR.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const open: string[] = [];
  /** What may come: a value, a key, or what follows a value. */
  let want: 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'next' = 'value';
  for (;;) {
    skip();
    const char = text[at];
    if (char === undefined) return at;
    if (want === 'next') {
      const inside = open.at(-1);
      if (inside === undefined) return at;
      if (char === ',') want = inside === '{' ? 'key' : 'value';
      else if (char === (inside === '{' ? '}' : ']')) open.pop();
      else return at;
      at += 1;
    } else if ((want === 'keyOrEnd' && char === '}') || (want === 'valueOrEnd' && char === ']')) {
      open.pop();
      at += 1;
      want = 'next';
    } else if (want === 'key' || want === 'keyOrEnd') {
      const start = at;
      if (char !== '"' || scalar() === undefined) return start;
      skip();
      if (text[at] !== ':') return at;
      at += 1;
      want = 'value';
    } else if (char === '{' || char === '[') {
      open.push(char);
      at += 1;
      want = char === '{' ? 'keyOrEnd' : 'valueOrEnd';
    } else {
      if (scalar() === undefined) return at;
      want = 'next';
    }
  }
}
