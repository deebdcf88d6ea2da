import type { SslClient } from '@mqdeck/contract/kit/ssl';
import { buildConnector, Pool } from 'undici';
import { networkReason } from '../../../backends/reasons.ts';
import { tlsOptions } from '../../../backends/tls.ts';
import { DeliveryError } from '../../../resources/driver.ts';

const ANSWER_BYTES_MAX = 64 * 1024;

export interface HttpTargetOptions {
  origin: string; // `https://host:port`
  connections: number;
  pipelining: number;
  connectMs: number;
  ssl?: SslClient | undefined;
}

/** A server that is spoken to over HTTP; what goes wrong on the way is worth another try. */
export class HttpTarget {
  private readonly pool: Pool;
  private readonly host: string;

  constructor({ origin, connections, pipelining, connectMs, ssl }: HttpTargetOptions) {
    const secure = origin.startsWith('https:');
    const tls = secure && ssl ? tlsOptions({ ...ssl, enable: true }) : null;
    this.host = new URL(origin).host;
    this.pool = new Pool(origin, {
      connections,
      pipelining,
      connect: buildConnector({ timeout: connectMs, ...tls, allowH2: false }),
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
  ): Promise<{ status: number; text: string }> {
    try {
      const { statusCode, body } = await this.pool.request({ ...given, signal });
      let text = '';
      for await (const chunk of body) if (text.length < ANSWER_BYTES_MAX) text += String(chunk);
      return { status: statusCode, text };
    } catch (cause) {
      throw new DeliveryError(networkReason(cause, this.host) ?? (cause as Error).message, true);
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
