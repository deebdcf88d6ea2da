import { beforeEach, vi } from 'vitest';
import { queryClient } from '../api/query-client.ts';
import { setLanguage } from '../i18n/language.ts';
import { dismiss, getToasts } from '../ui/toast.ts';
import { FakeXhr, FetchingXhr } from './fake-xhr.ts';

/** What the console asked of the broker. */
export interface Call<Body = unknown> {
  method: string;
  /** Below `/api/v5`, as it was sent: `/listeners/tcp%3Adefault`. */
  path: string;
  /** Only where one was sent. */
  query: URLSearchParams | undefined;
  body: Body;
}
type Answer<Body> = (call: Call<Body>) => Response | undefined;

export const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
export const nothing = () => new Response(null, { status: 204 });

/**
 * Stands behind `fetch` while the tests of a file run, and forgets with each of them. What `answer` does not know is
 * asked of `otherwise`, and what neither knows is a path the broker does not have.
 */
export function brokerBehindFetch<Body = unknown>(otherwise: Answer<Body> = () => undefined) {
  const unknown: Answer<Body> = () => undefined;
  const broker = {
    calls: [] as Call<Body>[],
    answer: unknown,
    sent: (method: string, path?: string) =>
      broker.calls.filter((call) => call.method === method && (path === undefined || call.path === path)),
  };

  beforeEach(() => {
    setLanguage('en');
    queryClient.clear();
    for (const { id } of getToasts()) dismiss(id);
    broker.calls = [];
    broker.answer = unknown;
    FakeXhr.all = [];
    vi.stubGlobal('XMLHttpRequest', FetchingXhr);
    vi.stubGlobal('fetch', async (input: string, { method = 'GET', body }: RequestInit = {}) => {
      const { pathname, searchParams } = new URL(input, 'http://console');
      const call = {
        method,
        path: pathname.replace(/^.*\/api\/v5/, ''),
        query: searchParams.size > 0 ? searchParams : undefined,
        body: typeof body === 'string' ? JSON.parse(body) : (body ?? undefined),
      };
      broker.calls.push(call);
      return (
        broker.answer(call) ??
        otherwise(call) ??
        json({ code: 'NOT_FOUND', message: 'Request Path Not Found' }, 404)
      );
    });
    return () => vi.unstubAllGlobals(); // after the page is gone
  });
  return broker;
}
