import { parseDuration } from '@mqdeck/contract/kit/values';
import type { PrometheusSettings } from '@mqdeck/contract/prometheus';
import type { Agent } from 'undici';
import { httpConnector } from '../../backends/http-connector.ts';
import type { OutboundPolicy } from '../../backends/outbound.ts';
import { networkReason } from '../../backends/reasons.ts';
import { encodeUrlValue } from '../../backends/url-values.ts';
import type { Core } from '../../core/core.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import type { SettingsStore } from '../../settings/settings.ts';

const TIMEOUT_MS = 5000;
const REPORT_EVERY_MS = 60_000;

export interface PushParts {
  core: Core;
  settings: SettingsStore;
  outbound: OutboundPolicy;
  /** The figures. */
  text: () => string;
}

/** Sends the figures to a push gateway as often as the settings say. The answer ends it. */
export function startPush({ core, settings, outbound, text }: PushParts): () => Promise<void> {
  const { log, timers, clock, node } = core;
  let timer: Timer | null = null;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let underWay = false;
  let agent: Agent | null = null;
  const ending = new AbortController();

  async function push({ url, method, headers, job_name }: PrometheusSettings['push_gateway']): Promise<void> {
    if (underWay) return; // a gateway that is slow gets the next figures, not all of them at once
    underWay = true;
    try {
      const { Agent, buildConnector, request } = await import('undici');
      agent ??= new Agent({
        connect: httpConnector(buildConnector, { outbound, timeoutMs: TIMEOUT_MS, tls: null }),
      });
      const { statusCode, body } = await request(addressOf(url, job_name, node), {
        dispatcher: agent,
        method: method === 'put' ? 'PUT' : 'POST',
        headers: { 'content-type': 'text/plain', ...headers },
        body: text(),
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await body.dump();
      if (statusCode >= 300) throw new Error(`the push gateway answered ${statusCode}`);
      reportedAt = Number.NEGATIVE_INFINITY;
    } catch (err) {
      if (clock.now - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = clock.now;
      if (ending.signal.aborted) return;
      const reason = networkReason(err, new URL(url).host) ?? (err as Error).message;
      log.warn({ reason }, 'figures could not be handed to the push gateway');
    } finally {
      underWay = false;
    }
  }

  function follow({ push_gateway }: PrometheusSettings): void {
    timer?.cancel();
    if (!push_gateway.enable) return;
    const go = () => {
      timer = timers.after(parseDuration(push_gateway.interval)!, go);
      void push(push_gateway);
    };
    go();
  }

  follow(settings.get('prometheus'));
  const off = settings.onChange('prometheus', follow);
  return async () => {
    off();
    timer?.cancel();
    ending.abort();
    await agent?.destroy();
  };
}

/** `{url}/metrics/job/{job}`; the job's own slashes name further labels, as the gateway reads them. */
export function addressOf(url: string, jobName: string, node: string): string {
  const [name, host = ''] = node.split('@');
  const job = jobName.replaceAll('${name}', name!).replaceAll('${host}', host);
  // A segment of dots would lead elsewhere
  const path = job
    .split('/')
    .map((segment) => (/^\.+$/.test(segment) ? '_' : encodeUrlValue(segment)))
    .join('/');
  return `${url.replace(/\/+$/, '')}/metrics/job/${path}`;
}
