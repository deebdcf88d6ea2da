import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { duration, flag, parseDuration } from './kit/values.ts';

const nonNegative = expected('non_neg_integer()');
const lasting = duration.check(
  z.refine((value) => parseDuration(value) !== 0, 'The time must be longer than zero'),
);

/** A client that disconnects `max_count` times within `window_time` is banned for `ban_time`. */
export const FlappingDetect = z.strictObject({
  enable: z._default(flag, false),
  window_time: z._default(lasting, '1m'),
  max_count: z._default(z.number(nonNegative).check(z.int(nonNegative), z.gte(0, nonNegative)), 15),
  ban_time: z._default(lasting, '5m'),
});
export type FlappingDetect = z.output<typeof FlappingDetect>;

/** What holds for every client of every listener. The real broker has further roots here; a PUT carries them all. */
const GlobalZone = z.strictObject({ flapping_detect: FlappingDetect });

export const zones = {
  getGlobal: endpoint({
    method: 'GET',
    path: '/configs/global_zone',
    summary: 'What holds for every client',
    ok: json(z.looseObject({ flapping_detect: z.looseObject(FlappingDetect.shape) })),
  }),
  updateGlobal: endpoint({
    method: 'PUT',
    path: '/configs/global_zone',
    summary: 'Replace what holds for every client',
    body: GlobalZone,
    ok: json(z.looseObject({ flapping_detect: z.looseObject(FlappingDetect.shape) })),
  }),
};
