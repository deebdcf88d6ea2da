import { type Entry, rankOf } from './entry.ts';

interface Told {
  last: Entry;
  repeated: number;
  until: number; // ms of the clock that nobody sets
}

/** More different events than this within one window are told apart by their words alone. */
const EVENTS_MAX = 1000;
const WARNING = rankOf('warning');
/** Node's longest timer; a longer window is looked at now and then, and goes on. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** What clients choose: another one makes no other event. */
const OF_CLIENTS = new Set(['clientid', 'username', 'topic', 'filter', 'address', 'url']);

/**
 * Keeps what was told lately, so that the same trouble is told once and then how often. What is milder than a warning
 * passes: whoever asks for it wants each one.
 */
export class Throttle {
  windowMs: number;
  private readonly events = new Map<string, Told>();
  private readonly emit: (entry: Entry) => void;
  private timer: NodeJS.Timeout | null = null;

  constructor(windowMs: number, emit: (entry: Entry) => void) {
    this.windowMs = windowMs;
    this.emit = emit;
  }

  take(entry: Entry): void {
    if (rankOf(entry.level) < WARNING) {
      this.emit(entry);
      return;
    }
    const event = this.eventOf(entry);
    const told = this.events.get(event);
    if (told) {
      told.last = entry;
      told.repeated += 1;
      return;
    }
    this.events.set(event, { last: entry, repeated: 0, until: performance.now() + this.windowMs });
    this.emit(entry);
    this.timer ??= setTimeout(this.endWindows, Math.min(this.windowMs, TIMER_MS_MAX)).unref();
  }

  /** A shorter window ends those that are open as well. */
  change(windowMs: number): void {
    if (windowMs < this.windowMs) this.tellAll();
    this.windowMs = windowMs;
  }

  /** Whatever still has to be told of repeats. */
  tellAll(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    for (const told of this.events.values()) this.tell(told);
    this.events.clear();
  }

  private readonly endWindows = (): void => {
    const now = performance.now();
    this.timer = null;
    let next = Number.POSITIVE_INFINITY;
    for (const [event, told] of this.events) {
      if (told.until > now) next = Math.min(next, told.until);
      else {
        this.events.delete(event);
        this.tell(told);
      }
    }
    if (this.events.size > 0) {
      const delayMs = Math.min(Math.max(1, next - now), TIMER_MS_MAX);
      this.timer = setTimeout(this.endWindows, delayMs).unref();
    }
  };

  private tell({ last, repeated }: Told): void {
    if (repeated > 0) this.emit({ ...last, at: Date.now(), facts: { ...last.facts, repeated } });
  }

  private eventOf({ level, msg, facts }: Entry): string {
    if (this.events.size >= EVENTS_MAX) return `${level} ${msg}`;
    const own = Object.entries(facts)
      .filter(([name, value]) => typeof value === 'string' && !OF_CLIENTS.has(name))
      .map(([name, value]) => `\0${name}=${String(value)}`);
    return `${level} ${msg}${own.join('')}`;
  }
}
