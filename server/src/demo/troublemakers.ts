import net, { type Socket } from 'node:net';
import type { Address } from './device.ts';
import type { Random } from './random.ts';
import type { Habit } from './resident.ts';

const second = 1000;
const minute = 60 * second;

/** Comes and goes all the time: a bad cable or a watchdog that fires too early. */
export const flapping = (n: number): Habit => ({
  identity: { clientid: `flapping-${n}`, protocolVersion: 4, username: 'plant' },
  arrive: (device) => device.subscribe([`plant/flapping/${n}`], 0),
  stayMs: [second, 3 * second],
  leave: 'drop',
  awayMs: [500, 2 * second],
  everyMs: [minute, minute],
});

/** Two of these share one client id and throw each other out for ever. */
export const doppelganger = (twin: 'a' | 'b'): Habit => ({
  identity: { clientid: 'label-printer', protocolVersion: twin === 'a' ? 4 : 5, username: 'plant' },
  arrive: (device) => device.subscribe(['plant/labels'], 0),
  awayMs: [6 * second, 12 * second],
});

/** Puts into the topic what belongs into the payload. */
export const chatterbox = (random: Random): Habit => ({
  identity: { clientid: 'chatterbox', protocolVersion: 4 },
  everyMs: [20 * second, 40 * second],
  awayMs: [10 * second, 20 * second],
  act(device) {
    const levels = Array.from({ length: 150 }, () => random.next().toString(36).slice(2));
    device.publish(`debug/${levels.join('/')}`, '', 0);
  },
});

/** Talks, and nobody listens. */
export const monologue = (random: Random): Habit => ({
  identity: { clientid: 'legacy-plc', protocolVersion: 3 },
  everyMs: [second, 2 * second],
  awayMs: [5 * second, 10 * second],
  act: (device) =>
    device.publish('legacy/plc/registers', `0x${Math.floor(random.between(0, 65_536)).toString(16)}`, 1),
});

/** Takes one message at a time and thinks long about it: its queue grows. */
export const slowReader = (): Habit => ({
  identity: {
    clientid: 'slow-archive',
    protocolVersion: 5,
    username: 'backend',
    cleanStart: false,
    properties: { sessionExpiryInterval: 3600, receiveMaximum: 1 },
  },
  arrive: (device) => device.subscribe(['meters/#', 'fleet/+/position'], 1),
  ackDelayMs: 4 * second,
  awayMs: [2 * second, 5 * second],
});

/** Subscribes to everything that moves and is hardly ever there: its session queues for it. */
export const absentee = (): Habit => ({
  identity: {
    clientid: 'night-report',
    protocolVersion: 5,
    username: 'backend',
    cleanStart: false,
    properties: { sessionExpiryInterval: 86_400 },
  },
  arrive: (device) => device.subscribe(['fleet/#'], 1),
  stayMs: [20 * second, 40 * second],
  leave: 'disconnect',
  awayMs: [5 * minute, 10 * minute],
});

const wrongBytes = [
  'GET / HTTP/1.1\r\nHost: broker\r\n\r\n', // a browser or a scanner
  Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0xff]), // a length of five bytes
  Buffer.from([0x10, 0x0a, 0x00, 0x04, 0x4d, 0x51, 0x54, 0x54, 0x2a, 0x02, 0x00, 0x3c]), // CONNECT of version 42
];

/** Knocks at the MQTT port without speaking MQTT. */
export class Stranger {
  readonly #address: Address;
  readonly #random: Random;
  #socket: Socket | null = null;
  #nextMs: number;

  constructor(address: Address, random: Random, firstMs: number) {
    this.#address = address;
    this.#random = random;
    this.#nextMs = firstMs;
  }

  readonly connected = false; // it never gets that far

  tick(nowMs: number): void {
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + this.#random.between(15 * second, 45 * second);
    this.#socket?.destroy();
    const socket = net.connect(this.#address, () => socket.write(this.#random.pick(wrongBytes)));
    socket.on('error', () => socket.destroy()); // what it came for
    socket.resume();
    this.#socket = socket;
  }

  stop(): Promise<void> {
    this.#socket?.destroy();
    return Promise.resolve();
  }
}
