import { withoutUrlSecrets, withUrlSecrets } from '@mqdeck/contract/kit/url-secrets';
import { MASK } from '@mqdeck/contract/kit/values';
import { PrometheusSettings, type prometheus } from '@mqdeck/contract/prometheus';
import * as z from 'zod/mini';
import { BackendConfigError } from '../../backends/backend.ts';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { type Figure, figuresAsJson, prometheusText } from './figures.ts';

export interface PrometheusParts {
  settings: SettingsStore;
  outbound: OutboundPolicy;
  figures: () => Figure[];
}

export const prometheusApi = (
  { settings, outbound, figures }: PrometheusParts,
  node: string,
): Handlers<typeof prometheus> => ({
  get: () => masked(settings.get('prometheus')),
  update: async ({ body }) => {
    const old = settings.get('prometheus');
    const wanted = 'push_gateway_server' in body ? ofOldForm(body) : body;
    const headers = Object.entries(wanted.push_gateway.headers).map(([name, value]): [string, string] => {
      if (value !== MASK) return [name, value];
      const kept = old.push_gateway.headers[name];
      if (kept === undefined) return fail('BAD_REQUEST', `There is no stored value of the header ${name}`);
      return [name, kept];
    });
    const url = withUrlSecrets(wanted.push_gateway.url, old.push_gateway.url);
    if (url === null)
      return fail('BAD_REQUEST', 'There is no stored secret of this address of the push gateway');
    const push_gateway = { ...wanted.push_gateway, url, headers: Object.fromEntries(headers) };
    const changed = { ...wanted, push_gateway };
    allowed(() => outbound.checkConfig(changed, old));
    await settings.change('prometheus', changed);
    return masked(changed);
  },
  stats: ({ query: { mode }, accept }) => {
    const all = figures();
    if (accept.includes('application/json'))
      return figuresAsJson(all, mode === 'all_nodes_unaggregated' ? node : null);
    return prometheusText(all, mode === 'all_nodes_unaggregated' ? { node } : {});
  },
  getStatsd: () => settings.get('statsd'),
  updateStatsd: async ({ body }) => {
    allowed(() => outbound.checkConfig(body, settings.get('statsd')));
    await settings.change('statsd', body);
    return body;
  },
});

/** Ends the request with the field of a target that is denied. */
function allowed(check: () => void): void {
  try {
    check();
  } catch (cause) {
    if (!(cause instanceof BackendConfigError)) throw cause;
    const { path, message: reason } = cause;
    fail('BAD_REQUEST', JSON.stringify({ kind: 'validation_error', path: `root.${path}`, reason }));
  }
}

function masked({ push_gateway, ...rest }: PrometheusSettings): PrometheusSettings {
  const headers = Object.fromEntries(Object.keys(push_gateway.headers).map((name) => [name, MASK]));
  return { ...rest, push_gateway: { ...push_gateway, url: withoutUrlSecrets(push_gateway.url), headers } };
}

interface OldForm {
  enable: boolean;
  push_gateway_server: string;
  interval: string | number;
  job_name: string;
  headers: Record<string, string>;
}

const ofOldForm = ({ enable, push_gateway_server: url, interval, job_name, headers }: OldForm) =>
  z.parse(PrometheusSettings, { push_gateway: { enable, url, interval, job_name, headers } });
