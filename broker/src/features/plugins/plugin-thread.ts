/// <reference path="./source.d.ts" />
import { Worker } from 'node:worker_threads';
import type { FromPlugin, HookName, LogLevel, StartedWith, ToPlugin, Trail } from './protocol.ts';
import { bytesOf, readSaid } from './said.ts';
import { reasonOf, textOf } from './text-of.ts';
import workerText from './worker.ts?source';

/** What a plugin may take before it is stopped. */
export interface PluginLimits {
  startMs: number;
  /** For one answer. */
  answerMs: number;
  /** So long nothing at all may be heard of it. */
  silenceMs: number;
  stopMs: number;
  heapMb: number;
  /** Buffers and the like, which are no part of the heap. */
  outsideMb: number;
  /** Questions that wait for an answer; more are not asked. */
  askedMax: number;
  /** What it was told of and has not heard yet; more is not told. */
  toldMax: number;
  /** In a row, then it is taken for broken. */
  failuresMax: number;
  /** What it says in a second; no honest plugin comes near. */
  saidPerSecondMax: number;
  saidBytesPerSecondMax: number;
}

export const PLUGIN_LIMITS: PluginLimits = {
  startMs: 10_000,
  answerMs: 1000,
  silenceMs: 5000,
  stopMs: 2000,
  heapMb: 128,
  outsideMb: 256,
  askedMax: 1000,
  toldMax: 10_000,
  failuresMax: 10,
  saidPerSecondMax: 100_000,
  saidBytesPerSecondMax: 256 * 1024 ** 2,
};

const PUBLISH = { waitingMax: 1000, waitingBytesMax: 16 * 1024 ** 2 };
const LOG_LINES_PER_SECOND = 50;
/** Two of its seconds may fall into one of ours, and it adds a line of its own to each. */
const LOG_LINES_TAKEN_PER_SECOND = 2 * LOG_LINES_PER_SECOND + 2;
const LOOK_MS = 100;
const PING_MS = 1000;
/** Of what it prints; the rest of a second is left out. */
const PRINTED_CHARS_MAX = 16_000;

export interface ThreadEvents {
  /** More than that no message can be. */
  packetBytesMax(): number;
  /** A message that it wants published; the answer is why it cannot be. */
  publish(message: unknown, trail: Trail): Promise<string | null>;
  log(level: LogLevel, text: string): void;
  /** It has ended though nobody wanted it to. Called once. */
  failed(reason: string): void;
  /** A single answer failed, or did not come in time; the plugin goes on. */
  stumbled(reason: string, late: boolean): void;
}

/** The plugin did not answer, or failed at it: whoever asked goes by the failed action. */
export class NoAnswer extends Error {}

interface Asked {
  hook: HookName;
  until: number; // by performance.now()
  read: (answer: unknown) => unknown;
  resolve: (answer: unknown) => void;
  reject: (fault: NoAnswer) => void;
}

/**
 * A plugin in its own thread: asks it, tells it, and ends it when it takes more than its limits. Keeps what it was asked
 * and has not answered.
 */
export class PluginThread {
  /** What it takes of heap and buffers, as it last said; null = it has not said yet. */
  memoryBytes: number | null = null;
  private readonly worker: Worker;
  private readonly events: ThreadEvents;
  private readonly limits: PluginLimits;
  private readonly asked = new Map<number, Asked>(); // in the order of their deadlines
  private lastId = 0;
  private toldWaiting = 0;
  private lost = 0;
  private outgoing: ToPlugin[] = [];
  private pinged = { id: 0, at: 0 };
  private unanswered = false;
  private failures = 0;
  private saidThisSecond = 0;
  private saidBytesThisSecond = 0;
  private loggedThisSecond = 0;
  private publishing = 0;
  private printedThisSecond = 0;
  private over = false;
  private startedOrNot: { resolve: () => void; reject: (cause: Error) => void } | null = null;
  private stopped: (() => void) | null = null;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly exited: Promise<unknown>;

  constructor(
    given: Pick<StartedWith, 'main' | 'hooks' | 'config'>,
    events: ThreadEvents,
    limits: PluginLimits,
  ) {
    this.events = events;
    this.limits = limits;
    const data: StartedWith = { ...given, publish: PUBLISH, logLinesPerSecond: LOG_LINES_PER_SECOND };
    this.worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(workerText)}`), {
      workerData: data,
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    });
    this.worker.on('message', (batch: unknown) => this.guarded(() => this.hear(batch)));
    this.worker.on('messageerror', () => this.fail('what it says cannot be read'));
    this.worker.on('error', (cause: unknown) => this.guarded(() => this.fail(this.endOf(cause))));
    this.exited = new Promise((resolve) => this.worker.once('exit', resolve));
    void this.exited.then((code) => this.fail(`its thread ended by itself, with the code ${code}`));
    for (const stream of [this.worker.stdout, this.worker.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.guarded(() => this.print(text)));
    this.timers.push(
      setInterval(() => this.expire(), LOOK_MS).unref(),
      setInterval(() => this.ping(), Math.min(PING_MS, limits.silenceMs / 2)).unref(),
      setInterval(() => this.newSecond(), 1000).unref(),
    );
  }

  /** Settles when it runs; rejects with why it does not. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { startMs } = this.limits;
      const late = setTimeout(() => this.fail(`it did not start within ${startMs / 1000} s`), startMs);
      this.timers.push(late);
      this.startedOrNot = {
        resolve: () => {
          clearTimeout(late);
          resolve();
        },
        reject,
      };
    });
  }

  /** Rejects with NoAnswer; `read` throws when an answer cannot be used, which is none either. */
  ask<T>(hook: HookName, told: readonly unknown[], trail: Trail, read: (answer: unknown) => T): Promise<T> {
    if (this.over) return Promise.reject(new NoAnswer('it does not run'));
    if (this.asked.size >= this.limits.askedMax)
      return Promise.reject(new NoAnswer('too many questions wait for it'));
    const id = ++this.lastId;
    this.say({ do: 'ask', id, hook, told, trail, bytesMax: this.events.packetBytesMax() });
    return new Promise((resolve, reject) => {
      const until = performance.now() + this.limits.answerMs;
      this.asked.set(id, { hook, until, read, resolve: (answer) => resolve(answer as T), reject });
    });
  }

  tell(hook: HookName, told: readonly unknown[], trail: Trail): void {
    if (this.over) return;
    if (this.toldWaiting >= this.limits.toldMax) {
      this.lost++;
      return;
    }
    this.toldWaiting++;
    this.say({ do: 'tell', hook, told, trail });
  }

  configure(config: object): void {
    if (!this.over) this.say({ do: 'configure', config });
  }

  /** Of one that has not started: it need not any more. */
  giveUp(): void {
    if (this.startedOrNot !== null) this.fail('it was stopped before it ran');
  }

  /** Lets it end by itself for a while. */
  async stop(): Promise<void> {
    if (!this.over) {
      await new Promise<void>((resolve) => {
        this.stopped = resolve;
        this.timers.push(setTimeout(resolve, this.limits.stopMs));
        this.say({ do: 'stop' });
      });
    }
    this.end('it was stopped');
    await this.exited;
  }

  private say(one: ToPlugin): void {
    if (this.outgoing.length === 0) setImmediate(() => this.flush());
    this.outgoing.push(one);
  }

  private flush(): void {
    const batch = this.outgoing;
    this.outgoing = [];
    if (!this.over) this.worker.postMessage(batch);
  }

  // --- what it says

  private hear(batch: unknown): void {
    if (this.over) return;
    if (!Array.isArray(batch)) {
      this.fail('what it says cannot be understood');
      return;
    }
    if (this.isTooMuch(batch)) {
      this.fail('it says more than anybody can listen to');
      return;
    }
    for (const one of batch as unknown[]) {
      if (this.over) return;
      const said = readSaid(one);
      if (said === null) this.fail('what it says cannot be understood');
      else this.take(said);
    }
  }

  /** Of the worker's queue no more is read once it is ended. */
  private isTooMuch(batch: readonly unknown[]): boolean {
    const { saidPerSecondMax, saidBytesPerSecondMax } = this.limits;
    this.saidThisSecond += Math.max(1, batch.length);
    if (this.saidThisSecond > saidPerSecondMax) return true;
    const bytesMax = Math.max(saidBytesPerSecondMax, 4 * this.events.packetBytesMax());
    this.saidBytesThisSecond += bytesOf(batch, bytesMax);
    return this.saidBytesThisSecond > bytesMax;
  }

  /** What comes of its words ends at most itself. */
  private guarded(run: () => void): void {
    try {
      run();
    } catch (cause) {
      this.fail(`what it says cannot be taken: ${textOf(cause)}`);
    }
  }

  private take(one: FromPlugin): void {
    switch (one.did) {
      case 'start':
        this.startedOrNot?.resolve();
        this.startedOrNot = null;
        break;
      case 'fail':
        this.fail(one.reason);
        break;
      case 'answer':
        this.answered(one.id, one.answer);
        break;
      case 'throw': {
        const asked = this.settle(one.id);
        if (asked) this.stumble(asked, one.reason);
        break;
      }
      case 'hear':
        this.toldWaiting = Math.max(0, this.toldWaiting - one.count);
        break;
      case 'publish':
        this.publish(one);
        break;
      case 'log':
        if (this.loggedThisSecond++ < LOG_LINES_TAKEN_PER_SECOND) this.events.log(one.level, one.text);
        break;
      case 'pong':
        if (one.id === this.pinged.id) this.unanswered = false;
        this.memoryBytes = one.heapBytes + one.outsideBytes;
        if (one.outsideBytes > this.limits.outsideMb * 1024 ** 2)
          this.fail(`its buffers take more than ${this.limits.outsideMb} MB`);
        break;
      case 'stop':
        this.stopped?.();
        break;
    }
  }

  private publish({ id, message, trail }: Extract<FromPlugin, { did: 'publish' }>): void {
    if (++this.publishing > PUBLISH.waitingMax) {
      this.fail('it publishes more than it may');
      return;
    }
    void this.events.publish(message, trail).then((fault) => {
      this.publishing--;
      this.say({ do: 'published', id, fault });
    });
  }

  /** Only an answer that can be used is one. */
  private answered(id: number, answer: unknown): void {
    const asked = this.settle(id);
    if (!asked) return;
    try {
      asked.resolve(asked.read(answer));
      this.failures = 0;
    } catch (cause) {
      this.stumble(asked, reasonOf(cause));
    }
  }

  private settle(id: number): Asked | undefined {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    return asked;
  }

  /** Something has gone wrong with one answer; one that goes wrong each time is broken. */
  private stumble({ hook, reject }: Asked, reason: string, late = false): void {
    reject(new NoAnswer(reason));
    this.events.stumbled(`${hook}: ${reason}`, late);
    if (++this.failures >= this.limits.failuresMax)
      this.fail(`${this.failures} answers in a row failed, the last one at ${hook}: ${reason}`);
  }

  private print(text: string): void {
    if (this.printedThisSecond < PRINTED_CHARS_MAX) this.events.log('info', text.trimEnd().slice(0, 4000));
    this.printedThisSecond += text.length;
  }

  // --- time

  private expire(): void {
    const now = performance.now();
    const late = [...this.asked].filter(([, { until }]) => until <= now);
    if (late.length === 0) return;
    // An answer that is here already, and waits only because this process was busy, is in time.
    setImmediate(() => {
      for (const [id, asked] of late)
        if (this.asked.delete(id)) this.stumble(asked, `no answer within ${this.limits.answerMs} ms`, true);
    });
  }

  private ping(): void {
    if (this.over) return;
    const now = performance.now();
    if (!this.unanswered) {
      this.pinged = { id: this.pinged.id + 1, at: now };
      this.unanswered = true;
      this.say({ do: 'ping', id: this.pinged.id });
      return;
    }
    if (this.startedOrNot !== null || now - this.pinged.at < this.limits.silenceMs) return;
    const { id } = this.pinged;
    setImmediate(() => {
      if (this.unanswered && this.pinged.id === id)
        this.fail(`it was busy with itself for more than ${this.limits.silenceMs / 1000} s`);
    });
  }

  private newSecond(): void {
    this.saidThisSecond = 0;
    this.saidBytesThisSecond = 0;
    this.loggedThisSecond = 0;
    this.printedThisSecond = 0;
    if (this.lost === 0) return;
    this.events.log('warn', `it was too slow to be told of ${this.lost} events`);
    this.lost = 0;
  }

  // --- its end

  private endOf(cause: unknown): string {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return `it takes more than ${this.limits.heapMb} MB of memory`;
    return textOf(cause);
  }

  private fail(reason: string): void {
    if (this.over) return;
    const waits = this.startedOrNot;
    this.end(reason);
    if (waits) waits.reject(new Error(reason));
    else this.events.failed(reason);
  }

  private end(reason: string): void {
    if (this.over) return;
    this.over = true;
    for (const timer of this.timers) clearTimeout(timer);
    void this.worker.terminate();
    this.stopped?.();
    const fault = new NoAnswer(reason);
    for (const { reject } of this.asked.values()) reject(fault);
    this.asked.clear();
  }
}
