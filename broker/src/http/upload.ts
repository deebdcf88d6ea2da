import multipart from '@fastify/multipart';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, fail } from './api-error.ts';
import type { Upload } from './handlers.ts';

/** So long a refused upload is waited for. */
const REST_MS_MAX = 10_000;

/** The routes of `app` take a file, unread: the form that carries it, or its JSON as the body. */
export async function acceptUploads(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, payload, done) => done(null, payload));
  await app.register(multipart, { limits: { files: 1, fields: 10, fieldSize: 1024, parts: 11 } });
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode >= 400) await readRest(request);
  });
}

/** What is left of a refused upload. Most clients look for the answer only when they have sent it all. */
async function readRest({ raw, routeOptions }: FastifyRequest): Promise<void> {
  const bytesMax = routeOptions.config.endpoint?.upload?.bytesMax ?? 0;
  if (raw.readableFlowing === null || raw.readableEnded || raw.destroyed) return;
  await new Promise<void>((resolve) => {
    let bytes = 0;
    const late = setTimeout(done, REST_MS_MAX);
    function done(): void {
      clearTimeout(late);
      raw.off('data', count);
      resolve();
    }
    function count(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > bytesMax) done();
    }
    raw.unpipe().on('data', count).once('close', done).once('end', done).once('error', done).resume();
  });
}

/** The file of a request to such a route. */
export async function uploadOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { field, bytesMax }: NonNullable<Endpoint['upload']>,
): Promise<Upload> {
  const signal = goneSignal(reply);
  if (!request.isMultipart()) {
    const body = request.body as AsyncIterable<Buffer> | null | undefined;
    return { filename: null, content: limited(body ?? [], bytesMax), signal };
  }
  const file = await request.file({ limits: { fileSize: bytesMax + 1 } }).catch(unreadable);
  if (!file || file.fieldname !== field) {
    file?.file.resume(); // what is left of the request is not worth keeping
    return fail('BAD_REQUEST', `The form must have a file in its field ${field}`);
  }
  return { filename: file.filename, content: limited(file.file, bytesMax), signal };
}

function goneSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Whoever sends half a form, or goes away meanwhile. */
const unreadable = (cause: unknown): never => {
  if (cause instanceof ApiError) throw cause;
  return fail('BAD_REQUEST', 'The form cannot be read to its end');
};

async function* limited(
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const chunk of content) {
      length += chunk.length;
      if (length > bytesMax) fail('EXCEED_LIMIT', `The file is larger than ${bytesMax / 1024 ** 2} MB`, 413);
      yield chunk;
    }
  } catch (cause) {
    unreadable(cause);
  }
}
