import swagger from '@fastify/swagger';
import { ApiFailure, errorCodes } from '@mqdeck/contract/error-codes';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import * as z from 'zod/mini';

/** Collects the OpenAPI document from the contract while routes are registered; to be called before them. */
export async function documentRoutes(
  app: FastifyInstance,
  version: string,
  onDocument: (make: () => object) => void,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'mqdeck REST API', version },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'http', scheme: 'basic' },
        },
      },
    },
    transform: (route) => {
      const { endpoint } = route.route.config ?? {};
      if (!endpoint) return { schema: { hide: true }, url: route.url };
      const described = { ...route, schema: describe(endpoint) } as unknown as Parameters<
        typeof jsonSchemaTransform
      >[0];
      return jsonSchemaTransform(described);
    },
  });
  app.addHook('onReady', async () => onDocument(() => app.swagger()));
}

/** The endpoint in the terms of a fastify schema. */
function describe(endpoint: Endpoint) {
  const {
    path,
    summary,
    query,
    body,
    upload,
    text,
    ok,
    errors = [],
    access = 'bearer',
    extension,
  } = endpoint;
  const failing = new Map<number, string[]>();
  const open = access === 'none' || access === 'scrape';
  for (const code of ['BAD_REQUEST', ...(open ? [] : (['BAD_TOKEN'] as const)), ...errors] as const) {
    const status = errorCodes[code][0];
    failing.set(status, [...(failing.get(status) ?? []), code]);
  }
  const failure = (codes: string[]) => ({
    description: codes.join(', '),
    content: { 'application/json': { schema: ApiFailure } },
  });
  return {
    summary: extension ? `${summary} (extension: ${extension})` : summary,
    tags: [path.split('/')[1]!],
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...(upload && {
      consumes: ['multipart/form-data', 'application/json'],
      body: z.looseObject({ [upload.field]: z.string() }),
    }),
    ...(text && { consumes: ['text/plain'], body: z.string() }),
    ...(!open && { security: [{ bearer: [] }, ...(access === 'user' ? [] : [{ apiKey: [] }])] }),
    response: {
      ...(ok.schema && {
        [ok.status]: { description: summary, content: { 'application/json': { schema: ok.schema } } },
      }),
      ...Object.fromEntries([...failing].map(([status, codes]) => [status, failure(codes)])),
    },
  };
}
