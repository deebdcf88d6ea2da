import { API_BASE } from '@mqdeck/contract/api';
import { type ErrorCode, errorCodes } from '@mqdeck/contract/error-codes';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { checkAnswer, endpointOf } from '@mqdeck/contract/testing/check-answer';

export const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
export const nothing = () => new Response(null, { status: 204 });
/** An error of the API, with the status of its code unless another one is given. */
export const refused = (code: ErrorCode, message = '', status: number = errorCodes[code][0]) =>
  json({ code, message }, status);
/** The answer of a broker that does not have the endpoint. */
export const absent = () => refused('NOT_FOUND', 'Request Path Not Found');

const foreignAnswers = new WeakSet<Response>();
/** Marks an answer that no broker of this contract gives: from a proxy, cut off, or of another version. */
export function foreign(response: Response): Response {
  foreignAnswers.add(response);
  return response;
}

const broken = new Set<string>();
/** The answers since the last call that broke the contract, in words. */
export function takeBroken(): string[] {
  const all = [...broken];
  broken.clear();
  return all;
}

/**
 * Notes when the answer that a test gives is not as the contract promises: the test then fails (setup.ts). `own` are
 * endpoints that only the test knows; they are looked at first. Addresses outside the API are not checked.
 */
export async function checkResponse(
  method: string,
  address: string,
  response: Response,
  own: readonly Endpoint[] = [],
): Promise<void> {
  const at = address.indexOf(API_BASE);
  if (at === -1 || foreignAnswers.has(response)) return;
  const path = address.slice(at + API_BASE.length);
  const endpoint = endpointOf(method, path, own) ?? endpointOf(method, path);
  const text = await response.clone().text();
  const isJson = response.headers.get('Content-Type')?.includes('json') === true;
  try {
    const body: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
    if (endpoint) checkAnswer(endpoint, path, response.status, body);
    else if (response.status !== 404) throw new Error(`The contract has no ${method} ${path}`);
  } catch (cause) {
    broken.add((cause as Error).message);
  }
}
