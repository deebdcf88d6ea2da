import { randomInt } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isFull } from './extent.ts';
import { seededRandom } from './seeded-random.ts';

/** The choices of one round of a fuzzer. The same seed gives the same choices. */
export class Dice {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** A whole number from 0 to `most` - 1. */
  upTo(most: number): number {
    return Math.floor(this.random() * most);
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)]!;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.upTo(256));
  }

  /** A copy with one to three random changes: a flipped bit, another byte, bytes removed, inserted or repeated. */
  mutated(bytes: Uint8Array): Uint8Array {
    let changed = Uint8Array.from(bytes);
    for (let times = 1 + this.upTo(3); times > 0; times--) changed = this.changedOnce(changed);
    return changed;
  }

  private changedOnce(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const changed = Uint8Array.from(bytes);
    const at = this.upTo(changed.length);
    switch (changed.length === 0 ? 4 : this.upTo(6)) {
      case 0:
        changed[at]! ^= 1 << this.upTo(8);
        return changed;
      case 1:
        changed[at] = this.pick([0, 1, 0x7f, 0x80, 0xff, this.upTo(256)]);
        return changed;
      case 2:
        return changed.slice(0, at);
      case 3:
        return concat(changed.subarray(0, at), changed.subarray(at + 1 + this.upTo(4)));
      case 4:
        return concat(changed.subarray(0, at), this.bytes(1 + this.upTo(4)), changed.subarray(at));
      default:
        return concat(changed, changed.subarray(at));
    }
  }

  /** The bytes in pieces, as a network may deliver them. */
  pieces(bytes: Uint8Array): Uint8Array[] {
    if (bytes.length < 2 || this.chance(0.5)) return [bytes];
    const cuts = Array.from({ length: 1 + this.upTo(4) }, () => 1 + this.upTo(bytes.length - 1));
    const ends = [...new Set(cuts), bytes.length].sort((a, b) => a - b);
    return ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
  }
}

export const concat = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.concat(parts));

interface Rounds {
  /** In `npm test`: always the seeds 1, 2, 3 and so on. */
  short: number;
  /** In `npm run test:full`: as many, from a random seed on, after the kept ones. */
  full: number;
  /** Seeds that found something once. */
  kept?: readonly number[];
}

/**
 * Runs the rounds of a fuzzer. A failure names the seed of its round; MQDECK_FUZZ_SEED runs that round alone.
 * MQDECK_FUZZ_ROUNDS sets how many rounds the long form has.
 */
export async function fuzz(
  { short, full, kept = [] }: Rounds,
  run: (dice: Dice, seed: number) => Promise<void> | void,
): Promise<void> {
  const only = process.env.MQDECK_FUZZ_SEED;
  const many = isFull ? Number(process.env.MQDECK_FUZZ_ROUNDS ?? full) : short;
  const first = isFull ? randomInt(2 ** 30) : 1;
  const seeds = only ? [Number(only)] : kept.concat(Array.from({ length: many }, (_, i) => first + i));
  for (const seed of seeds) {
    try {
      await run(new Dice(seed), seed);
    } catch (cause) {
      throw new Error(`The round fails that MQDECK_FUZZ_SEED=${seed} runs alone: ${messageOf(cause)}`, {
        cause,
      });
    }
  }
  if (isFull) console.info(`${seeds.length} rounds, seeds from ${first} on`);
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** What the heap holds after a collection. */
export function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
