import { randomBytes } from 'node:crypto';
import type { Clock, Timer, TimerWheel } from '../../../core/timer-wheel.ts';
import { type Block, blockBytes, blockOf, blockOption, SZX_MAX } from './block.ts';
import {
  type CoapMessage,
  type CoapOption,
  encode,
  isSuccess,
  NO_BYTES,
  optionOf,
  uintOf,
  uintOption,
} from './message.ts';
import type { Outbox } from './outbox.ts';

const OBSERVATIONS_MAX = 1000; // of a peer
const SEQUENCE_MODULUS = 2 ** 24;
const SEQUENCE_VALID_MS = 128_000; // RFC 7641, 3.4
const REST_MS = 60_000; // for the rest of a notification in blocks

/** What we ask of a peer. */
export interface Question {
  readonly code: string;
  readonly options: readonly CoapOption[];
  readonly payload: Buffer;
  readonly token?: Buffer;
}

export class NoAnswer extends Error {
  readonly why: 'timeout' | 'reset' | 'lost' | 'closed' | 'busy';

  constructor(why: NoAnswer['why']) {
    super(why);
    this.why = why;
  }
}

/** A question that a peer answers with more than one message. */
export interface Observation {
  readonly token: Buffer;
  readonly answer: CoapMessage;
  /** False: the peer did not agree, and the answer is all there will be. */
  readonly goesOn: boolean;
}

interface Exchange {
  messageId: number | null; // when it was sent
  onResponse(message: CoapMessage): void;
  onFailed(why: NoAnswer['why']): void;
}

interface Watched {
  readonly question: Question;
  sequence: number;
  at: number;
  onNotification(message: CoapMessage): void;
}

/** We as the client of a peer (RFC 7252, 5; RFC 7641; RFC 7959). Keeps what was asked and what is observed, by tokens. */
export class Questions {
  private readonly outbox: Outbox;
  private readonly timers: TimerWheel;
  private readonly clock: Clock;
  private readonly bodyBytesMax: number;
  private readonly exchanges = new Map<string, Exchange>();
  private readonly watched = new Map<string, Watched>();
  private closed = false;

  constructor(
    outbox: Outbox,
    { timers, clock, bodyBytesMax }: { timers: TimerWheel; clock: Clock; bodyBytesMax: number },
  ) {
    this.outbox = outbox;
    this.timers = timers;
    this.clock = clock;
    this.bodyBytesMax = bodyBytesMax;
  }

  /** Asks, in as many messages as it takes; rejects with `NoAnswer`. */
  async ask(question: Question, timeoutMs: number): Promise<CoapMessage> {
    const until = this.clock.now + timeoutMs;
    return this.readRest(question, await this.askInBlocks(question, until), until);
  }

  /** Asks to be told from now on. */
  async observe(
    question: Question,
    timeoutMs: number,
    onNotification: (message: CoapMessage) => void,
  ): Promise<Observation> {
    if (this.watched.size >= OBSERVATIONS_MAX) throw new NoAnswer('busy');
    const token = newToken();
    const until = this.clock.now + timeoutMs;
    const options = [uintOption('Observe', 0), ...question.options];
    const key = token.toString('hex');
    let goesOn = false;
    const first = await this.exchange({ ...question, token, options }, until, (answer) => {
      const sequence = uintOf(answer, 'Observe');
      goesOn = sequence !== undefined && isSuccess(answer.code);
      // At once: a notification may be right behind it
      if (goesOn)
        this.watched.set(key, { question, sequence: sequence!, at: this.clock.now, onNotification });
    });
    return { token, answer: await this.readRest(question, first, until), goesOn };
  }

  /** Asks not to be told any more; whatever the answer, nothing is listened to from now on. */
  unobserve(question: Question, token: Buffer, timeoutMs: number): Promise<CoapMessage> {
    this.forget(token);
    const options = [uintOption('Observe', 1), ...question.options];
    return this.ask({ ...question, token, options }, timeoutMs); // with the same token [RFC 7641, 3.6]
  }

  forget(token: Buffer): void {
    this.watched.delete(token.toString('hex'));
  }

  /** Listens to what another has asked for: the peer is the same, its address is not. */
  adopt(other: Questions, tokens: readonly Buffer[]): void {
    for (const token of tokens) {
      const key = token.toString('hex');
      const watched = other.watched.get(key);
      if (watched) this.watched.set(key, watched);
      other.watched.delete(key);
    }
  }

  /** An answer together with the acknowledgement of its question. */
  onPiggybacked(message: CoapMessage): void {
    this.exchanges.get(message.token.toString('hex'))?.onResponse(message);
  }

  expects({ token }: CoapMessage): boolean {
    const key = token.toString('hex');
    return this.exchanges.has(key) || this.watched.has(key);
  }

  /** An answer in a message of its own, or a notification. */
  onResponse(message: CoapMessage): void {
    const key = message.token.toString('hex');
    const exchange = this.exchanges.get(key);
    if (!exchange) {
      const watched = this.watched.get(key);
      if (watched) void this.onNotified(watched, message);
      return;
    }
    // The answer says that the question came, whether or not that was acknowledged [5.2.2]
    if (exchange.messageId !== null) this.outbox.arrived(exchange.messageId);
    exchange.onResponse(message);
  }

  close(): void {
    this.closed = true;
    for (const exchange of [...this.exchanges.values()]) exchange.onFailed('closed');
    this.watched.clear();
  }

  private async onNotified(watched: Watched, message: CoapMessage): Promise<void> {
    const sequence = uintOf(message, 'Observe');
    if (sequence === undefined)
      this.forget(message.token); // there will be no more [RFC 7641, 4.2]
    else {
      const ahead = (sequence - watched.sequence + SEQUENCE_MODULUS) % SEQUENCE_MODULUS;
      const isNewer = ahead !== 0 && ahead < SEQUENCE_MODULUS / 2;
      if (!isNewer && this.clock.now < watched.at + SEQUENCE_VALID_MS) return;
      watched.sequence = sequence;
      watched.at = this.clock.now;
    }
    const whole = await this.readRest(watched.question, message, this.clock.now + REST_MS).catch(
      (cause: unknown) => {
        if (cause instanceof NoAnswer) return null; // the rest never came: there is nothing to tell
        throw cause;
      },
    );
    if (whole) watched.onNotification(whole);
  }

  private async askInBlocks(question: Question, until: number): Promise<CoapMessage> {
    const { payload } = question;
    let szx = SZX_MAX;
    if (payload.length <= blockBytes(szx)) return this.exchange(question, until);
    for (let sent = 0; ; ) {
      const part = payload.subarray(sent, sent + blockBytes(szx));
      const more = sent + part.length < payload.length;
      const block = { num: sent / blockBytes(szx), more, szx };
      const options = [
        ...question.options,
        blockOption('Block1', block),
        uintOption('Size1', payload.length),
      ];
      const response = await this.exchange(
        { code: question.code, token: newToken(), options, payload: part },
        until,
      );
      if (!more || !isSuccess(response.code)) return response;
      sent += part.length;
      szx = Math.min(szx, blockOf(response, 'Block1')?.szx ?? szx); // the peer may want smaller ones [RFC 7959, 2.5]
    }
  }

  /** The rest of an answer that comes in blocks. */
  private async readRest(question: Question, first: CoapMessage, until: number): Promise<CoapMessage> {
    let block = blockOf(first, 'Block2');
    if (!block?.more || block.num !== 0) return first;
    const parts = [first.payload];
    let length = first.payload.length;
    while (block?.more) {
      const { num, szx }: Block = block;
      const options = [...question.options, blockOption('Block2', { num: num + 1, more: false, szx })];
      const next = await this.exchange(
        { code: question.code, options, payload: NO_BYTES, token: newToken() },
        until,
      );
      block = blockOf(next, 'Block2');
      length += next.payload.length;
      const isNext = next.code === first.code && block?.num === num + 1 && length <= this.bodyBytesMax;
      if (!isNext || !isOfSameBody(first, next)) throw new NoAnswer('lost');
      parts.push(next.payload);
    }
    return { ...first, payload: Buffer.concat(parts) };
  }

  private exchange(
    question: Question,
    until: number,
    onAnswer?: (message: CoapMessage) => void,
  ): Promise<CoapMessage> {
    return new Promise((resolve, reject) => {
      const { code, options, payload, token = newToken() } = question;
      const key = token.toString('hex');
      let timer: Timer | null = null;
      const end = () => {
        timer?.cancel();
        if (this.exchanges.get(key) === exchange) this.exchanges.delete(key);
      };
      const exchange: Exchange = {
        messageId: null,
        onResponse: (message) => {
          end();
          onAnswer?.(message);
          resolve(message);
        },
        onFailed: (why) => {
          end();
          reject(new NoAnswer(why));
        },
      };
      if (this.closed) {
        exchange.onFailed('closed');
        return;
      }
      this.exchanges.set(key, exchange);
      timer = this.timers.after(Math.max(0, until - this.clock.now), () => exchange.onFailed('timeout'));
      const taken = this.outbox.push({
        confirmable: true,
        bytes: payload.length,
        write: (messageId, type) => {
          if (this.exchanges.get(key) !== exchange) return null; // nobody waits any more
          exchange.messageId = messageId;
          return encode({ type, code, messageId, token, options, payload });
        },
        onFailed: (why) => exchange.onFailed(why),
      });
      if (!taken) exchange.onFailed('busy');
    });
  }
}

const newToken = (): Buffer => randomBytes(6);

const isOfSameBody = (first: CoapMessage, next: CoapMessage): boolean =>
  (optionOf(next, 'ETag') ?? NO_BYTES).equals(optionOf(first, 'ETag') ?? NO_BYTES);
