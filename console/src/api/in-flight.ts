/** Keeps how many calls are under way and which statuses were told meanwhile; only request.ts changes it. */
let running = 0;
let shownRunning = 0;
const told = new Set<number>();
const listeners = new Set<() => void>();

/** A call begins; the returned function ends it. `progress: false` keeps it out of the progress bar. */
export function begin(progress: boolean): () => void {
  running += 1;
  if (progress) shownRunning += 1;
  notify();
  return () => {
    running -= 1;
    if (progress) shownRunning -= 1;
    if (running === 0) told.clear();
    notify();
  };
}

/** True the first time a status comes up until all calls have settled: each is reported once. */
export function firstOf(status: number): boolean {
  if (told.has(status)) return false;
  told.add(status);
  return true;
}

export const callsInProgressBar = (): number => shownRunning;

export function onInFlightChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
