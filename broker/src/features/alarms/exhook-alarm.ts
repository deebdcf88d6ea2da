import type { Alarms } from './alarms.ts';

const TOLD: Readonly<Record<string, string>> = {
  'client.authenticate': 'clients',
  'client.authorize': 'publishing and subscribing',
  'message.publish': 'messages',
};

/**
 * Raises an alarm while an exhook server is away; `reason` null = it is there again, or shall not be. `refused` are
 * the hooks at which nobody gets through meanwhile, because the server decides there.
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
    refused.length === 0
      ? ''
      : `; what it decides about is refused meanwhile: ${refused.map((hook) => TOLD[hook] ?? hook).join(', ')}`;
  alarms.activate(name, `the exhook server ${server} is not connected: ${reason}${consequence}`, {
    exhook: server,
    reason,
    ...(refused.length > 0 && { refused }),
  });
}
