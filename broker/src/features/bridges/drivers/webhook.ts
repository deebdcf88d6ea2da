import type { webhookShape } from '@mqdeck/contract/bridges/webhook';
import { parseDuration } from '@mqdeck/contract/kit/values';
import { template } from '@mqdeck/rulesql/template';
import { jsonOf } from '@mqdeck/rulesql/values';
import { buildConnector, Pool } from 'undici';
import type * as z from 'zod/mini';
import { httpConnector } from '../../../backends/http-connector.ts';
import type { OutboundPolicy } from '../../../backends/outbound.ts';
import { networkReason } from '../../../backends/reasons.ts';
import { tlsOptions } from '../../../backends/tls.ts';
import {
  encodeUrlText,
  encodeUrlValue,
  PlaceholderError,
  withoutDotSegments,
} from '../../../backends/url-values.ts';
import { DeliveryError, type Driver, type DriverContext, type Row } from '../../../resources/driver.ts';
import { withRetries } from './http-target.ts';
import { spread } from './spread.ts';

export type WebhookConfig = { [K in keyof typeof webhookShape]: z.output<(typeof webhookShape)[K]> };

const ANSWER_BYTES_MAX = 64 * 1024;
/** What a server says of a request that it may well take later. */
const LATER = new Set([408, 425, 429, 500, 502, 503, 504]);

/** One HTTP request for each row. A redirect is a refusal: nobody is sent to where the operator did not mean to. */
export function webhookDriver(config: WebhookConfig, { id, outbound }: DriverContext): Driver {
  const request = requestOf(config);
  const requestMs = config.request_timeout === undefined ? null : parseDuration(config.request_timeout);
  let pools: Pool[] = [];
  let origin = request.origin;

  /** With `hash` each connection is a pool of its own, and a client always uses the same. */
  const poolFor = (row: Row): Pool | undefined => pools[spread(row, pools.length)];

  function connect(signal: AbortSignal): Promise<void> {
    const url = new URL(origin);
    const secure = url.protocol === 'https:';
    const connector = connectorOf(config, secure, outbound);
    return new Promise((resolve, reject) => {
      connector(
        {
          hostname: url.hostname.replace(/^\[|\]$/g, ''),
          protocol: url.protocol,
          port: url.port || (secure ? '443' : '80'),
        },
        (error, socket) => {
          if (error) return reject(new Error(networkReason(error, url.host) ?? error.message));
          socket.destroy();
          resolve();
        },
      );
      signal.addEventListener('abort', () => reject(new Error('it was stopped')), { once: true });
    });
  }

  function filledFor(row: Row) {
    try {
      return request.fill(row);
    } catch (cause) {
      if (cause instanceof PlaceholderError) throw new DeliveryError(cause.message, false);
      throw cause;
    }
  }

  async function send(row: Row, signal: AbortSignal): Promise<void> {
    const filled = filledFor(row);
    if (filled.origin !== origin)
      throw new DeliveryError('a placeholder must not change the address of the server', false);
    const ask = async () => {
      const answer = await poolFor(row)!.request({
        method: filled.method,
        path: filled.path,
        headers: filled.headers,
        body: filled.body,
        signal: requestMs === null ? signal : AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
      });
      await answer.body.dump({ limit: ANSWER_BYTES_MAX });
      return answer.statusCode;
    };
    const status = await withRetries(ask, config.max_retries, signal).catch((cause) => {
      const why = networkReason(cause, new URL(origin).host);
      // A request that cannot even be written stays so
      const isOfRow = (cause as { code?: unknown }).code === 'UND_ERR_INVALID_ARG';
      throw new DeliveryError(why ?? (cause as Error).message, !isOfRow);
    });
    if (status >= 200 && status < 300) return;
    throw new DeliveryError(`the server answered ${status}`, LATER.has(status));
  }

  return {
    async open(signal) {
      if (!origin) origin = request.origin;
      await connect(signal);
      const secure = origin.startsWith('https:');
      const hashed = config.pool_type === 'hash';
      pools = Array.from(
        { length: hashed ? config.pool_size : 1 },
        () =>
          new Pool(origin, {
            connections: hashed ? 1 : config.pool_size,
            pipelining: config.enable_pipelining,
            connect: connectorOf(config, secure, outbound),
          }),
      );
    },
    check: connect,
    async deliver(rows, signal) {
      if (pools.length === 0) throw new DeliveryError(`${id} is not open`, true);
      for (const row of rows) await send(row, signal);
    },
    async close() {
      const old = pools;
      pools = [];
      await Promise.all(old.map((pool) => pool.destroy()));
    },
  };
}

function connectorOf({ ssl, connect_timeout }: WebhookConfig, secure: boolean, outbound: OutboundPolicy) {
  const tls = secure ? tlsOptions({ ...ssl, enable: true }) : null;
  return httpConnector(buildConnector, { outbound, timeoutMs: parseDuration(connect_timeout)!, tls });
}

/** URL, headers and body, each made once into what a row fills. The server itself must not depend on a row. */
function requestOf({ url, method, headers, body }: WebhookConfig) {
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#]+)([^#]*)/is.exec(url) ?? [];
  const question = rest.indexOf('?');
  const path = template(encodeUrlText((question === -1 ? rest : rest.slice(0, question)) || '/'));
  const query = template(encodeUrlText(question === -1 ? '' : rest.slice(question)));
  const fields = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), template(value)] as const,
  );
  const text = body === undefined || body === '' ? null : template(body);
  const hasBody = method === 'post' || method === 'put';
  return {
    origin,
    fill: (row: Row) => ({
      origin,
      method: method.toUpperCase() as 'GET' | 'POST' | 'PUT' | 'DELETE',
      path: withoutDotSegments(path.text(row, encodeUrlValue)) + query.text(row, encodeUrlValue),
      headers: Object.fromEntries(
        fields
          .filter(([name]) => !OF_CONNECTION.has(name) && (hasBody || name !== 'content-type'))
          .map(([name, value]) => [name, headerValue(value.text(row))]),
      ),
      body: hasBody ? (text === null ? jsonOf(row) : text.text(row)) : null,
    }),
  };
}

/** Of one connection to the next server: what the pool says itself. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'te',
  'trailer',
]);

/** The bytes of a text as HTTP carries them, without what would end the header or be refused in one. */
const headerValue = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ');
