import { randomInt } from 'node:crypto';
import type { Timer, TimerWheel } from '../../../core/timer-wheel.ts';
import type { Budget } from './budget.ts';
import type { CoapMessage, MessageType } from './message.ts';

// RFC 7252, 4.8
const ACK_TIMEOUT_MS = 2000;
const ACK_RANDOM_FACTOR = 1.5;
const MAX_RETRANSMIT = 4;

const WAITING_MAX = 1000;
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** So many unconfirmed messages in a row, and the next one asks whether anybody is there [RFC 7641, 4.5 and 7]. */
const UNCONFIRMED_MAX = 32;
/** A peer that fetches a body block by block is given this long for its next question. */
const NEXT_BLOCK_MS = 10_000;

/** Why something that was sent did no good. */
export type Failure = 'reset' | 'lost' | 'closed';

export interface Outgoing {
  readonly confirmable: boolean;
  readonly bytes: number; // about
  /** Written when its turn comes; null: nobody wants it any more. */
  write(messageId: number, type: MessageType): Buffer | null;
  onSent?(): void;
  onAcked?(): void;
  onFailed(why: Failure): void;
  /** It is the first part of this: what comes next waits until the peer has fetched the rest, or lost interest. */
  readonly body?: object | undefined;
}

interface InFlight {
  readonly outgoing: Outgoing;
  readonly messageId: number;
  readonly datagram: Buffer;
  timeoutMs: number;
  attempts: number;
  timer: Timer;
}

/**
 * What is to be sent to a peer, in its order: one confirmable message at a time, again and again until it is acknowledged
 * (RFC 7252, 4.2 and 4.7). Keeps what waits, within bounds.
 */
export class Outbox {
  private readonly timers: TimerWheel;
  private readonly budget: Budget;
  private readonly send: (datagram: Buffer) => void;
  private readonly takeMessageId: () => number;
  private readonly onLost: () => void;
  private readonly waiting: Outgoing[] = [];
  private waitingBytes = 0;
  private inFlight: InFlight | null = null;
  /** Unconfirmed ones that may still be refused. */
  private readonly unconfirmed = new Map<number, Outgoing>();
  private unconfirmedInARow = 0;
  private holding: { body: object; timer: Timer } | null = null;
  private closed = false;

  constructor(given: {
    timers: TimerWheel;
    budget: Budget;
    send: (datagram: Buffer) => void;
    takeMessageId: () => number;
    onLost: () => void;
  }) {
    this.timers = given.timers;
    this.budget = given.budget;
    this.send = given.send;
    this.takeMessageId = given.takeMessageId;
    this.onLost = given.onLost;
  }

  /** False: too much is waiting already. */
  push(outgoing: Outgoing, place: 'first' | 'last' = 'last'): boolean {
    if (this.closed || this.isFull(outgoing.bytes) || !this.budget.take(outgoing.bytes)) return false;
    this.waitingBytes += outgoing.bytes;
    if (place === 'first') this.waiting.unshift(outgoing);
    else this.waiting.push(outgoing);
    this.pump();
    return true;
  }

  /** An acknowledgement or a reset. */
  onReply({ type, messageId }: CoapMessage): void {
    const { inFlight } = this;
    if (inFlight?.messageId === messageId) {
      this.landed(inFlight);
      if (type === 'RST') inFlight.outgoing.onFailed('reset');
      else inFlight.outgoing.onAcked?.();
      this.pump();
    } else if (type === 'RST') {
      const refused = this.unconfirmed.get(messageId);
      this.unconfirmed.delete(messageId);
      refused?.onFailed('reset');
    }
  }

  /** It has arrived, whether or not that was acknowledged. */
  arrived(messageId: number): void {
    if (this.inFlight?.messageId !== messageId) return;
    this.landed(this.inFlight);
    this.pump();
  }

  /** The peer is there. */
  heard(): void {
    this.unconfirmedInARow = 0;
  }

  /** The peer has fetched a part of a body, perhaps the last one. */
  fetched(body: object, more: boolean): void {
    if (this.holding?.body !== body) return;
    if (more) this.hold(body);
    else this.release();
  }

  close(): void {
    this.closed = true;
    this.holding?.timer.cancel();
    this.inFlight?.timer.cancel();
    const left = this.inFlight ? [this.inFlight.outgoing, ...this.waiting] : this.waiting.slice();
    this.inFlight = null;
    this.holding = null;
    this.waiting.length = 0;
    this.unconfirmed.clear();
    this.budget.give(this.waitingBytes);
    this.waitingBytes = 0;
    for (const outgoing of left) outgoing.onFailed('closed');
  }

  private isFull(bytes: number): boolean {
    if (this.waiting.length >= WAITING_MAX) return true;
    return this.waiting.length > 0 && this.waitingBytes + bytes > WAITING_BYTES_MAX;
  }

  private pump(): void {
    while (!this.closed && this.inFlight === null && this.holding === null) {
      const outgoing = this.waiting.shift();
      if (outgoing === undefined) return;
      this.waitingBytes -= outgoing.bytes;
      this.budget.give(outgoing.bytes);
      const confirmable = outgoing.confirmable || this.unconfirmedInARow >= UNCONFIRMED_MAX;
      const messageId = this.takeMessageId();
      const datagram = outgoing.write(messageId, confirmable ? 'CON' : 'NON');
      if (datagram === null) continue;
      if (outgoing.body) this.hold(outgoing.body);
      if (confirmable) this.launch(outgoing, messageId, datagram);
      else this.sendUnconfirmed(outgoing, messageId, datagram);
      outgoing.onSent?.();
    }
  }

  private sendUnconfirmed(outgoing: Outgoing, messageId: number, datagram: Buffer): void {
    this.unconfirmedInARow++;
    this.unconfirmed.set(messageId, outgoing);
    const [oldest] = this.unconfirmed.keys();
    if (this.unconfirmed.size > UNCONFIRMED_MAX && oldest !== undefined) this.unconfirmed.delete(oldest);
    this.send(datagram);
  }

  private launch(outgoing: Outgoing, messageId: number, datagram: Buffer): void {
    // Not the same for all, so that those who lost something together do not ask again together (4.8)
    const timeoutMs = randomInt(ACK_TIMEOUT_MS, ACK_TIMEOUT_MS * ACK_RANDOM_FACTOR + 1);
    const timer = this.timers.after(timeoutMs, () => this.again(inFlight));
    const inFlight: InFlight = { outgoing, messageId, datagram, timeoutMs, attempts: 0, timer };
    this.inFlight = inFlight;
    this.send(datagram);
  }

  private again(inFlight: InFlight): void {
    if (inFlight.attempts < MAX_RETRANSMIT) {
      inFlight.attempts++;
      inFlight.timeoutMs *= 2;
      inFlight.timer = this.timers.after(inFlight.timeoutMs, () => this.again(inFlight));
      this.send(inFlight.datagram);
      return;
    }
    this.landed(inFlight);
    inFlight.outgoing.onFailed('lost');
    if (!this.closed) this.onLost();
    this.pump();
  }

  private landed(inFlight: InFlight): void {
    inFlight.timer.cancel();
    this.inFlight = null;
  }

  private hold(body: object): void {
    this.holding?.timer.cancel();
    this.holding = { body, timer: this.timers.after(NEXT_BLOCK_MS, () => this.release()) };
  }

  private release(): void {
    this.holding?.timer.cancel();
    this.holding = null;
    this.pump();
  }
}
