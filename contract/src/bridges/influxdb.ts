import * as z from 'zod/mini';
import { server } from '../kit/servers.ts';
import { sslClient } from '../kit/ssl.ts';
import { intBetween, secret, text } from '../kit/values.ts';

const required = z.string().check(z.minLength(1));
const common = {
  server: z._default(server, '127.0.0.1:8086'),
  precision: z._default(z.enum(['ns', 'us', 'ms', 's']), 'ms'),
  /** Line protocol with `${…}`: `measurement,tag=${clientid} field=${payload.v},n=${payload.n}i ${timestamp}`. */
  write_syntax: z.string().check(z.minLength(1), z.maxLength(64 * 1024)),
  pool_size: z._default(intBetween(1, 1024), 8),
  ssl: sslClient,
};

export const influxdbV1Shape = {
  ...common,
  database: required,
  username: z.optional(text),
  password: z.optional(secret),
};
export const influxdbV2Shape = { ...common, org: required, bucket: required, token: secret };
