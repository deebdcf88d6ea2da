import type { LogLevel, LogLine } from '@mqdeck/contract/log';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { type Entry, rankOf } from './entry.ts';
import { type Format, factsText, shownFacts } from './format.ts';

interface Kept {
  at: number;
  level: LogLevel;
  msg: string;
  facts: Record<string, unknown>;
  text: string; // message and facts as they are read
}

const LINES_MAX = 2000;
const CHARACTERS_MAX = 2 * 1024 * 1024;
const LINE_CHARACTERS = 60; // about what a line takes beside its texts

interface Wanted {
  position?: number | undefined;
  limit: number;
  level?: LogLevel | undefined;
  text?: string | undefined;
}

/** Keeps the last lines in memory, so that they can be read without a file. */
export class Lines {
  private readonly kept: Kept[] = [];
  private characters = 0;
  /** A run begins where the clock stands, so that its positions are none of another run's. */
  private readonly start = Date.now();
  /** That of the first line kept. */
  private first = this.start;

  add(entry: Entry, encode: Format['payload_encode']): void {
    const { at, level, msg } = entry;
    const facts = shownFacts(entry, encode);
    const line = { at, level, msg, facts, text: msg + factsText(facts) };
    this.kept.push(line);
    this.characters += sizeOf(line);
    while (this.kept.length > LINES_MAX || (this.characters > CHARACTERS_MAX && this.kept.length > 1)) {
      this.characters -= sizeOf(this.kept.shift()!);
      this.first += 1;
    }
  }

  /** The lines from a position on, or without one the last ones, of those that are wanted. */
  read({ position, limit, level, text }: Wanted): {
    data: LogLine[];
    meta: { position: number; missed: number };
  } {
    const next = this.first + this.kept.length;
    const needle = text?.toLowerCase() ?? '';
    const rank = level ? rankOf(level) : 0;
    const fits = (line: Kept) =>
      rankOf(line.level) >= rank && (needle === '' || line.text.toLowerCase().includes(needle));
    const data: LogLine[] = [];
    const present = (index: number) => presented(this.first + index, this.kept[index]!);
    if (position === undefined) {
      for (let i = this.kept.length - 1; i >= 0 && data.length < limit; i -= 1)
        if (fits(this.kept[i]!)) data.push(present(i));
      return { data: data.reverse(), meta: { position: next, missed: 0 } };
    }
    const ofThisRun = position >= this.start && position <= next;
    const from = ofThisRun ? position : this.start;
    let index = Math.max(0, from - this.first);
    for (; index < this.kept.length && data.length < limit; index += 1)
      if (fits(this.kept[index]!)) data.push(present(index));
    return { data, meta: { position: this.first + index, missed: Math.max(0, this.first - from) } };
  }
}

/** The facts hold about what their text does. */
const sizeOf = ({ msg, text }: Kept): number => msg.length + 2 * text.length + LINE_CHARACTERS;

const presented = (position: number, { at, level, msg, facts }: Kept): LogLine => ({
  position,
  time: rfc3339(at),
  level,
  msg,
  facts,
});
