/** What a text of HOCON says. Written by `hocon-writer.ts`. */
export type Hocon = string | number | boolean | null | Hocon[] | HoconObject;
export interface HoconObject {
  [key: string]: Hocon;
}

/** A text that cannot be read: where, and why. */
export class HoconError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const DEPTH_MAX = 32;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** What a text without quotes is made of; a dot parts the names of a path, and belongs to a value. */
const NAME = /[^\s"{}[\],=:+#`^?!@*&\\$./]+/y;
const WORD = /[^\s"{}[\],=:#`^?!@*&\\$/]+|\/(?!\/)/y;
const BLANKS = /[^\S\n]+/y;

/**
 * Reads the part of HOCON that configurations are written in: blocks, dotted and quoted names, `=`, `:` or nothing
 * before a block, lists, comments, texts with and without quotes. What looks elsewhere (`include`, `${…}`) is refused.
 */
export function readHocon(text: string): HoconObject {
  return new Reader(text).whole();
}

export const isHoconObject = (value: Hocon | undefined): value is HoconObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `from` on top of `into`, which becomes both: blocks are joined, everything else is replaced. */
export function mergeInto(into: HoconObject, from: HoconObject): void {
  for (const [key, value] of Object.entries(from)) put(into, key, value);
}

function put(into: HoconObject, key: string, value: Hocon): void {
  const before = Object.hasOwn(into, key) ? into[key] : undefined;
  if (isHoconObject(before) && isHoconObject(value)) mergeInto(before, value);
  else into[key] = value;
}

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text.replace(/^\uFEFF/, '');
  }

  whole(): HoconObject {
    this.skip();
    const braces = this.peek() === '{';
    const read = braces ? this.block() : this.fields();
    this.skip();
    if (this.at < this.text.length) this.fail(`there is no room for ${this.found()} here`);
    return read;
  }

  private block(): HoconObject {
    const from = this.at;
    this.enter();
    this.at++;
    const fields = this.fields();
    if (this.peek() !== '}') this.fail('this { is never closed', from);
    this.at++;
    this.depth--;
    return fields;
  }

  /** Up to the brace that closes them, or the end. */
  private fields(): HoconObject {
    const fields: HoconObject = {};
    for (this.skip(); this.peek() !== '}' && this.at < this.text.length; this.separate()) this.field(fields);
    return fields;
  }

  private field(into: HoconObject): void {
    const names = this.names();
    let inner = into;
    for (const name of names.slice(0, -1)) {
      const there = Object.hasOwn(inner, name) ? inner[name] : undefined;
      const next = isHoconObject(there) ? there : {};
      inner[name] = next;
      inner = next;
    }
    this.blanks();
    const sign = this.peek();
    if (this.text.startsWith('+=', this.at)) this.fail('+= is not understood: write the whole list');
    if (sign === '=' || sign === ':') {
      this.at++;
      this.skip();
    } else if (names[0] === 'include') this.fail('include is not understood: write what the other file says');
    else if (sign !== '{') this.fail(`there is no = behind ${names.join('.').slice(0, 100)}`);
    this.depth += names.length - 1;
    put(inner, names.at(-1)!, this.value());
    this.depth -= names.length - 1;
  }

  private names(): string[] {
    const names: string[] = [];
    do {
      if (names.length > 0) this.at++; // the dot
      const name = this.peek() === '"' ? this.quoted() : this.match(NAME);
      if (name === null) return this.fail(`a name is missing before ${this.found()}`);
      if (name === '__proto__') return this.fail('__proto__ is no name');
      names.push(name);
      if (names.length + this.depth > DEPTH_MAX) return this.fail('this is nested too deep');
    } while (this.peek() === '.');
    return names;
  }

  private value(): Hocon {
    const sign = this.peek();
    const read = sign === '{' ? this.block() : sign === '[' ? this.list() : this.words();
    this.blanks();
    if (this.peek() === '{' || this.peek() === '[') this.fail('a comma or a new line is missing before this');
    return read;
  }

  private list(): Hocon[] {
    const from = this.at;
    this.enter();
    this.at++;
    const items: Hocon[] = [];
    for (this.skip(); this.peek() !== ']'; this.separate()) {
      if (this.at >= this.text.length) this.fail('this [ is never closed', from);
      items.push(this.value());
    }
    this.at++;
    this.depth--;
    return items;
  }

  /** One text, number or word, or several that a line has side by side and are one text. */
  private words(): Hocon {
    const from = this.at;
    let end = from;
    const pieces: string[] = [];
    let quotes = false;
    for (;;) {
      const before = this.at;
      this.blanks();
      const blanks = this.text.slice(before, this.at);
      const isQuoted = this.peek() === '"';
      const piece = isQuoted ? this.quoted() : this.match(WORD);
      if (piece === null) break;
      quotes ||= isQuoted;
      pieces.push(`${pieces.length === 0 ? '' : blanks}${piece}`);
      end = this.at;
    }
    if (pieces.length === 0) {
      if (this.text.startsWith('${', this.at))
        return this.fail('${…} is not understood here: write the value itself, or put it into quotes');
      return this.fail(`a value is missing before ${this.found()}`, this.lastBefore(from));
    }
    this.at = end;
    this.blanks();
    if (!this.isEndOfValue()) this.fail(`${this.found()} must stand in quotes`);
    const text = pieces.join('');
    if (quotes) return text;
    if (text === 'true' || text === 'false') return text === 'true';
    if (text === 'null') return null;
    return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
  }

  private quoted(): string {
    if (this.text.startsWith('"""', this.at)) return this.tripleQuoted();
    const from = this.at;
    for (this.at++; this.peek() !== '"'; this.at++) {
      if (this.peek() === '\\') this.at++;
      if (this.at >= this.text.length || this.peek() === '\n') this.fail('this text is never closed', from);
    }
    this.at++;
    const written = this.text.slice(from, this.at).replaceAll('\t', '\\t');
    try {
      return JSON.parse(written) as string;
    } catch {
      return this.fail('this text has a \\ or a control character that means nothing', from);
    }
  }

  /** As it stands; between `"""~` and `~"""` without the indentation that all its lines share. */
  private tripleQuoted(): string {
    const from = this.at;
    const indented = this.text.startsWith('"""~\n', from);
    const closing = indented ? '~"""' : '"""';
    const start = from + (indented ? 5 : 3);
    let end = this.text.indexOf(closing, start);
    if (end < 0) return this.fail('this text is never closed', from);
    while (!indented && this.text[end + 3] === '"') end++; // the last three close it
    this.at = end + closing.length;
    const text = this.text.slice(start, end);
    return indented ? withoutIndentation(text) : text;
  }

  private enter(): void {
    if (++this.depth > DEPTH_MAX) this.fail('this is nested too deep');
  }

  /** Between two fields or items: a comma, a new line, or the end of what they stand in. */
  private separate(): void {
    const from = this.at;
    this.skip();
    if (this.peek() === ',') {
      this.at++;
      this.skip();
      if (this.peek() === ',') this.fail('something is missing between two commas');
      return;
    }
    const isNewLine = this.text.slice(from, this.at).includes('\n');
    const isEnd = this.peek() === '}' || this.peek() === ']' || this.at >= this.text.length;
    if (!isNewLine && !isEnd) this.fail(`a comma or a new line is missing before ${this.found()}`);
  }

  private isEndOfValue(): boolean {
    const sign = this.peek();
    return (
      sign === '' ||
      sign === '{' ||
      sign === '[' ||
      '\n,}]#'.includes(sign) ||
      this.text.startsWith('//', this.at)
    );
  }

  private blanks(): void {
    this.match(BLANKS);
  }

  /** Blanks, new lines and comments. */
  private skip(): void {
    for (;;) {
      while (/\s/.test(this.peek())) this.at++;
      if (this.peek() !== '#' && !this.text.startsWith('//', this.at)) return;
      const end = this.text.indexOf('\n', this.at);
      this.at = end < 0 ? this.text.length : end;
    }
  }

  private match(pattern: RegExp): string | null {
    let found = '';
    for (;;) {
      pattern.lastIndex = this.at;
      const match = pattern.exec(this.text);
      if (!match) return found === '' ? null : found;
      found += match[0];
      this.at += match[0].length;
    }
  }

  private peek(): string {
    return this.text[this.at] ?? '';
  }

  private found(): string {
    return this.at >= this.text.length ? 'the end' : `"${this.text[this.at]}"`;
  }

  /** Whoever forgot something forgot it where he stopped writing. */
  private lastBefore(at: number): number {
    return this.text.slice(0, at).trimEnd().length;
  }

  private fail(message: string, at = this.at): never {
    throw new HoconError(this.text.slice(0, at).split('\n').length, message);
  }
}

function withoutIndentation(text: string): string {
  const lines = text.split('\n');
  const shared = lines
    .filter((line) => line.trim() !== '')
    .reduce((least, line) => Math.min(least, /^ */.exec(line)![0].length), Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(shared)).join('\n');
}
