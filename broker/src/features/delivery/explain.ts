import type { AccessAnswer } from '@mqdeck/contract/access';
import { DELAYED_PREFIX, type DelayedSettings } from '@mqdeck/contract/delayed';
import type {
  DeliveryAnswer,
  DeliveryCheck,
  DeliveryCheckId,
  DeliveryQuestion,
  DeliveryResult,
} from '@mqdeck/contract/delivery';
import { filterMatches, isValidTopic, topicLevels } from '@mqdeck/mqtt/topics';
import type { Client, ClientFacts, ClientSubscription } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import { mountedTopic } from '../../core/mountpoint.ts';
import type { ZoneSettings } from '../../core/settings.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { Turn } from '../../paging/turn.ts';
import { nearMiss, plainFilter } from './filters.ts';

export interface DeliveryParts {
  core: Core;
  /** Who decides about a client, asked in a way that leaves no trace; null when it should be connected and is not. */
  access(question: {
    clientid: string;
    connected: boolean;
    action: 'publish' | 'subscribe';
    topic: string;
    qos: 0 | 1 | 2;
    retain: boolean;
  }): Promise<AccessAnswer | null>;
  /** What becomes of a topic when it is published to. */
  rewrite(topic: string, names: { clientid: string; username: string | null }): string;
  delayed(): DelayedSettings;
  /** Who may change or stop a message of this topic. */
  extensions(topic: string): readonly DeliveryExtension[];
  /** How often since then another connection of its ID ended the one of a client, the last time from where. */
  takeovers(clientid: string, since: number): { times: number; by: string | null };
}

export interface DeliveryExtension {
  readonly kind: 'exhook' | 'plugins';
  readonly name: string;
  /** It is away, and what it would be asked about is refused meanwhile. */
  readonly refuses: boolean;
}

type Facts = DeliveryCheck['facts'];
type Found = readonly [result: DeliveryResult, found: string, facts?: Facts];

const PACKET_BYTES = 12; // header, packet id and lengths of a PUBLISH, about
const NAMED = 5; // filters that are told of
const CONTEST_MINUTES = 10;
const CONTEST_LEAST = 2; // once is a device that comes back by another way

/** It holds for clients of MQTT; what comes by a gateway is handed over at once, as its protocol goes. */
const NOT_MQTT: Found = ['none', 'not_mqtt'];

/** A client of MQTT, or the device of a gateway. */
export const clientOf = (core: Core, clientid: string): Client | undefined =>
  core.registry.find(clientid) ?? core.findGuest(clientid);

/** Looks at every place a message passes on its way from one client to another. Nothing is sent or changed. */
export async function explainDelivery(
  parts: DeliveryParts,
  question: DeliveryQuestion,
): Promise<DeliveryAnswer> {
  const { core } = parts;
  const publisher = clientOf(core, question.publisher);
  const subscriber = clientOf(core, question.subscriber);
  const checks: DeliveryCheck[] = [];
  const put = (id: DeliveryCheckId, [result, found, facts = {}]: Found) =>
    checks.push({ id, result, found, facts });

  put('publisher', presence(publisher));
  const asked = await parts.access({
    clientid: question.publisher,
    connected: publisher?.connected === true,
    action: 'publish',
    topic: question.topic,
    qos: question.qos,
    retain: question.retain,
  });
  put('publisher_banned', banOf(asked));
  const contested = (clientid: string) => contestOf(parts, clientid);
  const publisherContest = contested(question.publisher);
  if (publisherContest !== null) put('publisher_contested', publisherContest);
  put('message', sendable(question, zoneOf(core, publisher)));
  put('publish_allowed', allowed(asked));
  put('rate', publisher?.who.guest ? NOT_MQTT : limited(publisher?.facts()));

  const names = { clientid: question.publisher, username: publisher?.username ?? null };
  const mountpoint = publisher?.who.mountpoint ?? null;
  const sent = mountpoint === null ? question.topic : mountedTopic(mountpoint, question.topic);
  const rewritten = parts.rewrite(sent, names);
  put('rewrite', rewritten === sent ? ['ok', 'unchanged'] : ['ok', 'rewritten', { to: rewritten }]);
  const { topic, found } = delayOf(rewritten, parts.delayed());
  put('delay', found);
  put('others', othersAt(parts.extensions(topic)));

  put('subscriber', subscriber === undefined ? ['bad', 'unknown'] : presenceOfReceiver(subscriber));
  const mine = subscriber === undefined ? [] : await matching(subscriber, topic);
  if (subscriber?.connected !== true) {
    const who = await parts.access(subscribing(question.subscriber, false, topic, question.qos));
    put('subscriber_banned', banOf(who));
  }
  const subscriberContest = contested(question.subscriber);
  if (subscriberContest !== null) put('subscriber_contested', subscriberContest);
  put('filter', subscriber === undefined ? ['none', 'unknown'] : await filterOf(subscriber, mine, topic));
  if (subscriber?.connected && mine.length === 0) {
    const who = await parts.access(subscribing(question.subscriber, true, topic, question.qos));
    put('subscribe_allowed', allowed(who));
  }
  if (subscriber !== undefined && mine.length > 0) {
    const zone = zoneOf(core, subscriber);
    put('no_local', noLocal(question, mine, zone));
    put('shared', sharedPick(core, mine));
    put('qos', qosOf(question, mine, subscriber, zone));
    put('expiry', expiryOf(question, subscriber, zone));
    put('queue', subscriber.who.guest ? NOT_MQTT : queueOf(subscriber.facts()));
    put('size', subscriber.who.guest ? NOT_MQTT : sizeOf(question, topic, subscriber));
    put('dropped', droppedOf(subscriber.facts()));
  }
  const worst = (result: DeliveryResult) => checks.some((check) => check.result === result);
  return {
    verdict: worst('bad') ? 'does_not' : worst('maybe') ? 'may_not' : 'arrives',
    topic,
    checks,
  };
}

const subscribing = (clientid: string, connected: boolean, topic: string, qos: 0 | 1 | 2) =>
  ({ clientid, connected, action: 'subscribe', topic, qos, retain: false }) as const;

const zoneOf = (core: Core, client: Client | undefined): ZoneSettings =>
  client === undefined ? core.settings : core.entrance(client.listener).settings;

function presence(client: Client | undefined): Found {
  if (client === undefined) return ['bad', 'unknown'];
  if (!client.connected)
    return ['bad', 'not_connected', { since: rfc3339(client.disconnectedAt ?? client.connectedAt) }];
  const { address, listener, who } = client;
  const facts = { since: rfc3339(client.connectedAt), address, listener };
  if (!who.guest) return ['ok', 'connected', facts];
  const { gateway, protocolName, protocolVersion } = who.guest;
  return ['ok', 'guest', { ...facts, gateway, protocol: `${protocolName} ${protocolVersion}`.trim() }];
}

function presenceOfReceiver(client: Client): Found {
  const [result, found, facts = {}] = presence(client);
  if (result === 'ok') return [result, found, facts];
  if (client.who.guest) return ['maybe', 'rests', { ...facts, gateway: client.who.guest.gateway }];
  return ['maybe', 'waits', { ...facts, expires_s: client.expiryInterval }];
}

function banOf(asked: AccessAnswer | null): Found {
  const ban = asked?.banned;
  if (!ban) return ['ok', 'not_banned'];
  return ['bad', 'banned', { as: ban.as, who: ban.who, reason: ban.reason, until: ban.until }];
}

function sendable({ topic, qos, retain, payload_bytes }: DeliveryQuestion, zone: ZoneSettings): Found {
  const levels = topicLevels(topic).length;
  if (levels > zone.maxTopicLevels) return ['bad', 'too_many_levels', { levels, max: zone.maxTopicLevels }];
  if (qos > zone.maxQosAllowed) return ['bad', 'qos_not_supported', { qos, max: zone.maxQosAllowed }];
  if (retain && !zone.retainAvailable) return ['bad', 'retain_not_available'];
  const bytes = payload_bytes + Buffer.byteLength(topic) + PACKET_BYTES;
  if (bytes > zone.maxPacketBytes) return ['bad', 'too_large', { bytes, max: zone.maxPacketBytes }];
  return ['ok', 'sendable'];
}

function allowed(asked: AccessAnswer | null): Found {
  const authorization = asked?.authorization;
  if (!asked || !authorization) return ['none', 'not_asked'];
  const last = authorization.steps.at(-1);
  const facts: Facts = {
    source: last?.source ?? 'default',
    ...(last?.rule && { rule: last.rule.text, index: last.rule.index }),
  };
  return authorization.decision === 'allow' ? ['ok', 'allowed', facts] : ['bad', 'denied', facts];
}

function limited(facts: ClientFacts | undefined): Found {
  const dropped = facts?.['recv_msg.dropped'] ?? 0;
  return dropped > 0 ? ['maybe', 'dropped', { count: dropped }] : ['ok', 'not_limited'];
}

function delayOf(topic: string, { enable }: DelayedSettings): { topic: string; found: Found } {
  if (!topic.startsWith(DELAYED_PREFIX)) return { topic, found: ['ok', 'not_delayed'] };
  if (!enable) return { topic, found: ['bad', 'off'] };
  const [, delay = '', to = ''] = /^([^/]*)\/(.*)$/s.exec(topic.slice(DELAYED_PREFIX.length)) ?? [];
  if (!/^\d{1,10}$/.test(delay) || !isValidTopic(to)) return { topic, found: ['bad', 'malformed'] };
  const seconds = Number(delay);
  return { topic: to, found: seconds === 0 ? ['ok', 'not_delayed'] : ['maybe', 'delayed', { seconds, to }] };
}

/** Extensions decide on each message; what they would say of this one is not known before it is sent. */
function othersAt(extensions: readonly DeliveryExtension[]): Found {
  const away = extensions.find(({ refuses }) => refuses);
  if (away) return ['bad', 'refuses', { who: away.name, kind: away.kind }];
  const [first] = extensions;
  if (!first) return ['ok', 'nobody'];
  return ['maybe', 'may_change', { who: extensions.map(({ name }) => name).join(', '), kind: first.kind }];
}

/** Null: nobody else uses its ID. */
function contestOf({ core, takeovers }: DeliveryParts, clientid: string): Found | null {
  const { times, by } = takeovers(clientid, core.clock.now - CONTEST_MINUTES * 60_000);
  if (times < CONTEST_LEAST) return null;
  return ['maybe', 'taken_over', { times, minutes: CONTEST_MINUTES, by: by ?? '' }];
}

async function matching(client: Client, topic: string): Promise<ClientSubscription[]> {
  const found: ClientSubscription[] = [];
  const turn = new Turn();
  for (const subscription of client.subscriptions()) {
    if (filterMatches(plainFilter(subscription.filter), topic)) found.push(subscription);
    if (turn.over) await turn.next();
  }
  return found;
}

async function filterOf(client: Client, mine: readonly ClientSubscription[], topic: string): Promise<Found> {
  if (mine.length > 0) return ['ok', 'matches', { filters: namesOf(mine), count: mine.length }];
  const turn = new Turn();
  for (const { filter } of client.subscriptions()) {
    const miss = nearMiss(filter, topic);
    if (miss) return ['bad', `near_${miss}`, { filter, topic }];
    if (turn.over) await turn.next();
  }
  return ['bad', 'no_match', { count: client.subscriptionCount, topic }];
}

const namesOf = (subscriptions: readonly ClientSubscription[]): string =>
  subscriptions
    .slice(0, NAMED)
    .map(({ filter }) => filter)
    .join(', ') + (subscriptions.length > NAMED ? ', …' : '');

function noLocal(
  { publisher, subscriber }: DeliveryQuestion,
  mine: readonly ClientSubscription[],
  { ignoreLoopDeliver }: ZoneSettings,
): Found {
  if (publisher !== subscriber) return ['ok', 'another_client'];
  if (ignoreLoopDeliver) return ['bad', 'loops_ignored'];
  const silent = mine.filter((one) => one.noLocal);
  if (silent.length === mine.length) return ['bad', 'no_local', { filters: namesOf(silent) }];
  return ['ok', 'own_messages_wanted'];
}

function sharedPick({ routes }: Core, mine: readonly ClientSubscription[]): Found {
  if (mine.some(({ share }) => share === null)) return ['ok', 'not_shared'];
  const shared = mine.map(({ filter, share }) => ({ filter, share: share!, group: routes.group(filter) }));
  const alone = shared.find(({ group }) => group?.members === 1);
  if (alone) return ['ok', 'alone', { group: alone.share }];
  const { share, group } = shared[0]!;
  return [
    'maybe',
    'one_of',
    { group: share, members: group?.members ?? 1, strategy: group?.strategy ?? 'round_robin' },
  ];
}

function qosOf(
  { qos }: DeliveryQuestion,
  mine: readonly ClientSubscription[],
  client: Client,
  zone: ZoneSettings,
): Found {
  const subscribed = Math.max(...mine.map((one) => one.qos));
  const guest = client.who.guest !== undefined;
  const delivered = zone.upgradeQos && !guest ? Math.max(qos, subscribed) : Math.min(qos, subscribed);
  const facts = { published: qos, subscribed, delivered };
  if (delivered > 0) return ['ok', 'qos', facts];
  if (!client.connected && !guest && !zone.mqueueStoreQos0) return ['bad', 'qos0_not_kept', facts];
  return ['ok', 'qos0', facts];
}

function expiryOf({ expiry }: DeliveryQuestion, client: Client, { messageExpiryMs }: ZoneSettings): Found {
  const seconds = expiry > 0 ? expiry : messageExpiryMs / 1000;
  if (!Number.isFinite(seconds)) return ['ok', 'never'];
  return client.connected && client.ready
    ? ['ok', 'in_time', { seconds }]
    : ['maybe', 'may_expire', { seconds }];
}

function queueOf({ mqueue_len, mqueue_max, inflight_cnt, inflight_max }: ClientFacts): Found {
  const facts = { queued: mqueue_len, max: mqueue_max, inflight: inflight_cnt, window: inflight_max };
  if (mqueue_max !== 'infinity' && mqueue_len >= mqueue_max) return ['maybe', 'full', facts];
  if (inflight_cnt >= inflight_max) return ['maybe', 'waits', facts];
  return ['ok', 'room', facts];
}

function sizeOf({ payload_bytes }: DeliveryQuestion, topic: string, client: Client): Found {
  const max = client.packetBytesMax ?? Number.POSITIVE_INFINITY;
  if (!Number.isFinite(max)) return ['ok', 'any'];
  const bytes = payload_bytes + Buffer.byteLength(topic) + PACKET_BYTES;
  return bytes > max ? ['bad', 'too_large', { bytes, max }] : ['ok', 'fits', { max }];
}

const DROPS = ['queue_full', 'expired', 'too_large'] as const;

function droppedOf(facts: ClientFacts): Found {
  const counts = Object.fromEntries(
    DROPS.map((reason) => [reason, facts[`send_msg.dropped.${reason}`]] as const).filter(
      ([, count]) => count > 0,
    ),
  );
  const count = facts['send_msg.dropped'];
  return count > 0 ? ['maybe', 'before', { count, ...counts }] : ['ok', 'never'];
}
