/** The text is no JSON array, or one of its items is no JSON. */
export class JsonItemsError extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = [0x5b, 0x7b];
const CLOSE = [0x5d, 0x7d];
const SPACE = [0x20, 0x09, 0x0a, 0x0d];
const ITEM_BYTES_MAX = 128 * 1024;

/** The items of a JSON array one by one, so that a long one is never parsed at once. */
export async function* jsonItems(content: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<unknown> {
  const cut = new ItemCutter();
  for await (const chunk of content) yield* cut.take(chunk);
  cut.end();
}

/** Finds where items of the outermost array begin and end; what is in them is for JSON.parse. */
class ItemCutter {
  private depth = 0;
  private inText = false;
  private escaped = false;
  private state: 'before' | 'first' | 'item' | 'after' = 'before';
  private parts: Buffer[] = [];
  private length = 0;
  private number = 0;

  *take(chunk: Buffer): Generator<unknown> {
    let from = 0; // of the item in this chunk
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.state === 'before' || this.state === 'after') {
        if (SPACE.includes(byte) || (this.state === 'before' && isMark(byte))) continue;
        if (this.state === 'after' || byte !== OPEN[0]) throw new JsonItemsError('it is no JSON array');
        this.state = 'first';
        from = at + 1;
      } else if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) this.inText = false;
      } else if (byte === QUOTE) this.inText = true;
      else if (OPEN.includes(byte)) this.depth++;
      else if (CLOSE.includes(byte) && this.depth > 0) this.depth--;
      else if (this.depth === 0 && (byte === COMMA || CLOSE.includes(byte))) {
        const item = this.finished(chunk.subarray(from, at), byte === COMMA);
        if (item !== NOTHING) yield item;
        from = at + 1;
        this.state = byte === COMMA ? 'item' : 'after';
        if (byte === CLOSE[1]) throw new JsonItemsError('it is no JSON array');
      }
    }
    if (this.state === 'first' || this.state === 'item') this.keep(chunk.subarray(from));
  }

  end(): void {
    if (this.state !== 'after') throw new JsonItemsError('it ends too early');
  }

  private keep(part: Buffer): void {
    this.parts.push(part);
    this.length += part.length;
    if (this.length > ITEM_BYTES_MAX) throw new JsonItemsError(`item ${this.number + 1} is too long`);
  }

  private finished(part: Buffer, more: boolean): unknown {
    this.keep(part);
    const text = Buffer.concat(this.parts).toString();
    this.parts = [];
    this.length = 0;
    if (this.state === 'first' && !more && text.trim() === '') return NOTHING;
    this.number++;
    try {
      return JSON.parse(text);
    } catch {
      throw new JsonItemsError(`item ${this.number} is not JSON`);
    }
  }
}

const NOTHING = Symbol('an empty array');
const isMark = (byte: number): boolean => [0xef, 0xbb, 0xbf].includes(byte);
