import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TRACE_FILE_BYTES_MAX, TRACES_MAX, type TracePacket, type TraceType } from '@mqdeck/contract/traces';
import { filterMatches, parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { Core } from '../../core/core.ts';
import type { Collection, Store } from '../../core/store/store.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import type { TellRuleStep } from '../../resources/rule-steps.ts';
import { type LineFormat, lineOf, packetOf, type TraceEvent } from './line.ts';
import { Recorder, type Subject } from './recorder.ts';
import { TraceFile } from './trace-file.ts';

export interface TraceFacts extends LineFormat {
  name: string;
  type: TraceType;
  condition: string;
  startAt: number; // epoch ms
  endAt: number; // epoch ms
  /** Lines about these only; undefined = all. */
  packets?: readonly TracePacket[] | undefined;
  /** Before its end: by an operator, or because nothing more can be written. */
  stopped: 'operator' | 'size' | 'disk' | null;
}

interface StoredTrace extends TraceFacts {
  file: string; // its name
}

export type TraceStatus = 'waiting' | 'running' | 'stopped';

export interface TracesParts {
  core: Core;
  store: Store;
  /** Where the files are; null = a folder that goes with the broker. */
  folder: string | null;
  watchRules: (tell: TellRuleStep) => () => void;
  /** Of one trace. */
  fileBytesMax?: number;
}

/** What happens beyond it is counted, not written: nobody reads it, and the broker has other things to do. */
const LINES_PER_SECOND_MAX = 10_000;
/** A name is longer than that of a file may be: of such a one the file has a part, and a digest. */
const FILE_NAME_CHARS = 120;

/** One trace: its facts and its file. */
export class Trace {
  facts: StoredTrace;
  readonly file: TraceFile;
  running = false;
  private secondFrom = 0;
  private linesThen = 0;

  constructor(facts: StoredTrace, file: TraceFile) {
    this.facts = facts;
    this.file = file;
  }

  /** Whether there is room for one more line in this second. */
  mayWrite(now: number): boolean {
    if (Math.abs(now - this.secondFrom) >= 1000) {
      this.secondFrom = now;
      this.linesThen = 0;
    }
    return ++this.linesThen <= LINES_PER_SECOND_MAX;
  }

  status(now: number): TraceStatus {
    const { stopped, startAt, endAt } = this.facts;
    if (stopped !== null || now >= endAt) return 'stopped';
    return now < startAt ? 'waiting' : 'running';
  }

  wants({ who, message, earlierTopic, filter, ruleId }: Subject): boolean {
    const { type, condition } = this.facts;
    switch (type) {
      case 'clientid':
        return who?.clientid === condition || message?.from === condition;
      case 'ip_address':
        return who?.address === condition || message?.publisher?.address === condition;
      case 'ruleid':
        return ruleId === condition || message?.trail.includes(condition) === true;
      case 'topic':
        return (
          (message !== null && filterMatches(condition, message.topic)) ||
          (earlierTopic !== null && filterMatches(condition, earlierTopic)) ||
          (filter !== null && overlaps(condition, filter))
        );
    }
  }
}

/** Keeps the traces and their files. A trace begins and ends by the clock; what runs goes on after a restart. */
export class Traces {
  readonly folder: string;
  private readonly parts: TracesParts;
  private readonly stored: Collection<StoredTrace>;
  private readonly traces = new Map<string, Trace>();
  private running: Trace[] = [];
  private readonly recorder: Recorder;
  private timer: Timer | null = null;

  constructor(parts: TracesParts) {
    const { core, store, folder, watchRules } = parts;
    this.parts = parts;
    this.folder = folder ?? mkdtempSync(path.join(tmpdir(), 'mqdeck-trace-'));
    this.stored = store.collection<StoredTrace>('traces');
    this.recorder = new Recorder({ core, watchRules, audience: this });
  }

  /** Goes on with what ran when the broker ended. */
  async open(): Promise<void> {
    for (const { value } of this.stored.range()) {
      const trace = this.traceOf(value);
      await trace.file.look();
      this.traces.set(value.name, trace);
    }
    this.turn();
  }

  async close(): Promise<void> {
    this.timer?.cancel();
    this.recorder.stop();
    this.running = [];
    await Promise.all([...this.traces.values()].map(({ file }) => file.close()));
    if (this.parts.folder === null) rmSync(this.folder, { recursive: true, force: true });
  }

  get now(): number {
    return this.parts.core.clock.refresh();
  }

  get isFull(): boolean {
    return this.traces.size >= TRACES_MAX;
  }

  /** The latest start first. */
  all(): Trace[] {
    return [...this.traces.values()].sort((a, b) => b.facts.startAt - a.facts.startAt);
  }

  find(name: string): Trace | undefined {
    return this.traces.get(name);
  }

  /** That of one which is not over. */
  sameCondition(type: TraceType, condition: string): Trace | undefined {
    const { now } = this;
    return this.all().find(
      (trace) =>
        trace.facts.type === type && trace.facts.condition === condition && trace.status(now) !== 'stopped',
    );
  }

  /** Settles when it is kept. The name must be free. */
  async create(facts: TraceFacts): Promise<Trace> {
    const trace = this.traceOf({ ...facts, file: fileName(facts) });
    this.traces.set(facts.name, trace);
    this.stored.put(facts.name, trace.facts);
    this.turn();
    await this.parts.store.flushed();
    return trace;
  }

  /** One that is over stays as it is. */
  async stop(trace: Trace): Promise<void> {
    if (trace.status(this.now) === 'stopped') return;
    this.end(trace, 'operator');
    await trace.file.settled();
    await this.parts.store.flushed();
  }

  async remove(trace: Trace): Promise<void> {
    this.traces.delete(trace.facts.name);
    this.stored.remove(trace.facts.name);
    this.turn();
    await trace.file.remove();
    await this.parts.store.flushed();
  }

  // --- what happens

  wants(subject: Subject): boolean {
    for (const trace of this.running) if (trace.wants(subject)) return true;
    return false;
  }

  take(subject: Subject, event: TraceEvent): void {
    const lines = new Map<string, string>();
    for (const trace of [...this.running]) {
      if (!trace.wants(subject) || trace.facts.packets?.includes(packetOf(event)) === false) continue;
      if (!trace.mayWrite(event.at)) {
        trace.file.leaveOut();
        continue;
      }
      const { formatter, payloadEncode } = trace.facts;
      const form = `${formatter} ${payloadEncode}`;
      const line = lines.get(form) ?? lineOf(event, trace.facts);
      lines.set(form, line);
      trace.file.write(line);
    }
  }

  // --- the clock

  /** Begins and ends what is due, and comes back when the next one is. */
  private turn(): void {
    const { now } = this;
    let next = Number.POSITIVE_INFINITY;
    for (const trace of this.traces.values()) {
      const status = trace.status(now);
      const { startAt, endAt } = trace.facts;
      if (status === 'running' && !trace.running) this.begin(trace);
      if (status === 'stopped' && trace.running) this.finish(trace, 'its time is over');
      if (status === 'waiting') next = Math.min(next, startAt);
      if (status === 'running') next = Math.min(next, endAt);
    }
    this.running = [...this.traces.values()].filter(({ running }) => running);
    if (this.running.length > 0) this.recorder.start();
    else this.recorder.stop();
    this.timer?.cancel();
    this.timer = this.parts.core.timers.after(next - now, () => this.turn());
  }

  private begin(trace: Trace): void {
    trace.running = true;
    trace.file.start();
    const { type, condition, endAt } = trace.facts;
    trace.file.write(
      lineOf(this.own('trace_started', { type, condition, end_at: rfc3339(endAt) }), trace.facts),
    );
  }

  private finish(trace: Trace, reason: string): void {
    trace.running = false;
    trace.file.write(lineOf(this.own('trace_stopped', { reason }), trace.facts));
    trace.file.close().catch((err: unknown) => {
      this.parts.core.log.warn({ err, trace: trace.facts.name }, 'the file of a trace did not end well');
    });
  }

  private end(trace: Trace, stopped: NonNullable<TraceFacts['stopped']>): void {
    const { facts } = trace;
    // What never began keeps its times
    const endAt = trace.running ? Math.min(facts.endAt, this.now) : facts.endAt;
    trace.facts = { ...facts, endAt, stopped };
    this.stored.put(trace.facts.name, trace.facts);
    if (trace.running)
      this.finish(trace, stopped === 'operator' ? 'it was stopped' : 'nothing more is written');
    this.turn();
  }

  private own(msg: string, facts: Record<string, unknown>): TraceEvent {
    return {
      at: this.now,
      tag: 'TRACE',
      msg,
      peer: null,
      messageId: null,
      facts,
      payload: null,
      result: null,
    };
  }

  private traceOf(facts: StoredTrace): Trace {
    const { core, fileBytesMax = TRACE_FILE_BYTES_MAX } = this.parts;
    const file = new TraceFile(
      path.join(this.folder, facts.file),
      fileBytesMax,
      (what, lines) =>
        lineOf(
          what === 'full'
            ? this.own('trace_full', { bytes_max: fileBytesMax })
            : this.own('lines_left_out', { lines }),
          facts,
        ),
      (why, reason) => {
        core.log.warn({ trace: facts.name, reason }, 'a trace stops before its end');
        if (this.traces.get(facts.name) === trace) this.end(trace, why);
      },
    );
    const trace = new Trace(facts, file);
    return trace;
  }
}

function fileName({ name, startAt }: TraceFacts): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  const short = name.length > FILE_NAME_CHARS ? `${name.slice(0, FILE_NAME_CHARS)}-${digest}` : name;
  return `trace_${short}_${rfc3339(startAt).slice(0, 10)}.log`;
}

/** Whether a filter that somebody subscribes to, or a topic, is of interest to a trace of `traced`. */
function overlaps(traced: string, filter: string): boolean {
  const plain = parseShared(filter)?.filter ?? parseExclusive(filter) ?? filter;
  return plain === traced || filterMatches(traced, plain) || filterMatches(plain, traced);
}
