import type { Core } from '../../../core/core.ts';
import type { Timer } from '../../../core/timer-wheel.ts';
import { type Frame, FrameError } from './frame.ts';

const OPEN_MAX = 10;
const FRAMES_MAX = 1000;
const BYTES_MAX = 8 * 1024 * 1024;
const LONGEST_MS = 60_000;

interface Transaction {
  frames: Frame[];
  timer: Timer;
}

/** What a device has said and not yet committed. Bounded, in number, size and time. */
export class Transactions {
  private readonly core: Core;
  private readonly onTooLong: (name: string) => void;
  private readonly open = new Map<string, Transaction>();
  private bytes = 0;

  constructor(core: Core, onTooLong: (name: string) => void) {
    this.core = core;
    this.onTooLong = onTooLong;
  }

  begin(name: string): void {
    if (this.open.has(name)) throw new FrameError(`the transaction ${name} has begun already`);
    if (this.open.size >= OPEN_MAX) throw new FrameError('too many transactions are open');
    const timer = this.core.timers.after(LONGEST_MS, () => this.onTooLong(name));
    this.open.set(name, { frames: [], timer });
  }

  add(name: string, frame: Frame): void {
    const { frames } = this.named(name);
    this.bytes += sizeOf(frame);
    if (frames.length >= FRAMES_MAX || this.bytes > BYTES_MAX)
      throw new FrameError(`the transaction ${name} is too large`);
    frames.push(frame);
  }

  /** What was said in it, which is forgotten. */
  end(name: string): Frame[] {
    const { frames, timer } = this.named(name);
    timer.cancel();
    this.open.delete(name);
    for (const frame of frames) this.bytes -= sizeOf(frame);
    return frames;
  }

  clear(): void {
    for (const { timer } of this.open.values()) timer.cancel();
    this.open.clear();
    this.bytes = 0;
  }

  private named(name: string): Transaction {
    const known = this.open.get(name);
    if (!known) throw new FrameError(`there is no transaction ${name}`);
    return known;
  }
}

const FRAME_BYTES = 512; // of the objects around the body
const sizeOf = ({ body }: Frame): number => body.length + FRAME_BYTES;
