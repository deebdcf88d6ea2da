import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JwtJwks } from '@mqdeck/contract/authentication';
import type { Agent, request } from 'undici';
import * as z from 'zod/mini';
import type { BackendMetrics, BackendParts, BackendStatus } from '../../backends/backend.ts';
import { httpConnector } from '../../backends/http-connector.ts';
import { networkReason } from '../../backends/reasons.ts';
import { tlsOptions } from '../../backends/tls.ts';
import type { Log } from '../../core/core.ts';
import { algorithmsOf, type KeySource } from './jwt-keys.ts';

const TIMEOUT_MS = 5000;
const BODY_BYTES_MAX = 1024 * 1024;
const KEYS_MAX = 100;
/** Tokens with invented key ids shall not make us ask more often than this. */
const ASK_AGAIN_AFTER_MS = 5000;
/** After a failure, unless the interval is shorter. */
const RETRY_MS = 10_000;

const KeySet = z.looseObject({
  keys: z
    .array(
      z.looseObject({
        kty: z.string(),
        kid: z.optional(z.string()),
        use: z.optional(z.string()),
        alg: z.optional(z.string()),
      }),
    )
    .check(z.maxLength(KEYS_MAX)),
});

interface Key {
  kid: string | undefined;
  alg: string | undefined;
  key: KeyObject;
}

export interface Jwks extends KeySource {
  readonly status: BackendStatus;
  readonly reason: string | null;
  readonly metrics: Readonly<BackendMetrics>;
  close(): Promise<void>;
}

type JwksConfig = Pick<JwtJwks, 'endpoint' | 'headers' | 'refresh_interval' | 'ssl'>;

/**
 * Keys that a server publishes: fetched at the start, at intervals, and when a token names one we have not seen. The
 * last ones stay in force while the server is down.
 */
export function openJwks(config: JwksConfig, parts: BackendParts): Jwks {
  return new FetchedKeys(config, parts);
}

class FetchedKeys implements Jwks {
  status: BackendStatus = 'connecting';
  reason: string | null = null;
  readonly metrics = { matched: 0, success: 0, failed: 0 };
  private readonly config: JwksConfig;
  private readonly log: Log;
  private readonly opening: Promise<{ agent: Agent; ask: typeof request }>;
  private readonly ending = new AbortController();
  private keys: readonly Key[] = [];
  private timer: NodeJS.Timeout | null = null;
  private fetching: Promise<void> | null = null;
  private fetchedAt = Number.NEGATIVE_INFINITY; // by performance.now(), also when it failed

  constructor(config: JwksConfig, { log, outbound }: BackendParts) {
    this.config = config;
    this.log = log;
    const tls = tlsOptions(config.ssl);
    this.opening = import('undici').then(({ Agent, buildConnector, request }) => ({
      agent: new Agent({
        connections: 1,
        connect: httpConnector(buildConnector, { outbound, timeoutMs: TIMEOUT_MS, tls }),
      }),
      ask: request,
    }));
    void this.refresh();
  }

  async keysFor({ alg, kid }: { alg: string; kid?: string }): Promise<readonly KeyObject[]> {
    const fitting = () =>
      this.keys
        .filter(
          (one) =>
            (kid === undefined || one.kid === undefined || one.kid === kid) &&
            (one.alg === undefined || one.alg === alg) &&
            algorithmsOf(one.key).includes(alg),
        )
        .map(({ key }) => key);
    const known = fitting();
    if (known.length > 0) return known;
    if (this.fetching) await this.fetching;
    else if (performance.now() - this.fetchedAt > ASK_AGAIN_AFTER_MS) await this.refresh();
    return fitting();
  }

  async close(): Promise<void> {
    this.ending.abort();
    if (this.timer) clearTimeout(this.timer);
    await (await this.opening).agent.destroy();
  }

  private refresh(): Promise<void> {
    this.fetching ??= this.fetch().finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  private async fetch(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.metrics.matched++;
    try {
      this.keys = await this.ask();
      this.metrics.success++;
      this.status = 'connected';
      this.reason = null;
    } catch (cause) {
      if (this.ending.signal.aborted) return;
      this.metrics.failed++;
      const reason = reasonOf(cause, new URL(this.config.endpoint).host);
      if (this.status !== 'disconnected') this.log.warn({ reason }, 'the keys of tokens cannot be fetched');
      this.status = 'disconnected';
      this.reason = reason;
    }
    this.fetchedAt = performance.now();
    if (this.ending.signal.aborted) return;
    const interval = this.config.refresh_interval * 1000;
    const wait = this.status === 'connected' ? interval : Math.min(interval, RETRY_MS);
    this.timer = setTimeout(() => void this.refresh(), Math.min(wait, 2 ** 31 - 1));
    this.timer.unref();
  }

  private async ask(): Promise<Key[]> {
    const { agent, ask } = await this.opening;
    const { statusCode, body } = await ask(this.config.endpoint, {
      dispatcher: agent,
      headers: this.config.headers,
      signal: AbortSignal.any([this.ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > BODY_BYTES_MAX) throw new JwksError('the answer is longer than 1 MB');
      chunks.push(chunk);
    }
    if (statusCode !== 200) throw new JwksError(`the server answers with status ${statusCode}`);
    return keysIn(Buffer.concat(chunks).toString());
  }
}

function reasonOf(cause: unknown, host: string): string {
  if (cause instanceof JwksError) return cause.message;
  if (cause instanceof DOMException && cause.name === 'TimeoutError')
    return `${host} does not answer in time`;
  return networkReason(cause, host) ?? `${host} cannot be reached`;
}

/** For the operator: holds nothing of an answer. */
class JwksError extends Error {}

function keysIn(text: string): Key[] {
  let set: z.output<typeof KeySet>;
  try {
    set = z.parse(KeySet, JSON.parse(text));
  } catch {
    throw new JwksError('the answer is no set of keys');
  }
  // A symmetric key that everybody can read proves nothing
  const usable = set.keys.filter(({ kty, use }) => kty !== 'oct' && use !== 'enc');
  return usable.flatMap((jwk) => {
    const key = publicKeyOf(jwk);
    return key && algorithmsOf(key).length > 0 ? [{ kid: jwk.kid, alg: jwk.alg, key }] : [];
  });
}

/** Null of a kind that we do not know: the others in the set are still good. */
function publicKeyOf(jwk: JsonWebKey): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}
