import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Turn } from '@mqdeck/broker/paging/turn';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The parts of an OpenAPI document that the page shows. */
interface Schema {
  type?: string | string[];
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
}
interface Content {
  content?: Record<string, { schema?: Schema }>;
}
interface Operation {
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: Content;
  responses?: Record<string, Content & { description?: string }>;
  security?: unknown[];
}
export interface OpenApiDocument {
  info: { title: string; version: string };
  paths?: Record<string, Record<string, Operation>>;
}

/** What does not change while the server runs, in the forms in which it is sent. */
interface Page {
  type: string;
  etag: string;
  plain: Buffer;
  gzip: Buffer;
}

/** Serves the document itself and a page to read it: plain HTML, no script. Both are made once, when first asked for. */
export function serveApiDocs(app: FastifyInstance, load: () => Promise<unknown>): void {
  const document = once(async () => (await load()) as OpenApiDocument);
  const json = once(async () => pageOf('application/json', await jsonPieces(await document())));
  // Relative addresses, because the page may be reached below any prefix.
  const pageInFolder = once(async () =>
    pageOf('text/html; charset=utf-8', await documentHtml(await document(), './')),
  );
  const pageAbove = once(async () =>
    pageOf('text/html; charset=utf-8', await documentHtml(await document(), './api-docs/')),
  );

  app.get('/api-docs/swagger.json', async (request, reply) => send(request, reply, await json()));
  app.get('/api-docs/style.css', (_request, reply) => reply.type('text/css').send(style));
  // One route: the router takes a slash at the end for the same address.
  app.get('/api-docs', async (request, reply) => {
    const inFolder = request.url.split('?')[0]!.endsWith('/');
    return send(request, reply, await (inFolder ? pageInFolder() : pageAbove()));
  });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

const compress = promisify(gzip);

async function pageOf(type: string, pieces: string[]): Promise<Page> {
  const plain = Buffer.from(pieces.join(''));
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 27);
  return { type, etag: `"${hash}"`, plain, gzip: await compress(plain) };
}

/** The same bytes for everybody: a request costs no more than sending them. */
function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, etag, plain, gzip }: Page,
): FastifyReply {
  reply.header('cache-control', 'no-cache').header('vary', 'accept-encoding').header('etag', etag);
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag) || known?.includes('*')) return reply.code(304).send();
  reply.type(type);
  if (!/\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(gzip);
}

async function jsonPieces({ paths = {}, ...rest }: OpenApiDocument): Promise<string[]> {
  const turn = new Turn();
  const pieces = [JSON.stringify(rest).slice(0, -1), ',"paths":{'];
  for (const [i, [path, operations]] of Object.entries(paths).entries()) {
    if (turn.over) await turn.next();
    pieces.push(`${i === 0 ? '' : ','}${JSON.stringify(path)}:${JSON.stringify(operations)}`);
  }
  return [...pieces, '}}'];
}

/** `here` leads from the address of the page to the folder of the other files. */
async function documentHtml({ info, paths = {} }: OpenApiDocument, here: string): Promise<string[]> {
  const turn = new Turn();
  const groups = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    if (turn.over) await turn.next();
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'other';
      groups.set(tag, [...(groups.get(tag) ?? []), operationHtml(method, path, operation)]);
    }
  }
  const names = [...groups.keys()].sort();
  const head = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${info.title}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${here}style.css"></head><body>
<header><h1>${info.title} <small>${info.version}</small></h1>
<p>For programs: <a href="${here}swagger.json">the OpenAPI document</a>.</p>
<nav aria-label="Groups">${raw(names.map((name) => html`<a href="#${name}">${name}</a>`).join(' '))}</nav></header>
<main>`;
  const sections = names.map(
    (name) => html`<section id="${name}"><h2>${name}</h2>${raw(groups.get(name)!.join(''))}</section>`,
  );
  return [head, ...sections, '</main>\n</body></html>'];
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const { parameters = [], requestBody, responses = {}, security, summary = '' } = operation;
  const parameterRows = parameters.map(
    ({ name, in: place, required, schema }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? ' *' : ''}</th><td>${place}</td><td>${typeOf(schema)}</td></tr>`,
  );
  const bodies = [
    ['Body', requestBody] as const,
    ...Object.entries(responses).map(
      ([status, response]) => [`${status} ${response.description ?? ''}`, response] as const,
    ),
  ].map(([title, content]) => (content ? contentHtml(title, content) : ''));
  const login = security && security.length > 0 ? '' : html` <small>no login</small>`;
  return html`<details><summary><b>${method.toUpperCase()}</b> <code>${path}</code> ${summary}${raw(login)}</summary>
${raw(parameterRows.length > 0 ? `<table><tbody>${parameterRows.join('')}</tbody></table>` : '')}${raw(bodies.join(''))}</details>`;
}

function contentHtml(title: string, { content }: Content): string {
  const schema = content?.['application/json']?.schema;
  const fields = schema ? fieldRows(schema, '') : [];
  const table = fields.length > 0 ? `<table><tbody>${fields.join('')}</tbody></table>` : '';
  return html`<h3>${title}</h3>${raw(table)}`;
}

/** One row per field, those of inner objects after their own name: `license.edition`. */
function fieldRows(schema: Schema, prefix: string): string[] {
  if (schema.items) return fieldRows(schema.items, `${prefix}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const full = prefix ? `${prefix}.${name}` : name;
    const required = schema.required?.includes(name) ? ' *' : '';
    const row = html`<tr><th scope="row"><code>${full}</code>${required}</th><td>${typeOf(field)}</td></tr>`;
    return [row, ...fieldRows(field, full)];
  });
}

/** A type in a few words: `integer 1…1000, default 100`. */
function typeOf(schema: Schema | undefined): string {
  if (!schema) return '';
  const {
    anyOf,
    const: only,
    default: byDefault,
    items,
    maximum,
    maxLength,
    minimum,
    minLength,
    oneOf,
    pattern,
  } = schema;
  const choices = anyOf ?? oneOf;
  const type = choices
    ? choices.map(typeOf).join(' or ')
    : schema.enum
      ? schema.enum.map((one) => JSON.stringify(one)).join(' | ')
      : only !== undefined
        ? JSON.stringify(only)
        : [schema.type].flat().join(' or ');
  const said = [items ? `list of ${typeOf(items)}` : type];
  if (minimum !== undefined || maximum !== undefined) said[0] += ` ${minimum ?? ''}…${maximum ?? ''}`;
  if (minLength !== undefined || maxLength !== undefined)
    said.push(`${minLength ?? 0}…${maxLength ?? ''} characters`);
  if (pattern !== undefined) said.push(pattern);
  if (byDefault !== undefined) said.push(`default ${JSON.stringify(byDefault)}`);
  return said.join(', ');
}

class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const raw = (text: string): Raw => new Raw(text);
const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Everything put in is text unless it is marked as raw. */
function html(parts: TemplateStringsArray, ...values: (string | Raw)[]): string {
  const shown = values.map((value) =>
    value instanceof Raw ? value.text : value.replace(/[&<>"']/g, (character) => escapes[character]!),
  );
  return String.raw({ raw: parts }, ...shown);
}

const style = `:root{color-scheme:light dark;font:14px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:70rem;padding:1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:1.5rem 0 .5rem}h3{font-size:.9rem;margin:.75rem 0 .25rem}
small{font-weight:normal;opacity:.75}nav{display:flex;flex-wrap:wrap;gap:.25rem .75rem}
details{border-top:1px solid #8885;padding:.35rem 0}summary{cursor:pointer}
summary b{display:inline-block;min-width:4.5rem}table{border-collapse:collapse}
th,td{border-bottom:1px solid #8883;padding:.15rem .75rem .15rem 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{font-weight:normal}code{font:13px ui-monospace,monospace}`;
