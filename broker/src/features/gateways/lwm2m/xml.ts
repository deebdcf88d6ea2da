/** An element of XML: what it is called, its text, and the elements in it. Of attributes only `ID` is of interest. */
export interface XmlElement {
  readonly name: string;
  readonly id: string | undefined;
  readonly children: XmlElement[];
  text: string;
}

export class XmlFault extends Error {}

const DEPTH_MAX = 16;
const ELEMENTS_MAX = 20_000;
const NAME = /[A-Za-z_][\w.:-]*/y;
const ATTRIBUTE = /\s+[A-Za-z_][\w.:-]*\s*=\s*("[^"<]*"|'[^'<]*')/y;
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads the XML of object definitions, and nothing cleverer: a document type is refused, and with it every entity beyond the
 * five that XML has of its own. Throws `XmlFault`.
 */
export function readXml(source: string): XmlElement {
  const reader = new Reader(source.replace(/^\uFEFF/, ''));
  return reader.document();
}

class Reader {
  private readonly source: string;
  private at = 0;
  private elements = 0;

  constructor(source: string) {
    this.source = source;
  }

  document(): XmlElement {
    this.skipAround();
    const root = this.element(0);
    this.skipAround();
    if (this.at < this.source.length) throw new XmlFault('something follows the document');
    return root;
  }

  /** What may stand around the one element of a document. */
  private skipAround(): void {
    for (;;) {
      this.match(/\s*/y);
      if (this.sees('<?')) this.skipPast('?>');
      else if (this.sees('<!--')) this.skipPast('-->');
      else return;
    }
  }

  private element(depth: number): XmlElement {
    if (depth > DEPTH_MAX) throw new XmlFault('nested too deeply');
    if (++this.elements > ELEMENTS_MAX) throw new XmlFault('too many elements');
    this.take('<');
    const name = this.match(NAME);
    if (!name) throw new XmlFault('an element without a name');
    let id: string | undefined;
    for (let one = this.match(ATTRIBUTE); one; one = this.match(ATTRIBUTE))
      id = /^\s+ID\s*=\s*["'](\d+)["']$/.exec(one)?.[1] ?? id;
    this.match(/\s*/y);
    const element: XmlElement = { name, id, children: [], text: '' };
    if (this.sees('/>')) {
      this.at += 2;
      return element;
    }
    this.take('>');
    this.content(element, depth);
    this.take('</');
    if (this.match(NAME) !== name) throw new XmlFault(`${name} is not closed`);
    this.match(/\s*/y);
    this.take('>');
    return element;
  }

  private content(element: XmlElement, depth: number): void {
    for (;;) {
      if (this.sees('</')) return;
      if (this.sees('<!--')) this.skipPast('-->');
      else if (this.sees('<![CDATA[')) {
        const from = this.at + '<![CDATA['.length;
        this.skipPast(']]>');
        element.text += this.source.slice(from, this.at - ']]>'.length);
      } else if (this.sees('<?')) this.skipPast('?>');
      else if (this.sees('<!')) throw new XmlFault('declarations are not read');
      else if (this.sees('<')) element.children.push(this.element(depth + 1));
      else element.text += this.characters();
    }
  }

  private characters(): string {
    const end = this.source.indexOf('<', this.at);
    if (end === -1) throw new XmlFault('an element is not closed');
    const text = this.source.slice(this.at, end);
    this.at = end;
    return text.replace(/&([^;&\s]{0,10});?/g, (whole, name: string) => {
      if (whole.endsWith(';') && Object.hasOwn(CHARACTERS, name)) return CHARACTERS[name]!;
      const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
      const code = number ? Number.parseInt(number[1] ?? number[2]!, number[1] ? 16 : 10) : Number.NaN;
      if (whole.endsWith(';') && code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
      throw new XmlFault('an entity that XML does not have');
    });
  }

  private sees(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  private take(text: string): void {
    if (!this.sees(text)) throw new XmlFault(`${text} is missing`);
    this.at += text.length;
  }

  private skipPast(text: string): void {
    const found = this.source.indexOf(text, this.at);
    if (found === -1) throw new XmlFault(`${text} is missing`);
    this.at = found + text.length;
  }

  /** What the pattern, a sticky one, finds here; undefined when it finds nothing. */
  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}
