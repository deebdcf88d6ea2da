import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { generate, type OptionName, type Packet, type ParsedPacket, parse } from 'coap-packet';

const PATIENCE_MS = 10_000;

/** An option by its name: a text, a number, or its bytes. */
export type OptionValue = string | number | Buffer;

export interface CoapQuestion {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/rd?ep=x&lt=60` */
  readonly uri: string;
  readonly payload?: string | Buffer;
  readonly confirmable?: boolean; // true
  readonly token?: Buffer;
  readonly options?: readonly (readonly [name: OptionName, value: OptionValue])[];
}

export interface CoapAnswer {
  readonly code: string;
  readonly payload?: string | Buffer;
  readonly options?: readonly (readonly [name: OptionName, value: OptionValue])[];
}

export const optionOf = ({ options }: ParsedPacket, name: OptionName): Buffer | undefined =>
  options.find((option) => option.name === name)?.value;
export const numberOf = (packet: ParsedPacket, name: OptionName): number | undefined => {
  const value = optionOf(packet, name);
  return value && (value.length === 0 ? 0 : value.readUIntBE(0, value.length));
};
/** `/3/0?pmin=1` */
export const uriOf = ({ options }: ParsedPacket): string => {
  const of = (name: OptionName) =>
    options.filter((option) => option.name === name).map(({ value }) => String(value));
  const query = of('Uri-Query').join('&');
  return `/${of('Uri-Path').join('/')}${query === '' ? '' : `?${query}`}`;
};

/** A device with a socket of datagrams: tests say what it asks and answers, message by message. */
export class CoapDevice {
  readonly received: ParsedPacket[] = []; // not yet asked for
  private readonly socket: Socket;
  private readonly gateway: number;
  private waiting: (() => void)[] = [];
  private messageId = 1;

  private constructor(socket: Socket, gateway: number) {
    this.socket = socket;
    this.gateway = gateway;
    socket.on('message', (bytes) => {
      this.received.push(parse(bytes));
      for (const wake of this.waiting.splice(0)) wake();
    });
  }

  static async open(gateway: number): Promise<CoapDevice> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new CoapDevice(socket, gateway);
  }

  get port(): number {
    return this.socket.address().port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }

  sendRaw(datagram: Uint8Array): void {
    this.socket.send(datagram, this.gateway, '127.0.0.1');
  }

  send(packet: Packet): void {
    this.sendRaw(generate(packet));
  }

  /** Asks, and gives the answer. */
  async ask(question: CoapQuestion): Promise<ParsedPacket> {
    const token = question.token ?? randomBytes(4);
    this.put({ ...question, token });
    return this.next(`an answer to ${question.uri}`, (packet) => packet.token.equals(token));
  }

  /** Asks, and waits for nothing. */
  put({
    method,
    uri,
    payload = '',
    confirmable = true,
    token = randomBytes(4),
    options = [],
  }: CoapQuestion): void {
    const { pathname, searchParams } = new URL(uri, 'coap://device');
    const path = pathname.split('/').slice(1).map(decodeURIComponent);
    const query = [...searchParams].map(([name, value]) => (value === '' ? name : `${name}=${value}`));
    this.send({
      code: method,
      confirmable,
      token,
      messageId: this.messageId++,
      payload: Buffer.from(payload),
      options: [
        ...path.map((segment) => ({ name: 'Uri-Path' as const, value: Buffer.from(segment) })),
        ...query.map((text) => ({ name: 'Uri-Query' as const, value: Buffer.from(text) })),
        ...options.map(([name, value]) => ({ name, value: bytesOf(value) })),
      ],
    });
  }

  /** The next request of the gateway. */
  asked(uri: string): Promise<ParsedPacket> {
    return this.next(
      `a request for ${uri}`,
      (packet) => /^0\.0[1-9]/.test(packet.code) && uriOf(packet) === uri,
    );
  }

  /** Answers a request together with its acknowledgement. */
  answer({ messageId, token }: ParsedPacket, { code, payload = '', options = [] }: CoapAnswer): void {
    this.send({
      code,
      ack: true,
      messageId,
      token,
      payload: Buffer.from(payload),
      options: options.map(([name, value]) => ({ name, value: bytesOf(value) })),
    });
  }

  acknowledge({ messageId }: ParsedPacket): void {
    this.send({ code: '0.00', ack: true, messageId });
  }

  reset({ messageId }: ParsedPacket): void {
    this.send({ code: '0.00', reset: true, messageId });
  }

  /** Tells what is observed with this token. */
  notify(token: Buffer, sequence: number, { code, payload = '', options = [] }: CoapAnswer): void {
    this.send({
      code,
      confirmable: true,
      messageId: this.messageId++,
      token,
      payload: Buffer.from(payload),
      options: [['Observe', sequence] as const, ...options].map(([name, value]) => ({
        name,
        value: bytesOf(value),
      })),
    });
  }

  /** The first message that fits, now or later; the others stay. */
  async next(what: string, fits: (packet: ParsedPacket) => boolean): Promise<ParsedPacket> {
    const until = performance.now() + PATIENCE_MS; // tests may hold the clock
    for (;;) {
      const at = this.received.findIndex(fits);
      if (at !== -1) return this.received.splice(at, 1)[0]!;
      if (performance.now() >= until)
        throw new Error(`expected ${what} but there is ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, until - performance.now());
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }
}

function bytesOf(value: OptionValue): Buffer {
  if (typeof value !== 'number') return Buffer.from(value);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from(bytes);
}
