import type { Level, LimiterType } from './config.ts';

/** How often limits were hit, since the start. */
export class Hits {
  held = 0;
  dropped = 0; // messages not taken, connections refused
  ended = 0;
  forced = 0;
}

/** Keeps the hits of each type, by bucket, and by whose tokens were missing. */
export class Tally {
  private readonly buckets = new Map<string, Hits>();
  private readonly levels = new Map<string, number>();

  of(type: LimiterType, bucket: string): Hits {
    const key = `${type} ${bucket}`;
    let hits = this.buckets.get(key);
    if (hits === undefined) {
      hits = new Hits();
      this.buckets.set(key, hits);
    }
    return hits;
  }

  /** All buckets of a type that were ever hit. */
  ofType(type: LimiterType): Map<string, Hits> {
    const start = `${type} `;
    return new Map(
      [...this.buckets].flatMap(([key, hits]): [string, Hits][] =>
        key.startsWith(start) ? [[key.slice(start.length), hits]] : [],
      ),
    );
  }

  missed(type: LimiterType, level: Level): void {
    const key = `${type} ${level}`;
    this.levels.set(key, (this.levels.get(key) ?? 0) + 1);
  }

  misses(type: LimiterType, level: Level): number {
    return this.levels.get(`${type} ${level}`) ?? 0;
  }
}
