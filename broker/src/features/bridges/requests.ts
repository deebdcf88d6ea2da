import type { BridgeType } from '@mqdeck/contract/bridges/types';
import { NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { parseDuration } from '@mqdeck/contract/kit/values';
import * as z from 'zod/mini';
import { BackendConfigError } from '../../backends/backend.ts';
import { ApiError, fail } from '../../http/api-error.ts';
import { validationError } from '../../http/faults.ts';
import type { RuleInputs } from '../../resources/links.ts';
import type { BridgeConfig, Bridges, LiveBridge } from './bridges.ts';
import { connectorAt, partAt } from './parts.ts';

/** What requests about bridges have in common with those about connectors, actions and sources. */

type Fields = Record<string, unknown>;

/** The 400 that names a field. */
export function failAt(path: string, reason: string, more: object = {}): never {
  return fail('BAD_REQUEST', JSON.stringify({ kind: 'validation_error', path, reason, ...more }));
}

/** What was given as its type has it, defaults and stored secrets filled in, its target one that may be connected to; or 400. */
export function checkedFields(
  { outbound }: Bridges,
  schema: z.ZodMiniType,
  given: Fields,
  stored: unknown,
): Fields {
  const result = z.safeParse(schema, given);
  if (!result.success) throw validationError('body', schema, given, result.error.issues);
  try {
    const fields = unmasked(result.data as Fields, stored);
    outbound.checkConfig(fields, stored);
    return fields;
  } catch (cause) {
    if (!(cause instanceof NoSecret || cause instanceof BackendConfigError)) throw cause;
    return failAt(`root.${cause.path}`, cause.message);
  }
}

/** Ends the request while rules use the bridge, unless it shall be taken out of them. */
export async function freeOfRules(rules: RuleInputs, id: string, takeOut: boolean): Promise<void> {
  const users = rules.usersOf(id);
  if (users.length === 0) return;
  if (!takeOut)
    throw new ApiError('BAD_REQUEST', `Rules use this: ${users.join(', ')}`, 400, {}, { rules: users });
  await rules.dropBridge(id);
}

/** Whether another bridge leads over the connector of that name. */
export const othersOver = (all: Bridges, type: BridgeType, connector: string, id: string): boolean =>
  all.over(type, connector).some((bridge) => bridge.id !== id);

export async function enableBridge(all: Bridges, id: string, enable: boolean): Promise<void> {
  const part = partAt(all.section, id);
  if (enable && part && !connectorAt(all.section, all.find(id)!.type, part.connector)?.enable)
    fail('BAD_REQUEST', `The connector ${part.connector} is disabled: enable that first`);
  await all.change((section) => ({ ...section, [id]: { ...section[id], enable } }));
}

export const metricsOf = ({ resource: { values: metrics } }: LiveBridge, node: string) => ({
  metrics,
  node_metrics: [{ node, metrics }],
});

const PROBE_MOST_MS = 60_000; // somebody waits for the answer

/** Whether a configuration reaches its target; ends the request when it does not. */
export async function probe(all: Bridges, type: BridgeType, config: BridgeConfig): Promise<void> {
  const ending = new AbortController();
  const timeoutMs = Math.min(parseDuration(config.resource_opts.start_timeout)!, PROBE_MOST_MS);
  const timer = setTimeout(() => ending.abort(), timeoutMs);
  let driver: ReturnType<Bridges['probe']> | null = null;
  try {
    driver = all.probe(type, config);
    const over = new Promise<never>((_, reject) =>
      ending.signal.addEventListener('abort', () =>
        reject(new Error(`no answer within ${timeoutMs / 1000} s`)),
      ),
    );
    await Promise.race([driver.open(ending.signal), over]);
    await Promise.race([driver.check(ending.signal), over]);
  } catch (cause) {
    if (cause instanceof BackendConfigError) fail('BAD_REQUEST', cause.message);
    fail('TEST_FAILED', cause instanceof Error ? cause.message : 'it does not answer');
  } finally {
    clearTimeout(timer);
    await driver?.close().catch(() => undefined);
  }
}
