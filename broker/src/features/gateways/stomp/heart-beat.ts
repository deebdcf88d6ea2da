import type { Core } from '../../../core/core.ts';
import type { Timer } from '../../../core/timer-wheel.ts';

/** Shorter ones cannot be kept. */
const SHORTEST_MS = 100;
/** Of the network and of the peer's clock. */
const TOLERANCE = 2;
const EARLY_MS = 100; // timers may be late by as much

export interface Beats {
  out: number; // ms between two of ours, 0 = none
  in: number; // ms between two of the peer's, 0 = none
}

/** `cx,cy` of CONNECT: what the peer can send, and what it wants; null when it is no such text. */
export function beatsFor(header: string | undefined): Beats | null {
  if (header === undefined) return { out: 0, in: 0 };
  const [, cx, cy] = /^\s*(\d{1,9})\s*,\s*(\d{1,9})\s*$/.exec(header) ?? [];
  if (cx === undefined || cy === undefined) return null;
  const kept = (ms: number) => (ms === 0 ? 0 : Math.max(ms, SHORTEST_MS));
  return { out: kept(Number(cy)), in: kept(Number(cx)) };
}

interface Heart {
  beat: () => void;
  onSilence: () => void;
}

/** Beats when nothing else was sent, and listens whether the peer does. */
export class HeartBeat {
  private readonly core: Core;
  private readonly beats: Beats;
  private readonly heart: Heart;
  private heardAt: number;
  private sentAt: number;
  private timers: (Timer | null)[] = [];

  constructor(core: Core, beats: Beats, heart: Heart) {
    this.core = core;
    this.beats = beats;
    this.heart = heart;
    this.heardAt = core.clock.now;
    this.sentAt = core.clock.now;
    if (beats.out > 0) this.beatLater();
    if (beats.in > 0) this.listenLater();
  }

  heard(): void {
    this.heardAt = this.core.clock.now;
  }

  sent(): void {
    this.sentAt = this.core.clock.now;
  }

  stop(): void {
    for (const timer of this.timers) timer?.cancel();
  }

  private beatLater(): void {
    const { core, beats, heart } = this;
    const due = this.sentAt + Math.max(beats.out - EARLY_MS, beats.out / 2);
    this.timers[0] = core.timers.after(due - core.clock.now, () => {
      if (core.clock.now >= this.sentAt + Math.max(beats.out - EARLY_MS, beats.out / 2)) heart.beat();
      this.beatLater();
    });
  }

  private listenLater(): void {
    const { core, beats, heart } = this;
    this.timers[1] = core.timers.after(this.heardAt + beats.in * TOLERANCE - core.clock.now, () => {
      if (core.clock.now >= this.heardAt + beats.in * TOLERANCE) heart.onSilence();
      else this.listenLater();
    });
  }
}
