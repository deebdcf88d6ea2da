/** Where something begins; both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A term of Erlang, as far as rules need them. */
export type Term = Place &
  (
    | { kind: 'atom' | 'text'; value: string }
    | { kind: 'integer'; value: number }
    | { kind: 'tuple' | 'list'; items: readonly Term[] }
  );

/** What is wrong, by a word that a screen can translate, and in a sentence that says what was expected. */
export interface TermFault extends Place {
  readonly code:
    | 'too_long'
    | 'too_many'
    | 'too_deep'
    | 'unclosed_text'
    | 'unclosed_binary'
    | 'escape'
    | 'reserved'
    | 'unclosed'
    | 'separator'
    | 'term'
    | 'dot'
    | 'rule'
    | 'short_rule'
    | 'permission'
    | 'who'
    | 'client_attr'
    | 'text'
    | 'address'
    | 'list'
    | 'empty_list'
    | 'action'
    | 'condition'
    | 'qos'
    | 'retain'
    | 'placeholder'
    | 'pattern';
  readonly message: string;
}

type Read = { at: Place; text: string } & ({ term: Term; fault: null } | { term: null; fault: TermFault });

const DEPTH_MAX = 32;
const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'not', 'xor', 'andalso', 'orelse', 'end', 'fun']);
const BLANK = /\s/;
const ATOM = /[a-z][A-Za-z0-9_@]*/y;
const INTEGER = /-?\d{1,15}(?![A-Za-z0-9_#])/y;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  d: '\x7f',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  s: ' ',
  t: '\t',
  v: '\v',
};
const ESCAPED_CODE = /[0-7]{1,3}|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]{1,6}\}/y;

class Fault extends Error {
  readonly at: number;
  readonly code: TermFault['code'];

  constructor(at: number, code: TermFault['code'], message: string) {
    super(message);
    this.at = at;
    this.code = code;
  }
}

/** Reads one term with its dot after the other; after a fault it goes on behind the next dot. */
export class TermReader {
  private readonly text: string;
  private at = 0;
  // The line of the latest place: places are asked for from front to back
  private line = 1;
  private lineStart = 0;
  private lineEnd: number;

  constructor(text: string) {
    this.text = text;
    this.lineEnd = this.endFrom(0);
  }

  /** Null at the end. */
  next(): Read | null {
    this.skip();
    if (this.at >= this.text.length) return null;
    const start = this.at;
    const at = this.place(start);
    try {
      const term = this.term(0);
      this.skip();
      if (!this.isDot()) throw new Fault(this.at, 'dot', 'expected a dot at the end of the rule');
      this.at++;
      return { at, text: this.text.slice(start, this.at), term, fault: null };
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause;
      const { code, message } = cause;
      const fault = { ...this.place(cause.at), code, message };
      this.at = Math.max(this.at, cause.at);
      this.skipToDot();
      return { at, text: this.text.slice(start, this.at), term: null, fault };
    }
  }

  private place(at: number): Place {
    while (this.lineEnd < at) {
      this.line++;
      this.lineStart = this.lineEnd + 1;
      this.lineEnd = this.endFrom(this.lineStart);
    }
    return { line: this.line, column: at - this.lineStart + 1 };
  }

  private endFrom(at: number): number {
    const end = this.text.indexOf('\n', at);
    return end < 0 ? this.text.length : end;
  }

  private skip(): void {
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at]!;
      if (char === '%') {
        const end = this.text.indexOf('\n', this.at);
        this.at = end < 0 ? this.text.length - 1 : end;
      } else if (!BLANK.test(char) && char !== '\ufeff') return;
    }
  }

  /** A dot ends a term when nothing, or a blank or a comment, comes behind it. */
  private isDot(): boolean {
    if (this.text[this.at] !== '.') return false;
    const next = this.text[this.at + 1];
    return next === undefined || next === '%' || BLANK.test(next);
  }

  private skipToDot(): void {
    for (; this.at < this.text.length; this.at++) {
      this.skip();
      if (this.isDot()) {
        this.at++;
        return;
      }
      // A rule that begins on a line of its own is read, even if the one before it has no end
      if (this.text[this.at] === '{' && this.beginsLine()) return;
    }
  }

  private beginsLine(): boolean {
    let at = this.at - 1;
    while (at >= 0 && this.text[at] !== '\n' && BLANK.test(this.text[at]!)) at--;
    return at < 0 || this.text[at] === '\n';
  }

  private term(depth: number): Term {
    this.skip();
    const start = this.at;
    const char = this.text[start];
    if (char === undefined) throw new Fault(start, 'unclosed', 'expected more: the text ends inside a rule');
    if (depth > DEPTH_MAX)
      throw new Fault(start, 'too_deep', `expected at most ${DEPTH_MAX} brackets inside each other`);
    const place = this.place(start);
    if (char === '{' || char === '[') return { ...place, ...this.items(depth, char) };
    if (char === '"') return { ...place, kind: 'text', value: this.quoted('"') };
    if (char === "'") return { ...place, kind: 'atom', value: this.quoted("'") };
    if (char === '<') return { ...place, kind: 'text', value: this.binary() };
    const atom = this.match(ATOM);
    if (atom !== null) {
      if (RESERVED.has(atom))
        throw new Fault(
          start,
          'reserved',
          `expected '${atom}' in single quotes: without them it is an operator`,
        );
      return { ...place, kind: 'atom', value: atom };
    }
    const integer = this.match(INTEGER);
    if (integer !== null) return { ...place, kind: 'integer', value: Number(integer) };
    throw new Fault(start, 'term', `expected {, [, a word or a text in double quotes, found ${shown(char)}`);
  }

  private items(depth: number, open: '{' | '['): { kind: 'tuple' | 'list'; items: readonly Term[] } {
    const kind = open === '{' ? 'tuple' : 'list';
    const close = open === '{' ? '}' : ']';
    const items: Term[] = [];
    this.at++;
    this.skip();
    if (this.text[this.at] === close) {
      this.at++;
      return { kind, items };
    }
    for (;;) {
      items.push(this.term(depth + 1));
      this.skip();
      const char = this.text[this.at];
      if (char !== ',' && char !== close) {
        if (char === undefined)
          throw new Fault(this.at, 'unclosed', `expected , or ${close}: the text ends inside a rule`);
        throw new Fault(this.at, 'separator', `expected , or ${close}, found ${shown(char)}`);
      }
      this.at++;
      if (char === close) return { kind, items };
    }
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  /** `<<"text">>` or `<<"text"/utf8>>` */
  private binary(): string {
    const start = this.at;
    if (!this.text.startsWith('<<', start)) throw new Fault(start, 'term', 'expected <<"text">>, found <');
    this.at += 2;
    this.skip();
    if (this.text[this.at] !== '"')
      throw new Fault(this.at, 'text', 'expected a text in double quotes inside << >>');
    const value = this.quoted('"');
    this.skip();
    if (this.text.startsWith('/utf8', this.at)) this.at += 5;
    this.skip();
    if (!this.text.startsWith('>>', this.at))
      throw new Fault(this.at, 'unclosed_binary', 'expected >> behind the text');
    this.at += 2;
    return value;
  }

  private quoted(quote: '"' | "'"): string {
    const start = this.at;
    let value = '';
    let from = ++this.at;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) {
        this.at = start + 1;
        throw new Fault(start, 'unclosed_text', `expected a closing ${quote} to this one`);
      }
      if (char === quote) break;
      if (char !== '\\') {
        this.at++;
        continue;
      }
      value += this.text.slice(from, this.at++);
      value += this.escaped();
      from = this.at;
    }
    return value + this.text.slice(from, this.at++);
  }

  private escaped(): string {
    const code = this.match(ESCAPED_CODE);
    if (code !== null) {
      const number = code.startsWith('x')
        ? Number.parseInt(code.replace(/[x{}]/g, ''), 16)
        : Number.parseInt(code, 8);
      if (number > 0x10ffff)
        throw new Fault(this.at - code.length, 'escape', 'expected the code of a character');
      return String.fromCodePoint(number);
    }
    const char = this.text[this.at];
    if (char === undefined) return '';
    this.at++;
    return ESCAPES[char] ?? char;
  }
}

const shown = (char: string): string => (char === '.' ? 'a dot' : char);
