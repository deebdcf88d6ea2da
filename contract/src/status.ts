import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';

export const status = {
  /** A sentence as text, or an object with `format=json`; 503 while the broker is not running. */
  get: endpoint({
    method: 'GET',
    path: '/status',
    summary: 'Is the broker running? For health checks; needs no login',
    access: 'none',
    query: z.object({ format: z.optional(z.string()) }),
    ok: json(
      z.union([
        z.string(),
        z.looseObject({
          node_name: z.string(),
          rel_vsn: z.string(),
          broker_status: z.string(),
          app_status: z.string(),
        }),
      ]),
    ),
  }),
};
