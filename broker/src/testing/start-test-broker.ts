import { API_BASE } from '@mqdeck/contract/api';
import { DEFAULT_USER } from '@mqdeck/contract/users';
import { reasonName } from '@mqdeck/mqtt/reason-codes';
import fastify, { type InjectOptions } from 'fastify';
import { type Broker, type BrokerOptions, startBroker } from '../broker.ts';
import { answerFailure, routerOptions } from '../http/api.ts';

import { checkAnswer } from './check-answer.ts';
import { type ClientOptions, dial, type TestClient } from './test-client.ts';

export interface InjectWith {
  query?: Record<string, string | number | readonly string[]>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, as JSON unless `headers` says otherwise. */
  rawBody?: string | Buffer;
  /** Another token than that of the signed-in default user. */
  token?: string;
  /** The Authorization header itself; null = none. */
  authorization?: string | null;
  headers?: Record<string, string>;
  remoteAddress?: string;
}

export interface Answer<T = unknown> {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  /** Parsed JSON, text, or undefined when there is none. */
  body: T;
}

export type TestBroker = Awaited<ReturnType<typeof startTestBroker>>;

/** The whole broker in memory, without ports, with the default user signed in. */
export async function startTestBroker(options: Partial<BrokerOptions> = {}) {
  const broker: Broker = await startBroker({
    dataDir: null,
    host: '127.0.0.1',
    tcp: 'off',
    ws: 'off',
    version: '0.0.0-test',
    passwordCost: 2,
    tellsOfItself: false,
    ...options,
  });
  // The routes for HEAD are fastify's own: to make them takes a third of the time that a broker needs to start
  const app = fastify({ exposeHeadRoutes: false, routerOptions, frameworkErrors: answerFailure });
  await app.register(broker.api, { prefix: API_BASE });
  await app.ready();
  const ownToken = await broker.tokens.issue(DEFAULT_USER.username);

  return {
    ...broker,
    token: ownToken,
    /** Calls the API and holds the answer to the contract; `path` is below its base path. */
    async inject<T = unknown>(method: string, path: string, given: InjectWith = {}): Promise<Answer<T>> {
      const { query, body, rawBody, token = ownToken, authorization = `Bearer ${token}` } = given;
      const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await app.inject({
        method: method as NonNullable<InjectOptions['method']>,
        url: `${API_BASE}${path}`,
        ...(query && { query: queryText(query) }),
        ...(payload !== undefined && { payload }),
        ...(given.remoteAddress !== undefined && { remoteAddress: given.remoteAddress }),
        headers: {
          ...(authorization !== null && { authorization }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...given.headers,
        },
      });
      const isJson = String(response.headers['content-type']).includes('json');
      const text = response.body;
      const answered: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
      checkAnswer(method, path, response.statusCode, answered);
      return { status: response.statusCode, headers: response.headers, body: answered as T };
    },
    /** A connected MQTT client. */
    async client(clientid: string, clientOptions?: ClientOptions): Promise<TestClient> {
      const { client } = dial(broker.core, clientid, clientOptions);
      const { reasonCode } = await client.connect();
      if (reasonCode !== 0) throw new Error(`${clientid} was refused: ${reasonName(reasonCode)}`);
      return client;
    },
    /** Ends the broker and leaves its API answering. */
    endBroker: broker.close,
    async close() {
      await app.close();
      await broker.close();
    },
  };
}

/** A list becomes a key that comes several times. */
function queryText(query: NonNullable<InjectWith['query']>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [key, String(one)]),
  );
  return new URLSearchParams(pairs).toString();
}
