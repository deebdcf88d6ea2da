import { BackendConfigError } from './backend.ts';
import { encodeUrlText, encodeUrlValue, PlaceholderError, withoutDotSegments } from './url-values.ts';

/** What placeholders stand for. Null: the client did not say. Undefined: nobody knows this name. */
export type Values = (name: string) => string | null | undefined;

/** A text taken apart once; what is filled in is never looked at for placeholders again. */
export type Template = readonly (string | { readonly name: string })[];

const PLACEHOLDER = /\$\{([^{}]*)\}/g;
const ATTRIBUTE = /^client_attrs\.[A-Za-z0-9_.-]+$/;

/** What a client shows when it connects. */
const OF_CLIENTS = [
  'username',
  'clientid',
  'peerhost',
  'mountpoint',
  'cert_subject',
  'cert_common_name',
  'zone',
  'listener',
  'proto_name',
];
/** What a device of LwM2M says of itself beside; empty of all others. */
const OF_DEVICES = ['endpoint_name', 'lifetime'];
export const AUTHENTICATION_NAMES: readonly string[] = [...OF_CLIENTS, 'password', ...OF_DEVICES];
export const AUTHORIZATION_NAMES: readonly string[] = [...OF_CLIENTS, 'topic', 'action', 'qos', 'retain'];

/** Which names may stand in a template, and the field it stands in, for the operator. */
export interface Allowed {
  readonly names: readonly string[];
  readonly path: string;
}

/** Throws BackendConfigError for a name that nobody knows. */
export function parseTemplate(text: string, allowed: Allowed): Template {
  const parts: (string | { name: string })[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ name: known(match[1]!, allowed) });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function known(name: string, { names, path }: Allowed): string {
  if (names.includes(name) || ATTRIBUTE.test(name)) return name;
  throw new BackendConfigError(
    path,
    `there is no placeholder \${${name.slice(0, 100)}}; there are ${names.map((one) => `\${${one}}`).join(', ')} and \${client_attrs.NAME}`,
  );
}

/** What the client did not say is an empty text. */
export const render = (
  template: Template,
  values: Values,
  encode: (value: string) => string = (value) => value,
): string =>
  template.map((part) => (typeof part === 'string' ? part : encode(values(part.name) ?? ''))).join('');

const hasNames = (template: Template): boolean => template.some((part) => typeof part !== 'string');

/** A tree of JSON whose texts are templates; keys stand for themselves. */
export type DeepTemplate =
  | { readonly kind: 'text'; readonly template: Template }
  | { readonly kind: 'other'; readonly value: unknown }
  | { readonly kind: 'list'; readonly items: readonly DeepTemplate[] }
  | { readonly kind: 'fields'; readonly fields: readonly (readonly [string, DeepTemplate])[] };

export function parseDeep(value: unknown, allowed: Allowed): DeepTemplate {
  if (typeof value === 'string') return { kind: 'text', template: parseTemplate(value, allowed) };
  if (Array.isArray(value)) return { kind: 'list', items: value.map((item) => parseDeep(item, allowed)) };
  if (typeof value !== 'object' || value === null) return { kind: 'other', value };
  const fields = Object.entries(value).map(([key, inner]) => {
    if (key.search(PLACEHOLDER) !== -1)
      throw new BackendConfigError(allowed.path, `placeholders stand in values, not in the name "${key}"`);
    return [key, parseDeep(inner, { ...allowed, path: `${allowed.path}.${key}` })] as const;
  });
  return { kind: 'fields', fields };
}

/** The same tree with its texts filled in: a value stays one text, whatever is in it. */
export function renderDeep(template: DeepTemplate, values: Values): unknown {
  switch (template.kind) {
    case 'text':
      return render(template.template, values);
    case 'other':
      return template.value;
    case 'list':
      return template.items.map((item) => renderDeep(item, values));
    case 'fields':
      return Object.fromEntries(template.fields.map(([key, inner]) => [key, renderDeep(inner, values)]));
  }
}

/** Operators that compare with a value or join conditions. Others make patterns, code or field names of texts. */
const COMPARING = new Set([
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$and',
  '$or',
  '$nor',
  '$not',
  '$all',
  '$elemMatch',
]);

/** A filter of MongoDB in which what clients say is a value, never an operator, a pattern or code. */
export function parseFilter(filter: object, allowed: Allowed): DeepTemplate {
  const parsed = parseDeep(filter, allowed);
  checkOperators(parsed, allowed.path);
  return parsed;
}

function checkOperators(template: DeepTemplate, path: string): void {
  if (template.kind === 'list') for (const item of template.items) checkOperators(item, path);
  if (template.kind !== 'fields') return;
  for (const [key, inner] of template.fields) {
    if (key.startsWith('$') && !COMPARING.has(key) && deepHasNames(inner))
      throw new BackendConfigError(
        `${path}.${key}`,
        `${key} would read what clients say as more than a value; compare with $eq or $in instead`,
      );
    checkOperators(inner, `${path}.${key}`);
  }
}

function deepHasNames(template: DeepTemplate): boolean {
  switch (template.kind) {
    case 'text':
      return hasNames(template.template);
    case 'other':
      return false;
    case 'list':
      return template.items.some(deepHasNames);
    case 'fields':
      return template.fields.some(([, inner]) => deepHasNames(inner));
  }
}

export interface UrlTemplate {
  /** `https://host:port` */
  readonly origin: string;
  readonly path: Template;
  /** Null without a `?`. */
  readonly query: Template | null;
}

/** Of a URL that the contract has checked: placeholders stand in its path and query only. */
export function parseUrl(url: string, allowed: Allowed): UrlTemplate {
  const origin = /^https?:\/\/[^/?#]+/i.exec(url)?.[0];
  if (origin === undefined || origin.includes('${'))
    throw new BackendConfigError(allowed.path, 'it must begin with http:// or https:// and a host');
  const [rest = ''] = url.slice(origin.length).split('#');
  const question = rest.indexOf('?');
  const path = question === -1 ? rest : rest.slice(0, question);
  return {
    origin: new URL(origin).origin,
    path: parseTemplate(path === '' ? '/' : encodeUrlText(path), allowed),
    query: question === -1 ? null : parseTemplate(encodeUrlText(rest.slice(question + 1)), allowed),
  };
}

/** Path and query, each value encoded so that it adds no segment and no parameter; `more` goes behind the query. */
export function renderUrl({ path, query }: UrlTemplate, values: Values, more = ''): string {
  const rendered = withoutDotSegments(render(path, values, encodeUrlValue));
  const parts = [query === null ? '' : render(query, values, encodeUrlValue), more].filter(Boolean);
  return parts.length === 0 ? rendered : `${rendered}?${parts.join('&')}`;
}

/** A header's value; nothing in it ends the line. */
export function renderHeader(template: Template, values: Values): string {
  const value = render(template, values);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new PlaceholderError('a value holds characters that cannot stand in a header');
  return value;
}

/** A command taken into words before anything is filled in: a value never adds an argument. */
export const parseCommand = (text: string, allowed: Allowed): readonly Template[] =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => parseTemplate(word, allowed));

export interface Prepared {
  sql: string;
  /** Of each parameter, in its order. */
  names: readonly string[];
}

const SQL_TOKEN =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$\{([^{}]*)\}|\$\d+|\?/g;
const QUOTED_PLACEHOLDER = /^(['"])\$\{([^{}]*)\}\1$/;

/**
 * A statement whose placeholders are parameters; quotes around one of them are dropped. Throws BackendConfigError for a
 * placeholder that is a part of a text, where a parameter cannot stand.
 */
export function toPrepared(sql: string, allowed: Allowed, style: '?' | '$n'): Prepared {
  const names: string[] = [];
  const parameter = (name: string) => {
    names.push(known(name, allowed));
    return style === '?' ? '?' : `$${names.length}`;
  };
  const prepared = sql.replace(SQL_TOKEN, (token: string, name?: string) => {
    if (name !== undefined) return parameter(name);
    if (style === '?' ? token === '?' : /^\$\d+$/.test(token))
      throw new BackendConfigError(allowed.path, `write \${…} instead of the parameter ${token}`);
    const quoted = QUOTED_PLACEHOLDER.exec(token)?.[2];
    if (quoted !== undefined) return parameter(quoted);
    if (/^['"`]/.test(token) && token.search(PLACEHOLDER) !== -1)
      throw new BackendConfigError(
        allowed.path,
        'a placeholder cannot be a part of a text in quotes; join the texts in SQL, as in CONCAT(…)',
      );
    return token;
  });
  return { sql: prepared, names };
}

/** The values of the parameters; what the client did not say is NULL, which equals nothing. */
export const parametersOf = ({ names }: Prepared, values: Values): (string | null)[] =>
  names.map((name) => values(name) ?? null);
