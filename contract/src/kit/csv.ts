/** The text breaks the rules of RFC 4180, or a record is too long. */
export class CsvError extends Error {}

export interface CsvRecord {
  /** Where the record begins; the first line is line 1. */
  line: number;
  cells: string[];
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
/** Characters of one record: a quote that is never closed must not collect the rest of the file. */
const RECORD_LENGTH_MAX = 128 * 1024;

/** Reads the records of RFC 4180 from a text that arrives in pieces. Empty lines are skipped. */
export class CsvReader {
  private state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'; // of the cell
  private cells: string[] = [];
  private cell = '';
  private length = 0; // of the record, up to the piece that is being read
  private line = 1;
  private begin = 1;

  *take(text: string): Generator<CsvRecord> {
    let from = 0; // of the cell's characters that are not in `cell` yet
    let recordFrom = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) this.line++;
      if (this.state === 'quoted') {
        if (code !== QUOTE) continue;
        this.cell += text.slice(from, at);
        this.state = 'closed';
        from = at + 1;
      } else if (this.state === 'closed' && code === QUOTE) {
        this.state = 'quoted';
        from = at; // the second of two quotes stands for one
      } else if (this.state === 'start' && code === QUOTE) {
        this.state = 'quoted';
        from = at + 1;
      } else if (code === COMMA || code === LINE_FEED) {
        this.endCell(text.slice(from, at), code === LINE_FEED);
        from = at + 1;
        if (code === COMMA) continue;
        const record = this.endRecord(at - recordFrom);
        recordFrom = at + 1;
        if (record) yield record;
      } else if (this.state === 'start') this.state = 'plain';
    }
    if (this.state !== 'closed') this.cell += text.slice(from);
    else if (text.slice(from).replace('\r', '') !== '')
      throw new CsvError(`line ${this.begin}: text follows a closing quotation mark`);
    this.checkLength(text.length - recordFrom);
  }

  /** The last record, when no line end follows it. */
  *end(): Generator<CsvRecord> {
    if (this.state === 'quoted') throw new CsvError(`line ${this.begin}: a quotation mark is not closed`);
    this.endCell('', true);
    const record = this.endRecord(0);
    if (record) yield record;
  }

  private endCell(rest: string, isLast: boolean): void {
    const isQuoted = this.state === 'closed';
    const tail = isQuoted ? rest : this.cell + rest;
    const kept = isLast && tail.endsWith('\r') ? tail.slice(0, -1) : tail;
    if (isQuoted && kept !== '')
      throw new CsvError(`line ${this.begin}: text follows a closing quotation mark`);
    this.cells.push(isQuoted ? this.cell : kept);
    this.cell = '';
    this.state = 'start';
  }

  private endRecord(length: number): CsvRecord | undefined {
    this.checkLength(length);
    const { cells, begin } = this;
    this.cells = [];
    this.length = 0;
    this.begin = this.line;
    return cells.length === 1 && cells[0] === '' ? undefined : { line: begin, cells };
  }

  private checkLength(more: number): void {
    this.length += more;
    if (this.length > RECORD_LENGTH_MAX) throw new CsvError(`line ${this.begin}: the record is too long`);
  }
}
