import { gunzipSync } from 'node:zlib';
import { routerOptions } from '@mqdeck/broker/http/api';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { type OpenApiDocument, serveApiDocs } from './api-docs.ts';

const document: OpenApiDocument = {
  info: { title: 'The API', version: '1' },
  paths: {
    '/clients/{clientid}': {
      get: {
        tags: ['clients'],
        summary: 'One <client>',
        security: [{ bearer: [] }],
        parameters: [
          {
            name: 'limit',
            in: 'query',
            schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
          },
        ],
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': {
                schema: {
                  properties: {
                    data: {
                      type: 'array',
                      items: { type: 'object', properties: { qos: { enum: [0, 1, 2] } } },
                    },
                  },
                  required: ['data'],
                },
              },
            },
          },
        },
      },
    },
    '/status': { get: { summary: 'Health' } },
  },
};

test('the page shows every operation with its parameters and fields, and nothing of it as markup', async () => {
  const app = fastify({ routerOptions });
  serveApiDocs(app, async () => document);
  const { body, headers } = await app.inject('/api-docs');
  expect(headers['content-type']).toContain('text/html');
  for (const part of [
    '<code>/clients/{clientid}</code> One &lt;client&gt;',
    'integer 1…1000, default 100',
    '<code>data</code> *',
    '<code>data[].qos</code></th><td>0 | 1 | 2',
    '<section id="clients">',
    'no login',
  ]) {
    expect(body).toContain(part);
  }
  expect(body).not.toMatch(/<script|style=|<client>/);
});

test('its links work from both forms of its address, and lead to the document and the style', async () => {
  const app = fastify({ routerOptions });
  serveApiDocs(app, async () => document);
  for (const address of ['/api-docs', '/api-docs/']) {
    const [, href] = /href="([^"]*swagger\.json)"/.exec((await app.inject(address)).body)!;
    const { pathname } = new URL(href!, `http://x${address}`);
    expect((await app.inject(pathname)).json()).toEqual(document);
  }
  expect((await app.inject('/api-docs/style.css')).headers['content-type']).toContain('text/css');
});

test('the document and the page are made once, and known bytes are not sent again', async () => {
  const app = fastify({ routerOptions });
  let made = 0;
  serveApiDocs(app, async () => {
    made++;
    return document;
  });
  for (const url of ['/api-docs/swagger.json', '/api-docs', '/api-docs/']) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })),
    );
    const [first] = answers;
    expect(first!.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(first!.rawPayload).toString()).toBe((await app.inject(url)).body);
    const { etag } = first!.headers;
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect(answers.every(({ headers }) => headers.etag === etag)).toBe(true);
    const again = await app.inject({ url, headers: { 'if-none-match': `W/${etag}` } });
    expect(again).toMatchObject({ statusCode: 304, body: '' });
    expect((await app.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  }
  expect(made).toBe(1);
});
