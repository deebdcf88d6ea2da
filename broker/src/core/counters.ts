/**
 * The broker's counters, under EMQX's names. Keeps one number per name in a typed array: `counters.add(C['bytes.sent'], n)`.
 * A sum of others is not counted on the hot path but added up when somebody looks.
 */
const counted = [
  'authentication.failure',
  'authentication.success',
  'authentication.success.anonymous',
  'authorization.allow',
  'authorization.cache_hit',
  'authorization.cache_miss',
  'authorization.deny',
  'authorization.matched.allow',
  'authorization.matched.deny',
  'authorization.nomatch',
  'authorization.superuser',
  'bytes.received',
  'bytes.sent',
  'client.auth.anonymous',
  'client.authenticate',
  'client.authorize',
  'client.connack',
  'client.connect',
  'client.connected',
  'client.disconnected',
  'client.subscribe',
  'client.unsubscribe',
  'delivery.dropped.expired',
  'delivery.dropped.no_local',
  'delivery.dropped.qos0_msg',
  'delivery.dropped.queue_full',
  'delivery.dropped.too_large',
  'delivery.dropped.unencodable',
  'messages.acked',
  'messages.delayed',
  'messages.dropped.await_pubrel_timeout',
  'messages.dropped.no_subscribers',
  'messages.forward',
  'messages.persisted',
  'messages.publish.own',
  'messages.qos0.received',
  'messages.qos0.sent',
  'messages.qos1.received',
  'messages.qos1.sent',
  'messages.qos2.received',
  'messages.qos2.sent',
  'messages.transformation_failed',
  'messages.transformation_succeeded',
  'messages.validation_failed',
  'messages.validation_succeeded',
  'overload_protection.delay.ok',
  'overload_protection.delay.timeout',
  'overload_protection.gc',
  'overload_protection.hibernation',
  'overload_protection.new_conn',
  'packets.auth.received',
  'packets.auth.sent',
  'packets.connack.auth_error',
  'packets.connack.error',
  'packets.connack.sent',
  'packets.connect.received',
  'packets.disconnect.received',
  'packets.disconnect.sent',
  'packets.pingreq.received',
  'packets.pingresp.sent',
  'packets.puback.inuse',
  'packets.puback.missed',
  'packets.puback.received',
  'packets.puback.sent',
  'packets.pubcomp.inuse',
  'packets.pubcomp.missed',
  'packets.pubcomp.received',
  'packets.pubcomp.sent',
  'packets.publish.auth_error',
  'packets.publish.dropped',
  'packets.publish.error',
  'packets.publish.inuse',
  'packets.publish.received',
  'packets.pubrec.inuse',
  'packets.pubrec.missed',
  'packets.pubrec.received',
  'packets.pubrec.sent',
  'packets.pubrel.missed',
  'packets.pubrel.received',
  'packets.pubrel.sent',
  'packets.suback.sent',
  'packets.subscribe.auth_error',
  'packets.subscribe.error',
  'packets.subscribe.received',
  'packets.unsuback.sent',
  'packets.unsubscribe.error',
  'packets.unsubscribe.received',
  'session.created',
  'session.discarded',
  'session.resumed',
  'session.takenover',
  'session.terminated',
] as const;
type Counted = (typeof counted)[number];
/** Counted for the sake of a sum, and not shown: what the broker itself published, wills included. */
const hidden = ['messages.publish.own', 'delivery.dropped.unencodable'] as const;
type Hidden = (typeof hidden)[number];
const isHidden = (name: Counted): name is Hidden => hidden.some((other) => other === name);

/** Name → place in the array. */
export const C = Object.fromEntries(counted.map((name, place) => [name, place])) as Record<Counted, number>;

const received = ['messages.qos0.received', 'messages.qos1.received', 'messages.qos2.received'] as const;
const sent = ['messages.qos0.sent', 'messages.qos1.sent', 'messages.qos2.sent'] as const;

const sums = {
  'delivery.dropped': [
    'delivery.dropped.expired',
    'delivery.dropped.no_local',
    'delivery.dropped.qos0_msg',
    'delivery.dropped.queue_full',
    'delivery.dropped.too_large',
    'delivery.dropped.unencodable',
  ],
  'messages.delivered': sent,
  'messages.dropped': ['messages.dropped.await_pubrel_timeout', 'messages.dropped.no_subscribers'],
  'messages.publish': [...received, 'messages.publish.own'],
  'messages.received': received,
  'messages.sent': sent,
  'packets.publish.sent': sent,
  'packets.received': counted.filter((name) => /^packets\.\w+\.received$/.test(name)),
  'packets.sent': [...counted.filter((name) => /^packets\.\w+\.sent$/.test(name)), ...sent],
} satisfies Record<string, readonly Counted[]>;

export type Metric = Exclude<Counted, Hidden> | keyof typeof sums;
const metricNames: readonly Metric[] = [
  ...counted.filter((name): name is Exclude<Counted, Hidden> => !isHidden(name)),
  ...(Object.keys(sums) as (keyof typeof sums)[]),
].sort();

export class Counters {
  /** Added to directly where a call would be felt. */
  readonly values = new Float64Array(counted.length);

  add(place: number, by = 1): void {
    this.values[place] = this.values[place]! + by;
  }

  get(name: Metric): number {
    const parts = (sums as Partial<Record<Metric, readonly Counted[]>>)[name];
    if (!parts) return this.values[C[name as Counted]]!;
    return parts.reduce((sum, part) => sum + this.values[C[part]]!, 0);
  }

  all(): Record<Metric, number> {
    return Object.fromEntries(metricNames.map((name) => [name, this.get(name)])) as Record<Metric, number>;
  }

  reset(): void {
    this.values.fill(0);
  }
}

export const gaugeNames = [
  'channels',
  'cluster_sessions',
  'connections',
  'delayed',
  'live_connections',
  'retained',
  'sessions',
  'suboptions',
  'subscribers',
  'subscriptions',
  'subscriptions.shared',
  'topics',
] as const;
export type Gauge = (typeof gaugeNames)[number];

/** Levels with their highest mark. Keeps a way to ask for each, and the marks; the owner of a level provides it. */
export class Gauges {
  private readonly sources = new Map<Gauge, () => number>();
  private readonly marks = new Map<Gauge, number>();

  /** E.g. the retainer: `gauges.provide('retained', () => store.count())`. */
  provide(name: Gauge, source: () => number): void {
    this.sources.set(name, source);
  }

  /** Raises the marks; called by whatever samples and by `all`. A peak between two looks goes unseen. */
  sample(): void {
    for (const name of gaugeNames) this.marks.set(name, Math.max(this.max(name), this.get(name)));
  }

  get(name: Gauge): number {
    return this.sources.get(name)?.() ?? 0;
  }

  max(name: Gauge): number {
    return this.marks.get(name) ?? 0;
  }

  /** `{ 'topics.count': 3, 'topics.max': 9, … }` */
  all(): Record<`${Gauge}.${'count' | 'max'}`, number> {
    this.sample();
    return Object.fromEntries(
      gaugeNames.flatMap((name) => [
        [`${name}.count`, this.get(name)],
        [`${name}.max`, this.max(name)],
      ]),
    ) as Record<`${Gauge}.${'count' | 'max'}`, number>;
  }
}
