import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { percent } from './kit/values.ts';

/** `customer_type` of a license that is there to try the product. */
export const EVALUATION = 10;
/** A notice appears so many days before a license ends. */
export const LICENSE_NOTICE_DAYS = 30;
/** Longer texts are no license. */
export const LICENSE_LENGTH_MAX = 8192;

/** What the enterprise edition runs under. */
export const License = z.looseObject({
  customer: z.string(),
  customer_type: z.optional(z.number()),
  email: z.string(),
  deployment: z.optional(z.string()),
  start_at: z.string(), // 2026-11-21
  expiry_at: z.string(), // its last day
  /** Whether it is over. */
  expiry: z.boolean(),
  /** Clients connected at a time; newer clusters say `max_sessions`. */
  max_connections: z.optional(z.number()),
  max_sessions: z.optional(z.number()),
  type: z.string(), // trial | official
});
export type License = z.infer<typeof License>;

/** When the alarm `license_quota` begins and ends, in parts of `max_connections`. */
const watermarks = { connection_low_watermark: percent, connection_high_watermark: percent };
const low = 'connection_low_watermark';
export const LicenseSettings = z
  .strictObject({
    /** The license as it was given; '' = the one for evaluation. */
    key: z._default(z.string(), ''),
    [low]: z._default(percent, '75%'),
    connection_high_watermark: z._default(percent, '80%'),
  })
  .check(
    z.refine(
      (values) => Number.parseFloat(values[low]) < Number.parseFloat(values.connection_high_watermark),
      { path: [low], error: 'it must be below connection_high_watermark' },
    ),
  );
export type LicenseSettings = z.output<typeof LicenseSettings>;
const LicenseWatermarks = z.looseObject(watermarks);

const edition = 'enterprise' as const;

export const license = {
  get: endpoint({
    method: 'GET',
    path: '/license',
    summary: 'The license in force',
    edition,
    ok: json(License),
  }),
  update: endpoint({
    method: 'POST',
    path: '/license',
    summary: 'Put another license in force; `default` = back to the one for evaluation',
    edition,
    body: z.strictObject({ key: z.string().check(z.maxLength(LICENSE_LENGTH_MAX)) }),
    ok: json(License),
  }),
  setting: endpoint({
    method: 'GET',
    path: '/license/setting',
    summary: 'When the alarm of too many connections begins and ends',
    edition,
    ok: json(LicenseWatermarks),
  }),
  updateSetting: endpoint({
    method: 'PUT',
    path: '/license/setting',
    summary: 'Change when the alarm of too many connections begins and ends',
    edition,
    body: z.strictObject(watermarks),
    ok: json(LicenseWatermarks),
  }),
};
