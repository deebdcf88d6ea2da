/**
 * Runs again and again, `intervalMs` from start to start, but never before the last run has settled. A failure does
 * not end it. While the tab is hidden it rests, and on return it runs at once when its time has passed.
 */
export function startPoll(run: () => Promise<unknown>, intervalMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let running = false;
  let lastStart = performance.now();

  const schedule = () => {
    clearTimeout(timer);
    if (stopped || running || document.hidden) return;
    timer = setTimeout(tick, Math.max(0, intervalMs - (performance.now() - lastStart)));
  };
  const tick = async () => {
    running = true;
    lastStart = performance.now();
    await run().catch(() => undefined); // whoever runs tells about failures
    running = false;
    schedule();
  };
  document.addEventListener('visibilitychange', schedule);
  schedule();
  return () => {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', schedule);
  };
}
