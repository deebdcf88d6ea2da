import { type Address, Device, type Identity } from './device.ts';
import type { Random } from './random.ts';

type Range = readonly [fromMs: number, toMs: number];

/** How a simulated client lives: who it is, what it does while connected, how it comes and goes. */
export interface Habit {
  identity: Identity;
  /** Once after each connect. */
  arrive?(device: Device): void;
  /** Again and again while connected. */
  act?(device: Device, nowMs: number): void;
  everyMs?: Range;
  /** How long it stays; for ever when missing. */
  stayMs?: Range;
  /** `drop` leaves without a word. */
  leave?: 'disconnect' | 'drop';
  /** How long it is away after its connection ended, by itself or by the broker. */
  awayMs: Range;
  ackDelayMs?: number;
}

/** Lives after its habit; driven by the fleet's clock, so that some hundred of them share one timer. */
export class Resident {
  readonly #address: Address;
  readonly #habit: Habit;
  readonly #random: Random;
  #device: Device | null = null;
  #connected = false;
  #nextMs: number; // the next act while connected, the next attempt while not
  #leaveMs = Number.POSITIVE_INFINITY;
  #whenClosed: (() => void) | null = null;

  constructor(address: Address, habit: Habit, random: Random, firstMs: number) {
    this.#address = address;
    this.#habit = habit;
    this.#random = random;
    this.#nextMs = firstMs;
  }

  get connected(): boolean {
    return this.#connected;
  }

  tick(nowMs: number): void {
    if (this.#device === null) {
      if (nowMs >= this.#nextMs) this.#connect();
      return;
    }
    if (!this.#connected) return;
    if (nowMs >= this.#leaveMs) {
      this.#leaveMs = Number.POSITIVE_INFINITY;
      if (this.#habit.leave === 'drop') this.#device.drop();
      else this.#device.disconnect();
    } else if (nowMs >= this.#nextMs) {
      this.#habit.act?.(this.#device, nowMs);
      this.#nextMs = nowMs + this.#within(this.#habit.everyMs);
    }
  }

  /** Resolves when its connection is gone. */
  stop(): Promise<void> {
    if (this.#device === null) return Promise.resolve();
    const graceMs = 1000;
    const device = this.#device;
    const impatience = setTimeout(() => device.drop(), graceMs);
    return new Promise((resolve) => {
      this.#whenClosed = () => {
        clearTimeout(impatience);
        resolve();
      };
      device.disconnect();
    });
  }

  #connect(): void {
    const { ackDelayMs = 0, arrive, awayMs, everyMs, identity, stayMs } = this.#habit;
    const device = new Device(this.#address, identity, ackDelayMs, {
      connected: () => {
        const nowMs = Date.now();
        this.#connected = true;
        this.#leaveMs = nowMs + this.#within(stayMs);
        this.#nextMs = nowMs + this.#within(everyMs) * this.#random.next(); // not all in step
        arrive?.(device);
      },
      closed: () => {
        this.#device = null;
        this.#connected = false;
        this.#nextMs = Date.now() + this.#within(awayMs);
        this.#whenClosed?.();
      },
    });
    this.#device = device;
  }

  #within(range: Range | undefined): number {
    return range === undefined ? Number.POSITIVE_INFINITY : this.#random.between(...range);
  }
}
