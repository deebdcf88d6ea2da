/** The broker's time: read once per chunk or tick instead of once per message. A test winds its own. */
export class Clock {
  now: number; // epoch ms
  private readonly read: () => number;

  constructor(read: () => number = Date.now) {
    this.read = read;
    this.now = read();
  }

  refresh(): number {
    this.now = this.read();
    return this.now;
  }
}

export const TICK_MS = 100;
const AT_ONCE = 200; // timers of one tick that run in a turn of the event loop, in some milliseconds
const SLOTS = 1024; // a turn of the wheel takes 102 s; later ones wait in their slot for further turns

/** Something to be done later. Its owner cancels it; it never runs twice. */
export class Timer {
  readonly run: () => void;
  readonly tick: number;
  /** Neighbours in the slot's ring; null when the timer is over. */
  next: Timer | null = null;
  previous: Timer | null = null;

  constructor(run: () => void, tick: number) {
    this.run = run;
    this.tick = tick;
  }

  get pending(): boolean {
    return this.next !== null;
  }

  cancel(): void {
    if (this.next === null || this.previous === null) return;
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = null;
    this.previous = null;
  }
}

/** All timers of the broker on one Node timer: keep alive, expiry, will delay … Keeps rings of timers by their tick. */
export class TimerWheel {
  private readonly clock: Clock;
  private readonly onFault: (cause: unknown) => void;
  private readonly slots: Timer[] = [];
  private tick: number;
  private interval: NodeJS.Timeout | null = null;
  private rest: NodeJS.Immediate | null = null;

  constructor(clock: Clock, onFault: (cause: unknown) => void) {
    this.clock = clock;
    this.onFault = onFault;
    this.tick = Math.floor(clock.now / TICK_MS);
    for (let i = 0; i < SLOTS; i++) {
      const head = new Timer(() => undefined, 0);
      head.next = head;
      head.previous = head;
      this.slots.push(head);
    }
  }

  /** Not before `delayMs` have passed, and at most a tick later. */
  after(delayMs: number, run: () => void): Timer {
    const tick = Math.max(Math.ceil((this.clock.now + delayMs) / TICK_MS), this.tick + 1);
    const timer = new Timer(run, tick);
    if (!Number.isFinite(tick)) return timer; // infinity: never
    const head = this.slots[tick % SLOTS]!;
    const last = head.previous!;
    last.next = timer;
    timer.previous = last;
    timer.next = head;
    head.previous = timer;
    return timer;
  }

  start(): void {
    this.interval ??= setInterval(() => {
      this.clock.refresh();
      this.turn();
    }, TICK_MS);
  }

  stop(): void {
    if (this.interval) clearInterval(this.interval);
    this.interval = null;
    if (this.rest) clearImmediate(this.rest);
    this.rest = null;
  }

  /**
   * Runs what is due by the clock. A thousand devices that left together end their sessions together: of so many the
   * later ones wait for the next turns of the event loop.
   */
  turn(): void {
    if (this.rest) clearImmediate(this.rest);
    this.rest = null;
    let room = AT_ONCE;
    const target = Math.floor(this.clock.now / TICK_MS);
    // A clock that jumped (suspend, or set back): look at each slot once at most
    if (target - this.tick > SLOTS) this.tick = target - SLOTS;
    if (target < this.tick - 1) this.tick = target;
    while (this.tick < target) {
      this.tick++;
      room -= this.runSlot(this.slots[this.tick % SLOTS]!, target, room);
      if (room > 0) continue;
      this.tick--; // there may be more of this one
      this.rest = setImmediate(() => this.turn());
      return;
    }
  }

  /** Runs some of a slot's, and tells how many. */
  private runSlot(head: Timer, target: number, room: number): number {
    const due: Timer[] = [];
    for (let timer = head.next!; timer !== head && due.length < room; timer = timer.next!)
      if (timer.tick <= target) due.push(timer);
    for (const timer of due) {
      if (!timer.pending) continue; // an earlier one cancelled it
      timer.cancel();
      try {
        timer.run();
      } catch (cause) {
        this.onFault(cause);
      }
    }
    return due.length;
  }
}
