import { parseServers } from '@mqdeck/contract/kit/servers';

/** A host that a configuration names, and the path of the field. */
export interface Target {
  path: readonly (string | number)[];
  host: string;
}

/** Fields with a URL, and fields with `host:port`, several separated by commas; all configurations name them so. */
const URLS = new Set(['url', 'endpoint', 'address', 'push_gateway_server']);
const SERVERS = new Set(['server', 'servers', 'bootstrap_hosts']);
/** What is sent, not where: its names are the operator's own. */
const CONTENTS = new Set(['headers', 'body', 'query', 'parameters', 'filter', 'kafka', 'ssl']);

/** The hosts that a configuration connects to, at any depth. */
export function targetsIn(config: unknown, path: readonly (string | number)[] = []): Target[] {
  if (typeof config !== 'object' || config === null) return [];
  return Object.entries(config).flatMap(([name, value]): Target[] => {
    const at = [...path, Array.isArray(config) ? Number(name) : name];
    if (typeof value === 'string') return hostsIn(name, value).map((host) => ({ path: at, host }));
    return CONTENTS.has(name) ? [] : targetsIn(value, at);
  });
}

function hostsIn(name: string, value: string): string[] {
  if (URLS.has(name)) {
    const [, host] = /^https?:\/\/(\[[^\]]*\]|[^:/?#]*)/i.exec(value) ?? [];
    return host ? [host] : [];
  }
  if (!SERVERS.has(name)) return [];
  return (parseServers(value.replace(/^mqtts?:\/\//, '')) ?? []).map(({ host }) => host);
}
