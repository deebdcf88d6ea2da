import { endpointOf, isFailure, checkAnswer as keepsContract } from '@mqdeck/contract/testing/check-answer';

/** Every answer of every test keeps the contract: throws when a status or a body is not as promised. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  if (status === 500 && !isFailure(body))
    throw new Error(`${method} ${path} answered ${status} without code and message`);
  const endpoint = endpointOf(method, path);
  if (endpoint) keepsContract(endpoint, path, status, body);
}
