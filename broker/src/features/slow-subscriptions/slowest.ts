/** How long the slowest delivery of a topic to a client took. */
export interface Slow {
  readonly clientid: string;
  readonly topic: string;
  timespan: number; // ms
  updatedAt: number; // epoch ms
}

/** Keeps the slowest of what it is told, one for each client and topic. */
export class Slowest {
  private readonly entries = new Map<string, Slow>();
  /** Of a full list: who is not slower than this need not be looked up. */
  private floor = 0;

  get size(): number {
    return this.entries.size;
  }

  note(clientid: string, topic: string, timespan: number, now: number, most: number): void {
    if (timespan < this.floor && this.entries.size >= most) return;
    const key = `${clientid}\0${topic}`;
    const known = this.entries.get(key);
    if (known) {
      known.timespan = timespan; // what it is like now, not what it was like once
      known.updatedAt = now;
      this.floor = 0;
      return;
    }
    this.entries.set(key, { clientid, topic, timespan, updatedAt: now });
    if (this.entries.size > most) this.cut(most);
  }

  /** Drops those that did not come up since, and those beyond the most. */
  sweep(since: number, most: number): void {
    for (const [key, { updatedAt }] of this.entries) if (updatedAt < since) this.entries.delete(key);
    this.floor = 0;
    this.cut(most);
  }

  clear(): void {
    this.entries.clear();
    this.floor = 0;
  }

  /** The slowest first. */
  all(): Slow[] {
    return [...this.entries.values()].sort((a, b) => b.timespan - a.timespan);
  }

  private cut(most: number): void {
    if (this.entries.size <= most) return;
    const kept = this.all().slice(0, most);
    this.entries.clear();
    for (const one of kept) this.entries.set(`${one.clientid}\0${one.topic}`, one);
    this.floor = kept.at(-1)?.timespan ?? 0;
  }
}
