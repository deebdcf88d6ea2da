import type { StompConfig } from '@mqdeck/contract/gateways';
import type { QoS } from '@mqdeck/mqtt/packets';
import { type ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import type { Timer } from '../../../core/timer-wheel.ts';
import type { Gateway, Guest, GuestDelivery, GuestRequest, Link, LinkEvents } from '../protocol.ts';
import {
  encodeFrame,
  type Frame,
  FrameError,
  type FrameLimits,
  FrameReader,
  VERSIONS,
  type Version,
} from './frame.ts';
import { beatsFor, HeartBeat } from './heart-beat.ts';
import { HIGH_WATER_BYTES, Outbox } from './outbox.ts';
import { ACK_MODES, type AckMode, type StompSubscription } from './subscription.ts';
import { Transactions } from './transactions.ts';
import { headersOf, propertiesOf } from './user-headers.ts';

const SUBSCRIPTIONS_MAX = 1000;
const ID_CHARS_MAX = 1024;
/** SENDs on their way at once; what comes behind them waits. */
const PENDING_MAX = 64;
const HEART_BEAT = Buffer.from('\n');
const GONE: Record<Parameters<GuestRequest['onGone']>[0], string> = {
  kicked: 'an operator has ended the connection',
  takenover: 'another connection has taken this place',
  expired: 'the authentication has ended',
  stopped: 'the gateway stops',
};

/** One connection of a device, from its first byte to its last. */
export class StompSession implements LinkEvents {
  private readonly gateway: Gateway<StompConfig>;
  private readonly link: Link;
  private readonly reader: FrameReader;
  private readonly transactions: Transactions;
  private readonly subscriptions = new Map<string, StompSubscription>(); // by id
  private readonly pending = new Set<Promise<unknown>>(); // SENDs that are not safe yet
  private version: Version = '1.2';
  private guest: Guest | null = null;
  private outbox: Outbox | null = null;
  private heart: HeartBeat | null = null;
  private readonly idle: Timer;
  /** Frames behind one that takes its time. */
  private inbox: Frame[] = [];
  private busy = false;
  private ended = false;

  constructor(gateway: Gateway<StompConfig>, link: Link, limits: FrameLimits, idleMs: number) {
    const { core } = gateway;
    this.gateway = gateway;
    this.link = link;
    this.reader = new FrameReader(limits, (frame) => this.inbox.push(frame));
    this.transactions = new Transactions(core, (name) =>
      this.fail(`the transaction ${name} took too long`, null),
    );
    this.idle = core.timers.after(idleMs, () => link.end());
  }

  onBytes(bytes: Buffer): void {
    this.heart?.heard();
    const before = this.inbox.length;
    try {
      this.reader.push(bytes, () => !this.ended);
    } catch (cause) {
      if (!(cause instanceof FrameError)) throw cause;
      this.fail(cause.message, null);
      return;
    }
    this.guest?.countReceived(bytes.length, this.inbox.length - before);
    this.next();
  }

  onDrain(): void {
    this.outbox?.drain();
  }

  onClose(): void {
    this.finish();
    this.guest?.leave('closed', false);
  }

  // --- one frame after the other

  private next(): void {
    while (!this.busy && !this.ended) {
      if (this.pending.size >= PENDING_MAX) {
        this.waitFor(Promise.race(this.pending).then(nothing, nothing), null);
        return;
      }
      const frame = this.inbox.shift();
      if (!frame) return;
      const doing = this.handle(frame);
      if (doing) this.waitFor(doing, frame);
    }
  }

  private waitFor(doing: Promise<void>, frame: Frame | null): void {
    this.busy = true;
    this.link.pause?.();
    doing
      .catch((cause: unknown) => this.onFault(cause, frame))
      .finally(() => {
        this.busy = false;
        this.link.resume?.();
        this.next();
      });
  }

  private handle(frame: Frame): Promise<void> | undefined {
    try {
      const doing = this.guest ? this.perform(frame, this.guest) : this.connect(frame);
      if (doing) return doing;
      this.receipt(frame);
    } catch (cause) {
      this.onFault(cause, frame);
    }
    return undefined;
  }

  private onFault(cause: unknown, frame: Frame | null): void {
    if (cause instanceof FrameError) this.fail(cause.message, frame);
    else {
      const { log, name } = this.gateway;
      log.error({ err: cause, gateway: name, address: this.link.address }, 'a frame could not be handled');
      this.fail('the gateway failed', frame);
    }
  }

  /** Undefined when it is done; a promise confirms by itself. */
  private perform(frame: Frame, guest: Guest): Promise<void> | undefined {
    const { command, headers } = frame;
    switch (command) {
      case 'SEND':
      case 'ACK':
      case 'NACK': {
        const transaction = headers.get('transaction');
        if (transaction === undefined) return this.act(frame, guest);
        this.transactions.add(transaction, frame);
        return undefined;
      }
      case 'SUBSCRIBE':
        return this.subscribe(frame, guest);
      case 'UNSUBSCRIBE':
        this.unsubscribe(frame, guest);
        return undefined;
      case 'BEGIN':
        this.transactions.begin(needed(frame, 'transaction'));
        return undefined;
      case 'ABORT':
        this.transactions.end(needed(frame, 'transaction'));
        return undefined;
      case 'COMMIT':
        return this.commit(frame, guest);
      case 'DISCONNECT':
        return this.disconnect(frame, guest);
      case 'CONNECT':
      case 'STOMP':
        throw new FrameError('this connection is connected already');
      default:
        throw new FrameError(`there is no command ${command}`);
    }
  }

  // --- CONNECT

  private async connect(frame: Frame): Promise<void> {
    const { command, headers } = frame;
    if (command !== 'CONNECT' && command !== 'STOMP') throw new FrameError('first comes CONNECT');
    const accepted = headers
      .get('accept-version')
      ?.split(',')
      .map((one) => one.trim()) ?? ['1.0'];
    const version = VERSIONS.find((one) => accepted.includes(one));
    if (version === undefined) {
      this.fail(`supported versions are ${[...VERSIONS].reverse().join(', ')}`, null, [
        ['version', [...VERSIONS].reverse().join(',')],
      ]);
      return;
    }
    const beats = beatsFor(headers.get('heart-beat'));
    if (beats === null) throw new FrameError('heart-beat must be two numbers of milliseconds');
    this.version = version;
    this.reader.version = version;
    const answer = await this.gateway.connect({
      link: this.link,
      clientid: headers.get('client-id') ?? '',
      username: headers.get('login') ?? null,
      password: headers.get('passcode') ?? null,
      keepalive: Math.ceil(beats.in / 1000),
      protocolName: 'STOMP',
      protocolVersion: version,
      receive: (delivery) => this.receive(delivery),
      onGone: (why) => this.fail(GONE[why], null),
    });
    if ('refused' in answer) {
      this.fail(`Login Failed: ${reasonText(answer.refused)}`, null);
      return;
    }
    if (this.ended) {
      answer.leave('closed', false); // it did not wait
      return;
    }
    this.idle.cancel();
    this.guest = answer;
    this.outbox = new Outbox({
      core: this.gateway.core,
      guest: answer,
      isOpen: () => this.link.bufferedBytes < HIGH_WATER_BYTES,
      send: (subscription, delivery, messageId) => this.message(subscription, delivery, messageId),
    });
    this.send('CONNECTED', [
      ['version', version],
      ['heart-beat', `${beats.out},${beats.in}`],
      ['session', answer.clientid.replace(/[\r\n:]/g, '')],
      ['server', 'mqdeck'],
    ]);
    this.heart = new HeartBeat(this.gateway.core, beats, {
      beat: () => this.sendBytes(HEART_BEAT, 0),
      onSilence: () => {
        this.guest?.leave('keepalive_timeout', false);
        this.fail('nothing was heard for too long', null);
      },
    });
  }

  // --- from the device

  /** SEND, ACK or NACK, now. */
  private act(frame: Frame, guest: Guest): undefined {
    if (frame.command === 'SEND') this.publish(frame, guest);
    else this.settle(frame, frame.command === 'ACK');
    return undefined;
  }

  /** Later frames do not wait until it is safe; its RECEIPT does. */
  private publish(frame: Frame, guest: Guest): Promise<void> {
    const { headers, body } = frame;
    const topic = needed(frame, 'destination');
    const message = {
      topic,
      payload: body,
      qos: qosOf(headers),
      retain: headers.get('retain') === 'true',
      properties: propertiesOf(headers),
    };
    const doing = guest.publish(message).then((reasonCode) => {
      if (reasonCode >= 0x80)
        throw new FrameError(`nothing can be sent to ${shortened(topic)}: ${reasonText(reasonCode)}`);
    });
    this.pending.add(doing);
    const done = doing
      .finally(() => this.pending.delete(doing))
      .then(() => {
        if (!headers.has('transaction')) this.confirm(frame);
      })
      .catch((cause: unknown) => this.onFault(cause, frame));
    return done;
  }

  private settle(frame: Frame, accepted: boolean): void {
    const id =
      this.version === '1.2'
        ? (frame.headers.get('id') ?? needed(frame, 'message-id'))
        : needed(frame, 'message-id');
    this.outbox?.settle(id, frame.headers.get('subscription') ?? null, accepted);
  }

  private async subscribe(frame: Frame, guest: Guest): Promise<void> {
    const { headers } = frame;
    const destination = needed(frame, 'destination');
    const named = headers.has('id') || this.version !== '1.0';
    const id = named ? needed(frame, 'id') : destination;
    const ack = ackOf(headers.get('ack') ?? 'auto');
    const known = this.subscriptions.get(id);
    if (known && guest.guestSubscriptions.has(known.destination))
      throw new FrameError(`there is a subscription ${shortened(id)} already`);
    if (this.subscriptions.size >= SUBSCRIPTIONS_MAX)
      throw new FrameError('there are too many subscriptions');
    const subscription = { id, destination, ack, named };
    this.subscriptions.set(id, subscription);
    this.outbox?.open(subscription); // a retained message may come at once
    const options = { qos: ack === 'auto' ? 0 : 1, retainHandling: 1 } as const;
    const reasonCode = await guest.subscribe(destination, options, { subid: id });
    if (reasonCode >= 0x80) {
      this.forget(id);
      throw new FrameError(`${shortened(destination)} cannot be subscribed to: ${reasonText(reasonCode)}`);
    }
    this.confirm(frame);
  }

  private unsubscribe(frame: Frame, guest: Guest): void {
    const { headers } = frame;
    const id =
      headers.get('id') ?? (this.version === '1.0' ? needed(frame, 'destination') : needed(frame, 'id'));
    const known = this.subscriptions.get(id);
    const destination =
      known?.destination ??
      [...guest.guestSubscriptions.values()].find(({ subProps }) => subProps.subid === id)?.filter;
    if (destination === undefined) throw new FrameError(`there is no subscription ${shortened(id)}`);
    this.forget(id);
    if (this.idsOf(destination).length === 0) guest.unsubscribe(destination);
  }

  private async commit(frame: Frame, guest: Guest): Promise<void> {
    const frames = this.transactions.end(needed(frame, 'transaction'));
    const sent: Promise<void>[] = [];
    for (const one of frames) {
      if (one.command === 'SEND') sent.push(this.publish(one, guest));
      else this.settle(one, one.command === 'ACK');
    }
    await Promise.all(sent);
    this.confirm(frame);
  }

  private async disconnect(frame: Frame, guest: Guest): Promise<void> {
    await Promise.allSettled([...this.pending]);
    this.confirm(frame);
    this.finish();
    guest.leave('normal', false);
    this.link.end();
  }

  // --- to the device

  private receive(delivery: GuestDelivery): void {
    const { outbox } = this;
    if (outbox === null || this.ended) return;
    const ids = this.idsOf(delivery.filter);
    if (ids.length === 0) ids.push(this.adopted(delivery, outbox));
    for (const id of ids) outbox.put(id, delivery);
  }

  /** An operator has subscribed on its behalf. */
  private adopted({ filter, subProps }: GuestDelivery, outbox: Outbox): string {
    const id = String(subProps.subid ?? filter);
    const subscription = { id, destination: filter, ack: 'auto', named: true } as const;
    this.subscriptions.set(id, subscription);
    outbox.open(subscription);
    return id;
  }

  private idsOf(destination: string): string[] {
    return [...this.subscriptions.values()].flatMap((one) =>
      one.destination === destination ? [one.id] : [],
    );
  }

  private forget(id: string): void {
    this.subscriptions.delete(id);
    this.outbox?.close(id);
  }

  private message(subscription: StompSubscription, delivery: GuestDelivery, messageId: string): void {
    const headers: [string, string][] = [
      ['destination', delivery.topic],
      ['message-id', messageId],
    ];
    if (subscription.named) headers.push(['subscription', subscription.id]);
    if (this.version === '1.2' && subscription.ack !== 'auto') headers.push(['ack', messageId]);
    headers.push(...headersOf(delivery.message.properties, this.version));
    this.send('MESSAGE', headers, delivery.payload);
  }

  /** What is done at once is confirmed at once; SENDs confirm when they are safe. */
  private receipt(frame: Frame): void {
    const { command, headers } = frame;
    if (command !== 'SEND' || headers.has('transaction')) this.confirm(frame);
  }

  private confirm({ headers }: Frame): void {
    const receipt = headers.get('receipt');
    if (receipt !== undefined) this.send('RECEIPT', [['receipt-id', receipt]]);
  }

  /** ERROR, and the end: there is nothing else that STOMP can say then. */
  private fail(message: string, frame: Frame | null, more: [string, string][] = []): void {
    if (this.ended) return;
    const receipt = frame?.headers.get('receipt');
    this.send(
      'ERROR',
      [['message', message], ...more, ...(receipt === undefined ? [] : [['receipt-id', receipt] as const])],
      Buffer.from(message),
    );
    this.finish();
    this.guest?.leave('protocol_error', false);
    this.link.end();
  }

  private send(
    command: string,
    headers: Iterable<readonly [string, string]>,
    body: Uint8Array | null = null,
  ): void {
    this.sendBytes(encodeFrame(command, headers, body, this.version), 1);
  }

  private sendBytes(bytes: Buffer, frames: number): void {
    if (this.ended) return;
    this.link.send(bytes);
    this.heart?.sent();
    this.guest?.countSent(bytes.length, frames);
  }

  private finish(): void {
    this.ended = true;
    this.inbox = [];
    this.idle.cancel();
    this.heart?.stop();
    this.transactions.clear();
  }
}

function needed({ command, headers }: Frame, name: string): string {
  const value = headers.get(name);
  if (value === undefined || value === '') throw new FrameError(`${command} needs the header ${name}`);
  if (name !== 'destination' && value.length > ID_CHARS_MAX) throw new FrameError(`${name} is too long`);
  return value;
}

function ackOf(text: string): AckMode {
  const mode = ACK_MODES.find((one) => one === text);
  if (mode === undefined) throw new FrameError(`ack is one of ${ACK_MODES.join(', ')}`);
  return mode;
}

/** Who wants a receipt wants to know that it is safe. */
function qosOf(headers: ReadonlyMap<string, string>): QoS {
  const given = headers.get('qos');
  if (given === undefined) return headers.has('receipt') || headers.has('transaction') ? 1 : 0;
  if (given === '0' || given === '1' || given === '2') return Number(given) as QoS;
  throw new FrameError('qos is 0, 1 or 2');
}

/** `bad_username_or_password` */
const reasonText = (code: ReasonCode): string =>
  code === 0x86
    ? 'bad_username_or_password'
    : reasonName(code)
        .replace(/([a-z])([A-Z])/g, '$1_$2')
        .replace(/\W+/g, '_')
        .toLowerCase();

const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

const nothing = (): void => undefined;
