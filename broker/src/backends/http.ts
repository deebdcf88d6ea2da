import { isIP } from 'node:net';
import type { SslClient } from '@mqdeck/contract/kit/ssl';
import type { buildConnector } from 'undici';
import { BackendError, type BackendParts, type HttpAnswer, type HttpBackend } from './backend.ts';
import { httpConnector } from './http-connector.ts';
import { codeOf, networkReason } from './reasons.ts';
import { Sockets } from './sockets.ts';
import { milliseconds } from './timeouts.ts';
import { tlsOptions } from './tls.ts';
import { Watch } from './watch.ts';

const BODY_BYTES_MAX = 1024 * 1024;
/** Of one connection to the next server: what the pool says itself. */
const OF_CONNECTIONS = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'te',
  'trailer',
];

export interface HttpConfig {
  /** `https://host:port` */
  origin: string;
  pool_size: number;
  enable_pipelining: number;
  connect_timeout: string | number;
  request_timeout: string | number;
  ssl: SslClient;
}

/** A pool of connections to one server. Redirects are answers like others: nobody is sent to where we did not mean to ask. */
export function openHttp(config: HttpConfig, { log, outbound }: BackendParts): HttpBackend {
  const { origin } = config;
  const url = new URL(origin);
  const secure = url.protocol === 'https:';
  const tls = secure ? tlsOptions({ ...config.ssl, enable: true }) : null;
  const timeoutMs = milliseconds(config.request_timeout);
  const connectMs = Math.min(milliseconds(config.connect_timeout), timeoutMs);
  const sockets = new Sockets();
  const opening = import('undici').then(({ buildConnector, Pool }) => {
    const connector = httpConnector(buildConnector, { outbound, timeoutMs: connectMs, tls });
    const connect: buildConnector.connector = (options, callback) =>
      connector(options, (...result) => {
        if (result[1]) sockets.add(result[1]);
        callback(...result);
      });
    const pool = new Pool(origin, {
      connections: config.pool_size,
      pipelining: config.enable_pipelining,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect,
    });
    return { connector, pool };
  });
  const watch = new Watch({
    name: `http ${url.host}`,
    log,
    check: async (signal) => {
      const { connector } = await opening;
      await new Promise<void>((resolve, reject) => {
        const hostname = url.hostname.replace(/^\[|\]$/g, '');
        const target = {
          hostname,
          protocol: url.protocol,
          port: url.port || (secure ? '443' : '80'),
          ...(secure && isIP(hostname) === 0 && { servername: hostname }),
        };
        connector(target, (...[error, socket]) => {
          if (error) return reject(error);
          socket.destroy();
          resolve();
        });
        signal.addEventListener('abort', () => reject(new BackendError('it was closed')), { once: true });
      });
    },
    explain: (error) => explained(error, url.host),
  });

  return {
    get status() {
      return watch.status;
    },
    get reason() {
      return watch.reason;
    },
    metrics: watch.metrics,
    request: ({ method, path, headers, body }) =>
      watch.ask(timeoutMs, async (signal): Promise<HttpAnswer> => {
        const { pool } = await opening;
        const sent = { method, path, headers: forwarded(headers), body, signal } as const;
        // A server may end an idle connection in the moment in which we use it; then it has not seen the request
        const answer = await pool
          .request(sent)
          .catch((error: unknown) =>
            codeOf(error) === 'UND_ERR_SOCKET' || codeOf(error) === 'ECONNRESET'
              ? pool.request(sent)
              : Promise.reject(error),
          );
        return {
          status: answer.statusCode,
          headers: textsOf(answer.headers),
          body: await bodyOf(answer.body),
        };
      }),
    close: async () => {
      watch.close();
      await (await opening).pool.destroy();
      sockets.destroy();
    },
  };
}

const forwarded = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTIONS.includes(name.toLowerCase())),
  );

const textsOf = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]));

async function bodyOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new BackendError('the answer is longer than 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function explained(error: unknown, address: string): string {
  const network = networkReason(error, address);
  if (network !== null) return network;
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return `no answer from ${address} in time`;
  if (code?.startsWith('HPE_')) return `${address} did not answer as HTTP does`;
  return code === null ? `${address} cannot be asked` : `${address} cannot be asked (${code})`;
}
