import { parseNetwork } from '@mqdeck/contract/acl/network';
import { RE2Set } from 're2js';
import { type Groups, maskedGroups } from './ban.ts';

/** Of IPv4 the number that the address is, which costs no text. */
type Masked = number | string;

interface Network<T> {
  readonly length: number; // groups of its addresses: 2 or 8
  readonly bits: number;
  readonly members: Map<Masked, T>;
}

/** Networks by their length, so that an address is looked up once per length that occurs, however many there are. */
export class NetworkIndex<T> {
  private readonly lengths = new Map<string, Network<T>>();

  set(text: string, value: T): void {
    const network = parseNetwork(text);
    if (!network) return;
    const { groups, bits } = network;
    const name = `${groups.length} ${bits}`;
    const known = this.lengths.get(name) ?? { length: groups.length, bits, members: new Map<Masked, T>() };
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

function keyOf(groups: Groups, bits: number): Masked {
  if (groups.length !== 2) return maskedGroups(groups, bits).join('.');
  const address = groups[0]! * 65_536 + groups[1]!;
  const rest = 2 ** (32 - bits);
  return address - (address % rest);
}

/** Of a changed group alone the machine is made anew: some milliseconds. */
const GROUP = 50;

/** Patterns that are looked for together: a long name costs one pass over it for each group of them. */
export class PatternIndex<T> {
  private readonly groups: PatternGroup<T>[] = [];
  private readonly places = new Map<string, PatternGroup<T>>();

  get size(): number {
    return this.places.size;
  }

  set(pattern: string, value: T): void {
    let group = this.places.get(pattern) ?? this.groups.find(({ size }) => size < GROUP);
    if (!group) {
      group = new PatternGroup();
      this.groups.push(group);
    }
    this.places.set(pattern, group);
    group.set(pattern, value);
  }

  delete(pattern: string): void {
    this.places.get(pattern)?.delete(pattern);
    this.places.delete(pattern);
  }

  find(text: string, passes: (value: T) => boolean): T | undefined {
    for (const group of this.groups) {
      const value = group.find(text, passes);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  clear(): void {
    this.groups.length = 0;
    this.places.clear();
  }
}

class PatternGroup<T> {
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

  private compile(): { set: RE2Set; values: T[] } {
    const set = new RE2Set();
    for (const pattern of this.values.keys()) set.add(pattern);
    set.compile();
    return { set, values: [...this.values.values()] };
  }
}
