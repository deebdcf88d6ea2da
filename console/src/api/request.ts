import type { AnswerOf, Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import { pathOf } from '@mqdeck/contract/kit/endpoint';
import { basePath } from '../base.ts';
import { ApiError } from './api-error.ts';
import { isAbsent, noteAbsent } from './features.ts';
import { begin } from './in-flight.ts';
import { report } from './report.ts';
import { noteServerTime } from './server-clock.ts';
import { endSession, getSession } from './session.ts';
import { fits } from './shape.ts';

const TIMEOUT_MS = 20_000;
/** A proxy's error page as a toast would fill the screen. */
const ERROR_TEXT_MAX = 300;

export interface CallOptions {
  /** Statuses the caller deals with itself: they are not reported. */
  handles?: readonly number[] | undefined;
  /** The caller tells about a timeout itself. */
  handlesTimeout?: boolean | undefined;
  /** False keeps the call out of the progress bar, as polls are. */
  progress?: boolean | undefined;
  /** True reports nothing at all: the caller shows failures in place. */
  quiet?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Another way than `fetch`. */
  via?: Transport | undefined;
}

/** How a call travels. `moved` says that it gets on: only silence is a timeout. */
export type Transport = (address: string, init: RequestInit, moved: () => void) => Promise<Response>;

interface Parts {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Asks the API: its answer's body, or an ApiError that has been reported unless the caller handles it. */
export async function request<E extends Endpoint>(
  endpoint: E,
  given: RequestOf<E>,
  options: CallOptions = {},
): Promise<AnswerOf<E>> {
  return call(endpoint, given as Parts, options, async (response) => {
    const body = await bodyOf(response);
    // Without this a proxy's answer would pass for an empty list. A deed is done whatever is said about it.
    if (endpoint.method === 'GET' && !fits(endpoint, body)) throw notUnderstood(response.status);
    return body;
  }) as Promise<AnswerOf<E>>;
}

/** Asks for a file: the whole response, unread, because its headers name the file. */
export function download<E extends Endpoint>(
  endpoint: E,
  given: RequestOf<E>,
  options: CallOptions = {},
): Promise<Response> {
  return call(endpoint, given as Parts, options, async (response) => response);
}

async function call<T>(
  endpoint: Endpoint,
  parts: Parts,
  options: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const end = begin(options.progress !== false);
  const token = endpoint.access === 'none' ? undefined : getSession()?.token;
  const timeout = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const moved = () => {
    clearTimeout(timer);
    timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
  };
  moved();
  try {
    const { address, init } = written(endpoint, parts, token, timeout.signal, options.signal);
    const response = await (options.via ? options.via(address, init, moved) : fetch(address, init));
    noteServerTime(response.headers.get('Date'));
    if (!response.ok) throw await refusal(endpoint, response);
    return await read(response);
  } catch (cause) {
    if (options.signal?.aborted) throw cause; // nobody waits for the answer any more
    const error =
      cause instanceof ApiError
        ? cause
        : new ApiError({ status: 0, timedOut: timeout.signal.aborted, cause });
    settleFailure(endpoint, error, token, options);
    throw error;
  } finally {
    clearTimeout(timer);
    end();
  }
}

function written(
  endpoint: Endpoint,
  { params, query, body }: Parts,
  token: string | undefined,
  timeout: AbortSignal,
  signal: AbortSignal | undefined,
): { address: string; init: RequestInit } {
  const headers = new Headers({ Accept: 'application/json' });
  if (token) headers.set('Authorization', `Bearer ${token}`);
  const isFile = body instanceof FormData || body instanceof Blob;
  if (body !== undefined && !isFile) headers.set('Content-Type', 'application/json');
  return {
    address: `${basePath()}api/v5${pathOf(endpoint.path, params)}${queryText(query)}`,
    init: {
      method: endpoint.method,
      headers,
      body: body === undefined ? null : isFile ? body : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      cache: 'no-store',
      credentials: 'omit', // the token is the only proof: no cookie of a neighbour on this host rides along
    },
  };
}

/** What is undefined, null or empty is left out; a list becomes a repeated key. */
export function queryText(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') search.append(key, String(one));
    }
  }
  return search.size === 0 ? '' : `?${search}`;
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  const type = response.headers.get('Content-Type') ?? 'json';
  // A page is never an answer of the API: somebody in between speaks, and no screen could draw it.
  if (type.includes('html')) throw new ApiError({ status: response.status, message: plainText(text) });
  if (!type.includes('json')) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notUnderstood(response.status, cause);
  }
}

const notUnderstood = (status: number, cause?: unknown): ApiError =>
  new ApiError({ status, trouble: 'notUnderstood', cause });

/** Reads a refusal; the body may be anything, even a proxy's page. */
async function refusal(endpoint: Endpoint, response: Response): Promise<ApiError> {
  const text = await response.text();
  const { code, message } = codeAndMessage(text);
  const seconds = response.headers.get('Retry-After') ?? '';
  return new ApiError({
    retryAfterSeconds: /^\d+$/.test(seconds) ? Number(seconds) : undefined,
    status: response.status,
    code,
    message,
    absent: isAbsent(endpoint, response.status, code),
  });
}

function codeAndMessage(text: string): { code: string; message: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { code: '', message: plainText(text) };
  }
  if (typeof body !== 'object' || body === null) return { code: '', message: plainText(String(body)) };
  const { code, message, reason } = body as Record<string, unknown>;
  const said = message ?? reason ?? '';
  return {
    code: typeof code === 'string' ? code : '',
    // Whole, because it may be the JSON of validation faults; report.ts shortens what it shows.
    message: typeof said === 'string' ? said : JSON.stringify(said),
  };
}

/** Takes an HTML page for what it says, shortened. The text is only ever shown as text. */
export function plainText(body: string): string {
  const text = /<[a-z!/]/i.test(body)
    ? body.replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<[^>]*>/g, ' ')
    : body;
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > ERROR_TEXT_MAX ? `${line.slice(0, ERROR_TEXT_MAX)}…` : line;
}

function settleFailure(
  endpoint: Endpoint,
  error: ApiError,
  token: string | undefined,
  options: CallOptions,
): void {
  const handled = options.quiet === true || options.handles?.includes(error.status) === true;
  if (error.absent) {
    noteAbsent(endpoint);
    // A part of a page that is not there says so in place. A deed that did not happen must not be passed over: who
    // handles 404 thinks of a missing thing.
    if (endpoint.method !== 'GET' && !options.quiet) report(error);
    return;
  }
  if (error.status === 401 && token !== undefined) {
    // Of twenty calls refused together the first ends the session; the others carry a token that is no longer ours.
    if (getSession()?.token !== token) return;
    const expired = error.code === 'BAD_TOKEN' || error.code === 'TOKEN_TIME_OUT';
    endSession(expired ? 'expired' : 'refused');
    if (!expired && !handled) report(error);
    return;
  }
  if (handled || (error.timedOut && options.handlesTimeout)) return;
  report(error);
}
