import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { beforeEach, vi } from 'vitest';
import { absent, checkResponse } from './answers.ts';
import { FakeXhr, FetchingXhr } from './fake-xhr.ts';

/** A call of the console. */
export interface Call<Body = unknown> {
  method: string;
  /** Below `/api/v5`, as it was sent: `/listeners/tcp%3Adefault`. */
  path: string;
  /** Only where one was sent. */
  query: URLSearchParams | undefined;
  body: Body;
}
type Answer<Body> = (call: Call<Body>) => Response | Promise<Response> | undefined;

/**
 * Answers `fetch` and XMLHttpRequest in the tests of a file. A call that `answer` does not know goes to `otherwise`;
 * a call that neither knows is to a path that the broker does not have. A test fails when an answer breaks the
 * contract, unless it is marked as `foreign`. `endpoints` are those that only the file knows.
 */
export function brokerBehindFetch<Body = unknown>(
  otherwise: Answer<Body> = () => undefined,
  endpoints: readonly Endpoint[] = [],
) {
  const unknown: Answer<Body> = () => undefined;
  const broker = {
    calls: [] as Call<Body>[],
    answer: unknown,
    sent: (method: string, path?: string) =>
      broker.calls.filter((call) => call.method === method && (path === undefined || call.path === path)),
  };

  beforeEach(() => {
    broker.calls = [];
    broker.answer = unknown;
    FakeXhr.all = [];
    vi.stubGlobal('XMLHttpRequest', FetchingXhr);
    vi.stubGlobal('fetch', async (input: string, { method = 'GET', body, signal }: RequestInit = {}) => {
      const { pathname, searchParams } = new URL(input, 'http://console');
      const call = {
        method,
        path: pathname.replace(/^.*\/api\/v5/, ''),
        query: searchParams.size > 0 ? searchParams : undefined,
        body: typeof body === 'string' ? JSON.parse(body) : (body ?? undefined),
      };
      broker.calls.push(call);
      const answer = await Promise.race([
        broker.answer(call) ?? otherwise(call) ?? absent(),
        ...(signal ? [aborted(signal)] : []),
      ]);
      await checkResponse(method, pathname, answer, endpoints);
      return answer;
    });
  });
  return broker;
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
