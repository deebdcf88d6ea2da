import * as z from 'zod/mini';
import { httpUrl } from '../kit/servers.ts';
import { duration, intBetween } from '../kit/values.ts';

/** A JSON text, or the object itself: it is kept as the text. */
const serviceAccount = z.pipe(
  z.union([z.string(), z.looseObject({})]),
  z.transform((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
);

/** A message of Google Cloud Pub/Sub for each row. */
export const gcpPubsubShape = {
  pubsub_topic: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/)),
  /** The key of a service account, as Google hands it out; a secret as a whole. */
  service_account_json: serviceAccount,
  /** Without one the row as JSON. */
  payload_template: z._default(z.string(), ''),
  connect_timeout: z._default(duration, '15s'),
  request_timeout: z.optional(duration),
  pool_size: z._default(intBetween(1, 1024), 8),
  pipelining: z._default(intBetween(1, 1000), 100),
  max_retries: z._default(intBetween(0, 100), 2),
  /** An extension: another address than Google's, such as an emulator's. */
  endpoint: z.optional(httpUrl),
};
