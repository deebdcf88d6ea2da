import type { Timer, TimerWheel } from '../../core/timer-wheel.ts';
import type { Alarms } from './alarms.ts';

const RULES_ALARM = 'rules_feed_each_other';
/** It ends when nothing was stopped for so long. */
const QUIET_MS = 60_000;

/** Raises an alarm when rules made so many messages of one that they were stopped; it clears itself. */
export function followFeedingRules(alarms: Alarms, timers: TimerWheel): (rules: readonly string[]) => void {
  alarms.deactivate(RULES_ALARM); // of a broker that has ended meanwhile
  let quiet: Timer | undefined;
  return (rules) => {
    quiet?.cancel();
    quiet = timers.after(QUIET_MS, () => alarms.deactivate(RULES_ALARM));
    alarms.activate(
      RULES_ALARM,
      `too many messages were made from one message, so these rules were stopped for it: ${rules.join(', ')}`,
      { rules },
    );
  };
}
