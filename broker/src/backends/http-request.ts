import type { HttpAnswer, HttpBackend } from './backend.ts';
import {
  type DeepTemplate,
  parseDeep,
  parseTemplate,
  parseUrl,
  renderDeep,
  renderHeader,
  renderUrl,
  type UrlTemplate,
  type Values,
} from './placeholders.ts';

export interface RequestConfig {
  method: 'get' | 'post';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>> | undefined;
}

type Request = Parameters<HttpBackend['request']>[0];

export interface RequestTemplate {
  readonly origin: string;
  /** Throws PlaceholderError when something of the client cannot stand where it should. */
  fill(values: Values): Request;
}

const FORM = 'application/x-www-form-urlencoded';

/** What is sent to decide about a client: with POST the body as JSON or as a form, with GET as the query. */
export function parseRequest(config: RequestConfig, names: readonly string[]): RequestTemplate {
  const url: UrlTemplate = parseUrl(config.url, { names, path: 'url' });
  const isGet = config.method === 'get';
  const headers = Object.entries(config.headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !(isGet && name === 'content-type'))
    .map(([name, value]) => [name, parseTemplate(value, { names, path: `headers.${name}` })] as const);
  const body: DeepTemplate = parseDeep(config.body ?? {}, { names, path: 'body' });
  const type = config.headers[Object.keys(config.headers).find((name) => /^content-type$/i.test(name)) ?? ''];
  const isForm = type?.toLowerCase().startsWith(FORM) ?? false;
  return {
    origin: url.origin,
    fill: (values) => {
      const filled = renderDeep(body, values) as Record<string, unknown>;
      return {
        method: isGet ? 'GET' : 'POST',
        path: renderUrl(url, values, isGet ? formOf(filled) : ''),
        headers: Object.fromEntries(
          headers.map(([name, template]) => [name, renderHeader(template, values)]),
        ),
        body: isGet ? null : isForm ? formOf(filled) : JSON.stringify(filled),
      };
    },
  };
}

const formOf = (fields: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

/** The fields of an answer, JSON or form; null when it is neither. */
export function fieldsOf({ headers, body }: HttpAnswer): Readonly<Record<string, unknown>> | null {
  const type = headers['content-type']?.toLowerCase() ?? '';
  if (type.startsWith(FORM)) return Object.fromEntries(new URLSearchParams(body));
  if (!/^application\/([\w.-]+\+)?json\b/.test(type)) return null;
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
