import type { Lwm2mConfig } from '@mqdeck/contract/gateways';
import { type CoapMessage, codeName, isSuccess, uintOf } from '../coap/message.ts';
import type { CoapPeer } from '../coap/peer.ts';
import { NoAnswer } from '../coap/questions.ts';
import type { Gateway, Guest, GuestDelivery } from '../protocol.ts';
import { type Command, CommandFault, type Prepared, pathSaid, prepare, readCommand } from './commands.ts';
import { ContentFault, type Row, readContent } from './content.ts';
import type { ObjectBook } from './objects.ts';
import { readPath, writePath } from './path.ts';

/** With its blocks: as long as a message may be sent again, and its answer (RFC 7252, 4.8.2). */
const ANSWER_MS = 120_000;
const WAITING_MAX = 100; // commands for a device that sleeps, or is slow
const ANSWERS_MAX = 256; // of a device, for lookups

/** What a device says of itself. */
export interface Registration {
  readonly endpoint: string;
  readonly version: string;
  readonly lifetimeS: number;
  readonly binding: string;
  readonly alternatePath: string;
  readonly objects: readonly string[];
}

/** What came of a command, for messages and lookups. */
export interface Outcome {
  readonly reqPath: string;
  readonly code: string;
  readonly codeMsg: string;
  readonly content?: readonly (Row | string)[];
  /** Why it was not even tried. */
  readonly reason?: string;
}

interface Waiting {
  readonly command: Command;
  readonly delivery: GuestDelivery | null; // the message that it came in
}

type Translator = keyof Lwm2mConfig['translators'];

/** A registered device: keeps what was asked of it and not yet answered, what is observed, and its last answers. */
export class Device {
  readonly location: string;
  readonly objects: ObjectBook;
  registration: Registration;
  peer: CoapPeer;
  gone = false;
  private readonly gateway: Gateway<Lwm2mConfig>;
  private readonly windowMs: number;
  private letIn: Guest | null = null;
  private readonly waiting: Waiting[] = [];
  private running = false;
  private awakeUntil = 0; // epoch ms, of a device in queue mode
  private readonly observed = new Map<string, Buffer>(); // path → token
  private readonly answers = new Map<string, Outcome>();

  constructor(
    gateway: Gateway<Lwm2mConfig>,
    given: {
      location: string;
      registration: Registration;
      peer: CoapPeer;
      objects: ObjectBook;
      windowMs: number;
    },
  ) {
    this.gateway = gateway;
    this.location = given.location;
    this.registration = given.registration;
    this.peer = given.peer;
    this.objects = given.objects;
    this.windowMs = given.windowMs;
  }

  get guest(): Guest {
    if (this.letIn === null) throw new Error('not let in yet');
    return this.letIn;
  }

  /** '' until it was let in. */
  get clientid(): string {
    return this.letIn?.clientid ?? '';
  }

  enter(guest: Guest): void {
    this.letIn = guest;
  }

  /** Something was heard of it: for a while it listens. */
  heard(): void {
    this.awakeUntil = this.gateway.core.clock.now + this.windowMs;
    void this.run();
  }

  /** The same device from another address; what it observes goes on. */
  comesFrom(peer: CoapPeer): void {
    if (this.peer === peer) return;
    peer.questions.adopt(this.peer.questions, [...this.observed.values()]);
    this.peer = peer;
    this.guest.moveTo(peer.link);
  }

  /** A message for it: a command, or nothing that it could understand. */
  receive(delivery: GuestDelivery): void {
    const command = readCommand(delivery.payload);
    if (command === null) {
      this.gateway.log.warn(
        { clientid: this.guest.clientid, topic: delivery.topic },
        'no command for an LwM2M device',
      );
      this.guest.dropped(delivery, 'unencodable');
    } else this.command(command, delivery);
  }

  command(command: Command, delivery: GuestDelivery | null = null): void {
    if (this.waiting.length >= WAITING_MAX) {
      if (delivery) this.guest.dropped(delivery, 'queue_full');
      this.tell(command, { reqPath: pathSaid(command), code: '5.03', codeMsg: codeName('5.03') });
      return;
    }
    this.waiting.push({ command, delivery });
    void this.run();
  }

  observeAll(paths: readonly string[]): void {
    for (const path of paths)
      if (!path.startsWith('/0/') && path !== '/0' && !this.observed.has(path))
        // nobody reads the keys
        this.command({ reqID: 0, msgType: 'observe', data: { path } });
  }

  /** The last answer to an action on a path. */
  answerTo(action: string, path: string): Outcome | undefined {
    return this.answers.get(`${action} ${normal(path)}`);
  }

  /** Publishes as the translators say. */
  publish(translator: Exclude<Translator, 'command'>, message: object): void {
    const { topic, qos } = this.gateway.config.translators[translator];
    const payload = Buffer.from(JSON.stringify(message));
    const { log } = this.gateway;
    this.guest.publish({ topic, payload, qos: qos as 0 | 1 | 2, retain: false }).then(
      (result) => {
        if (result >= 0x80)
          log.debug({ clientid: this.guest.clientid, topic, result }, 'what a device said was refused');
      },
      (err: unknown) => log.error({ err, topic }, 'what a device said could not be published'),
    );
  }

  leave(reason: string): void {
    this.end();
    this.letIn?.leave(reason, false);
  }

  /** Nothing more is asked of it, nor heard. */
  end(): void {
    if (this.gone) return;
    this.gone = true;
    this.waiting.length = 0;
    for (const token of this.observed.values()) this.peer.questions.forget(token);
    this.observed.clear();
  }

  private get asleep(): boolean {
    return this.registration.binding.includes('Q') && this.gateway.core.clock.now > this.awakeUntil;
  }

  /** One command after the other, while there are any and the device listens. */
  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    while (!this.gone && !this.asleep) {
      const next = this.waiting.shift();
      if (!next) break;
      const { command, delivery } = next;
      const sentAt = this.gateway.core.clock.now;
      if (delivery) this.guest.delivered(delivery);
      const outcome = await this.carryOut(command);
      if (outcome === null || this.gone) continue;
      if (delivery) this.guest.acked(delivery, sentAt);
      this.tell(command, outcome);
    }
    this.running = false;
  }

  /** Null: the device has gone meanwhile. */
  private async carryOut(command: Command): Promise<Outcome | null> {
    const reqPath = pathSaid(command);
    try {
      const prepared = prepare(command, this.registration.alternatePath, this.objects);
      return this.outcomeOf(prepared, await this.ask(command, prepared));
    } catch (cause) {
      if (cause instanceof CommandFault)
        return { reqPath, code: '4.00', codeMsg: codeName('4.00'), reason: cause.message };
      if (!(cause instanceof NoAnswer)) {
        this.gateway.log.error(
          { err: cause, clientid: this.guest.clientid },
          'a command for a device failed',
        );
        return { reqPath, code: '5.00', codeMsg: codeName('5.00') };
      }
      if (cause.why === 'closed') return null;
      if (cause.why === 'lost' || cause.why === 'timeout') this.awakeUntil = 0; // in queue mode it sleeps
      return { reqPath, code: '5.04', codeMsg: cause.why === 'reset' ? 'reset' : 'reply_not_received' };
    }
  }

  private async ask(command: Command, prepared: Prepared): Promise<CoapMessage> {
    const { question, path, observes } = prepared;
    const { questions } = this.peer;
    const key = writePath(path);
    const known = this.observed.get(key);
    if (observes === 'end' && known) {
      this.observed.delete(key);
      return questions.unobserve(question, known, ANSWER_MS);
    }
    if (observes !== 'start') return questions.ask(question, ANSWER_MS);
    if (known) questions.forget(known); // anew, with another token
    const { token, answer, goesOn } = await questions.observe(question, ANSWER_MS, (message) =>
      this.onNotification(command, prepared, message),
    );
    if (this.gone) questions.forget(token);
    else if (goesOn) this.observed.set(key, token);
    else this.observed.delete(key);
    return answer;
  }

  private onNotification(command: Command, prepared: Prepared, message: CoapMessage): void {
    if (this.gone) return;
    const seqNum = uintOf(message, 'Observe');
    if (seqNum === undefined) this.observed.delete(writePath(prepared.path)); // the last one
    const data = this.outcomeOf(prepared, message);
    this.remember('observe', prepared.reqPath, data);
    this.publish('notify', { reqID: command.reqID, msgType: 'notify', seqNum: seqNum ?? 0, data });
  }

  private outcomeOf({ path, reqPath }: Prepared, message: CoapMessage): Outcome {
    const { code, payload } = message;
    const outcome: Outcome = { reqPath, code, codeMsg: codeName(code) };
    if (!isSuccess(code) || payload.length === 0) return outcome;
    try {
      const format = uintOf(message, 'Content-Format');
      return { ...outcome, content: readContent(path, format, payload, this.objects) };
    } catch (cause) {
      if (!(cause instanceof ContentFault)) throw cause;
      const { clientid } = this.guest;
      this.gateway.log.warn({ clientid, path: reqPath, reason: cause.message }, 'an answer cannot be read');
      return outcome;
    }
  }

  private tell({ reqID, msgType }: Command, data: Outcome): void {
    this.remember(msgType, data.reqPath, data);
    this.publish('response', { reqID, msgType, data });
  }

  private remember(action: string, path: string, outcome: Outcome): void {
    const key = `${action} ${normal(path)}`;
    this.answers.delete(key);
    this.answers.set(key, outcome);
    const [oldest] = this.answers.keys();
    if (this.answers.size > ANSWERS_MAX && oldest !== undefined) this.answers.delete(oldest);
  }
}

const normal = (path: string): string => {
  const read = readPath(path);
  return read ? writePath(read) : '';
};
