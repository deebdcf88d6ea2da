import type { Alarms } from './alarms.ts';

/**
 * Raises an alarm while an exhook server is away; `reason` null = it is there again, or shall not be. `refused` is what
 * nobody gets through meanwhile, because the server decides about it.
 */
export function tellOfExhook(
  alarms: Alarms,
  server: string,
  reason: string | null,
  refused: readonly string[] = [],
): void {
  const name = `exhook:${server}`;
  if (reason === null) {
    alarms.deactivate(name);
    return;
  }
  const consequence =
    refused.length === 0 ? '' : `; what it decides about is refused meanwhile: ${refused.join(', ')}`;
  alarms.activate(name, `the exhook server ${server} is not connected: ${reason}${consequence}`, {
    exhook: server,
    reason,
  });
}
