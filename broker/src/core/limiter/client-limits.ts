import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Bursts } from '../bursts.ts';
import type { Entrance } from '../entrance.ts';
import type { ClientInfo } from '../hooks.ts';
import type { Timer, TimerWheel } from '../timer-wheel.ts';
import type { Level } from './config.ts';
import type { Gate } from './gate.ts';
import type { InLine, SharedBucket } from './shared-bucket.ts';
import type { Tally } from './tally.ts';

const QUIET_MS = 5000; // not held for so long: it begins anew

export const Verdict = { Go: 0, Wait: 1, Drop: 2 } as const;
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

/** Whose way is limited: a connection. */
export interface Limited {
  readonly who: ClientInfo | null;
  readonly entrance: Entrance;
  /** What had to wait may be tried again. */
  release(): void;
}

/** What the limits of all connections share. */
export interface Surroundings {
  readonly clock: { readonly now: number };
  readonly timers: TimerWheel;
  readonly bursts: Bursts;
  readonly tally: Tally;
  readonly waits: Set<Wait>;
}

/** A connection that waits for tokens: in the line of a bucket, until a moment, or both. */
export class Wait implements InLine {
  readonly limits: ClientLimits;
  readonly gate: Gate;
  readonly level: Level;
  readonly need: number;
  readonly cost: number;
  private timer: Timer | null = null;

  constructor(limits: ClientLimits, gate: Gate, level: Level, need: number, cost: number) {
    this.limits = limits;
    this.gate = gate;
    this.level = level;
    this.need = need;
    this.cost = cost;
  }

  /** `patienceMs`: then it is tried again in any case. */
  start(patienceMs: number): void {
    const { surroundings } = this.limits;
    const { timers, clock, waits } = surroundings;
    waits.add(this);
    let delayMs = patienceMs;
    if (this.level === 'client' || this.level === 'listener')
      delayMs = Math.min(delayMs, this.gate.msUntil(this.level, this.need, clock.now));
    else this.line?.queue(this);
    if (Number.isFinite(delayMs)) this.timer = timers.after(delayMs, () => this.wake());
  }

  served(): void {
    if (this.level === 'bucket' || this.level === 'node') this.gate.paid(this.level, this.cost);
    this.wake();
  }

  end(): void {
    this.limits.surroundings.waits.delete(this);
    this.timer?.cancel();
    this.line?.leave(this);
  }

  private get line(): SharedBucket | null {
    if (this.level === 'bucket') return this.gate.parts.bucket;
    return this.level === 'node' ? this.gate.parts.node : null;
  }

  /** A thousand that are woken together go one after the other. */
  private wake(): void {
    this.end();
    const { limits } = this;
    limits.surroundings.bursts.later(() => limits.tryAgain(this));
  }
}

/** The limits of one connection. Keeps its gates and, while it is held back, what it waits for. */
export class ClientLimits {
  readonly surroundings: Surroundings;
  readonly owner: Limited;
  readonly bytes: Gate | null;
  readonly messages: Gate | null;
  readonly routing: Gate | null;
  /** Since when it has been held back again and again; epoch ms. */
  since = 0;
  private heldAt = 0;
  private firstSince = 0; // when the one that is next began to wait; 0 = it does not
  private wait: Wait | null = null;

  constructor(
    surroundings: Surroundings,
    owner: Limited,
    bytes: Gate | null,
    messages: Gate | null,
    routing: Gate | null,
  ) {
    this.surroundings = surroundings;
    this.owner = owner;
    this.bytes = bytes;
    this.messages = messages;
    this.routing = routing;
  }

  /** Whether a chunk of bytes may be taken now; it is paid for when it may. Throws where the connection is to end. */
  admitBytes(length: number): Verdict {
    const gate = this.bytes;
    if (gate === null) return Verdict.Go;
    const verdict = this.ask(gate, gate.parts.limit.divisible ? 1 : length, length);
    if (verdict === Verdict.Go) this.pay(gate, length);
    return verdict;
  }

  /** Bytes that are there already and cannot wait any more. */
  oweBytes(length: number): void {
    this.bytes?.charge(length, this.surroundings.clock.now);
  }

  /** As `admitBytes`, for a PUBLISH; its deliveries are paid for when they are known, by `routed`. */
  admitPublish(): Verdict {
    const { messages, routing } = this;
    const asked = messages === null ? Verdict.Go : this.ask(messages, 1, 1);
    if (asked !== Verdict.Go) return asked;
    const then = routing === null ? Verdict.Go : this.ask(routing, 1, 1);
    if (then === Verdict.Go && messages !== null) this.pay(messages, 1);
    if (then === Verdict.Drop) messages?.giveBack();
    if (then !== Verdict.Wait) this.firstSince = 0;
    return then;
  }

  routed(deliveries: number): void {
    if (this.routing !== null) this.pay(this.routing, deliveries);
  }

  get waiting(): boolean {
    return this.wait !== null;
  }

  /** Only the one that waits now; an older one may be on its way when limits change. */
  tryAgain(wait: Wait): void {
    if (this.wait !== wait) return;
    this.wait = null;
    this.owner.release();
  }

  /** The connection ends, or gets other limits. */
  end(): void {
    this.wait?.end();
    this.wait = null;
    for (const gate of [this.bytes, this.messages, this.routing]) gate?.giveBack();
  }

  /** Those before hand over what they have saved and owe. */
  continue(before: ClientLimits): void {
    if (before.bytes !== null) this.bytes?.continue(before.bytes);
    if (before.messages !== null) this.messages?.continue(before.messages);
    if (before.routing !== null) this.routing?.continue(before.routing);
    this.since = before.since;
    this.heldAt = before.heldAt;
  }

  private ask(gate: Gate, need: number, cost: number): Verdict {
    const { clock, tally } = this.surroundings;
    const { now } = clock;
    const { type, limit, hits } = gate.parts;
    let level = gate.missing(need, now);
    if (level === null) return Verdict.Go;
    if (this.firstSince === 0) {
      this.firstSince = now;
      hits.held++;
      tally.missed(type, level);
      if (now - this.heldAt > QUIET_MS) this.since = now;
    }
    this.heldAt = now;
    const leftMs = limit.maxRetryMs - (now - this.firstSince);
    if (leftMs <= 0 && limit.strategy !== 'force') return this.giveUp(gate);
    if (leftMs <= 0 && level === 'client') {
      gate.forced = true;
      hits.forced++;
      level = gate.missing(need, now);
      if (level === null) return Verdict.Go;
    }
    const isForced = limit.strategy === 'force' && level !== 'client';
    this.wait = new Wait(this, gate, level, need, cost);
    this.wait.start(isForced ? Number.POSITIVE_INFINITY : leftMs);
    return Verdict.Wait;
  }

  private giveUp(gate: Gate): Verdict {
    const { limit, hits } = gate.parts;
    gate.giveBack();
    this.firstSince = 0;
    if (limit.strategy === 'throw') {
      hits.ended++;
      throw new MqttError(ReasonCode.QuotaExceeded, 'it sends more than its limit allows');
    }
    hits.dropped++;
    return Verdict.Drop;
  }

  private pay(gate: Gate, cost: number): void {
    gate.charge(cost, this.surroundings.clock.now);
    this.firstSince = 0;
  }
}
