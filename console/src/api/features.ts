import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { useSyncExternalStore } from 'react';

/** Keeps which endpoints this broker was found not to have; request.ts alone adds to it, a sign-in forgets it. */
const absentEndpoints = new Set<string>();
const listeners = new Set<() => void>();
const keyOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** Matches every code of the contract with status 404; the contract's list itself would make the first page larger. */
const THING_MISSING = /(^|_)NOT_(FOUND|EXISTED)$/;

/**
 * Tells a missing endpoint from a missing thing. A 404 without one of the API's own codes is a missing endpoint, and so
 * is one at a path that names no thing (brokers answer unknown paths with NOT_FOUND), unless the endpoint says
 * that this may happen.
 */
export function isAbsent(endpoint: Endpoint, status: number, code: string): boolean {
  if (status === 405 || status === 501) return true;
  if (status !== 404) return false;
  if ((endpoint.errors as readonly string[] | undefined)?.includes(code)) return false;
  return !THING_MISSING.test(code) || !endpoint.path.includes('/:');
}

export function noteAbsent(endpoint: Endpoint): void {
  if (absentEndpoints.has(keyOf(endpoint))) return;
  absentEndpoints.add(keyOf(endpoint));
  for (const listener of listeners) listener();
}

/** Another sign-in may meet another broker, or a newer one. */
export function forgetAbsent(): void {
  absentEndpoints.clear();
  for (const listener of listeners) listener();
}

/** False once this broker has answered that it does not have the endpoint. */
export const useAvailable = (endpoint: Endpoint): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => !absentEndpoints.has(keyOf(endpoint)),
  );
