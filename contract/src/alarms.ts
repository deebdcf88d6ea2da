import * as z from 'zod/mini';
import { endpoint, noContent } from './kit/endpoint.ts';
import { page, pageQueryFields } from './kit/page.ts';
import { queryBool } from './kit/query.ts';
import { timestamp } from './kit/values.ts';

export const Alarm = z.looseObject({
  node: z.string(),
  name: z.string(),
  message: z.string(),
  details: z.unknown(),
  duration: z.number(), // ms
  activate_at: timestamp,
  deactivate_at: z.optional(timestamp),
});
export type Alarm = z.infer<typeof Alarm>;

export const alarms = {
  list: endpoint({
    method: 'GET',
    path: '/alarms',
    summary: 'Alarms that are active, or those that were',
    query: z.object({ ...pageQueryFields, activated: z._default(queryBool, true) }),
    ok: page(Alarm),
  }),
  clearHistory: endpoint({
    method: 'DELETE',
    path: '/alarms',
    summary: 'Forget the alarms that are no longer active',
    ok: noContent,
  }),
  deactivate: endpoint({
    method: 'POST',
    path: '/alarms/:name/deactivate',
    summary: 'End an alarm by hand; it begins anew when its cause is found again',
    ok: noContent,
    errors: ['NOT_FOUND'],
    extension: 'alarms end by hand',
  }),
};
