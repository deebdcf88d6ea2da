import { bridgeTypeOf, connectorConfig, newConnector, partType } from '@mqdeck/contract/bridges/parts';
import { type BridgeType, keptBridge } from '@mqdeck/contract/bridges/types';
import type { Connector, connectors as contract } from '@mqdeck/contract/connectors';
import { masked } from '@mqdeck/contract/kit/secrets';
import * as z from 'zod/mini';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { BridgeConfig, Bridges } from './bridges.ts';
import { type ConnectorFields, connectorAt, connectorKey, connectorsIn, idle, partAt } from './parts.ts';
import { checkedFields, enableBridge, failAt, probe } from './requests.ts';
import { splitBridge, splitOf } from './split-bridge.ts';

const NOT_FOUND = 'There is no connector of that type and name';

interface Found {
  type: BridgeType;
  name: string;
  fields: ConnectorFields;
}

/** Connectors, kept by themselves or as a part of a bridge in one piece. */
export function connectorsApi(all: Bridges, { node }: Core): Handlers<typeof contract> {
  function find(id: string): Found | null {
    const at = id.indexOf(':');
    const type = at > 0 ? bridgeTypeOf(id.slice(0, at)) : undefined;
    if (type === undefined) return null;
    const name = id.slice(at + 1);
    const fields = connectorAt(all.section, type, name) ?? ofBridge(type, name);
    return fields && { type, name, fields };
  }

  /** One in one piece is switched as a whole. */
  function ofBridge(type: BridgeType, name: string): ConnectorFields | null {
    const bridge = all.find(`${type}:${name}`);
    if (!bridge || partAt(all.section, bridge.id)) return null;
    return { ...splitOf(bridge).connector, enable: bridge.config.enable };
  }

  const found = (id: string): Found => find(id) ?? fail('NOT_FOUND', NOT_FOUND);

  function present({ type, name, fields }: Found): Connector {
    const users = all.over(type, name);
    const running = users.filter(({ config }) => config.enable).map(({ resource }) => resource);
    const { status, reason } =
      running.find((resource) => resource.status !== 'connected') ??
      running[0] ??
      all.watch(type, name) ??
      (fields.enable
        ? { status: 'disconnected', reason: 'nothing uses it' }
        : { status: 'stopped', reason: null });
    const why = reason !== null && { status_reason: reason };
    const { tags, enable, ...shown } = masked(fields);
    const names = (direction: 'action' | 'source') =>
      users
        .filter((bridge) => {
          const kept = partAt(all.section, bridge.id);
          return kept ? kept.direction === direction : splitOf(bridge)[direction] !== null;
        })
        .map((bridge) => bridge.name);
    return {
      type: partType(type),
      name,
      ...shown,
      enable,
      ...(Array.isArray(tags) && tags.length > 0 && { tags }),
      actions: names('action'),
      sources: names('source'),
      status,
      ...why,
      node_status: [{ node, status, ...why }],
    };
  }

  function checked(body: Record<string, unknown>, before: Found | null): Found {
    const { type: given } = body;
    if (given === undefined) return failAt('root.type', 'required_field');
    const type = typeof given === 'string' ? bridgeTypeOf(given) : undefined;
    if (type === undefined)
      return failAt('root', 'unknown connector type', { value: given, field_name: 'type' });
    const fields = checkedFields(all, newConnector(type), shownOnly(body), before?.fields);
    const { type: _, name, ...rest } = fields as { type: string; name: string };
    return { type, name, fields: z.parse(connectorConfig(type), rest) as ConnectorFields };
  }

  async function operate(id: string, operation: string): Promise<void> {
    if (operation !== 'start') failAt('operation', 'not_a_enum_symbol', { value: operation });
    const { type, name, fields } = found(id);
    if (!fields.enable) fail('BAD_REQUEST', 'The connector is disabled: enable it first');
    const users = all.over(type, name).filter(({ config }) => config.enable);
    const resources = users.map(({ resource }) => resource);
    await Promise.all([...resources, all.watch(type, name)].map((resource) => resource?.start()));
  }

  const save = ({ type, name, fields }: Found) =>
    all.change((section) => ({
      ...splitBridge(all, type, name, section),
      [connectorKey(type, name)]: fields,
    }));

  return {
    list: () => {
      const own = connectorsIn(all.section).map(([type, name, fields]) => ({ type, name, fields }));
      const ofBridges = all.all().flatMap(({ type, name }): Found[] => {
        const fields = ofBridge(type, name);
        return fields ? [{ type, name, fields }] : [];
      });
      return [...own, ...ofBridges].map(present);
    },
    create: async ({ body }) => {
      const connector = checked(body, null);
      const id = `${partType(connector.type)}:${connector.name}`;
      if (find(id)) return fail('ALREADY_EXISTS', 'connector already exists', 400);
      await save(connector);
      return present(found(id));
    },
    get: ({ params: { id } }) => present(found(id)),
    update: async ({ params: { id }, body }) => {
      const before = found(id);
      await save(checked({ ...body, type: partType(before.type), name: before.name }, before));
      return present(found(id));
    },
    remove: async ({ params: { id } }) => {
      const { type, name } = found(id);
      const users = all.over(type, name).map((bridge) => bridge.name);
      if (users.length > 0) fail('BAD_REQUEST', `Actions or sources use this connector: ${users.join(', ')}`);
      await all.remove(connectorKey(type, name));
    },
    enable: async ({ params: { id, enable } }) => {
      if (enable !== 'true' && enable !== 'false') return fail('NOT_FOUND', 'Invalid operation');
      const { type, name } = found(id);
      const key = connectorKey(type, name);
      if (connectorAt(all.section, type, name))
        await all.change((section) => ({
          ...section,
          [key]: { ...section[key], enable: enable === 'true' },
        }));
      else await enableBridge(all, `${type}:${name}`, enable === 'true');
    },
    operate: ({ params: { id, operation } }) => operate(id, operation),
    operateOnNode: async ({ params: { node: asked, id, operation } }) => {
      if (asked !== node) return fail('NOT_FOUND', `Node not found: ${asked}`);
      await operate(id, operation);
    },
    probe: async ({ body }) => {
      const { type, name: own } = body;
      const before = find(`${type}:${own}`);
      const connector = checked({ name: 'probe', ...body }, before);
      const config = idle(connector.type, connector.name, connector.fields);
      if (config === null)
        return fail('BAD_REQUEST', 'A connector of this type can be tried with an action or a source only');
      await probe(
        all,
        connector.type,
        z.parse(keptBridge(connector.type), config) as unknown as BridgeConfig,
      );
    },
  };
}

/** What an answer adds is taken back without a word. */
const shownOnly = ({
  status,
  status_reason,
  node_status,
  actions,
  sources,
  ...rest
}: Record<string, unknown>) => rest;
