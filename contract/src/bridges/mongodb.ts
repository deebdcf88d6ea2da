import * as z from 'zod/mini';
import { MongoTopology } from '../authentication.ts';
import { server, servers } from '../kit/servers.ts';
import { sslClient } from '../kit/ssl.ts';
import { flag, intBetween, secret, text } from '../kit/values.ts';

const required = z.string().check(z.minLength(1));
const common = {
  database: required,
  /** `${…}` may stand in it. */
  collection: z._default(required, 'mqtt'),
  username: z.optional(text),
  password: z.optional(secret),
  auth_source: z.optional(z.string()),
  /** `unsafe`: nobody waits for the server's word; what it does not write is lost and not counted. */
  w_mode: z._default(z.enum(['unsafe', 'safe']), 'safe'),
  srv_record: z._default(flag, false),
  pool_size: z._default(intBetween(1, 1024), 8),
  /** JSON with `${…}`; without it the document is the row. */
  payload_template: z.optional(z.string()),
  topology: z.prefault(MongoTopology, {}),
  ssl: sslClient,
};

export const mongodbSingleShape = {
  ...common,
  mongo_type: z._default(z.literal('single'), 'single'),
  server,
};
export const mongodbRsShape = {
  ...common,
  mongo_type: z._default(z.literal('rs'), 'rs'),
  servers,
  replica_set_name: required,
  r_mode: z._default(z.enum(['master', 'slave_ok']), 'master'),
};
export const mongodbShardedShape = {
  ...common,
  mongo_type: z._default(z.literal('sharded'), 'sharded'),
  servers,
};
