import type { Alarms } from './alarms.ts';

const LOG_ALARM = 'log_not_writable';

interface LogTrouble {
  /** Handlers and why they cannot write; called at once and with each change. */
  onTrouble(listener: (troubles: ReadonlyMap<string, string>) => void): void;
}

/** Raises an alarm while a log file cannot be written; it clears itself. */
export function followLog(alarms: Alarms, log: LogTrouble): void {
  log.onTrouble((troubles) => {
    if (troubles.size === 0) {
      alarms.deactivate(LOG_ALARM);
      return;
    }
    alarms.activate(
      LOG_ALARM,
      'a log file cannot be written; what happens meanwhile is not in it. Writing is tried again by itself',
      { handlers: Object.fromEntries(troubles) },
    );
  });
}
