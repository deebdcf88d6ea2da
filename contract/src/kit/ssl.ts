import * as z from 'zod/mini';
import { expected } from './faults.ts';
import { duration, flag, secret } from './values.ts';

export const TLS_VERSIONS = ['tlsv1.3', 'tlsv1.2', 'tlsv1.1', 'tlsv1'] as const;
export const LOG_LEVELS = [
  'emergency',
  'alert',
  'critical',
  'error',
  'warning',
  'notice',
  'info',
  'debug',
  'none',
  'all',
] as const;

const nonNegative = expected('non_neg_integer()');

/**
 * TLS of a connection to another system. Certificates and keys are PEM texts, or paths of files on the broker's
 * machine. What has no effect here (`log_level`, `hibernate_after`, …) is kept for those who send it back.
 */
const sslClientShape = {
  enable: z._default(flag, false),
  /** `verify_none` encrypts, and trusts whoever answers. */
  verify: z._default(z.enum(['verify_peer', 'verify_none']), 'verify_none'),
  cacertfile: z.optional(z.string()),
  certfile: z.optional(z.string()),
  keyfile: z.optional(secret),
  /** Of the key, when it is encrypted. */
  password: z.optional(secret),
  /** The name that the certificate must have; `disable` = any, absent = that of the address. */
  server_name_indication: z.optional(z.string()),
  versions: z._default(z.array(z.enum(TLS_VERSIONS)).check(z.minLength(1)), ['tlsv1.3', 'tlsv1.2']),
  ciphers: z._default(z.array(z.string()), []),
  depth: z._default(z.number(nonNegative).check(z.int(nonNegative), z.gte(0, nonNegative)), 10),
  reuse_sessions: z._default(flag, true),
  secure_renegotiate: z._default(flag, true),
  hibernate_after: z._default(duration, '5s'),
  log_level: z._default(z.enum(LOG_LEVELS), 'notice'),
  cacerts: z.optional(flag),
};

export const SslClient = z.strictObject(sslClientShape);
export type SslClient = z.output<typeof SslClient>;

/** The field `ssl` of a configuration: off unless told. */
export const sslClient = z.prefault(SslClient, {});
