import type { Action, actions, sources } from '@mqdeck/contract/actions';
import {
  bridgeTypeOf,
  type Direction,
  newPart,
  partConfig,
  partType,
  typesWith,
} from '@mqdeck/contract/bridges/parts';
import { bridgeConfig } from '@mqdeck/contract/bridges/types';
import { masked } from '@mqdeck/contract/kit/secrets';
import * as z from 'zod/mini';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import { validationError } from '../../http/faults.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { RuleInputs } from '../../resources/links.ts';
import type { BridgeConfig, Bridges, LiveBridge } from './bridges.ts';
import { connectorAt, joined, type KeptPart, type PartFields, partAt } from './parts.ts';
import { checkedFields, enableBridge, failAt, freeOfRules, metricsOf, probe } from './requests.ts';
import { splitBridge, splitOf } from './split-bridge.ts';

interface Parts {
  all: Bridges;
  rules: () => RuleInputs;
  core: Core;
}

interface Found {
  bridge: LiveBridge;
  part: PartFields & Partial<KeptPart>;
}

export const actionsApi = (parts: Parts): Handlers<typeof actions> => partsApi(parts, 'action');
export const sourcesApi = (parts: Parts): Handlers<typeof sources> => partsApi(parts, 'source');

/** Actions or sources: what goes over connectors in one direction. Those of bridges in one piece are among them. */
function partsApi({ all, rules, core: { node } }: Parts, direction: Direction): Handlers<typeof actions> {
  const types = typesWith(direction);

  function partOf(bridge: LiveBridge): Found | null {
    const kept = partAt(all.section, bridge.id);
    const part = kept === null ? splitOf(bridge)[direction] : kept.direction === direction ? kept : null;
    return part && { bridge, part };
  }
  function find(id: string): Found | null {
    const at = id.indexOf(':');
    const type = bridgeTypeOf(id.slice(0, Math.max(0, at)));
    const bridge = type && all.find(`${type}:${id.slice(at + 1)}`);
    return bridge ? partOf(bridge) : null;
  }
  const found = (id: string): Found =>
    find(id) ?? fail('NOT_FOUND', `There is no ${direction} of that type and name`);

  function present({ bridge, part }: Found): Action {
    const { id, type, name, resource } = bridge;
    const { direction: _, tags, parameters, created_at, last_modified_at, ...fields } = part;
    const state = { status: resource.status, status_reason: resource.reason ?? '' };
    return {
      type: partType(type),
      name,
      ...fields,
      ...(tags.length > 0 && { tags }),
      parameters: masked(parameters),
      ...(created_at !== undefined && { created_at }),
      ...(last_modified_at !== undefined && { last_modified_at }),
      ...state,
      error: state.status_reason,
      node_status: [{ node, ...state }],
      rules: rules().usersOf(id),
    };
  }

  const list = () =>
    all.all().flatMap((bridge) => {
      const part = partOf(bridge);
      return part ? [present(part)] : [];
    });

  /** The part as its type has it, and the bridge that it makes with its connector. */
  function checked(body: Record<string, unknown>, before: Found | null) {
    const { type: given } = body;
    if (given === undefined) return failAt('root.type', 'required_field');
    const type = types.find((one) => partType(one) === given);
    if (type === undefined)
      return failAt('root', 'unknown bridge type', { value: given, field_name: 'type' });
    const fields = checkedFields(all, newPart(type, direction), shownOnly(body), before?.part);
    const { type: _, name, ...rest } = fields as { type: string; name: string };
    const part = z.parse(partConfig(type, direction), rest) as PartFields;
    const whole = all.find(`${type}:${part.connector}`);
    const connector =
      connectorAt(all.section, type, part.connector) ??
      (whole && !partAt(all.section, whole.id) ? splitOf(whole).connector : undefined);
    if (!connector)
      return fail(
        'BAD_REQUEST',
        JSON.stringify({
          reason: 'connector_not_found_or_wrong_type',
          connector_name: part.connector,
          bridge_type: given,
          bridge_name: name,
        }),
      );
    const schema = bridgeConfig(type);
    const config = joined(type, connector, part, direction);
    const result = z.safeParse(schema, config);
    if (!result.success) throw validationError('body', schema, config, result.error.issues);
    return { type, name, id: `${type}:${name}`, part, config: result.data as unknown as BridgeConfig };
  }

  async function save({ type, id, part }: ReturnType<typeof checked>, before: Found | null): Promise<void> {
    const now = all.now;
    const times = { created_at: before?.part.created_at ?? now, last_modified_at: now };
    await all.change((section) => ({
      ...splitBridge(all, type, before?.bridge.name ?? '', splitBridge(all, type, part.connector, section)),
      [id]: { ...part, direction, ...times },
    }));
  }

  async function operate(id: string, operation: string): Promise<void> {
    if (operation !== 'start') failAt('operation', 'not_a_enum_symbol', { value: operation });
    const { resource, config } = found(id).bridge;
    if (!config.enable) fail('BAD_REQUEST', `The ${direction} or its connector is disabled: enable it first`);
    await resource.start();
  }

  return {
    types: () => types.map(partType),
    list,
    summary: () =>
      list().map(({ connector: _, parameters: __, resource_opts: ___, error: ____, ...summary }) => summary),
    create: async ({ body }) => {
      const part = checked(body, null);
      if (all.find(part.id)) return fail('ALREADY_EXISTS', 'bridge already exists', 400);
      await save(part, null);
      return present(found(`${partType(part.type)}:${part.name}`));
    },
    get: ({ params: { id } }) => present(found(id)),
    update: async ({ params: { id }, body }) => {
      const before = found(id);
      const { type, name } = before.bridge;
      await save(checked({ ...body, type: partType(type), name }, before), before);
      return present(found(id));
    },
    remove: async ({ params: { id }, query }) => {
      const { bridge } = found(id);
      const { type, name } = bridge;
      splitBridge(all, type, name, all.section);
      await freeOfRules(rules(), bridge.id, query.also_delete_dep_actions !== undefined);
      await all.change((section) => {
        const { [bridge.id]: _, ...others } = splitBridge(all, type, name, section);
        return others;
      });
    },
    enable: async ({ params: { id, enable } }) => {
      if (enable !== 'true' && enable !== 'false') return fail('NOT_FOUND', 'Invalid operation');
      await enableBridge(all, found(id).bridge.id, enable === 'true');
    },
    operate: ({ params: { id, operation } }) => operate(id, operation),
    operateOnNode: async ({ params: { node: asked, id, operation } }) => {
      if (asked !== node) return fail('NOT_FOUND', `Node not found: ${asked}`);
      await operate(id, operation);
    },
    metrics: ({ params: { id } }) => metricsOf(found(id).bridge, node),
    resetMetrics: ({ params: { id } }) => {
      found(id).bridge.resource.metrics.reset();
    },
    probe: async ({ body }) => {
      const { type, name } = body;
      const { config, type: own } = checked({ name: 'probe', ...body }, find(`${type}:${name}`));
      await probe(all, own, config);
    },
  };
}

/** What an answer adds is taken back without a word. */
const shownOnly = ({
  status,
  status_reason,
  node_status,
  error,
  rules,
  created_at,
  last_modified_at,
  ...rest
}: Record<string, unknown>) => rest;
