import { api } from '@mqdeck/contract/api';
import { bridgeTypeNames } from '@mqdeck/contract/bridges/types';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bridgeExamples } from '../testing/bridge-examples.ts';
import { startTestBroker, type TestBroker } from '../testing/start-test-broker.ts';

// Secrets of every kind are saved, each with the same word in it. No answer of the API and no line of the log has that word.

const WORD = 'canary';
let planted = 0;
const secret = () => {
  planted += 1;
  return `${WORD}-${planted}`;
};

let broker: TestBroker;
const lines: string[] = [];
/** Values of the parameters of paths, by the place before them. */
const known: Record<string, string[]> = {
  '/actions/': [],
  '/api_key/': ['night'],
  '/audit/': [],
  '/authentication/': [],
  '/authorization/sources/': [],
  '/bridges/': [],
  '/clients/': ['sensor'],
  '/connectors/': [],
  '/exhooks/': ['hook'],
  '/gateways/': ['stomp'],
  '/listeners/': ['ssl:plant'],
  '/nodes/': [],
  '/rules/': ['rule'],
  '/sources/': [],
};

async function save(method: string, path: string, body: unknown): Promise<void> {
  const answer = await broker.inject<{ message?: string }>(method, path, { body });
  expect([path, answer.status, answer.body?.message]).toEqual([path, expect.toSatisfy(isFine), undefined]);
  expect(JSON.stringify(answer.body ?? null), path).not.toContain(WORD);
}
const isFine = (status: number) => status >= 200 && status < 300;

/** Every field of this configuration that holds a secret, filled. */
const withSecrets = (config: object) => ({
  ...config,
  ...('username' in config && { password: secret() }),
  ...('bootstrap_hosts' in config && {
    authentication: { mechanism: 'plain', username: 'u', password: secret() },
  }),
  ...('token' in config && { token: secret() }),
  ...('headers' in config && { headers: { authorization: `Bearer ${secret()}`, 'x-api-key': secret() } }),
  ...('service_account_json' in config && {
    service_account_json: JSON.stringify({ project_id: 'p', client_email: 'a@b', private_key: secret() }),
  }),
});
const ssl = () => ({ enable: false, password: secret() });

beforeAll(async () => {
  broker = await startTestBroker({ console: (line) => void lines.push(line) });
  await save('PUT', '/configs/log', { console: { level: 'debug' } });
  for (const type of bridgeTypeNames) {
    const config = withSecrets(bridgeExamples[type]);
    await save('POST', '/bridges', {
      type,
      name: 'b',
      enable: ['mqtt', 'pgsql', 'redis_single', 'webhook'].includes(type), // the first to ask takes long to load
      ...config,
      ...(type !== 'gcp_pubsub' && { ssl: ssl() }),
    });
    known['/bridges/']!.push(`${type}:b`);
  }
  for (const id of known['/bridges/']!)
    for (const place of ['/actions/', '/connectors/', '/sources/'] as const) known[place]!.push(id);
  const database = { server: '127.0.0.1:1', database: 'd', username: 'u' };
  for (const authenticator of [
    { mechanism: 'jwt', use_jwks: false, algorithm: 'hmac-based', secret: secret() },
    {
      mechanism: 'password_based',
      backend: 'mysql',
      ...database,
      password: secret(),
      query: 'select password_hash from u where username = ${username}',
      ssl: ssl(),
    },
    {
      mechanism: 'password_based',
      backend: 'http',
      method: 'post',
      url: 'http://127.0.0.1:1/login',
      headers: { authorization: `Bearer ${secret()}` },
      body: { username: '${username}', password: '${password}' },
      ssl: ssl(),
    },
  ])
    await save('POST', '/authentication', authenticator);
  for (const source of [
    {
      type: 'postgresql',
      ...database,
      password: secret(),
      query: 'select permission, action, topic from acl where username = ${username}',
      ssl: ssl(),
    },
    {
      type: 'redis',
      redis_type: 'single',
      server: '127.0.0.1:1',
      password: secret(),
      cmd: 'HGETALL acl:${username}',
      ssl: ssl(),
    },
  ]) {
    await save('POST', '/authorization/sources', source);
    known['/authorization/sources/']!.push(source.type);
  }
  await save('POST', '/exhooks', { name: 'hook', url: 'http://127.0.0.1:1', enable: false, ssl: ssl() });
  await save('PUT', '/prometheus', {
    push_gateway: { enable: false, url: 'http://127.0.0.1:1', headers: { authorization: secret() } },
  });
  await save('POST', '/users', {
    username: 'night',
    password: `${secret()}-Aa1`,
    description: '',
    role: 'administrator',
  });
  const list = await broker.inject<{ id: string }[]>('GET', '/authentication');
  known['/authentication/']!.push(...list.body.map(({ id }) => id));
  const { body: audit } = await broker.inject<{ data: { id: string }[] }>('GET', '/audit');
  known['/audit/']!.push(...audit.data.map(({ id }) => id));
  known['/nodes/']!.push(broker.core.node);
});
afterAll(() => broker.close());

/** The paths of an endpoint with one value, known here, for its parameter; none where nothing is known of it. */
function pathsOf({ path }: Endpoint): string[] {
  const [before, ...parameters] = path.split(/:\w+/);
  if (parameters.length === 0) return [path];
  if (parameters.length > 1) return [];
  return (known[before!] ?? []).map((value) => `${before}${encodeURIComponent(value)}${parameters[0]}`);
}

test('no answer to a question and no line of the log has a secret in it', async () => {
  await broker.client('sensor').catch(() => undefined); // refused: no authenticator can be asked
  let asked = 0;
  for (const feature of Object.values(api))
    for (const endpoint of Object.values<Endpoint>(feature)) {
      if (endpoint.method !== 'GET') continue;
      for (const path of pathsOf(endpoint)) {
        const { body } = await broker.inject('GET', path);
        expect(JSON.stringify(body ?? null), path).not.toContain(WORD);
        asked += 1;
      }
    }
  expect(planted).toBeGreaterThan(40);
  expect(asked).toBeGreaterThan(150);
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.join('')).not.toContain(WORD);
});

test('what is saved unchanged, as it was shown, keeps its secrets', async () => {
  for (const id of known['/bridges/']!) {
    const path = `/bridges/${encodeURIComponent(id)}`;
    const before = structuredClone(broker.settings.get('bridges'));
    const { body } = await broker.inject<Record<string, unknown>>('GET', path);
    const { type, name, status, status_reason, node_status, metrics, node_metrics, ...config } = body;
    expect([id, (await broker.inject('PUT', path, { body: config })).status]).toEqual([id, 200]);
    expect(broker.settings.get('bridges')).toEqual(before);
  }
});
