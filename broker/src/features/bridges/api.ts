import type { Bridge, bridges as contract } from '@mqdeck/contract/bridges';
import { type BridgeType, bridgeConfig, isBridgeType, newBridge } from '@mqdeck/contract/bridges/types';
import { masked, NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { parseDuration } from '@mqdeck/contract/kit/values';
import * as z from 'zod/mini';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Core } from '../../core/core.ts';
import { ApiError, fail } from '../../http/api-error.ts';
import { validationError } from '../../http/faults.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { RuleInputs } from '../../resources/links.ts';
import type { BridgeConfig, Bridges, LiveBridge } from './bridges.ts';

const NOT_FOUND = 'There is no bridge of that type and name';
const OPERATIONS = ['start', 'stop', 'restart'] as const;

export function bridgesApi(all: Bridges, rules: () => RuleInputs, { node }: Core): Handlers<typeof contract> {
  const found = (id: string): LiveBridge => all.find(id) ?? fail('NOT_FOUND', NOT_FOUND);
  const metricsOf = ({ resource: { values: metrics } }: LiveBridge) => ({
    metrics,
    node_metrics: [{ node, metrics }],
  });
  const present = (bridge: LiveBridge) => presented(bridge, node);

  async function operate(id: string, operation: string): Promise<void> {
    if (!OPERATIONS.some((one) => one === operation)) fail('NOT_FOUND', `Invalid operation: ${operation}`);
    const { resource, config } = found(id);
    if (operation !== 'stop' && !config.enable)
      fail('BAD_REQUEST', 'The bridge is disabled: enable it first');
    await resource[operation as (typeof OPERATIONS)[number]]();
  }

  return {
    list: () => all.all().map(present),
    create: async ({ body }) => {
      const { type, name, config } = checked(body, null);
      const id = `${type}:${name}`;
      if (all.find(id)) return fail('ALREADY_EXISTS', 'bridge already exists', 400);
      return present(await all.save(id, config));
    },
    get: ({ params: { id } }) => present(found(id)),
    update: async ({ params: { id }, body }) => {
      const before = found(id);
      const { config } = checked({ ...body, type: before.type, name: before.name }, before);
      return present(await all.save(id, config));
    },
    remove: async ({ params: { id }, query }) => {
      found(id);
      const users = rules().usersOf(id);
      if (users.length > 0) {
        if (query.also_delete_dep_actions === undefined)
          throw new ApiError(
            'BAD_REQUEST',
            `Rules use this bridge: ${users.join(', ')}`,
            400,
            {},
            { rules: users },
          );
        await rules().dropBridge(id);
      }
      await all.remove(id);
    },
    enable: async ({ params: { id, enable } }) => {
      if (enable !== 'true' && enable !== 'false') return fail('NOT_FOUND', 'Invalid operation');
      const { config } = found(id);
      await all.save(id, { ...config, enable: enable === 'true' });
    },
    operate: ({ params: { id, operation } }) => operate(id, operation),
    operateOnNode: async ({ params: { node: asked, id, operation } }) => {
      if (asked !== node) return fail('NOT_FOUND', `Node not found: ${asked}`);
      await operate(id, operation);
    },
    metrics: ({ params: { id } }) => metricsOf(found(id)),
    resetMetrics: ({ params: { id } }) => {
      found(id).resource.metrics.reset();
    },
    allMetrics: () => all.all().map((bridge) => ({ id: bridge.id, ...metricsOf(bridge) })),
    probe: async ({ body }) => {
      const before = typeof body.name === 'string' ? (all.find(`${body.type}:${body.name}`) ?? null) : null;
      const { type, config } = checked({ name: 'probe', ...body }, before);
      await probe(all, type, config);
    },
  };
}

function presented({ type, name, config, resource: { status, reason } }: LiveBridge, node: string): Bridge {
  const why = reason !== null && { status_reason: reason };
  const { tags: _, ...fields } = masked(config);
  return {
    type,
    name,
    ...fields,
    status,
    ...why,
    node_status: [{ node, status, ...why }],
  };
}

/** The configuration as the contract has it, defaults and stored secrets filled in; or 400. */
function checked(
  body: Record<string, unknown>,
  before: LiveBridge | null,
): { type: BridgeType; name: string; config: BridgeConfig } {
  const { type } = body;
  if (typeof type !== 'string' || !isBridgeType(type)) {
    const reason = type === undefined ? 'required_field' : 'unknown bridge type';
    const path = type === undefined ? 'root.type' : 'root';
    return fail(
      'BAD_REQUEST',
      JSON.stringify({ kind: 'validation_error', path, reason, value: type, field_name: 'type' }),
    );
  }
  const given = withNewNames(shownOnly(body));
  const schema = newBridge(type);
  const result = z.safeParse(schema, given);
  if (!result.success) throw validationError('body', schema, given, result.error.issues);
  const { type: _, name, ...fields } = result.data as { type: string; name: string };
  try {
    const config = unmasked(fields, before?.config) as BridgeConfig;
    checkDirections(config);
    return { type, name, config: z.parse(bridgeConfig(type), config) as unknown as BridgeConfig };
  } catch (cause) {
    if (!(cause instanceof NoSecret)) throw cause;
    return fail(
      'BAD_REQUEST',
      JSON.stringify({ kind: 'validation_error', path: `root.${cause.path}`, reason: cause.message }),
    );
  }
}

/** What an answer adds is taken back without a word. */
const shownOnly = ({ status, status_reason, node_status, ...rest }: Record<string, unknown>) => rest;

const NEW_NAMES: Record<string, string> = {
  request_timeout: 'request_ttl',
  async_inflight_window: 'inflight_window',
  max_queue_bytes: 'max_buffer_bytes',
};

/** Options under the names of earlier brokers; one under its new name counts more. */
function withNewNames(body: Record<string, unknown>): Record<string, unknown> {
  const { resource_opts: options } = body;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return body;
  const { enable_queue, enable_batch, ...rest } = options as Record<string, unknown>;
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) renamed[NEW_NAMES[name] ?? name] ??= value;
  for (const [name, value] of Object.entries(rest)) if (!(name in NEW_NAMES)) renamed[name] = value;
  if (enable_queue === true) renamed.buffer_mode ??= 'disk';
  if (enable_batch === false && 'batch_size' in renamed) renamed.batch_size = 1;
  return { ...body, resource_opts: renamed };
}

/** A bridge that goes nowhere is none, and one that goes in a circle never ends. */
function checkDirections(config: BridgeConfig): void {
  if (!('proto_ver' in config)) return;
  const { ingress, egress } = config as {
    ingress?: { remote: { topic: string } };
    egress?: { remote: { topic: string } };
  };
  if (!ingress && !egress)
    fail('BAD_REQUEST', 'At least one remote topic is needed, of ingress or of egress');
  if (ingress && egress && ingress.remote.topic === egress.remote.topic)
    fail('BAD_REQUEST', 'The remote topics of ingress and egress must differ');
}

async function probe(all: Bridges, type: BridgeType, config: BridgeConfig): Promise<void> {
  const ending = new AbortController();
  const timeoutMs = parseDuration(config.resource_opts.start_timeout)!;
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
