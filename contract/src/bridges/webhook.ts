import * as z from 'zod/mini';
import { httpHeaders } from '../kit/headers.ts';
import { httpUrl } from '../kit/servers.ts';
import { sslClient } from '../kit/ssl.ts';
import { duration, intBetween } from '../kit/values.ts';

const WEBHOOK_METHODS = ['post', 'put', 'get', 'delete'] as const;

/** An HTTP request for each row; URL, headers and body hold `${…}`. */
export const webhookShape = {
  url: httpUrl,
  method: z._default(z.enum(WEBHOOK_METHODS), 'post'),
  headers: z._default(httpHeaders, {
    accept: 'application/json',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
    'content-type': 'application/json',
    'keep-alive': 'timeout=5',
  }),
  /** Without one the whole row as JSON. GET and DELETE have none. */
  body: z.optional(z.string()),
  pool_size: z._default(intBetween(1, 1024), 8),
  /** `hash`: requests for one client use one connection. */
  pool_type: z._default(z.enum(['random', 'hash']), 'random'),
  connect_timeout: z._default(duration, '15s'),
  request_timeout: z.optional(duration),
  /** Requests on their way on one connection. */
  enable_pipelining: z._default(intBetween(1, 10_000), 100),
  max_retries: z._default(intBetween(0, 100), 2),
  ssl: sslClient,
};
