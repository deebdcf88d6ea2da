import { API_BASE } from '@mqdeck/contract/api';
import { ApiFailure, errorCodes } from '@mqdeck/contract/error-codes';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import * as z from 'zod/mini';
import { Turn } from '../paging/turn.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Direction = 'input' | 'output';

/** An OpenAPI 3.1 document. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  components: object;
  paths: Record<string, Record<string, object>>;
}

/** The OpenAPI document of these endpoints, made from the contract while the event loop goes on. */
export async function apiDocument(endpoints: readonly Endpoint[], version: string): Promise<ApiDocument> {
  const turn = new Turn();
  const jsonSchemas = new JsonSchemas();
  const paths: ApiDocument['paths'] = {};
  for (const endpoint of endpoints) {
    if (turn.over) await turn.next();
    const path = API_BASE + endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][endpoint.method.toLowerCase()] = operation(endpoint, jsonSchemas);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'mqdeck REST API', version },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'http', scheme: 'basic' },
      },
    },
    paths,
  };
}

/** Each schema of the contract is translated once, however many endpoints have it. */
class JsonSchemas {
  private readonly known = {
    input: new Map<z.ZodMiniType, JsonSchema>(),
    output: new Map<z.ZodMiniType, JsonSchema>(),
  };

  of(schema: z.ZodMiniType, io: Direction): JsonSchema {
    const known = this.known[io].get(schema);
    if (known) return known;
    const { $schema: _, ...made } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: withoutNothing,
    });
    this.known[io].set(schema, made);
    return made;
  }
}

/** JSON Schema has no word for `undefined` as one of several choices. */
function withoutNothing({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: JsonSchema;
}): void {
  if (zodSchema._zod.def.type === 'union' && jsonSchema.anyOf)
    jsonSchema.anyOf = jsonSchema.anyOf.filter((choice) => Object.keys(choice).length > 0);
}

function operation(endpoint: Endpoint, jsonSchemas: JsonSchemas) {
  const { path, summary, query, ok, access = 'bearer', extension } = endpoint;
  const open = access === 'none' || access === 'scrape';
  const said = extension ? `${summary} (extension: ${extension})` : summary;
  const parameters = [
    ...(query ? queryParameters(jsonSchemas.of(query, 'input')) : []),
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
  ];
  const body = bodyOf(endpoint, jsonSchemas);
  const content = ok.schema && { 'application/json': { schema: jsonSchemas.of(ok.schema, 'output') } };
  return {
    summary: said,
    tags: [path.split('/')[1]!],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: body } }),
    ...(!open && { security: [{ bearer: [] }, ...(access === 'user' ? [] : [{ apiKey: [] }])] }),
    responses: {
      [ok.status]: { description: summary, ...(content && { content }) },
      ...failures(endpoint, open, jsonSchemas),
    },
  };
}

function queryParameters({ properties = {}, required = [] }: JsonSchema) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** By content type; null = the request has no body. */
function bodyOf({ body, upload, text }: Endpoint, jsonSchemas: JsonSchemas): object | null {
  if (text) return { 'text/plain': { schema: { type: 'string' } } };
  if (upload) {
    const schema = {
      type: 'object',
      properties: { [upload.field]: { type: 'string' } },
      required: [upload.field],
    };
    return { 'multipart/form-data': { schema }, 'application/json': { schema } };
  }
  return body ? { 'application/json': { schema: jsonSchemas.of(body, 'input') } } : null;
}

/** The codes that share a status are named together. */
function failures({ errors = [] }: Endpoint, open: boolean, jsonSchemas: JsonSchemas) {
  const codes = new Map<number, string[]>();
  for (const code of ['BAD_REQUEST', ...(open ? [] : (['BAD_TOKEN'] as const)), ...errors] as const) {
    const status = errorCodes[code][0];
    codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  const content = { 'application/json': { schema: jsonSchemas.of(ApiFailure, 'output') } };
  return Object.fromEntries(
    [...codes].map(([status, names]) => [status, { description: names.join(', '), content }]),
  );
}
