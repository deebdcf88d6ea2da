import { API_BASE } from '@mqdeck/contract/api';
import type { NewApiKey } from '@mqdeck/contract/api-keys';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../broker.ts';
import { answerFailure, routerOptions } from '../../http/api.ts';

/** What must never be read anywhere but where it was entered, or in the one answer that gives it out. */
const PASSWORD = 'C4nary-of-a-password';
const NEW_PASSWORD = 'C4nary-of-a-new-password';
const GUESS = 'C4nary-of-a-guess';
const CANARIES = [PASSWORD, NEW_PASSWORD, GUESS];

let broker: Broker;
let app: FastifyInstance;
let log: string[];

beforeEach(async () => {
  log = [];
  const note = (facts: object, text: string) => void log.push(JSON.stringify(facts), text);
  const ownLog = { debug: note, info: note, warn: note, error: note };
  const options = { dataDir: null, host: '127.0.0.1', tcp: 'off', ws: 'off', version: '0' } as const;
  broker = await startBroker({ ...options, passwordCost: 2, log: ownLog });
  const stream = { write: (line: string) => void log.push(line) };
  app = fastify({ routerOptions, frameworkErrors: answerFailure, logger: { level: 'trace', stream } });
  await app.register(broker.api, { prefix: API_BASE });
});
afterEach(async () => {
  await app.close();
  await broker.close();
});

test('no answer and no line of the log repeats a password, a secret or a token', async () => {
  const answers: string[] = [];
  const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, as = '') => {
    const response = await app.inject({
      method,
      url: API_BASE + path,
      headers: { ...(as && { authorization: as }) },
      ...(body !== undefined && { payload: body as object }),
    });
    answers.push(response.body + JSON.stringify(response.headers));
    return response;
  };
  const basic = (key: string, secret: string) =>
    `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;

  const { token } = (await call('POST', '/login', { username: 'admin', password: 'public' })).json<{
    token: string;
  }>();
  answers.length = 0; // the one answer that has it
  const me = `Bearer ${token}`;

  // Users: what is right, and all that can be wrong about a field beside a secret or with one.
  for (const body of [
    { username: 'ops', password: PASSWORD, description: '' },
    { username: 'ops', password: PASSWORD, description: '' },
    { username: 'a b', password: PASSWORD, description: '' },
    { username: 'ops2', password: [PASSWORD], description: '' },
    { username: 'ops3', password: { text: PASSWORD }, description: '' },
    { password: PASSWORD },
  ])
    await call('POST', '/users', body, me);
  const change = (old_pwd: unknown, new_pwd: unknown) =>
    call('POST', '/users/ops/change_pwd', { old_pwd, new_pwd }, me);
  expect((await change(GUESS, NEW_PASSWORD)).statusCode).toBe(400);
  await change([GUESS], NEW_PASSWORD);
  await change(PASSWORD, { text: NEW_PASSWORD });
  expect((await change(PASSWORD, NEW_PASSWORD)).statusCode).toBe(204);
  for (let i = 0; i < 6; i++) await call('POST', '/login', { username: 'ops', password: GUESS });
  await call('POST', '/login', { username: 'ops', password: [GUESS] });

  // Keys: the secret in the answer that makes it, and nowhere after it.
  const made = (await call('POST', '/api_key', { name: 'k', desc: '', enable: true }, me)).json<NewApiKey>();
  answers.pop();
  await call('POST', '/api_key', { name: 'k', desc: '', enable: true }, me);
  await call('POST', '/api_key', { name: 'k2', desc: '', enable: true, api_secret: GUESS }, me);
  await call('PUT', '/api_key/k', { api_secret: [GUESS] }, me);
  for (const path of ['/api_key', '/api_key/k']) await call('GET', path, undefined, me);
  expect((await call('GET', '/stats', undefined, basic(made.api_key, made.api_secret))).statusCode).toBe(200);
  for (let i = 0; i < 7; i++) await call('GET', '/stats', undefined, basic(made.api_key, GUESS + i));
  await call('GET', '/users', undefined, basic(made.api_key, made.api_secret));
  await call('GET', '/stats', undefined, `Basic ${GUESS}`);
  await call('GET', '/stats', undefined, `Bearer ${GUESS}`);
  await call('GET', '/users', undefined, me);
  await call('POST', '/logout', { username: 'admin' }, me);

  const found = [...CANARIES, token, made.api_secret, basic(made.api_key, made.api_secret)].flatMap(
    (canary) => [...answers, ...log].filter((text) => text.includes(canary)),
  );
  expect(found).toEqual([]);
  expect(log.length).toBeGreaterThan(10); // requests were logged at all
});
