import type { Columns } from './compile.ts';
import { decodeJson, setKey, type Value, type ValueMap } from './values.ts';

/** What an expression sees: the row, and what the fields before it have been named. */
export class Scope {
  private readonly row: Columns;
  private own: Map<string, Value> | null = null;
  private text: string | null = null; // that was decoded last
  private json: Value;

  constructor(row: Columns) {
    this.row = row;
  }

  get(name: string): Value {
    const { own, row } = this;
    if (own?.has(name)) return own.get(name);
    return Object.hasOwn(row, name) ? row[name] : undefined;
  }

  set(name: string, value: Value): void {
    this.own ??= new Map();
    this.own.set(name, value);
  }

  /** The same with one more name; what is set there is not seen here. */
  with(name: string, value: Value): Scope {
    const inside = new Scope(this.row);
    inside.own = new Map(this.own);
    inside.own.set(name, value);
    inside.text = this.text;
    inside.json = this.json;
    return inside;
  }

  all(): ValueMap {
    const all = { ...this.row };
    if (this.own !== null) for (const [name, value] of this.own) setKey(all, name, value);
    return all;
  }

  /** A text that holds JSON as that; of one text once. */
  decoded(value: Value): Value {
    if (typeof value !== 'string') return value;
    if (value !== this.text) {
      this.json = decodeJson(value);
      this.text = value;
    }
    return this.json;
  }

  /** The same of a text that may be none: a place in it leads nowhere then. */
  decodedIfPossible(value: Value): Value {
    try {
      return this.decoded(value);
    } catch {
      return undefined;
    }
  }
}
