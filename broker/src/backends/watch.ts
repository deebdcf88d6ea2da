import type { Log } from '../core/core.ts';
import { BackendError, type BackendMetrics, type BackendStatus } from './backend.ts';

const CHECK_EVERY_MS = 15_000; // EMQX's health_check_interval
const CHECK_TIMEOUT_MS = 5000;
const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 5000;

export interface Watched {
  /** What it is, for the log: `mysql 127.0.0.1:3306`. */
  name: string;
  log: Log;
  /** Settles when the other system answers; throws what is wrong. Ends soon after `signal`. */
  check(signal: AbortSignal): Promise<void>;
  /** What was thrown, for the operator; holds no secret. */
  explain(error: unknown): string;
}

/**
 * Keeps whether another system answers: asks at the start, every 15 s, and at once when something failed; then, with
 * growing pauses, until it answers again. Who asks through it gets his answer, or a BackendError in time.
 */
export class Watch {
  status: BackendStatus = 'connecting';
  reason: string | null = null;
  readonly metrics: BackendMetrics = { matched: 0, success: 0, failed: 0 };
  private readonly watched: Watched;
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private checking: Promise<void>;
  private busy = false;
  private complaint: string | null = null;
  private pauseMs = RETRY_FIRST_MS;

  constructor(watched: Watched) {
    this.watched = watched;
    this.checking = this.check();
  }

  get closed(): boolean {
    return this.ending.signal.aborted;
  }

  /** A question to the other system. While it is known to be away nobody waits for it. */
  async ask<T>(timeoutMs: number, question: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.metrics.matched++;
    try {
      const answer = await within(timeoutMs, this.ending.signal, async (signal) => {
        if (this.status === 'connecting') await this.checking;
        if (this.status === 'disconnected') throw new BackendError(this.reason ?? 'it does not answer');
        return question(signal);
      });
      this.metrics.success++;
      this.complaint = null;
      return answer;
    } catch (error) {
      this.metrics.failed++;
      const told =
        error instanceof BackendError
          ? error
          : new BackendError(this.watched.explain(error), { cause: error });
      if (!this.closed && this.status === 'connected') {
        this.complain(told.message);
        this.checkSoon();
      }
      throw told;
    }
  }

  /** Asks whether it still answers; while it is away that happens anyway. */
  checkSoon(): void {
    if (this.status !== 'connected' || this.busy || this.closed) return;
    this.checking = this.check();
  }

  close(): void {
    this.ending.abort();
    if (this.timer) clearTimeout(this.timer);
    this.status = 'disconnected';
    this.reason = 'it was closed';
  }

  /** Once, however often it fails for the same reason. */
  private complain(reason: string): void {
    const { name, log } = this.watched;
    if (reason !== this.complaint) log.warn({ backend: name, reason }, 'a backend did not answer a question');
    this.complaint = reason;
  }

  /** Never rejects. */
  private async check(): Promise<void> {
    this.busy = true;
    if (this.timer) clearTimeout(this.timer);
    try {
      await within(CHECK_TIMEOUT_MS, this.ending.signal, (signal) => this.watched.check(signal));
      this.settle(null);
    } catch (error) {
      this.settle(error instanceof BackendError ? error.message : this.watched.explain(error));
    }
    this.busy = false;
  }

  private settle(reason: string | null): void {
    if (this.closed) return;
    const { name, log } = this.watched;
    if (reason !== null && reason !== this.reason) log.warn({ backend: name, reason }, 'a backend is away');
    if (reason === null && this.status === 'disconnected') log.info({ backend: name }, 'a backend is back');
    this.status = reason === null ? 'connected' : 'disconnected';
    this.reason = reason;
    const pauseMs = reason === null ? CHECK_EVERY_MS : this.pauseMs;
    this.pauseMs = reason === null ? RETRY_FIRST_MS : Math.min(this.pauseMs * 2, RETRY_MOST_MS);
    this.timer = setTimeout(() => {
      this.checking = this.check();
    }, pauseMs);
    this.timer.unref();
  }
}

/** What the task gives, or a BackendError when its time is over; it learns of that by the signal. */
async function within<T>(
  ms: number,
  ending: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  let stop: (why: string) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = (why) => {
      reject(new BackendError(why));
      over.abort();
    };
  });
  const timer = setTimeout(() => stop(`no answer within ${shownTime(ms)}`), ms);
  const onEnd = () => stop('it was closed');
  ending.addEventListener('abort', onEnd, { once: true });
  try {
    if (ending.aborted) throw new BackendError('it was closed');
    return await Promise.race([task(over.signal), stopped]);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', onEnd);
  }
}

const shownTime = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);
