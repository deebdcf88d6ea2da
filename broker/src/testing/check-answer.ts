import { api } from '@mqdeck/contract/api';
import { ApiFailure } from '@mqdeck/contract/error-codes';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import * as z from 'zod/mini';

const endpoints = Object.values(api).flatMap((feature): Endpoint[] => Object.values(feature));

/** The endpoint of the contract that a call goes to; what is written out wins over a parameter. */
function endpointOf(method: string, path: string): Endpoint | undefined {
  const segments = path.split('?')[0]!.replace(/\/$/, '').split('/');
  const fits = ({ method: own, path: pattern }: Endpoint) => {
    const parts = pattern.split('/');
    return (
      own === method &&
      parts.length === segments.length &&
      parts.every((part, i) => part.startsWith(':') || part === segments[i])
    );
  };
  return endpoints.filter(fits).sort((a, b) => parametersOf(a) - parametersOf(b))[0];
}

const parametersOf = ({ path }: Endpoint): number => path.split(':').length;

/** Every answer of every test keeps the contract: throws when a status or a body is not as promised. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const called = `${method} ${path} answered ${status}`;
  if (status === 500 && !is(ApiFailure, body)) throw new Error(`${called} without code and message`);
  const endpoint = endpointOf(method, path);
  if (!endpoint) return;
  const { schema } = endpoint.ok;
  if (status >= 400) {
    // Publishing fails with a reason code of MQTT instead, the status with what it is.
    if (!is(ApiFailure, body) && !(schema && is(schema, body)) && !(schema && is(schema, [body])))
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

const is = (schema: z.ZodMiniType, value: unknown): boolean => z.safeParse(schema, value).success;
