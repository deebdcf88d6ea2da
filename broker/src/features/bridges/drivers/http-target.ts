import type { SslClient } from '@mqdeck/contract/kit/ssl';
import { buildConnector, Pool } from 'undici';
import { httpConnector } from '../../../backends/http-connector.ts';
import type { OutboundPolicy } from '../../../backends/outbound.ts';
import { networkReason } from '../../../backends/reasons.ts';
import { tlsOptions } from '../../../backends/tls.ts';
import { DeliveryError } from '../../../resources/driver.ts';

const ANSWER_BYTES_MAX = 64 * 1024;

export interface HttpTargetOptions {
  outbound: OutboundPolicy;
  origin: string; // `https://host:port`
  connections: number;
  pipelining: number;
  connectMs: number;
  ssl?: SslClient | undefined;
  /** How often a request that did not get through is sent again at once; never unless told. */
  retries?: number;
  /** An answer that takes longer counts as one that did not get through. */
  requestMs?: number | null;
}

/** Tries again at once what failed on the way, until the signal says stop. Rejects with the last failure. */
export async function withRetries<T>(
  ask: () => Promise<T>,
  retries: number,
  signal: AbortSignal,
): Promise<T> {
  for (let left = retries; ; left--) {
    try {
      return await ask();
    } catch (cause) {
      if (left <= 0 || signal.aborted) throw cause;
    }
  }
}

/** A server that is spoken to over HTTP; what goes wrong on the way is worth another try. */
export class HttpTarget {
  private readonly pool: Pool;
  private readonly host: string;

  private readonly retries: number;
  private readonly requestMs: number | null;

  constructor(options: HttpTargetOptions) {
    const {
      outbound,
      origin,
      connections,
      pipelining,
      connectMs,
      ssl,
      retries = 0,
      requestMs = null,
    } = options;
    this.retries = retries;
    this.requestMs = requestMs;
    const secure = origin.startsWith('https:');
    const tls = secure && ssl ? tlsOptions({ ...ssl, enable: true }) : null;
    this.host = new URL(origin).host;
    this.pool = new Pool(origin, {
      connections,
      pipelining,
      connect: httpConnector(buildConnector, { outbound, timeoutMs: connectMs, tls }),
    });
  }

  async request(
    given: {
      method: 'GET' | 'POST' | 'PUT' | 'DELETE';
      path: string;
      headers?: Record<string, string>;
      body?: string | null;
    },
    signal: AbortSignal,
  ): Promise<{ status: number }> {
    const ask = async () => {
      const until =
        this.requestMs === null ? signal : AbortSignal.any([signal, AbortSignal.timeout(this.requestMs)]);
      const { statusCode, body } = await this.pool.request({ ...given, signal: until });
      await body.dump({ limit: ANSWER_BYTES_MAX, signal: until });
      return { status: statusCode };
    };
    try {
      return await withRetries(ask, this.retries, signal);
    } catch (cause) {
      throw new DeliveryError(networkReason(cause, this.host) ?? (cause as Error).message, true);
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
