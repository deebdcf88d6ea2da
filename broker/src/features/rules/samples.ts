import { filterMatches, isValidFilter } from '@mqdeck/mqtt/topics';
import type { Columns } from '@mqdeck/rulesql/compile';
import { presented } from '@mqdeck/rulesql/values';

const WANTED_MS = 60_000; // after the last question
const SOURCES_MAX = 20;
const KEPT = 20; // of a source
const PAYLOAD_MAX = 64 * 1024; // characters; larger ones are no sample
const EVERY_MS = 50; // of one source: a glance, not a recording

interface Sample {
  position: number;
  at: number; // epoch ms
  columns: Record<string, unknown>;
}

interface Tap {
  until: number; // epoch ms
  lastAt: number;
  samples: Sample[];
}

/** The last real messages and events of the sources that somebody looks at; bounded, and gone soon after the last look. */
export class Samples {
  private readonly clock: { readonly now: number };
  private readonly onSources: () => void;
  private readonly taps = new Map<string, Tap>();
  private position = 0;

  constructor(clock: { readonly now: number }, onSources: () => void) {
    this.clock = clock;
    this.onSources = onSources;
  }

  get sources(): Iterable<string> {
    return this.taps.keys();
  }

  /** What came behind a position, the newest last; from now on more is kept, for a minute. */
  read(sources: readonly string[], after: number): { samples: Sample[]; position: number } {
    const { now } = this.clock;
    let isNew = this.forget(now);
    for (const source of sources.slice(0, SOURCES_MAX)) {
      const tap = this.taps.get(source);
      if (tap) tap.until = now + WANTED_MS;
      else if (this.taps.size < SOURCES_MAX) {
        this.taps.set(source, { until: now + WANTED_MS, lastAt: 0, samples: [] });
        isNew = true;
      }
    }
    if (isNew) this.onSources();
    const samples = sources
      .flatMap((source) => this.taps.get(source)?.samples ?? [])
      .filter(({ position }) => position > after)
      .sort((a, b) => a.position - b.position);
    return { samples, position: this.position };
  }

  wants(topicOrEvent: string): boolean {
    if (this.taps.size === 0) return false;
    if (this.taps.has(topicOrEvent)) return true;
    for (const source of this.taps.keys()) if (fits(source, topicOrEvent)) return true;
    return false;
  }

  take(source: string, columns: Columns): void {
    const tap = this.taps.get(source);
    if (tap) this.keep(tap, columns);
  }

  takeTopic(topic: string, columns: Columns): void {
    for (const [source, tap] of this.taps)
      if (source === topic || source === '$events/message_publish' || fits(source, topic))
        this.keep(tap, columns);
  }

  close(): void {
    this.taps.clear();
  }

  private keep(tap: Tap, columns: Columns): void {
    const { now } = this.clock;
    if (now > tap.until) {
      if (this.forget(now)) queueMicrotask(this.onSources); // not while a message is on its way
      return;
    }
    const { payload } = columns;
    const size = typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0;
    if (size > PAYLOAD_MAX || now - tap.lastAt < EVERY_MS) return;
    tap.lastAt = now;
    const shown = presented({ ...columns }) as Record<string, unknown>;
    tap.samples.push({ position: ++this.position, at: now, columns: shown });
    if (tap.samples.length > KEPT) tap.samples.shift();
  }

  private forget(now: number): boolean {
    let changed = false;
    for (const [source, { until }] of this.taps)
      if (now > until) {
        this.taps.delete(source);
        changed = true;
      }
    return changed;
  }
}

const fits = (source: string, topic: string): boolean =>
  !source.startsWith('$events/') &&
  !source.startsWith('$bridges/') &&
  isValidFilter(source) &&
  filterMatches(source, topic);
