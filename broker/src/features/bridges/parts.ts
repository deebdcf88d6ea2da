import {
  connectorConfig,
  type Direction,
  partConfig,
  partings,
  partOptionNames,
} from '@mqdeck/contract/bridges/parts';
import type { BridgesSettings } from '@mqdeck/contract/bridges/settings';
import { type BridgeType, isBridgeType } from '@mqdeck/contract/bridges/types';
import * as z from 'zod/mini';

/**
 * Bridges as they are kept in the settings. One in one piece stands at `type:name`. Of one in two parts the action or source
 * stands there and names its connector, which stands at `connector:type:name` and may have several.
 */

const CONNECTOR = 'connector:';
type Fields = Record<string, unknown>;

/** A connector's configuration, checked. */
export type ConnectorFields = Fields & { enable: boolean; resource_opts: Fields };
/** An action's or a source's, checked. */
export type PartFields = Fields & {
  connector: string;
  enable: boolean;
  description: string;
  tags: string[];
  local_topic?: string;
  parameters: Fields;
  resource_opts: Fields;
};
/** As it is kept. */
export type KeptPart = PartFields & { direction: Direction; created_at: number; last_modified_at: number };

const isPart = (entry: Fields): entry is KeptPart => typeof entry.connector === 'string';

/** `mqtt:a` gives `['mqtt', 'a']`; null when there is no such type. */
export function partsOf(id: string): [BridgeType, string] | null {
  const at = id.indexOf(':');
  const type = id.slice(0, at);
  return at > 0 && isBridgeType(type) ? [type, id.slice(at + 1)] : null;
}

export const connectorKey = (type: BridgeType, name: string): string => `${CONNECTOR}${type}:${name}`;

export const connectorAt = (section: BridgesSettings, type: BridgeType, name: string) =>
  section[connectorKey(type, name)] as ConnectorFields | undefined;

export function partAt(section: BridgesSettings, id: string): KeptPart | null {
  const entry = section[id];
  return entry && isPart(entry) ? entry : null;
}

/** The connectors that stand there by themselves. */
export function connectorsIn(section: BridgesSettings): [BridgeType, string, ConnectorFields][] {
  return Object.entries(section).flatMap(([key, entry]): [BridgeType, string, ConnectorFields][] => {
    const parts = key.startsWith(CONNECTOR) ? partsOf(key.slice(CONNECTOR.length)) : null;
    return parts ? [[...parts, entry as ConnectorFields]] : [];
  });
}

/** Every bridge in one piece, by `type:name`. */
export function bridgesIn(section: BridgesSettings): [string, Fields][] {
  return Object.entries(section).flatMap(([id, entry]): [string, Fields][] => {
    if (id.startsWith(CONNECTOR)) return [];
    if (!isPart(entry)) return [[id, entry]];
    const type = partsOf(id)![0];
    return [[id, joined(type, connectorAt(section, type, entry.connector)!, entry, entry.direction)]];
  });
}

/** What is wrong with an entry before its bridge is looked at; null when nothing is. */
export function faultInPart(
  section: BridgesSettings,
  key: string,
  entry: Fields,
): { path: PropertyKey[]; reason: string } | null {
  const isConnector = key.startsWith(CONNECTOR);
  const parts = partsOf(isConnector ? key.slice(CONNECTOR.length) : key);
  if (parts === null) return { path: [], reason: 'there is no bridge of such a type or name' };
  if (!isConnector && !isPart(entry)) return null;
  const [type] = parts;
  if (!isConnector && !connectorAt(section, type, String(entry.connector)))
    return { path: ['connector'], reason: 'there is no such connector' };
  const { direction, created_at: _, last_modified_at: __, ...fields } = entry;
  const schema = isConnector ? connectorConfig(type) : partConfig(type, direction as Direction);
  if (!isConnector && direction !== 'action' && direction !== 'source')
    return { path: ['direction'], reason: 'action or source' };
  const [issue] = z.safeParse(schema, isConnector ? entry : fields).error?.issues ?? [];
  return issue ? { path: [...issue.path], reason: issue.message } : null;
}

/** A bridge in one piece of its two parts. */
export function joined(
  type: BridgeType,
  connector: ConnectorFields,
  part: PartFields,
  direction: Direction,
): Fields {
  const { enable, description: _, tags: __, resource_opts, ...target } = connector;
  const common = {
    enable: enable && part.enable,
    description: part.description,
    tags: part.tags,
    ...(part.local_topic !== undefined && { local_topic: part.local_topic }),
    ...('created_at' in part && { created_at: part.created_at }),
    resource_opts: { ...resource_opts, ...part.resource_opts },
  };
  if (type === 'webhook') {
    const { path, headers, ...parameters } = part.parameters;
    return {
      ...target,
      ...parameters,
      url: joinedUrl(String(target.url), path as string | undefined),
      headers: { ...(target.headers as Fields), ...(headers as Fields) },
      ...common,
    };
  }
  if (type === 'mqtt') {
    const { pool_size, ...other } = target;
    const way = { remote: part.parameters, ...(pool_size !== undefined && { pool_size }) };
    return { ...other, ...common, ...(direction === 'action' ? { egress: way } : { ingress: way }) };
  }
  return { ...target, ...part.parameters, ...common };
}

/** A connector that nobody uses, as a bridge that is never sent anything; null where there is none without an action. */
export function idle(type: BridgeType, name: string, connector: ConnectorFields): Fields | null {
  const { idle: given, action } = partings[type];
  if (given === null || action === null) return null;
  const part = z.parse(partConfig(type, 'action'), { connector: name, parameters: given });
  return joined(type, connector, { ...part, resource_opts: { worker_pool_size: 1 } } as PartFields, 'action');
}

function joinedUrl(url: string, path = ''): string {
  if (path === '' || /^[?#]/.test(path)) return url + path;
  return `${url.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
}

/** A bridge in one piece as its two parts. What is given is checked, so it is not checked again. */
export function split(type: BridgeType, name: string, config: Fields): Split {
  const {
    enable,
    description,
    tags,
    local_topic,
    resource_opts,
    created_at: _,
    ...fields
  } = config as Fields & {
    enable: boolean;
    resource_opts: Fields;
  };
  const about = { connector: name, enable, description, tags } as PartFields;
  const part = (direction: Direction, parameters: Fields, topic: unknown = local_topic): PartFields => ({
    ...about,
    parameters,
    ...(topic !== undefined && direction === 'action' && { local_topic: topic as string }),
    resource_opts: picked(resource_opts, partOptionNames(type, direction)),
  });
  const connector = (target: Fields): ConnectorFields => ({
    ...target,
    enable: true,
    description: '',
    tags: [],
    resource_opts: picked(resource_opts, ['health_check_interval', 'start_after_created', 'start_timeout']),
  });
  if (type === 'webhook') {
    const { url, headers, method, body, max_retries, request_timeout, ...target } = fields;
    const [, origin = String(url), path = ''] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(String(url)) ?? [];
    const parameters = { path, method, headers, body, max_retries, request_timeout };
    return {
      connector: connector({ ...target, url: origin, headers: {} }),
      action: part('action', picked(parameters, Object.keys(parameters))),
      source: null,
    };
  }
  if (type === 'mqtt') {
    const { ingress, egress, ...target } = fields as Fields & { ingress?: Way; egress?: Way };
    const size = ingress?.pool_size ?? egress?.pool_size;
    return {
      connector: connector({ ...target, ...(size !== undefined && { pool_size: size }) }),
      action: egress ? part('action', egress.remote, local_topic ?? egress.local?.topic) : null,
      source: ingress ? part('source', ingress.remote) : null,
      inOnePiece:
        ingress && egress
          ? 'It brings messages in both directions'
          : ingress?.local?.topic
            ? 'It publishes what it fetches by itself'
            : undefined,
    };
  }
  const { action, source } = partings[type];
  const names = Object.keys(action ?? source ?? {});
  const parameters = picked(fields, names);
  return {
    connector: connector(
      picked(
        fields,
        Object.keys(fields).filter((field) => !names.includes(field)),
      ),
    ),
    action: action && part('action', parameters),
    source: source && part('source', parameters),
  };
}

interface Way {
  remote: Fields;
  local?: { topic?: string };
  pool_size?: number;
}
export interface Split {
  connector: ConnectorFields;
  action: PartFields | null;
  source: PartFields | null;
  /** Why it can only be changed as what it is. */
  inOnePiece?: string | undefined;
}

const picked = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
