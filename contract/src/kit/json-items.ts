/** The text is not a JSON array, or one of its items is not JSON. */
export class JsonItemsError extends Error {}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = [0x20, 0x09, 0x0a, 0x0d];
const ITEM_LENGTH_MAX = 128 * 1024;

/**
 * Reads the items of a JSON array from a text that arrives in pieces, so that a long array is never parsed at once. Finds
 * where items of the outermost array begin and end; JSON.parse reads each item.
 */
export class JsonItemsReader {
  private depth = 0;
  private inText = false;
  private escaped = false;
  private state: 'before' | 'first' | 'item' | 'after' = 'before';
  private item = '';
  private number = 0;

  *take(text: string): Generator<unknown> {
    let from = 0; // of the item in this piece
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.state === 'before' || this.state === 'after') {
        if (SPACE.includes(code)) continue;
        if (this.state === 'after' || code !== OPEN_ARRAY) throw new JsonItemsError('it is no JSON array');
        this.state = 'first';
        from = at + 1;
      } else if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (code === BACKSLASH) this.escaped = true;
        else if (code === QUOTE) this.inText = false;
      } else if (code === QUOTE) this.inText = true;
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) this.depth++;
      else if (this.depth > 0) {
        if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) this.depth--;
      } else if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
        if (code === CLOSE_OBJECT) throw new JsonItemsError('it is no JSON array');
        this.keep(text.slice(from, at));
        const isEmptyArray = this.state === 'first' && code === CLOSE_ARRAY && this.item.trim() === '';
        if (!isEmptyArray) yield this.parsed();
        this.item = '';
        from = at + 1;
        this.state = code === COMMA ? 'item' : 'after';
      }
    }
    if (this.state === 'first' || this.state === 'item') this.keep(text.slice(from));
  }

  end(): void {
    if (this.state !== 'after') throw new JsonItemsError('it ends too early');
  }

  private keep(part: string): void {
    this.item += part;
    if (this.item.length > ITEM_LENGTH_MAX) throw new JsonItemsError(`item ${this.number + 1} is too long`);
  }

  private parsed(): unknown {
    this.number++;
    try {
      return JSON.parse(this.item);
    } catch {
      throw new JsonItemsError(`item ${this.number} is not JSON`);
    }
  }
}
