import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failure } from './failure.ts';

/** index.html for the prefix we are reached under, in the forms that browsers accept, best first. */
function prepareIndex(folder: string, base: string) {
  const html = readFileSync(path.join(folder, 'index.html'), 'utf8');
  // Addresses in the page are relative to its folder, but the same page answers for deeper paths too.
  const placed = html
    .replace('name="mqdeck-base" content="/"', () => `name="mqdeck-base" content="${base}/"`)
    .replace(/\b(src|href)="\.\//g, (_, attribute: string) => `${attribute}="${base}/`);
  const bytes = Buffer.from(placed);
  return [
    { encoding: 'br', bytes: brotliCompressSync(bytes) },
    { encoding: 'gzip', bytes: gzipSync(bytes) },
    { encoding: null, bytes },
  ];
}

/** A person opening an address, as opposed to a program or a script asking for data. */
function isNavigation({ method, headers, url }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return /^\/(index\.html)?(\?|$)/.test(url) || /\btext\/html\b/.test(headers.accept ?? '');
}

/**
 * Serves the built console from this folder. Whatever else is asked for is answered by the function this returns,
 * which knows whether to show the console (it has its own not-found page) or to say 404 in JSON.
 */
export function serveConsole(
  app: FastifyInstance,
  folder: string,
  base: string,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const index = existsSync(path.join(folder, 'index.html')) ? prepareIndex(folder, base) : null;
  if (index) {
    app.register(fastifyStatic, {
      root: folder,
      wildcard: false, // a route for each file: a path that is none costs no look at the disk
      globIgnore: ['index.html', '**/*.{map,br,gz}'],
      index: false,
      dotfiles: 'ignore',
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, file) {
        // Vite names what lies in assets/ by its content.
        const hashed = file.startsWith(path.join(folder, 'assets') + path.sep);
        reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  const otherwise = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const asset = /^\/(assets|api|api-docs|status|console\.json|csp-report)(\/|$|\?)/.test(request.url);
    if (asset || !isNavigation(request)) {
      return reply.code(404).send(failure('NOT_FOUND', 'There is nothing at this address.'));
    }
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('vary', 'accept-encoding');
    if (!index)
      return reply.code(503).send('<!doctype html><title>mqdeck</title><p>The console is not built.');
    const accepted = String(request.headers['accept-encoding'] ?? '');
    const form = index.find(
      ({ encoding }) => encoding === null || new RegExp(`\\b${encoding}\\b`).test(accepted),
    )!;
    if (form.encoding) reply.header('content-encoding', form.encoding);
    return reply.send(form.bytes);
  };
  for (const path of ['/', '/index.html']) app.get(path, otherwise);
  return otherwise;
}
