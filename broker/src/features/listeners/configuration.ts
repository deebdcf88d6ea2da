import {
  bindText,
  LISTENER_NAME,
  LISTENER_TYPES,
  type ListenerConfig,
  type ListenersSection,
  type ListenerType,
  SslListener,
  STANDARD_PORTS,
  TcpListener,
  WsListener,
  WssListener,
} from '@mqdeck/contract/listeners';
import * as z from 'zod/mini';

/** What the command line says of the four listeners named `default`. */
export interface StartOptions extends Record<ListenerType, number | 'off'> {
  host: string;
}

const DEFAULT_NAME = 'default';

/** `tcp:default`; null when it is no id. */
export function parseId(id: string): { type: ListenerType; name: string } | null {
  const [type = '', name = '', ...more] = id.split(':');
  const known = LISTENER_TYPES.find((one) => one === type);
  return known && more.length === 0 && LISTENER_NAME.test(name) ? { type: known, name } : null;
}

/** As of a type. */
function defaultsOf(type: ListenerType): ListenerConfig {
  switch (type) {
    case 'tcp':
      return z.parse(TcpListener, { type });
    case 'ssl':
      return z.parse(SslListener, { type });
    case 'ws':
      return z.parse(WsListener, { type });
    case 'wss':
      return z.parse(WssListener, { type });
  }
}

/** What a listener is before operators have changed it. */
function baseOf(type: ListenerType, name: string, options: StartOptions): ListenerConfig {
  const defaults = defaultsOf(type);
  if (name !== DEFAULT_NAME) return defaults;
  const port = options[type];
  return {
    ...defaults,
    bind: bindText({ host: options.host, port: port === 'off' ? STANDARD_PORTS[type] : port }),
    enable: port !== 'off',
  };
}

/** What the settings file may say of a listener. */
export type Stored = NonNullable<ListenersSection['wss'][string]>;

export interface Wanted {
  config: ListenerConfig;
  /** What of it the settings say; the rest is the command line's or usual. */
  asked: Stored;
}

/** Every listener there shall be, by id. */
export function wanted(section: ListenersSection, options: StartOptions): Map<string, Wanted> {
  const all = new Map<string, Wanted>();
  for (const type of LISTENER_TYPES) {
    const stored = new Map<string, Stored | null>([[DEFAULT_NAME, {}], ...Object.entries(section[type])]);
    for (const [name, change] of stored)
      if (change !== null)
        all.set(`${type}:${name}`, {
          config: withChange(baseOf(type, name, options), change),
          asked: change,
        });
  }
  return all;
}

/** The opposite: what of the listeners there are has to be stored. */
export function storedOf(
  configs: ReadonlyMap<string, ListenerConfig>,
  options: StartOptions,
): ListenersSection {
  const section: ListenersSection = { tcp: {}, ssl: {}, ws: {}, wss: {} };
  for (const type of LISTENER_TYPES)
    if (!configs.has(`${type}:${DEFAULT_NAME}`)) section[type][DEFAULT_NAME] = null;
  for (const [id, config] of configs) {
    const { type, name } = parseId(id)!;
    const { type: _, ...change } = differing(config, baseOf(type, name, options)) as Record<string, unknown>;
    if (name !== DEFAULT_NAME) section[type][name] = { bind: config.bind, ...change };
    else if (Object.keys(change).length > 0) section[type][name] = change;
  }
  return section;
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is left out keeps its value, at every depth. The schemas of both have the same fields. */
export const withChange = (config: ListenerConfig, change: Stored): ListenerConfig =>
  mergedFields({ ...config }, { ...change }) as unknown as ListenerConfig;

function mergedFields(whole: Fields, change: Fields): Fields {
  const merged = { ...whole };
  for (const [name, value] of Object.entries(change)) {
    const before = merged[name];
    if (value !== undefined)
      merged[name] = isFields(before) && isFields(value) ? mergedFields(before, value) : value;
  }
  return merged;
}

function differing(value: object, base: object): Fields {
  const before = new Map(Object.entries(base));
  const different: Fields = {};
  for (const [name, one] of Object.entries(value)) {
    const other = before.get(name);
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    different[name] = isFields(one) && isFields(other) ? differing(one, other) : one;
  }
  return different;
}
