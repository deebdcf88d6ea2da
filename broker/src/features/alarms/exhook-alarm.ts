import type { Alarms } from './alarms.ts';

/** Raises an alarm while an exhook server is away; `reason` null = it is there again, or shall not be. */
export function tellOfExhook(alarms: Alarms, server: string, reason: string | null): void {
  const name = `exhook:${server}`;
  if (reason === null) alarms.deactivate(name);
  else
    alarms.activate(name, `the exhook server ${server} is not connected: ${reason}`, {
      exhook: server,
      reason,
    });
}
