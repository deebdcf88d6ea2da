import type { Log } from '../core/core.ts';

interface Line {
  level: keyof Log;
  facts: Record<string, unknown>;
  text: string;
}

const PATIENCE_MS = 20_000;

/** A log that a test can read, and wait for. */
export class LogBook implements Log {
  readonly lines: Line[] = [];
  private readers: (() => void)[] = [];

  debug = (facts: object, text: string) => this.write('debug', facts, text);
  info = (facts: object, text: string) => this.write('info', facts, text);
  warn = (facts: object, text: string) => this.write('warn', facts, text);
  error = (facts: object, text: string) => this.write('error', facts, text);

  /** Everything as one text, to look for what must not be in it. */
  get all(): string {
    return this.lines.map(({ facts, text }) => `${text} ${JSON.stringify(facts)}`).join('\n');
  }

  /** The first line of this text, and with this reason, from `since` on, now or later. */
  async line(text: string, since = 0, reason = ''): Promise<Line> {
    const over = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = this.lines
        .slice(since)
        .find((line) => line.text === text && String(line.facts.reason).includes(reason));
      if (found) return found;
      const left = over - Date.now();
      if (left <= 0) throw new Error(`the log does not say "${text}" ${reason}, but:\n${this.all}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.readers.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  private write(level: keyof Log, facts: object, text: string): void {
    this.lines.push({ level, facts: facts as Record<string, unknown>, text });
    for (const wake of this.readers.splice(0)) wake();
  }
}
