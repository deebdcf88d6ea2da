import {
  PacketType,
  type QoS,
  type SubscribePacket,
  type SubscriptionOptions,
  type UnsubscribePacket,
} from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { isValidFilter, parseExclusive, parseShared, topicLevels } from '@mqdeck/mqtt/topics';
import { C } from '../counters.ts';
import type { AccessResult } from '../hooks.ts';
import type { MqttCore } from '../mqtt-core.ts';
import type { Session } from '../session.ts';
import type { Channel } from './channel.ts';

type Request = { filter: string } & SubscriptionOptions;

interface Granted extends Request {
  isNew: boolean;
}

/** What topics are matched by. */
const plainOf = (filter: string): string => parseShared(filter)?.filter ?? parseExclusive(filter) ?? filter;

/** Section 3.8.4. */
export function onSubscribe(channel: Channel, packet: SubscribePacket): void {
  const { core } = channel;
  const who = channel.who!;
  const access = packet.subscriptions.map(({ filter, qos }) =>
    core.authorize(who, {
      action: 'subscribe',
      topic: plainOf(filter),
      qos,
      retain: false,
    }),
  );
  if (access.some((result) => result instanceof Promise))
    channel.suspend(Promise.all(access).then((results) => subscribe(channel, packet, results)));
  else subscribe(channel, packet, access as AccessResult[]);
}

function subscribe(channel: Channel, packet: SubscribePacket, access: AccessResult[]): void {
  const { core, session } = channel;
  if (!session || session.ended) return;
  const identifier = packet.properties.subscriptionIdentifier?.[0] ?? 0;
  const granted: Granted[] = [];
  if (core.store !== null) core.store.owed = false;
  const reasonCodes = packet.subscriptions.map((request, i) => {
    if (access[i] !== 'deny') return grant(core, session, request, identifier, granted);
    core.counters.add(C['packets.subscribe.auth_error']);
    return ReasonCode.NotAuthorized;
  });
  if (
    core.settings.authorizationDenyAction === 'disconnect' &&
    reasonCodes.includes(ReasonCode.NotAuthorized)
  ) {
    channel.end(ReasonCode.NotAuthorized);
    return;
  }
  channel.sendWhenSafe({ type: PacketType.SUBACK, packetId: packet.packetId, reasonCodes, properties: {} }); // [MQTT-3.8.4-1]
  announce(core, session, granted);
}

/** Checks and makes one subscription; returns its SUBACK reason code [MQTT-3.8.4-7]. */
function grant(
  core: MqttCore,
  session: Session,
  request: Request,
  identifier: number,
  granted: Granted[],
): number {
  const { settings, counters } = core;
  const { filter } = request;
  const refused = refusal(core, session, filter);
  if (refused !== undefined) {
    counters.add(C['packets.subscribe.error']);
    return refused;
  }
  const qos = Math.min(request.qos, settings.maxQosAllowed) as QoS;
  const { noLocal, retainHandling } = request;
  // A bridge of 3.x says that it is one; others see the flag only if they ask
  const retainAsPublished =
    request.retainAsPublished || (session.asked.bridge && session.protocolVersion < 5);
  const options = { qos, noLocal, retainAsPublished, retainHandling };
  granted.push({ filter, ...options, isNew: session.subscribe(filter, options, identifier) });
  counters.add(C['client.subscribe']);
  return qos;
}

function refusal({ settings, routes }: MqttCore, session: Session, filter: string): ReasonCode | undefined {
  if (!isValidFilter(filter)) return ReasonCode.TopicFilterInvalid;
  const plain = plainOf(filter);
  if (parseShared(filter) && !settings.sharedSubscription) return ReasonCode.SharedSubscriptionsNotSupported;
  if (!settings.wildcardSubscription && /[+#]/.test(plain))
    return ReasonCode.WildcardSubscriptionsNotSupported;
  if (topicLevels(plain).length > settings.maxTopicLevels) return ReasonCode.TopicFilterInvalid;
  if (parseExclusive(filter) !== null) {
    // Where it is off it is refused, so that nobody believes to be alone on a topic
    if (
      !settings.exclusiveSubscription ||
      !isValidFilter(plain) ||
      parseShared(plain) ||
      parseExclusive(plain) !== null
    )
      return ReasonCode.TopicFilterInvalid;
    const holder = routes.holder(filter);
    if (holder !== null && holder !== session) return ReasonCode.QuotaExceeded;
  }
  if (session.subscriptionCount >= settings.maxSubscriptions && !session.subscription(filter))
    return ReasonCode.QuotaExceeded;
  return undefined;
}

function announce({ hooks }: MqttCore, session: Session, granted: Granted[]): void {
  if (hooks.used['session.subscribed'].length === 0) return;
  for (const { filter, isNew, ...options } of granted)
    hooks.tell('session.subscribed', session, filter, options, isNew);
}

/** What `core.subscribe` does for an operator: as the client's own packet would, without asking for permission. */
export function subscribeFor(core: MqttCore, session: Session, requests: Request[]): number[] {
  const granted: Granted[] = [];
  const reasonCodes = requests.map((request) => {
    const invalid = request.noLocal && parseShared(request.filter) !== null; // [MQTT-3.8.3-4]
    return invalid ? ReasonCode.TopicFilterInvalid : grant(core, session, request, 0, granted);
  });
  announce(core, session, granted);
  return reasonCodes;
}

/** Section 3.10.4. */
export function onUnsubscribe(channel: Channel, packet: UnsubscribePacket): void {
  const { core, session } = channel;
  // Also when nothing changes: an earlier removal may not be on disk yet
  if (core.store !== null) core.store.owed = session!.store !== null;
  const reasonCodes = unsubscribeFor(core, session!, packet.filters);
  channel.sendWhenSafe({ type: PacketType.UNSUBACK, packetId: packet.packetId, reasonCodes, properties: {} }); // [MQTT-3.10.4-4]
}

export function unsubscribeFor({ hooks, counters }: MqttCore, session: Session, filters: string[]): number[] {
  return filters.map((filter) => {
    if (!session.unsubscribe(filter)) return ReasonCode.NoSubscriptionExisted;
    counters.add(C['client.unsubscribe']);
    hooks.tell('session.unsubscribed', session, filter);
    return ReasonCode.Success;
  });
}
