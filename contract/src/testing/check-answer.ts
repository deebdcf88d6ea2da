import * as z from 'zod/mini';
import { api } from '../api.ts';
import { ApiFailure } from '../error-codes.ts';
import type { Endpoint } from '../kit/endpoint.ts';

const endpointsOfApi = Object.values(api).flatMap((feature): Endpoint[] => Object.values(feature));

/** The segments of the path of each endpoint, those with fewest parameters first. */
const sortedByParameters = (endpoints: readonly Endpoint[]) =>
  endpoints
    .map((endpoint) => ({ endpoint, parts: endpoint.path.split('/') }))
    .sort((a, b) => parametersOf(a.endpoint) - parametersOf(b.endpoint));

const parametersOf = ({ path }: Endpoint): number => path.split(':').length;
const partsOfApi = sortedByParameters(endpointsOfApi);

/** The endpoint that a call goes to, `path` with or without a query; a literal segment wins over a parameter. */
export function endpointOf(
  method: string,
  path: string,
  endpoints?: readonly Endpoint[],
): Endpoint | undefined {
  const segments = path.split('?')[0]!.replace(/\/$/, '').split('/');
  const candidates = endpoints ? sortedByParameters(endpoints) : partsOfApi;
  return candidates.find(
    ({ endpoint, parts }) =>
      endpoint.method === method &&
      parts.length === segments.length &&
      parts.every((part, i) => part.startsWith(':') || part === segments[i]),
  )?.endpoint;
}

/**
 * Throws when the status or the body of an answer is not as the contract promises. `body` is the parsed JSON or the
 * text, undefined when the answer has none.
 */
export function checkAnswer(endpoint: Endpoint, path: string, status: number, body: unknown): void {
  const called = `${endpoint.method} ${path} answered ${status}`;
  const { schema } = endpoint.ok;
  if (status >= 400) {
    // Publishing fails with a reason code of MQTT instead of an error code; its status tells the two apart.
    if (!isFailure(body) && !(schema && is(schema, body)) && !(schema && is(schema, [body])))
      throw new Error(`${called} without code and message: ${JSON.stringify(body)}`);
    return;
  }
  if (schema === null) {
    if (status !== endpoint.ok.status || body !== undefined)
      throw new Error(`${called}, the contract promises ${endpoint.ok.status} and no body`);
    return;
  }
  const result = z.safeParse(schema, body);
  if (!result.success)
    throw new Error(`${called}, not as the contract says: ${z.prettifyError(result.error)}`);
}

/** Whether a body has the `code` and the `message` of an error. */
export const isFailure = (body: unknown): boolean => is(ApiFailure, body);

const is = (schema: z.ZodMiniType, value: unknown): boolean => z.safeParse(schema, value).success;
