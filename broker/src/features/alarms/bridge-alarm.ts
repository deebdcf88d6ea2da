import type { Alarms } from './alarms.ts';

/** Raises an alarm while a bridge has lost its target; `reason` null = it has it again, or is stopped. */
export function tellOfBridge(alarms: Alarms, id: string, reason: string | null): void {
  const name = `bridge:${id}`;
  if (reason === null) alarms.deactivate(name);
  else alarms.activate(name, `the bridge ${id} cannot reach its target: ${reason}`, { bridge: id, reason });
}
