import type { Alarms } from './alarms.ts';

/** Raises an alarm while a plugin does not run though it should; `reason` null = it does, or need not any more. */
export function tellOfPlugin(alarms: Alarms, id: string, reason: string | null): void {
  const name = `plugin:${id}`;
  if (reason === null) alarms.deactivate(name);
  else alarms.activate(name, `the plugin ${id} has ended by itself: ${reason}`, { plugin: id, reason });
}
