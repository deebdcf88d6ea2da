import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { flag, intBetween, mqttText } from './kit/values.ts';

const clientid = mqttText.check(z.minLength(1, 'required_field'));
const about = {
  publisher: clientid,
  /** As the publisher writes it. */
  topic: mqttText.check(z.minLength(1, 'required_field')),
  subscriber: clientid,
  qos: z._default(z.literal([0, 1, 2]), 0),
  retain: z._default(flag, false),
};

/** A message that somebody misses. */
export const DeliveryQuestion = z.strictObject({
  ...about,
  /** Of the payload; 0 when it does not matter. */
  payload_bytes: z._default(intBetween(0, 268_435_455), 0),
  /** Its message expiry interval in seconds; 0 = never. */
  expiry: z._default(intBetween(0, 0xffff_ffff), 0),
});
export type DeliveryQuestion = z.output<typeof DeliveryQuestion>;

/** What is looked at, in the order a message meets it. */
export const DELIVERY_CHECKS = [
  'publisher', // is it there
  'publisher_banned',
  'publisher_contested', // another connection of its ID ends its own again and again
  'message', // can it be sent like this
  'publish_allowed',
  'rate', // limits have dropped messages of its publisher
  'rewrite',
  'delay',
  'others', // extensions that may change or stop it
  'subscriber',
  'subscriber_banned',
  'subscriber_contested',
  'filter', // does the subscriber have a subscription that matches
  'subscribe_allowed', // may it have one
  'no_local',
  'shared',
  'qos',
  'expiry',
  'queue',
  'size', // of the whole packet, for the subscriber
  'dropped', // what was dropped on the way to the subscriber so far
] as const;
export type DeliveryCheckId = (typeof DELIVERY_CHECKS)[number];

/** `bad`: by this it does not arrive; `maybe`: it may not; `ok`; `none`: there is nothing to say. */
const DELIVERY_RESULTS = ['ok', 'bad', 'maybe', 'none'] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** What was found, with its evidence in `facts`. */
export const DeliveryCheck = z.looseObject({
  id: z.enum(DELIVERY_CHECKS),
  result: z.enum(DELIVERY_RESULTS),
  /** A word for what was found: `connected`, `denied`, `no_match` … */
  found: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type DeliveryCheck = z.infer<typeof DeliveryCheck>;

export const DeliveryAnswer = z.looseObject({
  verdict: z.enum(['arrives', 'may_not', 'does_not']),
  /** As it is routed: behind the publisher's mountpoint, rewritten, without its delay. */
  topic: z.string(),
  checks: z.array(DeliveryCheck),
});
export type DeliveryAnswer = z.infer<typeof DeliveryAnswer>;

/** The console gives up after 20 s. */
const PROBE_SECONDS_MAX = 15;

export const DeliveryProbe = z.strictObject({
  ...about,
  /** What is sent on the publisher's behalf, to everybody who subscribed; without it the next one it sends itself is awaited. */
  payload: z.optional(z.string()),
  seconds: z._default(intBetween(1, PROBE_SECONDS_MAX), 10),
});
export type DeliveryProbe = z.output<typeof DeliveryProbe>;

/** What happened to the one message that was followed. */
const PROBE_EVENTS = [
  'received', // from its publisher
  'denied', // it may not publish there
  'sent', // on its behalf
  'stopped', // a limit, a delay, an extension
  'routed', // to how many
  'queued',
  'delivered',
  'acked',
  'dropped',
] as const;

export const ProbeAnswer = z.looseObject({
  /** `not_seen`: the publisher sent nothing to the topic; `not_routed`: it went, but not to this subscriber. */
  outcome: z.enum(['acked', 'delivered', 'queued', 'dropped', 'not_routed', 'stopped', 'denied', 'not_seen']),
  message_id: z.optional(z.string()),
  events: z.array(
    z.looseObject({
      event: z.enum(PROBE_EVENTS),
      at: z.number(), // epoch ms
      facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
  ),
});
export type ProbeAnswer = z.infer<typeof ProbeAnswer>;

export const delivery = {
  explain: endpoint({
    method: 'POST',
    path: '/delivery/explain',
    asks: true,
    summary:
      'Why a message of one client would or would not reach another, step by step with evidence. Nothing is sent',
    body: DeliveryQuestion,
    ok: json(DeliveryAnswer),
    errors: ['BAD_TOPIC', 'SERVICE_UNAVAILABLE'],
    extension: 'why a message does not arrive',
  }),
  probe: endpoint({
    method: 'POST',
    path: '/delivery/probe',
    summary:
      'Follows one message from a client to another: one that is sent now, or the next one that it sends',
    body: DeliveryProbe,
    ok: json(ProbeAnswer),
    errors: ['BAD_TOPIC', 'SERVICE_UNAVAILABLE'],
    extension: 'one message is followed',
  }),
};
