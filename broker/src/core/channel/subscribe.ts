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
import type { Denial } from '../hooks.ts';
import { mountedFilter } from '../mountpoint.ts';
import type { MqttCore } from '../mqtt-core.ts';
import type { Session } from '../session.ts';
import type { Subscriber } from '../subscriber.ts';
import { type Channel, Phase } from './channel.ts';

const STEP = 100; // filters of a packet with very many
const AT_A_TIME = 16; // of those that somebody has to be asked about

type Request = { filter: string } & SubscriptionOptions;

interface Granted extends Request {
  isNew: boolean;
}

/** What topics are matched by. */
export const plainOf = (filter: string): string =>
  parseShared(filter)?.filter ?? parseExclusive(filter) ?? filter;

type Answer = 'allow' | Denial;

/** Section 3.8.4. */
export function onSubscribe(channel: Channel, packet: SubscribePacket): void {
  const { core } = channel;
  const who = channel.who!;
  const access = authorizeAll(channel, packet.subscriptions);
  const { hooks } = core;
  const changed =
    hooks.used['client.subscribe'].length === 0
      ? undefined
      : hooks.ask('client.subscribe', who, packet.subscriptions, packet.properties);
  if (changed instanceof Promise || access instanceof Promise)
    channel.suspend(
      Promise.all([access, changed]).then(([results]) =>
        inTurns(core, subscribing(channel, packet, results)),
      ),
    );
  else suspendFor(channel, inTurns(core, subscribing(channel, packet, access)));
}

/** At once if nobody has to think about it, and never for so long that the others wait. */
function authorizeAll(channel: Channel, requests: readonly Request[]): Answer[] | Promise<Answer[]> {
  const { bursts } = channel.core;
  const answers: Answer[] = [];
  for (const request of requests) {
    const answer = authorize(channel, request);
    if (answer instanceof Promise || bursts.tooLong) return authorizeOn(channel, requests, answers, answer);
    answers.push(answer);
  }
  return answers;
}

/** From the one whose answer is `next` on; as many at a time as no system behind us will mind. */
async function authorizeOn(
  channel: Channel,
  requests: readonly Request[],
  answers: Answer[],
  next: Answer | Promise<Answer>,
): Promise<Answer[]> {
  // As the client wrote them: `client.subscribe` may give them other names meanwhile
  const written = requests.map((request) => ({ ...request }));
  answers.push(await next);
  while (answers.length < written.length && channel.phase !== Phase.Closed) {
    const some = written.slice(answers.length, answers.length + AT_A_TIME);
    answers.push(...(await Promise.all(some.map((request) => authorize(channel, request)))));
    if (channel.core.bursts.tooLong) await channel.core.bursts.turn();
  }
  return answers;
}

const authorize = (channel: Channel, { filter, qos }: Request): Answer | Promise<Answer> =>
  channel.core.authorize(channel, channel.who!, 'subscribe', plainOf(filter), qos, false);

function suspendFor(channel: Channel, rest: Promise<void> | undefined): void {
  if (rest) channel.suspend(rest);
}

function* subscribing(channel: Channel, packet: SubscribePacket, access: readonly Answer[]): Generator<void> {
  const { core, session } = channel;
  if (!session || session.ended || session.channel !== channel) return; // it may have been taken over meanwhile
  const identifier = packet.properties.subscriptionIdentifier?.[0] ?? 0;
  const granted: Granted[] = [];
  const reasonCodes: number[] = [];
  if (core.store !== null) core.store.owed = false;
  for (const [i, request] of packet.subscriptions.entries()) {
    if (i > 0 && i % STEP === 0) {
      yield* rest(core);
      if (session.channel !== channel) return;
    }
    const answer = access[i]!;
    if (answer === 'allow') reasonCodes.push(grant(core, session, request, identifier, granted));
    else {
      core.counters.add(C['packets.subscribe.auth_error']);
      core.hooks.tell('client.denied', channel.who!, 'subscribe', request.filter, answer);
      reasonCodes.push(ReasonCode.NotAuthorized);
    }
  }
  if (
    core.settings.authorizationDenyAction === 'disconnect' &&
    reasonCodes.includes(ReasonCode.NotAuthorized)
  ) {
    channel.end(ReasonCode.NotAuthorized);
    return;
  }
  channel.sendWhenSafe({ type: PacketType.SUBACK, packetId: packet.packetId, reasonCodes, properties: {} }); // [MQTT-3.8.4-1]
  for (let i = 0; i < granted.length; i += STEP) {
    if (i > 0) yield;
    announce(core, session, granted.slice(i, i + STEP));
  }
}

/** Takes its steps at once as long as nobody has to wait for them; a promise when the rest goes on in later turns. */
function inTurns({ bursts }: MqttCore, steps: Iterator<void>): Promise<void> | undefined {
  const some = (): boolean => {
    do if (steps.next().done) return true;
    while (!bursts.tooLong);
    return false;
  };
  const others = async () => {
    do await bursts.turn();
    while (!some());
  };
  return some() ? undefined : others();
}

/** What the acknowledgement of this packet owes to the store is its own, whoever comes in between. */
function* rest({ store }: MqttCore): Generator<void> {
  const owed = store?.owed === true;
  yield;
  if (store !== null) store.owed = owed;
}

/** Checks and makes one subscription; returns its SUBACK reason code [MQTT-3.8.4-7]. */
function grant(
  core: MqttCore,
  session: Session,
  request: Request,
  identifier: number,
  granted: Granted[],
): number {
  const { counters, hooks } = core;
  const filter = mountedFilter(session.who.mountpoint, request.filter);
  const refused = refusal(core, session, request.filter, filter);
  if (refused !== undefined) {
    counters.add(C['packets.subscribe.error']);
    if (hooks.used['session.subscribe_refused'].length > 0)
      hooks.tell('session.subscribe_refused', session, request.filter, refused);
    return refused;
  }
  const qos = Math.min(request.qos, session.terms.maxQosAllowed) as QoS;
  const { noLocal, retainHandling } = request;
  // A bridge of 3.x says that it is one; others see the flag only if they ask
  const retainAsPublished =
    request.retainAsPublished || (session.asked.bridge && session.protocolVersion < 5);
  const options = { qos, noLocal, retainAsPublished, retainHandling };
  granted.push({ filter, ...options, isNew: session.subscribe(filter, options, identifier) });
  counters.add(C['client.subscribe']);
  return qos;
}

/** Who wants to subscribe. */
type Asker = Subscriber &
  Pick<Session, 'settings' | 'terms' | 'subscriptionCount'> & { subscription(filter: string): unknown };

/** Why it cannot be; `mounted` is the filter where it is in truth. */
export function refusal(
  { routes }: MqttCore,
  session: Asker,
  filter: string,
  mounted: string,
): ReasonCode | undefined {
  const { settings, terms } = session;
  if (!isValidFilter(filter) || !isValidFilter(mounted)) return ReasonCode.TopicFilterInvalid;
  const plain = plainOf(filter);
  if (parseShared(filter) && !terms.sharedSubscription) return ReasonCode.SharedSubscriptionsNotSupported;
  if (!terms.wildcardSubscription && /[+#]/.test(plain)) return ReasonCode.WildcardSubscriptionsNotSupported;
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
    const holder = routes.holder(mounted);
    if (holder !== null && holder !== session) return ReasonCode.QuotaExceeded;
  }
  if (session.subscriptionCount >= settings.maxSubscriptions && !session.subscription(mounted))
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
  const { core } = channel;
  if (core.hooks.used['client.unsubscribe'].length === 0) {
    suspendFor(channel, inTurns(core, unsubscribing(channel, packet)));
    return;
  }
  const requests = packet.filters.map((filter) => ({ filter }));
  const asked = core.hooks.ask('client.unsubscribe', channel.who!, requests, packet.properties);
  const go = () =>
    inTurns(core, unsubscribing(channel, { ...packet, filters: requests.map(({ filter }) => filter) }));
  if (asked instanceof Promise) channel.suspend(asked.then(go));
  else suspendFor(channel, go());
}

function* unsubscribing(channel: Channel, { packetId, filters }: UnsubscribePacket): Generator<void> {
  const { core } = channel;
  const session = channel.session!;
  // Also when nothing changes: an earlier removal may not be on disk yet
  if (core.store !== null) core.store.owed = session.store !== null;
  const reasonCodes: number[] = [];
  for (let i = 0; i < filters.length; i += STEP) {
    if (i > 0) {
      yield* rest(core);
      if (session.channel !== channel) return;
    }
    const some = filters.slice(i, i + STEP).map((filter) => mountedFilter(session.who.mountpoint, filter));
    reasonCodes.push(...unsubscribeFor(core, session, some));
  }
  channel.sendWhenSafe({ type: PacketType.UNSUBACK, packetId, reasonCodes, properties: {} }); // [MQTT-3.10.4-4]
}

export function unsubscribeFor({ hooks, counters }: MqttCore, session: Session, filters: string[]): number[] {
  return filters.map((filter) => {
    if (!session.unsubscribe(filter)) return ReasonCode.NoSubscriptionExisted;
    counters.add(C['client.unsubscribe']);
    hooks.tell('session.unsubscribed', session, filter);
    return ReasonCode.Success;
  });
}
