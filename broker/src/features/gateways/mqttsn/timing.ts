/** The timers and counters of section 7.2. */
export interface Timing {
  advertiseMs: number;
  retryMs: number;
  /** How often a message is sent again. */
  retries: number;
}
export const TIMING: Timing = { advertiseMs: 15 * 60_000, retryMs: 10_000, retries: 3 };

const LONG_S = 60;

/** How long nothing may be heard of a sleeper: what it said, and a tenth; half of it for short times. */
export const sleepToleranceMs = (seconds: number): number => seconds * 1000 * (seconds > LONG_S ? 1.1 : 1.5);
