import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { byteRate, countRate } from './kit/rates.ts';
import { flag, parseBytes, parseDuration } from './kit/values.ts';

/**
 * What is limited. `message_routing`: deliveries, on the side of the publisher. `internal`: what the broker sends of
 * its own accord, that is retained messages to new subscribers.
 */
export const limiterTypes = ['bytes_in', 'message_in', 'connection', 'message_routing', 'internal'] as const;
export type LimiterType = (typeof limiterTypes)[number];

/** Takes everybody for whom there is no other; it cannot be removed. */
export const DEFAULT_BUCKET = 'default';
/** The only one of `internal`: what the retainer hands to new subscribers. */
export const RETAINER_BUCKET = 'retainer';
/** Letters and digits, and what a copy of such a name has behind it. */
export const BUCKET_NAME = /^[A-Za-z0-9]{1,64}(_duplication(_\d{1,4})?)?$/;
const BUCKETS_MAX = 100; // of a type

const NO_DURATION = 'Not a valid duration';
const duration = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => parseDuration(value) !== null, NO_DURATION));

const NO_AMOUNT = 'Not a valid amount';
const hasByteUnit = (value: string | number) => /[kmg]b/i.test(String(value));
const amount = (bytes: boolean, fits: (value: string | number) => boolean) =>
  z
    .union([z.string(), z.number()], NO_AMOUNT)
    .check(z.refine((value) => fits(value) && (bytes || !hasByteUnit(value)), NO_AMOUNT));
const isAmount = (value: string | number) => parseBytes(value) !== null;

/** Of `burst`: an amount, or with a time behind it as the real one writes it, which counts for nothing. */
export const burstOf = (value: string | number): number | null =>
  parseBytes(value) ?? parseBytes(String(value).split('/')[0]!);

const perClientOf = (bytes: boolean) =>
  z.strictObject({
    /** Of the node, of all clients of the bucket together, or (`per_client`) of each of them. */
    rate: z._default(bytes ? byteRate : countRate, 'infinity'),
    /** What there is at first: for a bucket after a start and after a change of its numbers, for a client when it comes. */
    initial: z._default(amount(bytes, isAmount), '0'),
    /** With fewer than so many left, it waits a moment after each. */
    low_watermark: z._default(amount(bytes, isAmount), '0'),
    /** Saved up in quiet times, and so the most at once. `infinity`: as many as the rate brings in its time. */
    capacity: z._default(
      amount(bytes, (value) => value === 'infinity' || (parseBytes(value) ?? 0) > 0),
      'infinity',
    ),
    /** Whether what needs several goes ahead with the first of them and owes the others. */
    divisible: z._default(flag, false),
    /** So long the next one waits for tokens; `internal` and `connection` have no use for it. */
    max_retry_time: z._default(duration, '10s'),
    /**
     * After `max_retry_time`. `force`: it goes through without tokens of the client's own; for those of the bucket and of
     * the node it waits on. `drop`: a message is not taken, QoS 1 and 2 hear 0x97. `throw`: the connection ends.
     */
    failure_strategy: z._default(z.enum(['force', 'drop', 'throw']), 'force'),
  });

const names = z.array(z.string().check(z.minLength(1), z.maxLength(256))).check(z.maxLength(1000));

const bucketOf = (bytes: boolean) =>
  z.strictObject({
    rate: z._default(bytes ? byteRate : countRate, 'infinity'),
    capacity: z._default(
      amount(bytes, (value) => value === 'infinity' || (parseBytes(value) ?? 0) > 0),
      'infinity',
    ),
    initial: z._default(amount(bytes, isAmount), '0'),
    per_client: z._default(perClientOf(bytes), z.parse(perClientOf(bytes), {})),
    /**
     * Whose clients take from it: listeners (`tcp:default`) before zones, and the bucket `default` for all others. One
     * listener or zone names one bucket of a type.
     */
    listeners: z.optional(names),
    /** Those whose clients take from it, unless a bucket names their listener. */
    zones: z.optional(names),
  });
export type Bucket = z.output<ReturnType<typeof bucketOf>>;
/** One bucket, where bytes are counted and where something else is. */
export const ByteBucket = bucketOf(true);
export const CountBucket = bucketOf(false);

const NOT_A_BUCKET = 'Bucket names are letters and numbers only';

const typeFields = (bytes: boolean, kept: string) => {
  const bucket = bucketOf(bytes);
  return {
    rate: bytes ? byteRate : countRate,
    /** So many more at once. */
    burst: amount(bytes, (value) => burstOf(value) !== null),
    /** By name: letters and digits. */
    bucket: z.record(z.string(), bucket).check(
      z.refine((buckets) => Object.keys(buckets).every((name) => BUCKET_NAME.test(name)), NOT_A_BUCKET),
      z.refine((buckets) => Object.hasOwn(buckets, kept), `The bucket ${kept} cannot be removed`),
      z.refine((buckets) => Object.keys(buckets).length <= BUCKETS_MAX, `At most ${BUCKETS_MAX} buckets`),
      z.refine(
        (buckets) => kept !== RETAINER_BUCKET || Object.keys(buckets).length <= 1,
        'Only the retainer takes from here',
      ),
      z.refine(isBoundOnce, 'A listener or zone takes from one bucket only'),
    ),
  };
};

function isBoundOnce(
  buckets: Record<string, { listeners?: string[] | undefined; zones?: string[] | undefined }>,
): boolean {
  const bound = Object.values(buckets).flatMap(({ listeners = [], zones = [] }) => [
    ...listeners.map((id) => `listener ${id}`),
    ...zones.map((name) => `zone ${name}`),
  ]);
  return new Set(bound).size === bound.length;
}

const settingsOf = (bytes: boolean, kept: string = DEFAULT_BUCKET) => {
  const { rate, burst, bucket } = typeFields(bytes, kept);
  return z.strictObject({
    rate: z._default(rate, 'infinity'),
    burst: z._default(burst, '0'),
    bucket: z._default(bucket, { [kept]: z.parse(bucketOf(bytes), {}) }),
  });
};

const BytesSettings = settingsOf(true);
const CountSettings = settingsOf(false);
const InternalSettings = settingsOf(false, RETAINER_BUCKET);
/** The settings of a type. */
export type LimiterTypeSettings = z.output<typeof CountSettings>;

export const LimiterSettings = z.strictObject({
  bytes_in: z._default(BytesSettings, z.parse(BytesSettings, {})),
  message_in: z._default(CountSettings, z.parse(CountSettings, {})),
  connection: z._default(CountSettings, z.parse(CountSettings, {})),
  message_routing: z._default(CountSettings, z.parse(CountSettings, {})),
  internal: z._default(InternalSettings, z.parse(InternalSettings, {})),
});
export type LimiterSettings = z.output<typeof LimiterSettings>;

/** The node's own rates, as newer brokers show them: those of three types. What is not limited is left out. */
const nodeRates = {
  max_conn_rate: z.optional(countRate),
  messages_rate: z.optional(countRate),
  bytes_rate: z.optional(byteRate),
};
export const NodeRates = z.looseObject(nodeRates);
export type NodeRates = z.infer<typeof NodeRates>;

const howOften = {
  /** Times that something had to wait; of connections 0. */
  held: z.number(),
  /** Messages not taken, and connections refused. */
  dropped: z.number(),
  /** Connections ended (`throw`). */
  ended: z.number(),
  /** Let through after `max_retry_time` (`force`). */
  forced: z.number(),
};

export const LimiterStatus = z.looseObject({
  /** Since the start, and how many wait right now. */
  types: z.array(
    z.looseObject({
      type: z.enum(limiterTypes),
      ...howOften,
      waiting: z.number(),
      /** By the bucket that the client takes from. */
      buckets: z.array(z.looseObject({ name: z.string(), ...howOften, waiting: z.number() })),
    }),
  ),
  /** Who waits at present, the longest first, up to a hundred. */
  clients: z.array(
    z.looseObject({
      clientid: z.string(),
      listener: z.string(),
      type: z.enum(limiterTypes),
      bucket: z.string(),
      /** Whose tokens are missing. */
      level: z.enum(['client', 'listener', 'bucket', 'node']),
      since: z.number(), // epoch ms
    }),
  ),
});
export type LimiterStatus = z.infer<typeof LimiterStatus>;

/** The name of a copy that no bucket has yet. */
export function copyName(name: string, taken: readonly string[]): string {
  const base = name.replace(/(_duplication(_\d+)?)$/, '');
  let copy = `${base}_duplication`;
  for (let nr = 1; taken.includes(copy); nr++) copy = `${base}_duplication_${nr}`;
  return copy;
}

const byBuckets = 'limits by bucket and client, as brokers before 5.1 had them';

const get = <const P extends string, S extends z.ZodMiniType>(path: P, settings: S) =>
  endpoint({
    method: 'GET',
    path: `/configs/limiter/${path}`,
    summary: `The limits of ${path}`,
    ok: json(settings),
    extension: byBuckets,
  });
const update = <const P extends string, B extends z.ZodMiniType, S extends z.ZodMiniType>(
  path: P,
  body: B,
  settings: S,
) =>
  endpoint({
    method: 'PUT',
    path: `/configs/limiter/${path}`,
    summary: `Change the limits of ${path}; what is left out keeps its value, the buckets are replaced together`,
    body,
    ok: json(settings),
    extension: byBuckets,
  });

const bytesChange = z.partial(z.strictObject(typeFields(true, DEFAULT_BUCKET)));
const countChange = z.partial(z.strictObject(typeFields(false, DEFAULT_BUCKET)));
const internalChange = z.partial(z.strictObject(typeFields(false, RETAINER_BUCKET)));

export const limiter = {
  get: endpoint({
    method: 'GET',
    path: '/configs/limiter',
    summary: 'How many connections, messages and bytes the node takes; what is not limited is left out',
    ok: json(NodeRates),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/configs/limiter',
    summary: 'Limit the node; what is left out keeps its value',
    body: z.strictObject(nodeRates),
    ok: json(NodeRates),
  }),
  getBytesIn: get('bytes_in', BytesSettings),
  updateBytesIn: update('bytes_in', bytesChange, BytesSettings),
  getMessageIn: get('message_in', CountSettings),
  updateMessageIn: update('message_in', countChange, CountSettings),
  getConnection: get('connection', CountSettings),
  updateConnection: update('connection', countChange, CountSettings),
  getMessageRouting: get('message_routing', CountSettings),
  updateMessageRouting: update('message_routing', countChange, CountSettings),
  getInternal: get('internal', InternalSettings),
  updateInternal: update('internal', internalChange, InternalSettings),
  /** The older name of `internal`. */
  getBatch: get('batch', InternalSettings),
  updateBatch: update('batch', internalChange, InternalSettings),
  status: endpoint({
    method: 'GET',
    path: '/limiter/status',
    summary: 'How often limits were hit, and who waits because of one',
    query: z.object({ clientid: z.optional(z.string()) }),
    ok: json(LimiterStatus),
    extension: 'what limits do at present',
  }),
};
