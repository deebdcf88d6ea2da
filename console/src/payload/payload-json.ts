/** JSON laid out for reading. Its tokens stay as they were sent: `JSON.parse` would round big numbers and drop twins. */

const INDENT = '  ';
/** Deeper than this, no line begins: nobody follows it, and hostile nesting would fill the memory with spaces. */
const INDENTED_DEPTH_MAX = 32;
const GROWTH_MAX = 8;
const GROWTH_FREE = 65_536;

const BLANKS = /[\t\n\r ]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPED = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

type Wants = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/** `at` is where it stops being JSON; the length of the source where something lacks at its end. */
export type JsonLayout = { text: string } | { at: number };

export function layOutJson(source: string): JsonLayout {
  const out: string[] = [];
  const open: ('}' | ']')[] = [];
  let wants: Wants = 'value';
  let at = 0;

  const newLine = () => (open.length > INDENTED_DEPTH_MAX ? '' : `\n${INDENT.repeat(open.length)}`);
  const close = (empty: boolean) => {
    const sign = open.at(-1)!;
    const before = empty || open.length > INDENTED_DEPTH_MAX ? '' : `\n${INDENT.repeat(open.length - 1)}`;
    open.pop();
    out.push(`${before}${sign}`);
    wants = ', or end';
    at += 1;
  };

  for (;;) {
    at = endOf(BLANKS, source, at);
    if (wants === ', or end' && open.length === 0)
      return at === source.length ? { text: tidy(out, source) } : { at };
    if (at === source.length) return { at };
    const char = source[at]!;
    switch (wants) {
      case ', or end':
        if (char === open.at(-1)) close(false);
        else if (char === ',') {
          wants = open.at(-1) === '}' ? 'key' : 'value';
          out.push(`,${newLine()}`);
          at += 1;
        } else return { at };
        break;
      case ':':
        if (char !== ':') return { at };
        out.push(': ');
        wants = 'value';
        at += 1;
        break;
      case 'key':
      case 'key or }': {
        if (wants === 'key or }' && char === '}') {
          close(true);
          break;
        }
        if (char !== '"') return { at };
        const { end, good } = stringEnd(source, at);
        if (!good) return { at: end };
        out.push(`${wants === 'key or }' ? newLine() : ''}${source.slice(at, end)}`);
        wants = ':';
        at = end;
        break;
      }
      default: {
        if (wants === 'value or ]' && char === ']') {
          close(true);
          break;
        }
        if (wants === 'value or ]') out.push(newLine());
        if (char === '{' || char === '[') {
          out.push(char);
          open.push(char === '{' ? '}' : ']');
          wants = char === '{' ? 'key or }' : 'value or ]';
          at += 1;
          break;
        }
        const { end, good } = char === '"' ? stringEnd(source, at) : plainEnd(source, at);
        if (!good) return { at: end };
        out.push(source.slice(at, end));
        wants = ', or end';
        at = end;
      }
    }
  }
}

function tidy(out: readonly string[], source: string): string {
  const size = out.reduce((sum, { length }) => sum + length, 0);
  return size > source.length * GROWTH_MAX + GROWTH_FREE ? source : out.join('');
}

/** Where the match of a sticky pattern that begins here ends; here, when it does not match. */
function endOf(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}

const plainEnd = (source: string, at: number) => {
  const end = Math.max(endOf(NUMBER, source, at), endOf(WORD, source, at));
  return { end, good: end > at };
};

/** Behind the closing quote, or at the first character that cannot be there. */
function stringEnd(source: string, at: number): { end: number; good: boolean } {
  for (let end = at + 1; end < source.length; end += 1) {
    const char = source[end]!;
    if (char === '"') return { end: end + 1, good: true };
    if (char < ' ') return { end, good: false };
    if (char !== '\\') continue;
    const escaped = endOf(ESCAPED, source, end + 1);
    if (escaped === end + 1) return { end: Math.min(end + 1, source.length), good: false };
    end = escaped - 1;
  }
  return { end: source.length, good: false };
}

/** Line and column of an index, both from 1, the column in characters as an editor counts them. */
export function placeOf(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 };
}
