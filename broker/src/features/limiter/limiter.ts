import type { LimiterType } from '@mqdeck/contract/limiter';
import { limiterTypes } from '@mqdeck/contract/limiter';
import type { Core } from '../../core/core.ts';
import type { Level } from '../../core/limiter/config.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { configOf } from './config.ts';

const LOOK_MS = 1000;
const CALM_MS = 60_000; // an alarm ends when nobody met its limit for so long
const SAY_EVERY_MS = 60_000;

/** Limits that concern many: whoever wonders why messages are slow has to see them. */
const shared: readonly Level[] = ['node', 'bucket', 'listener'];

const whatIsLimited: Record<LimiterType, string> = {
  bytes_in: 'bytes that clients send',
  message_in: 'messages that clients publish',
  connection: 'new connections',
  message_routing: 'deliveries of messages',
  internal: 'retained messages to new subscribers',
};

export interface LimiterAlarms {
  activate(name: string, message: string, details: Record<string, unknown>): void;
  deactivate(name: string): void;
}

/** Puts the limits of the settings in force, and tells when they are met. The answer ends it. */
export function startLimiter(core: Core, settings: SettingsStore, alarms: LimiterAlarms): () => void {
  const { limiter } = core;
  limiter.configure(configOf(settings.get('limiter')));
  const unlisten = settings.onChange('limiter', (changed) => limiter.configure(configOf(changed)));
  const stop = watch(core, alarms);
  return () => {
    unlisten();
    stop();
  };
}

interface Watched {
  type: LimiterType;
  sharedMisses: number;
  ownMisses: number;
  metAt: number | null; // while there is an alarm
  saidAt: number;
}

/** Looks once a second: telling costs nothing per message, and a flood is one line. */
function watch({ limiter, timers, clock, log }: Core, alarms: LimiterAlarms): () => void {
  const { tally } = limiter;
  const alarmOf = (type: LimiterType) => `limiter_${type}`;
  const watched = limiterTypes.map(
    (type): Watched => ({
      type,
      sharedMisses: 0,
      ownMisses: 0,
      metAt: null,
      saidAt: Number.NEGATIVE_INFINITY,
    }),
  );
  for (const { type } of watched) alarms.deactivate(alarmOf(type)); // of a run that could not take it back
  let timer: Timer = timers.after(LOOK_MS, look);

  function look(): void {
    timer = timers.after(LOOK_MS, look);
    for (const one of watched) {
      lookAtShared(one);
      lookAtOwn(one);
    }
  }

  function lookAtShared(one: Watched): void {
    const { type } = one;
    const misses = shared.map((level) => ({ level, count: tally.misses(type, level) }));
    const count = misses.reduce((sum, each) => sum + each.count, 0);
    if (count > one.sharedMisses || (one.metAt !== null && isWaitedFor(type))) {
      if (one.metAt === null)
        alarms.activate(
          alarmOf(type),
          `a limit holds back ${whatIsLimited[type]}; see the page of the limiter`,
          { type, ...Object.fromEntries(misses.map((each) => [each.level, each.count])) },
        );
      one.metAt = clock.now;
    } else if (one.metAt !== null && clock.now - one.metAt >= CALM_MS) {
      one.metAt = null;
      alarms.deactivate(alarmOf(type));
    }
    one.sharedMisses = count;
  }

  function isWaitedFor(type: LimiterType): boolean {
    for (const { gate, level } of limiter.waits)
      if (gate.parts.type === type && shared.includes(level)) return true;
    return false;
  }

  /** One client that meets its own limit is no alarm. */
  function lookAtOwn(one: Watched): void {
    const count = tally.misses(one.type, 'client');
    const added = count - one.ownMisses;
    if (added <= 0 || clock.now - one.saidAt < SAY_EVERY_MS) return;
    one.ownMisses = count;
    one.saidAt = clock.now;
    const [example] = limiter.waits;
    log.info(
      { limiter: one.type, times: added, clientid: example?.limits.owner.who?.clientid },
      'clients meet the limit of a client',
    );
  }

  return () => timer.cancel();
}
