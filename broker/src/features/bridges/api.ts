import type { Bridge, bridges as contract } from '@mqdeck/contract/bridges';
import { type BridgeType, bridgeConfig, isBridgeType, newBridge } from '@mqdeck/contract/bridges/types';
import { masked } from '@mqdeck/contract/kit/secrets';
import * as z from 'zod/mini';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import type { RuleInputs } from '../../resources/links.ts';
import type { BridgeConfig, Bridges, LiveBridge } from './bridges.ts';
import { connectorAt, connectorKey } from './parts.ts';
import { checkedFields, enableBridge, freeOfRules, metricsOf, othersOver, probe } from './requests.ts';

const NOT_FOUND = 'There is no bridge of that type and name';
const OPERATIONS = ['start', 'stop', 'restart'] as const;

export function bridgesApi(all: Bridges, rules: () => RuleInputs, { node }: Core): Handlers<typeof contract> {
  const found = (id: string): LiveBridge => all.find(id) ?? fail('NOT_FOUND', NOT_FOUND);
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
      const { type, name, config } = checked(all, body, null);
      const id = `${type}:${name}`;
      if (all.find(id) || connectorAt(all.section, type, name))
        return fail('ALREADY_EXISTS', 'bridge already exists', 400);
      return present(await all.save(id, { ...config, created_at: all.now }));
    },
    get: ({ params: { id } }) => present(found(id)),
    update: async ({ params: { id }, body }) => {
      const before = found(id);
      const { config } = checked(all, { ...body, type: before.type, name: before.name }, before);
      if (connectorAt(all.section, before.type, before.name) && othersOver(all, before.type, before.name, id))
        return fail('BAD_REQUEST', 'Others use its connector: change the connector, or the action');
      // In one piece from now on, with a connection of its own
      await all.change(({ [connectorKey(before.type, before.name)]: _, ...others }) => ({
        ...others,
        [id]: { ...config, ...bornAs(before) },
      }));
      return present(found(id));
    },
    remove: async ({ params: { id }, query }) => {
      const { type, name } = found(id);
      await freeOfRules(rules(), id, query.also_delete_dep_actions !== undefined);
      const isShared = othersOver(all, type, name, id);
      const own = isShared ? '' : connectorKey(type, name);
      await all.change(({ [id]: _, [own]: __, ...others }) => others);
    },
    enable: async ({ params: { id, enable } }) => {
      if (enable !== 'true' && enable !== 'false') return fail('NOT_FOUND', 'Invalid operation');
      found(id);
      await enableBridge(all, id, enable === 'true');
    },
    operate: ({ params: { id, operation } }) => operate(id, operation),
    operateOnNode: async ({ params: { node: asked, id, operation } }) => {
      if (asked !== node) return fail('NOT_FOUND', `Node not found: ${asked}`);
      await operate(id, operation);
    },
    metrics: ({ params: { id } }) => metricsOf(found(id), node),
    resetMetrics: ({ params: { id } }) => {
      found(id).resource.metrics.reset();
    },
    allMetrics: () => all.all().map((bridge) => ({ id: bridge.id, ...metricsOf(bridge, node) })),
    probe: async ({ body }) => {
      const before = typeof body.name === 'string' ? (all.find(`${body.type}:${body.name}`) ?? null) : null;
      const { type, config } = checked(all, { name: 'probe', ...body }, before);
      await probe(all, type, config);
    },
  };
}

function presented({ type, name, config, resource: { status, reason } }: LiveBridge, node: string): Bridge {
  const why = reason !== null && { status_reason: reason };
  const { tags: _, created_at, ...fields } = masked(config) as BridgeConfig & { created_at?: number };
  return {
    type,
    name,
    ...fields,
    ...(created_at !== undefined && { created_at: rfc3339(created_at) }),
    status,
    ...why,
    node_status: [{ node, status, ...why }],
  };
}

/** The configuration as the contract has it, defaults and stored secrets filled in; or 400. */
function checked(
  all: Bridges,
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
  const given = withTtl(withNewNames(shownOnly(body)));
  const schema = newBridge(type);
  const {
    type: _,
    name,
    ...fields
  } = checkedFields(all, schema, given, before?.config) as { type: string; name: string };
  const config = fields as BridgeConfig;
  checkDirections(config);
  return { type, name, config: z.parse(bridgeConfig(type), config) as unknown as BridgeConfig };
}

/** What an answer adds is taken back without a word. */
const shownOnly = ({ status, status_reason, node_status, created_at, ...rest }: Record<string, unknown>) =>
  rest;

const bornAs = ({ config }: LiveBridge): object =>
  'created_at' in config ? { created_at: config.created_at } : {};

const NEW_NAMES: ReadonlyMap<string, string> = new Map([
  ['request_timeout', 'request_ttl'],
  ['async_inflight_window', 'inflight_window'],
  ['max_queue_bytes', 'max_buffer_bytes'],
]);

/** Options under the names of earlier brokers; one under its new name counts more. */
function withNewNames(body: Record<string, unknown>): Record<string, unknown> {
  const { resource_opts: options } = body;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return body;
  const { enable_queue, enable_batch, ...rest } = options as Record<string, unknown>;
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) renamed[NEW_NAMES.get(name) ?? name] ??= value;
  for (const [name, value] of Object.entries(rest)) if (!NEW_NAMES.has(name)) renamed[name] = value;
  if (enable_queue === true) renamed.buffer_mode ??= 'disk';
  if (enable_batch === false && 'batch_size' in renamed) renamed.batch_size = 1;
  return { ...body, resource_opts: renamed };
}

/** What waits on disk waits until it is delivered, unless somebody says how long. */
function withTtl(body: Record<string, unknown>): Record<string, unknown> {
  const options = (body.resource_opts ?? {}) as { buffer_mode?: unknown; request_ttl?: unknown };
  const { buffer } = (body.kafka ?? {}) as { buffer?: { mode?: unknown } | null };
  const onDisk = options.buffer_mode === 'disk' || buffer?.mode === 'disk' || buffer?.mode === 'hybrid';
  if (!onDisk || options.request_ttl !== undefined) return body;
  return { ...body, resource_opts: { ...options, request_ttl: 'infinity' } };
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
  if (egress && config.resource_opts.worker_pool_size === 0)
    fail(
      'BAD_REQUEST',
      JSON.stringify({
        kind: 'validation_error',
        path: 'root.resource_opts.worker_pool_size',
        reason: 'must be above 0: only a bridge that fetches and does not send needs no workers',
      }),
    );
}
