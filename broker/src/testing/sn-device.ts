import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const PATIENCE_MS = 5000;

/** One byte for each number, two for each number in an array, and texts as they are. */
export type Part = number | [number] | string | Uint8Array;

const bytesOf = (part: Part): Uint8Array => {
  if (typeof part === 'number') return Uint8Array.of(part);
  if (typeof part === 'string') return Buffer.from(part);
  if (Array.isArray(part)) return Uint8Array.of(part[0] >>> 8, part[0] & 0xff);
  return part;
};

/** A message of MQTT-SN by the byte, with its length, on nothing but the tables of the specification. */
export function snMessage(type: number, ...parts: Part[]): Buffer {
  const body = Buffer.concat([Buffer.of(type), ...parts.map(bytesOf)]);
  const short = body.length + 1;
  if (short < 256) return Buffer.concat([Buffer.of(short), body]);
  const long = Buffer.of(1, 0, 0);
  long.writeUInt16BE(body.length + 3, 1);
  return Buffer.concat([long, body]);
}

/** A device with a socket of datagrams and no protocol: tests write each message, and say which one must come. */
export class SnDevice {
  readonly received: Buffer[] = []; // not yet asked for
  private readonly socket: Socket;
  private readonly gateway: number;
  private waiting: (() => void)[] = [];

  private constructor(socket: Socket, gateway: number) {
    this.socket = socket;
    this.gateway = gateway;
    socket.on('message', (bytes) => {
      this.received.push(bytes);
      for (const wake of this.waiting.splice(0)) wake();
    });
  }

  static async open(gateway: number): Promise<SnDevice> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new SnDevice(socket, gateway);
  }

  get port(): number {
    return this.socket.address().port;
  }

  send(type: number, ...parts: Part[]): void {
    this.sendRaw(snMessage(type, ...parts));
  }

  sendRaw(datagram: Uint8Array): void {
    this.socket.send(datagram, this.gateway, '127.0.0.1');
  }

  /** PINGRESP, which nobody answers, to somewhere else; also to a broadcast address. */
  sendTo(port: number, address: string): void {
    this.socket.setBroadcast(true);
    this.socket.send(snMessage(0x17), port, address);
  }

  /** The next datagram must be this message. */
  async expect(type: number, ...parts: Part[]): Promise<void> {
    const wanted = snMessage(type, ...parts).toString('hex');
    const came = (await this.next()).toString('hex');
    if (came !== wanted) throw new Error(`expected ${wanted} but ${came} came`);
  }

  /** The next datagram, whatever it is. */
  async next(): Promise<Buffer> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const datagram = this.received.shift();
      if (datagram !== undefined) return datagram;
      await this.arrival(deadline - performance.now());
    }
  }

  /** Nothing has come: what was sent before this round trip's end would be here. */
  async expectNothing(): Promise<void> {
    this.send(0x01, 0); // SEARCHGW, which is answered at once
    const came = await this.next();
    if (came[1] !== 0x02) throw new Error(`expected nothing but ${came.toString('hex')} came`);
  }

  /** CONNECT and its CONNACK. */
  async connect(clientid: string, { clean = true, keepalive = 0 } = {}): Promise<void> {
    this.send(0x04, clean ? 0x04 : 0, 0x01, [keepalive], clientid);
    await this.expect(0x05, 0);
  }

  /** REGISTER; the id that it was given. */
  async register(topic: string): Promise<number> {
    this.send(0x0a, [0], [0x7001], topic);
    const regack = await this.next();
    if (regack[1] !== 0x0b || regack[6] !== 0) throw new Error(`not registered: ${regack.toString('hex')}`);
    return regack.readUInt16BE(2);
  }

  /** SUBSCRIBE by name; the id of the topic, 0 for a filter. */
  async subscribe(filter: string, qos = 0): Promise<number> {
    this.send(0x12, qos << 5, [0x7002], filter);
    const suback = await this.next();
    if (suback[1] !== 0x13 || suback[7] !== 0) throw new Error(`not subscribed: ${suback.toString('hex')}`);
    return suback.readUInt16BE(3);
  }

  close(): void {
    this.socket.close();
  }

  private async arrival(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no datagram came')), Math.max(0, withinMs));
    });
    try {
      await Promise.race([late, new Promise<void>((resolve) => this.waiting.push(resolve))]);
    } finally {
      clearTimeout(timer);
    }
  }
}
