import * as z from 'zod/mini';
import { server, servers } from '../kit/servers.ts';
import { sslClient } from '../kit/ssl.ts';
import { flag, intBetween, secret, text } from '../kit/values.ts';

const common = {
  username: z.optional(text),
  password: z.optional(secret),
  pool_size: z._default(intBetween(1, 1024), 8),
  /** Always so: kept for those who send it back. */
  auto_reconnect: z._default(flag, true),
  ssl: sslClient,
  /** One command, a text for each of its words; `${…}` in a word becomes a part of it, never another word. */
  command_template: z.array(z.string()).check(
    z.minLength(1),
    z.maxLength(1000),
    z.refine(
      ([command = '']) => !command.includes('${'),
      'The first word is the command itself, without placeholders',
    ),
  ),
};
const database = z._default(intBetween(0, 65_535), 0);

export const redisSingleShape = {
  ...common,
  redis_type: z._default(z.literal('single'), 'single'),
  server,
  database,
};
export const redisSentinelShape = {
  ...common,
  redis_type: z._default(z.literal('sentinel'), 'sentinel'),
  servers,
  sentinel: z.string().check(z.minLength(1)),
  database,
};
export const redisClusterShape = {
  ...common,
  redis_type: z._default(z.literal('cluster'), 'cluster'),
  servers,
};
