import type { gcpPubsubShape } from '@mqdeck/contract/bridges/gcp-pubsub';
import { parseDuration } from '@mqdeck/contract/kit/values';
import { template } from '@mqdeck/rulesql/template';
import { jsonOf, textOf } from '@mqdeck/rulesql/values';
import { importPKCS8, SignJWT } from 'jose';
import type * as z from 'zod/mini';
import { BackendConfigError } from '../../../backends/backend.ts';
import { encodeUrlValue } from '../../../backends/url-values.ts';
import { DeliveryError, type Driver, type DriverContext, type Row } from '../../../resources/driver.ts';
import { HttpTarget } from './http-target.ts';

export type GcpPubsubConfig = { [K in keyof typeof gcpPubsubShape]: z.output<(typeof gcpPubsubShape)[K]> };

const GOOGLE = 'https://pubsub.googleapis.com';
const AUDIENCE = 'https://pubsub.googleapis.com/';
const TOKEN_SECONDS = 3600; // what Google takes at most
const RENEW_MS = 5 * 60_000; // before its end

interface Account {
  project_id: string;
  client_email: string;
  private_key: string;
  private_key_id: string;
}

/** Publishes to a topic of Google Cloud Pub/Sub, as a service account that signs its own tokens. */
export function gcpPubsubDriver(config: GcpPubsubConfig, { outbound }: DriverContext): Driver {
  const account = accountOf(config.service_account_json);
  const origin = new URL(config.endpoint ?? GOOGLE).origin;
  const topic = `/v1/projects/${encodeUrlValue(account.project_id)}/topics/${encodeUrlValue(config.pubsub_topic)}`;
  const body = config.payload_template === '' ? null : template(config.payload_template);
  let target: HttpTarget | null = null;
  let token: { text: string; until: number } | null = null;
  let trouble: string | null = null;

  async function authorization(): Promise<string> {
    if (token === null || token.until < Date.now()) {
      const text = await sign(account);
      token = { text, until: Date.now() + TOKEN_SECONDS * 1000 - RENEW_MS };
    }
    return `Bearer ${token.text}`;
  }

  async function ask(method: 'GET' | 'POST', path: string, sent: string | null, signal: AbortSignal) {
    if (target === null) throw new DeliveryError('it is not open', true);
    const headers = { authorization: await authorization(), 'content-type': 'application/json' };
    return target.request({ method, path, headers, body: sent }, signal);
  }

  async function look(signal: AbortSignal): Promise<void> {
    const { status } = await ask('GET', topic, null, signal);
    if (status === 404) throw new Error(`there is no topic ${config.pubsub_topic} in ${account.project_id}`);
    if (status === 401 || status === 403) {
      // Publishing may be allowed where looking is not
      if (trouble !== null) throw new Error(trouble);
      return;
    }
    if (status >= 400) throw new Error(`the server answered ${status}`);
  }

  const messageOf = (row: Row) => {
    const value = body === null ? jsonOf(row) : body.value(row);
    const bytes = value instanceof Uint8Array ? value : Buffer.from(textOf(value));
    return { data: Buffer.from(bytes).toString('base64') };
  };

  return {
    async open(signal) {
      trouble = null;
      target = new HttpTarget({
        outbound,
        origin,
        connections: config.pool_size,
        pipelining: config.pipelining,
        connectMs: parseDuration(config.connect_timeout)!,
        retries: config.max_retries,
        requestMs: config.request_timeout === undefined ? null : parseDuration(config.request_timeout),
      });
      await look(signal);
    },
    check: look,
    async deliver(rows, signal) {
      const sent = JSON.stringify({ messages: rows.map(messageOf) });
      const { status } = await ask('POST', `${topic}:publish`, sent, signal);
      if (status >= 200 && status < 300) {
        trouble = null;
        return;
      }
      const said = `the server answered ${status}`;
      if (status === 401 || status === 403 || status === 404) {
        token = null;
        trouble = said;
      }
      throw new DeliveryError(said, status !== 400 && status !== 413);
    },
    async close() {
      await target?.close();
      target = null;
    },
  };
}

function accountOf(text: string): Account {
  let account: Partial<Account>;
  try {
    account = JSON.parse(text) as Partial<Account>;
  } catch {
    throw new BackendConfigError('service_account_json', 'it is no JSON');
  }
  for (const name of ['project_id', 'client_email', 'private_key', 'private_key_id'] as const)
    if (typeof account[name] !== 'string' || account[name] === '')
      throw new BackendConfigError('service_account_json', `it has no ${name}`);
  return account as Account;
}

async function sign({ client_email, private_key, private_key_id }: Account): Promise<string> {
  let key: Awaited<ReturnType<typeof importPKCS8>>;
  try {
    key = await importPKCS8(private_key, 'RS256');
  } catch {
    throw new Error('the private key of the service account cannot be read');
  }
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: private_key_id, typ: 'JWT' })
    .setIssuer(client_email)
    .setSubject(client_email)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime(`${TOKEN_SECONDS} s`)
    .sign(key);
}
