import { SqlFault } from '@mqdeck/rulesql/errors';
import type { Log } from '../core/core.ts';
import type { Store } from '../core/store/store.ts';
import { DeliveryError, type Driver, type Row } from './driver.ts';
import { ResourceMetrics } from './metrics.ts';
import { DiskQueue, forgetQueues, MemoryQueue, type Queued, type RowQueue, spreadOver } from './queue.ts';
import { tellFate } from './row-fate.ts';

export type ResourceStatus = 'connecting' | 'connected' | 'disconnected' | 'stopped';

export interface ResourceOptions {
  /** Rows of one publisher keep their order: they go through the same one of so many lanes. */
  lanes: number;
  /** Deliveries of a lane on their way at once; more than one may change the order. */
  window: number;
  batchSize: number;
  batchTimeMs: number; // to wait for a batch to fill
  maxBufferBytes: number;
  requestTtlMs: number; // Infinity: a row waits for ever
  healthCheckMs: number;
  autoRestartMs: number; // between attempts to open, at most; Infinity: no second attempt
  startTimeoutMs: number;
  /** Rows wait on disk, not in memory. */
  disk: boolean;
}

export interface ResourceParts {
  /** `mysql:orders`. */
  id: string;
  /** Made anew for each start. */
  makeDriver: (on: { receive(row: Row): void; broken(reason: string): void }) => Driver;
  options: ResourceOptions;
  store: Store;
  log: Log;
  clock: { readonly now: number };
  /** Told of each change of status. */
  onStatus?: (status: ResourceStatus, reason: string | null) => void;
  onReceive?: (row: Row) => void;
}

const FIRST_PAUSE_MS = 500;
const RETRY_MOST_MS = 15_000;
const DELIVERY_MOST_MS = 60_000; // where a row may wait for ever, a single attempt may not
const CLOSE_PATIENCE_MS = 2000; // the process has 4 s to end
const TIMER_MAX_MS = 2 ** 31 - 1; // a longer one would run at once

/**
 * Keeps a target reachable and brings it rows: opens it, asks whether it is well, opens it again; buffers what it cannot
 * take, retries what it refused for now, gives up what it will never take, and counts all of that.
 */
export class Resource {
  readonly id: string;
  readonly metrics: ResourceMetrics;
  status: ResourceStatus = 'stopped';
  /** Why it is disconnected, for operators; null otherwise. */
  reason: string | null = null;
  private readonly parts: ResourceParts;
  private readonly lanes: Lane[];
  private driver: Driver | null = null;
  private ending = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private pauseMs = FIRST_PAUSE_MS;
  private checking = false;

  constructor(parts: ResourceParts) {
    const { id, options, store, clock } = parts;
    this.id = id;
    this.parts = parts;
    this.metrics = new ResourceMetrics(clock);
    const lanes = Math.max(1, options.lanes);
    if (options.disk) spreadOver(store, id, (row) => laneOf(row, lanes));
    this.lanes = Array.from({ length: lanes }, (_, lane) => {
      const queue = options.disk ? new DiskQueue(store, id, lane) : new MemoryQueue();
      return new Lane(this, queue, parts);
    });
  }

  get values() {
    let [queuing, bytes, inflight] = [0, 0, 0];
    for (const lane of this.lanes) {
      queuing += lane.queue.length - lane.inflight;
      bytes += lane.queue.bytes;
      inflight += lane.inflight;
    }
    return this.metrics.values(queuing, bytes, inflight);
  }

  get running(): boolean {
    return this.status !== 'stopped';
  }

  /** Settles when the first attempt to open is over; never rejects. */
  async start(): Promise<void> {
    if (this.running) return;
    this.ending = new AbortController();
    this.pauseMs = FIRST_PAUSE_MS;
    this.become('connecting', null);
    await this.open();
  }

  /** What waits in memory is lost and counted; what waits on disk stays. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.become('stopped', null);
    this.ending.abort();
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    for (const lane of this.lanes) lane.stop();
    await this.closeDriver();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Forgets what waits, also on disk. */
  async remove(): Promise<void> {
    await this.stop();
    for (const lane of this.lanes) lane.queue.clear();
    forgetQueues(this.parts.store, this.id); // also what other settings have left on disk
  }

  send(row: Row): 'queued' | 'stored' | 'stopped' {
    this.metrics.matched();
    if (!this.running) {
      this.metrics.drop('resource_stopped');
      return 'stopped';
    }
    const { options, clock } = this.parts;
    const lane = this.lanes.length === 1 ? this.lanes[0]! : this.lanes[laneOf(row, this.lanes.length)]!;
    lane.queue.push(row, clock.now + options.requestTtlMs);
    const share = options.maxBufferBytes / this.lanes.length;
    if (lane.queue.bytes > share) this.metrics.drop('queue_full', lane.queue.shrinkTo(share));
    lane.pumpSoon();
    return options.disk ? 'stored' : 'queued';
  }

  /** For a lane: something failed that may be the target's trouble. */
  doubt(reason: string): void {
    if (this.status === 'connected') void this.check(reason);
  }

  // --- the target

  private async open(): Promise<void> {
    const { makeDriver, options, onReceive } = this.parts;
    const { signal } = this.ending;
    const driver = makeDriver({
      receive: (row) => {
        this.metrics.add('received');
        onReceive?.(row);
      },
      broken: (reason) => {
        if (this.driver === driver) this.fail(reason);
      },
    });
    this.driver = driver;
    try {
      await within(options.startTimeoutMs, signal, (own) => driver.open(own));
      if (signal.aborted || this.driver !== driver) return;
      this.pauseMs = FIRST_PAUSE_MS;
      this.become('connected', null);
      this.later(options.healthCheckMs, () => this.check(null));
      for (const lane of this.lanes) lane.pumpSoon();
    } catch (cause) {
      if (!signal.aborted && this.driver === driver) this.fail(reasonOf(cause));
    }
  }

  /** Asks whether the target is well; `doubt` is why somebody thinks that it is not. */
  private async check(doubt: string | null): Promise<void> {
    if (this.checking || !this.driver) return;
    const { driver } = this;
    const { signal } = this.ending;
    this.checking = true;
    try {
      await within(this.parts.options.startTimeoutMs, signal, (own) => driver.check(own));
      if (!signal.aborted && this.driver === driver)
        this.later(this.parts.options.healthCheckMs, () => this.check(null));
    } catch (cause) {
      if (!signal.aborted && this.driver === driver) this.fail(doubt ?? reasonOf(cause));
    } finally {
      this.checking = false;
    }
  }

  private fail(reason: string): void {
    if (!this.running) return;
    this.become('disconnected', reason);
    void this.closeDriver();
    const { autoRestartMs } = this.parts.options;
    if (!Number.isFinite(autoRestartMs)) return;
    const pauseMs = this.pauseMs;
    this.pauseMs = Math.min(this.pauseMs * 2, Math.max(FIRST_PAUSE_MS, autoRestartMs));
    this.later(pauseMs, () => this.open());
  }

  private async closeDriver(): Promise<void> {
    const { driver } = this;
    this.driver = null;
    if (!driver) return;
    const patience = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_PATIENCE_MS).unref());
    await Promise.race([driver.close(), patience]).catch((err: unknown) =>
      this.parts.log.debug({ err, bridge: this.id }, 'a bridge did not close properly'),
    );
  }

  private become(status: ResourceStatus, reason: string | null): void {
    const isNews = status !== this.status || reason !== this.reason;
    this.status = status;
    this.reason = reason;
    if (!isNews) return;
    if (status === 'disconnected')
      this.parts.log.warn({ bridge: this.id, reason }, 'a bridge is disconnected');
    else if (status === 'connected') this.parts.log.info({ bridge: this.id }, 'a bridge is connected');
    this.parts.onStatus?.(status, reason);
  }

  private later(ms: number, run: () => Promise<void>): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void run(), Math.min(ms, TIMER_MAX_MS));
    this.timer.unref();
  }

  /** For a lane: delivers, or rejects with a DeliveryError. */
  async deliver(rows: readonly Row[]): Promise<number> {
    const { driver } = this;
    if (!driver || this.status !== 'connected') throw new DeliveryError('it is not connected', true);
    const ms = Math.min(this.parts.options.requestTtlMs, DELIVERY_MOST_MS);
    try {
      return (await within(ms, this.ending.signal, (signal) => driver.deliver(rows, signal))) ?? 0;
    } catch (cause) {
      if (cause instanceof DeliveryError) throw cause;
      // Too deep or too long to be written: that does not change
      const isOfRows = cause instanceof RangeError || cause instanceof SqlFault;
      throw new DeliveryError(reasonOf(cause), !isOfRows);
    }
  }
}

/** One way through a resource: rows leave it in their order, as long as one delivery is on its way at a time. */
class Lane {
  readonly queue: RowQueue;
  /** Rows on their way. */
  inflight = 0;
  private readonly resource: Resource;
  private readonly parts: ResourceParts;
  private deliveries = 0;
  private soon = false;
  private timer: NodeJS.Timeout | null = null;
  private waitedFor = false; // the batch at hand had its time to fill
  private retryMs = 0; // 0: the last delivery went well

  constructor(resource: Resource, queue: RowQueue, parts: ResourceParts) {
    this.resource = resource;
    this.queue = queue;
    this.parts = parts;
  }

  /** After this turn of the event loop: its messages make one batch. */
  pumpSoon(): void {
    if (this.soon) return;
    this.soon = true;
    setImmediate(() => {
      this.soon = false;
      this.pump();
    });
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.retryMs = 0;
    if (this.parts.options.disk) return;
    this.resource.metrics.drop('other', this.queue.length);
    this.queue.clear();
    this.inflight = 0;
  }

  private pump(): void {
    const { options } = this.parts;
    while (this.resource.status === 'connected' && this.deliveries < options.window && this.timer === null) {
      const waiting = this.queue.length - this.inflight;
      if (waiting === 0) return;
      if (waiting < options.batchSize && options.batchTimeMs > 0 && !this.waitedFor) {
        this.waitedFor = true;
        this.wait(options.batchTimeMs);
        return;
      }
      this.waitedFor = false;
      const taken = this.queue.take(options.batchSize);
      if (taken.length === 0) return;
      const rows = this.alive(taken);
      if (rows.length > 0) void this.deliver(rows);
    }
  }

  private wait(ms: number): void {
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.pump();
      },
      Math.min(ms, TIMER_MAX_MS),
    );
    this.timer.unref();
  }

  private alive(rows: Queued[]): Queued[] {
    const { now } = this.parts.clock;
    const expired = rows.filter(({ expiresAt }) => expiresAt <= now);
    if (expired.length === 0) return rows;
    this.queue.done(expired);
    this.resource.metrics.drop('expired', expired.length);
    tellFate(expired, this.resource.id, 'expired');
    return rows.filter(({ expiresAt }) => expiresAt > now);
  }

  private async deliver(rows: readonly Queued[]): Promise<void> {
    const { metrics } = this.resource;
    this.deliveries++;
    this.inflight += rows.length;
    if (this.retryMs > 0) metrics.add('retried', rows.length);
    try {
      const refused = await this.resource.deliver(rows.map(({ row }) => row));
      if (rows.some(({ expiresAt }) => expiresAt <= this.parts.clock.now))
        metrics.add('late_reply', rows.length);
      this.settle(rows, () => {
        metrics.add('success', rows.length - refused);
        metrics.add('failed', refused);
        this.queue.done(rows);
        tellFate(
          rows,
          this.resource.id,
          refused === rows.length ? 'failed' : 'sent',
          refusedText(refused, rows),
        );
      });
      this.retryMs = 0;
    } catch (cause) {
      const { message, recoverable } = cause as DeliveryError;
      this.settle(rows, () => {
        tellFate(rows, this.resource.id, recoverable ? 'retried' : 'failed', message);
        if (recoverable) this.queue.giveBack(rows);
        else {
          metrics.add('failed', rows.length);
          this.queue.done(rows);
          this.parts.log.warn(
            { bridge: this.resource.id, reason: message, rows: rows.length },
            'a bridge could not deliver',
          );
        }
      });
      if (recoverable && this.resource.running) {
        this.retryMs = Math.min(this.retryMs === 0 ? FIRST_PAUSE_MS : this.retryMs * 2, RETRY_MOST_MS);
        if (this.timer === null) this.wait(this.retryMs);
        this.resource.doubt(message);
      }
    }
    this.pump();
  }

  /** A lane that was stopped meanwhile has forgotten these rows, unless they are on disk. */
  private settle(rows: readonly Queued[], run: () => void): void {
    this.deliveries--;
    if (this.inflight === 0) return;
    this.inflight -= rows.length;
    run();
  }
}

/** By the publisher, so that his messages keep their order. */
function laneOf(row: Row, lanes: number): number {
  const key = typeof row.clientid === 'string' ? row.clientid : '';
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) >>> 0;
  return hash % lanes;
}

/** The target does not say which rows of a batch it refused. */
const refusedText = (refused: number, { length }: readonly unknown[]): string | null =>
  refused === 0 ? null : `the target refused ${refused} of the ${length} rows of its batch`;

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** What the task gives; rejects when its time is over, and tells it so by its signal. */
async function within<T>(
  ms: number,
  ending: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  let stop: (why: string) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = (why) => {
      reject(new DeliveryError(why, true));
      over.abort();
    };
  });
  const timer = ms <= TIMER_MAX_MS ? setTimeout(() => stop(`no answer within ${ms / 1000} s`), ms) : null; // or as good as never
  const onEnd = () => stop('it was stopped');
  ending.addEventListener('abort', onEnd, { once: true });
  try {
    if (ending.aborted) throw new DeliveryError('it was stopped', true);
    return await Promise.race([task(over.signal), stopped]);
  } finally {
    if (timer) clearTimeout(timer);
    ending.removeEventListener('abort', onEnd);
  }
}
