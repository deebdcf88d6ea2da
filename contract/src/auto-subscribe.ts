import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { intBetween } from './kit/values.ts';

export const AUTO_SUBSCRIBE_MAX = 20;
/** What a topic may contain, to be replaced by what is true of the client. */
export const AUTO_SUBSCRIBE_PLACEHOLDERS = ['${clientid}', '${username}', '${host}', '${port}'] as const;

/** As MQTT names them: no local, retain as published, retain handling; numbers, as the real API has them. */
export const AutoSubscription = z.strictObject({
  topic: z.string(),
  qos: z._default(intBetween(0, 2), 0),
  rh: z._default(intBetween(0, 2), 0),
  rap: z._default(intBetween(0, 1), 0),
  nl: z._default(intBetween(0, 1), 0),
});
export type AutoSubscription = z.output<typeof AutoSubscription>;

export const AutoSubscribeSettings = z.strictObject({ topics: z._default(z.array(AutoSubscription), []) });
export type AutoSubscribeSettings = z.output<typeof AutoSubscribeSettings>;

export const autoSubscribe = {
  list: endpoint({
    method: 'GET',
    path: '/mqtt/auto_subscribe',
    summary: 'What each client is subscribed to as soon as it connects',
    ok: json(z.array(AutoSubscription)),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/mqtt/auto_subscribe',
    summary: 'Replace the list; it holds for clients that connect from then on',
    body: z.array(AutoSubscription),
    ok: json(z.array(AutoSubscription)),
    errors: ['EXCEED_LIMIT'],
  }),
};
