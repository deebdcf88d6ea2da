import { randomInt } from 'node:crypto';
import type { Clock, TimerWheel } from '../../../core/timer-wheel.ts';
import type { Link } from '../protocol.ts';
import { Answered } from './answered.ts';
import { blockBytes, blockOf, blockOption, SZX_MAX } from './block.ts';
import type { Budget } from './budget.ts';
import { Downloads, firstBlockOptions, firstPart, newBody, resourceOf } from './downloads.ts';
import {
  type CoapMessage,
  type CoapOption,
  Code,
  decode,
  emptyMessage,
  encode,
  isRequest,
  type MessageType,
  NO_BYTES,
  notUnderstood,
  textOption,
  uintOption,
} from './message.ts';
import { Outbox } from './outbox.ts';
import { Questions } from './questions.ts';
import { Uploads } from './uploads.ts';

/** Whoever asks hears that it was understood when the answer takes longer, before he asks again (RFC 7252, 5.2.2). */
const PROCESSING_MS = 1000;
const ANSWERING_MAX = 16; // requests of a peer at once; the protocol lets it have one (4.7)
const OBSERVE_MODULUS = 2 ** 24;

export interface CoapRequest {
  readonly confirmable: boolean;
  readonly code: string;
  readonly token: Buffer;
  readonly message: CoapMessage;
  /** All of it, however many blocks it came in. */
  readonly payload: Buffer;
}

export interface CoapResponse {
  readonly code: string;
  readonly options?: readonly CoapOption[];
  readonly payload?: Uint8Array;
  /** It is on its way: what has to come after it may follow. */
  sent?(): void;
}

/** What a peer is told without having asked anew. */
export interface Notification {
  readonly token: Buffer;
  readonly confirmable: boolean;
  readonly payload: Buffer;
  readonly resource: string; // `resourceOf` the request: how the rest of a large one is asked for
  readonly szx: number;
  /** Asked when its turn comes; false: it is not sent any more. */
  wanted(): boolean;
  onSent(): void;
  onAcked(): void;
  /** The peer does not want to know, or is not there. */
  onFailed(why: 'reset' | 'lost'): void;
}

export interface PeerEvents {
  onSent(bytes: number): void;
  /** The first block of a request has come: what is wrong with it is said now, not after the last one. */
  onUpload(request: CoapRequest): CoapResponse | null | Promise<CoapResponse | null>;
  onRequest(request: CoapRequest): CoapResponse | Promise<CoapResponse>;
  /** Something confirmable was sent again and again, and nobody said that it came. */
  onLost(): void;
}

/** What all peers of a gateway have in common. */
export interface PeerRules {
  readonly timers: TimerWheel;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly bodyBytesMax: number;
  readonly uploadBytesMax: number;
}

/**
 * The messages between us and one peer (RFC 7252): what is confirmable is sent again until it is acknowledged, what comes
 * twice is answered once, what is large goes in blocks. What it keeps is in its parts, each within bounds.
 */
export class CoapPeer {
  readonly link: Link;
  readonly questions: Questions;
  lastHeardAt: number; // epoch ms
  private readonly events: PeerEvents;
  private readonly rules: PeerRules;
  private readonly outbox: Outbox;
  private readonly answered: Answered;
  private readonly uploads: Uploads;
  private readonly downloads: Downloads;
  private answering = 0;
  private nextMessageId = randomInt(0x1_0000);
  private observeSequence = 1;
  private closed = false;

  constructor(link: Link, events: PeerEvents, rules: PeerRules) {
    this.link = link;
    this.events = events;
    this.rules = rules;
    this.lastHeardAt = rules.clock.now;
    this.answered = new Answered(rules);
    this.uploads = new Uploads(rules);
    this.downloads = new Downloads(rules);
    this.outbox = new Outbox({
      ...rules,
      send: (datagram) => this.send(datagram),
      takeMessageId: () => this.takeMessageId(),
      onLost: () => this.events.onLost(),
    });
    this.questions = new Questions(this.outbox, rules);
  }

  /** A datagram, whatever is in it: never throws. */
  receive(bytes: Buffer): void {
    if (this.closed) return;
    const message = decode(bytes);
    if ('malformed' in message) {
      if (message.type === 'CON') this.write(emptyMessage('RST', message.messageId)); // 4.2
      return;
    }
    this.lastHeardAt = this.rules.clock.now;
    this.outbox.heard();
    if (message.type === 'ACK' || message.type === 'RST') this.onReply(message);
    else if (isRequest(message)) this.onRequest(message);
    else if (message.code !== Code.Empty) this.onResponse(message);
    else if (message.type === 'CON') this.write(emptyMessage('RST', message.messageId)); // a ping (4.3)
  }

  /** Tells the peer something it has asked to hear. False: too much is waiting for it. */
  notify(notification: Notification): boolean {
    const { token, payload, resource, szx } = notification;
    const body = payload.length > blockBytes(szx) ? newBody(Code.Content, [], payload) : undefined;
    return this.outbox.push({
      confirmable: notification.confirmable,
      bytes: payload.length,
      body,
      write: (messageId, type) => {
        if (!notification.wanted()) return null;
        // The number is given now: what is sent later must be the newer one
        const observe = uintOption('Observe', this.nextObserve());
        if (body) this.downloads.keep(resource, body);
        return encode({
          type,
          code: Code.Content,
          messageId,
          token,
          options: body ? [observe, ...firstBlockOptions(body, szx)] : [observe],
          payload: body ? firstPart(body, szx) : payload,
        });
      },
      onSent: () => notification.onSent(),
      onAcked: () => notification.onAcked(),
      onFailed: (why) => {
        if (why !== 'closed') notification.onFailed(why);
      },
    });
  }

  /** Ends what the peer observes: an error is the last that it hears of it [RFC 7641, 4.2]. */
  endObservation(token: Buffer, code: string, why: string): void {
    const messageId = this.takeMessageId();
    this.write({ type: 'NON', code, messageId, token, options: [], payload: Buffer.from(why) });
  }

  nextObserve(): number {
    this.observeSequence = (this.observeSequence + 1) % OBSERVE_MODULUS;
    return this.observeSequence;
  }

  /** Whether anybody is there: a confirmable message without content is answered by a reset (4.3). */
  ping(): void {
    this.outbox.push({
      confirmable: true,
      bytes: 0,
      write: (messageId) => encode(emptyMessage('CON', messageId)),
      onFailed: () => undefined, // a reset is the answer; of silence `onLost` hears
    });
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.outbox.close();
    this.questions.close();
    this.answered.close();
    this.uploads.close();
    this.downloads.close();
  }

  private onReply(message: CoapMessage): void {
    this.outbox.onReply(message);
    if (message.type === 'ACK' && message.code !== Code.Empty && !isRequest(message))
      this.questions.onPiggybacked(message);
  }

  private onResponse(message: CoapMessage): void {
    const { type, messageId } = message;
    const isTwice = this.answered.has(messageId);
    // One that nobody waits for is refused: whoever sends it shall stop
    const isWanted = isTwice || this.questions.expects(message);
    if (!isWanted) this.write(emptyMessage('RST', messageId));
    else if (type === 'CON') this.write(emptyMessage('ACK', messageId));
    if (!isWanted || isTwice) return;
    this.answered.add(messageId);
    this.questions.onResponse(message);
  }

  private onRequest(message: CoapMessage): void {
    if (this.answered.has(message.messageId)) {
      const datagram = this.answered.answerTo(message.messageId);
      if (datagram && message.type === 'CON') this.send(datagram); // as it was
      return;
    }
    this.answered.add(message.messageId);
    const strange = notUnderstood(message);
    if (strange !== undefined) this.onStrange(message, strange);
    else if (this.answering >= ANSWERING_MAX)
      this.answer(message, problem(Code.ServiceUnavailable, 'too many requests at once'));
    else if (blockOf(message, 'Block1')) this.onBlock(message);
    else if (blockOf(message, 'Block1') === null)
      this.answer(message, problem(Code.BadRequest, 'no such block'));
    else if (!this.continueBody(message)) this.onWhole(message, message.payload);
  }

  private onStrange(message: CoapMessage, option: string): void {
    const code = option.startsWith('Proxy-') ? Code.ProxyingNotSupported : Code.BadOption;
    if (message.type === 'CON') this.answer(message, problem(code, `option ${option}`));
    else this.write(emptyMessage('RST', message.messageId)); // 5.4.1
  }

  private onWhole(message: CoapMessage, payload: Buffer): void {
    void this.respond(message, () => this.events.onRequest(requestOf(message, payload)));
  }

  /** A part of a body (RFC 7959, 2.5). */
  private onBlock(message: CoapMessage): void {
    const block = blockOf(message, 'Block1')!;
    const take = () => this.uploads.take(`${message.code} ${resourceOf(message)}`, message, block);
    if (block.num === 0 && block.more) {
      void this.respond(message, async () => {
        const refusal = await this.events.onUpload(requestOf(message, message.payload));
        return refusal ?? take().response ?? problem(Code.BadRequest, 'no such block');
      });
      return;
    }
    const { body, response } = take();
    if (body) this.onWhole(message, body);
    else this.answer(message, response);
  }

  /** Gives the next part of a body that was begun; false: the request is about something else. */
  private continueBody(message: CoapMessage): boolean {
    const part = this.downloads.partFor(message);
    if (!part) return false;
    this.answer(message, part);
    if (part.of) this.outbox.fetched(part.of.body, part.of.more);
    return true;
  }

  private async respond(
    message: CoapMessage,
    run: () => CoapResponse | Promise<CoapResponse>,
  ): Promise<void> {
    const { messageId } = message;
    const confirmable = message.type === 'CON';
    let separate = false;
    const slow = this.rules.timers.after(PROCESSING_MS, () => {
      if (!confirmable || this.closed) return;
      separate = true;
      this.write(emptyMessage('ACK', messageId), messageId);
    });
    this.answering++;
    let response: CoapResponse;
    try {
      response = await run();
    } catch {
      response = problem(Code.InternalServerError, 'the broker failed'); // whoever threw has said why
    }
    this.answering--;
    slow.cancel();
    if (this.closed) return;
    const block = blockOf(message, 'Block1');
    const options = [...(response.options ?? [])];
    if (block && !options.some(({ name }) => name === 'Block1'))
      options.push(blockOption('Block1', { ...block, more: false }));
    this.answer(message, { ...response, options }, separate);
    response.sent?.();
  }

  private answer(request: CoapMessage, response: CoapResponse, separate = false): void {
    const payload = Buffer.from(response.payload ?? NO_BYTES);
    const szx = blockOf(request, 'Block2')?.szx ?? SZX_MAX;
    const options = [...(response.options ?? [])];
    const isPart = options.some(({ name }) => name === 'Block2');
    const body =
      !isPart && payload.length > blockBytes(szx) ? newBody(response.code, options.slice(), payload) : null;
    if (body) {
      this.downloads.keep(resourceOf(request), body);
      options.push(...firstBlockOptions(body, szx));
    }
    const message = (type: MessageType, messageId: number): CoapMessage => ({
      type,
      code: response.code,
      messageId,
      token: request.token,
      options,
      payload: body ? firstPart(body, szx) : payload,
    });
    if (request.type === 'NON') this.write(message('NON', this.takeMessageId()));
    else if (!separate) this.write(message('ACK', request.messageId), request.messageId);
    else
      this.outbox.push(
        {
          confirmable: true,
          bytes: payload.length,
          write: (messageId, type) => encode(message(type, messageId)),
          onFailed: () => undefined, // of silence `onLost` hears
        },
        'first',
      );
  }

  /** Sends at once; as the answer to a message it is kept for when that one comes again. */
  private write(message: CoapMessage, answerTo?: number): void {
    const datagram = encode(message);
    if (answerTo !== undefined) this.answered.keep(answerTo, datagram);
    this.send(datagram);
  }

  private send(datagram: Buffer): void {
    if (this.closed) return;
    this.link.send(datagram);
    this.events.onSent(datagram.length);
  }

  private takeMessageId(): number {
    this.nextMessageId = (this.nextMessageId + 1) % 0x1_0000;
    return this.nextMessageId;
  }
}

const requestOf = (message: CoapMessage, payload: Buffer): CoapRequest => ({
  confirmable: message.type === 'CON',
  code: message.code,
  token: message.token,
  message,
  payload,
});

/** An answer that says what was wrong, in words for whoever looks at the device (5.5.2). */
export const problem = (code: string, why: string): CoapResponse => ({ code, payload: Buffer.from(why) });

export const pathOptions = (path: string): CoapOption[] =>
  path
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => textOption('Uri-Path', segment));
