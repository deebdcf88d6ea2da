import type { Access, Endpoint, Method } from '@mqdeck/contract/kit/endpoint';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type * as z from 'zod/mini';
import { compileCheck } from './check.ts';
import { type Asked, Download, type Handlers, WithStatus } from './handlers.ts';
import { jsonBody } from './json-body.ts';
import { doing } from './recorder.ts';
import { acceptUploads, uploadOf } from './upload.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    endpoint?: Endpoint;
  }
}

/** Bodies up to this size are read; larger publishes than any packet may be are refused by the feature itself. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Before the login nobody gets more memory than a password needs, nor the time to parse more. */
const OPEN_BODY_BYTES_MAX = 16 * 1024;

/** Answers every endpoint of a feature. The app belongs to `apiPlugin`, which knows who is asking. */
export function serve<T extends Record<string, Endpoint>>(
  app: FastifyInstance,
  endpoints: T,
  handlers: Handlers<T>,
): void {
  for (const name of Object.keys(endpoints)) {
    const endpoint: Endpoint = endpoints[name]!;
    const handler = handlers[name]! as unknown as (request: Asked<Endpoint>) => unknown;
    if (endpoint.text)
      void app.register(async (texts) => {
        acceptTexts(texts);
        serveOne(texts, endpoint, handler);
      });
    else if (!endpoint.upload) serveOne(app, endpoint, handler);
    else
      void app.register(async (forms) => {
        await acceptUploads(forms);
        serveOne(forms, endpoint, handler);
      });
  }
}

/** The routes of `app` take a text as it stands, and nothing else. */
function acceptTexts(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, text, done) => done(null, text));
}

function serveOne(
  app: FastifyInstance,
  endpoint: Endpoint,
  handler: (request: Asked<Endpoint>) => unknown,
): void {
  const { method, path, query, body, ok, upload, text, access = 'bearer' } = endpoint;
  app.views.add(endpoint, handler);
  app.route<{ Params: Record<string, string>; Querystring: unknown; Body: unknown }>({
    method: method satisfies Method,
    url: path,
    config: { access, endpoint },
    bodyLimit: text?.bytesMax ?? (access === 'none' ? OPEN_BODY_BYTES_MAX : BODY_BYTES_MAX),
    schema: { ...(query && { querystring: query }), ...(body && { body }) },
    validatorCompiler: ({ schema, httpPart }) =>
      compileCheck(httpPart === 'body' ? 'body' : 'query', schema as z.ZodMiniType),
    handler: async (request, reply) => {
      const asked = {
        params: request.params,
        query: request.query,
        body: text ? (request.body ?? '') : request.body,
        ...(upload && { upload: await uploadOf(request, reply, upload) }),
        caller: request.caller,
        address: request.ip,
        accept: request.headers.accept ?? '',
      } as unknown as Asked<Endpoint>;
      const answer = await doing(request, app.views, endpoint, asked, () => handler(asked));
      if (answer instanceof Download) return sendFile(reply, answer);
      const { status, body } = answer instanceof WithStatus ? answer : { status: ok.status, body: answer };
      reply.code(status);
      if (typeof body === 'string') return reply.type('text/plain; charset=utf-8').send(body);
      if (body === undefined) return reply.send();
      return reply.type('application/json').send(jsonBody(body));
    },
  });
}

function sendFile(reply: FastifyReply, { filename, type, content }: Download): FastifyReply {
  reply.type(type).header('content-disposition', `attachment; filename="${filename}"`);
  return reply.header('x-content-type-options', 'nosniff').send(content);
}
