import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import type { SysmonSettings } from '@mqdeck/contract/sysmon';
import type { Core } from '../../core/core.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import { Turn } from '../../paging/turn.ts';
import type { SettingsStore } from '../../settings/settings.ts';

const LOOK_MS = 1000;
const BUSY_EVERY_MS = 30_000;
const BUSY_NAMES_MAX = 10;

/**
 * Tells of the broker's own trouble, in the log and below `$SYS/brokers/{node}/sysmon`: long garbage collections, turns
 * of the event loop that take too long, a heap that grows suddenly, clients that take nothing. The answer ends it.
 */
export function tellOwnTrouble(core: Core, settings: SettingsStore): () => void {
  const { log, node, routes, timers, clock } = core;
  let off: (() => void)[] = [];

  function tell(event: string, facts: object, text: string): void {
    log.warn({ event, ...facts }, text);
    const topic = `$SYS/brokers/${node}/sysmon/${event}`;
    if (!routes.hasReceivers(topic)) return;
    const payload = JSON.stringify({ ...facts, ts: clock.now });
    const published = core.publish({ topic, payload, system: true });
    if (published instanceof Promise) published.catch((err) => log.warn({ err }, `${topic} failed`));
  }

  function repeat(everyMs: number, look: () => void): void {
    let timer: Timer;
    const go = () => {
      timer = timers.after(everyMs, go);
      look();
    };
    timer = timers.after(everyMs, go);
    off.push(() => timer.cancel());
  }

  function follow({ vm }: SysmonSettings): void {
    end();
    if (vm.long_gc !== 'disabled') watchCollections(parseDuration(vm.long_gc)!);
    if (vm.long_schedule !== 'disabled') watchTurns(parseDuration(vm.long_schedule)!);
    if (vm.large_heap !== 'disabled') watchHeap(parseBytes(vm.large_heap)!);
    if (vm.busy_port) repeat(BUSY_EVERY_MS, () => void tellBusyClients());
  }

  function watchCollections(longMs: number): void {
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        if (duration >= longMs)
          tell('long_gc', { duration_ms: Math.round(duration) }, 'a garbage collection took long');
    });
    observer.observe({ entryTypes: ['gc'] });
    off.push(() => observer.disconnect());
  }

  function watchTurns(longMs: number): void {
    const delay = monitorEventLoopDelay({ resolution: 20 });
    delay.enable();
    off.push(() => delay.disable());
    let starting = true; // which is one thing, and takes long
    repeat(LOOK_MS, () => {
      const longest = delay.max / 1e6;
      delay.reset();
      if (starting) starting = false;
      else if (longest >= longMs)
        tell(
          'long_schedule',
          { duration_ms: Math.round(longest) },
          'the broker was busy with one thing for long',
        );
    });
  }

  function watchHeap(largeBytes: number): void {
    let last = process.memoryUsage().heapUsed;
    repeat(LOOK_MS, () => {
      const { heapUsed } = process.memoryUsage();
      const grown = heapUsed - last;
      last = heapUsed;
      if (grown >= largeBytes)
        tell('large_heap', { grown_bytes: grown, heap_bytes: heapUsed }, 'the heap has grown suddenly');
    });
  }

  async function tellBusyClients(): Promise<void> {
    const turn = new Turn();
    const busy: string[] = [];
    let count = 0;
    for (const client of core.registry) {
      if (turn.over) await turn.next();
      if (!client.connected || client.ready) continue;
      if (count++ < BUSY_NAMES_MAX) busy.push(client.clientid);
    }
    if (count > 0) tell('busy_port', { count, clientids: busy }, 'clients do not take what is sent to them');
  }

  function end(): void {
    for (const one of off) one();
    off = [];
  }

  follow(settings.get('sysmon'));
  const unlisten = settings.onChange('sysmon', follow);
  return () => {
    unlisten();
    end();
  };
}
