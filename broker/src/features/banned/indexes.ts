import { parseNetwork } from '@mqdeck/contract/acl/network';
import { RE2Set } from 're2js';
import { type Groups, maskedGroups } from './ban.ts';

interface Network<T> {
  readonly length: number; // groups of its addresses: 2 or 8
  readonly bits: number;
  readonly members: Map<string, T>;
}

/** Networks by their length, so that an address is looked up once per length that occurs, however many there are. */
export class NetworkIndex<T> {
  private readonly lengths = new Map<string, Network<T>>();

  set(text: string, value: T): void {
    const network = parseNetwork(text);
    if (!network) return;
    const { groups, bits } = network;
    const name = `${groups.length} ${bits}`;
    const known = this.lengths.get(name) ?? { length: groups.length, bits, members: new Map<string, T>() };
    this.lengths.set(name, known);
    known.members.set(keyOf(groups, bits), value);
  }

  delete(text: string): void {
    const network = parseNetwork(text);
    if (!network) return;
    const { groups, bits } = network;
    const name = `${groups.length} ${bits}`;
    const known = this.lengths.get(name);
    known?.members.delete(keyOf(groups, bits));
    if (known?.members.size === 0) this.lengths.delete(name);
  }

  /** The first that passes, of the networks that hold the address. */
  find(groups: Groups, passes: (value: T) => boolean): T | undefined {
    for (const { length, bits, members } of this.lengths.values()) {
      const value = length === groups.length ? members.get(keyOf(groups, bits)) : undefined;
      if (value !== undefined && passes(value)) return value;
    }
    return undefined;
  }

  clear(): void {
    this.lengths.clear();
  }
}

const keyOf = (groups: Groups, bits: number): string => maskedGroups(groups, bits).join('.');

/** Patterns that are looked for all at once: a long name with many patterns costs one pass over it. */
export class PatternIndex<T> {
  private readonly values = new Map<string, T>();
  /** Made when the next name is looked at: operators may add many patterns one after the other. */
  private compiled: { set: RE2Set; values: T[] } | null = null;

  get size(): number {
    return this.values.size;
  }

  set(pattern: string, value: T): void {
    this.values.set(pattern, value);
    this.compiled = null;
  }

  delete(pattern: string): void {
    if (this.values.delete(pattern)) this.compiled = null;
  }

  find(text: string, passes: (value: T) => boolean): T | undefined {
    if (this.values.size === 0) return undefined;
    this.compiled ??= this.compile();
    const { set, values } = this.compiled;
    for (const i of set.match(text)) {
      const value = values[i];
      if (value !== undefined && passes(value)) return value;
    }
    return undefined;
  }

  clear(): void {
    this.values.clear();
    this.compiled = null;
  }

  private compile(): { set: RE2Set; values: T[] } {
    const set = new RE2Set();
    for (const pattern of this.values.keys()) set.add(pattern);
    set.compile();
    return { set, values: [...this.values.values()] };
  }
}
