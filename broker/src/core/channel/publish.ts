import { isUtf8 } from 'node:buffer';
import { varintBytes } from '@mqdeck/mqtt/bytes';
import { PacketType, type Properties } from '@mqdeck/mqtt/packets';
import { carried } from '@mqdeck/mqtt/permitted';
import { PublishScan, readPublishProperties, readTopic, scanPublish } from '@mqdeck/mqtt/publish';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { isSystemTopic, topicLevels } from '@mqdeck/mqtt/topics';
import { C } from '../counters.ts';
import type { Denial, PublishResult } from '../hooks.ts';
import { Message } from '../message.ts';
import { mountedTopic } from '../mountpoint.ts';
import type { Route } from '../router.ts';
import { type Channel, Phase } from './channel.ts';

const scan = new PublishScan(); // one is enough: a packet is scanned and done with before the next
const ALIAS_CHARS_MAX = 1024 * 1024; // of one connection: 65,535 aliases of long topics would be 4 GiB
const LEARNT_BYTES_MAX = 256; // of properties that are kept to be compared
const NOTHING = new Uint8Array(0);
const LEAST_FAILURE = 0x80;
const RECEIVED = C['messages.qos0.received'];
const QOS_STEP = C['messages.qos1.received'] - C['messages.qos0.received'];

/** Section 3.3.4. Nothing here waits unless a hook does; then `channel.suspend` keeps the order. */
export function onPublish(
  channel: Channel,
  header: number,
  buf: Uint8Array,
  start: number,
  end: number,
): void {
  const { core } = channel;
  const session = channel.session!;
  const { hooks, counters } = core;
  const { terms } = channel;
  scanPublish(header & 0x0f, buf, start, end, channel.version, scan);
  const { qos, retain, packetId } = scan;
  if (qos > terms.maxQosAllowed) throw new MqttError(ReasonCode.QoSNotSupported); // [MQTT-3.2.2-11]
  if (retain && !terms.retainAvailable) throw new MqttError(ReasonCode.RetainNotSupported); // [MQTT-3.2.2-14]
  const learnt = scan.propsStart === scan.propsEnd ? null : learnProperties(channel, buf);
  const properties = learnt === null ? null : learnt.properties;
  const alias = learnt === null ? 0 : takeAlias(channel, buf, learnt.alias);
  if (alias === 0) learnTopic(channel, buf, scan.topicStart, scan.topicEnd);

  if (qos === 2 && session.awaits(packetId)) {
    counters.add(C['packets.publish.inuse']);
    channel.acknowledge(PacketType.PUBREC, packetId, 0); // [MQTT-4.3.3-10]
    return;
  }
  if (qos === 2 && session.awaitingRelCount >= terms.maxAwaitingRel) {
    counters.add(C['packets.publish.dropped']);
    throw new MqttError(ReasonCode.ReceiveMaximumExceeded); // [MQTT-3.3.4-7]
  }

  if (channel.refusing) {
    counters.add(C['packets.publish.dropped']);
    channel.traffic.droppedIn++;
    if (core.store !== null) core.store.owed = false;
    stopped(channel, null, ReasonCode.QuotaExceeded, 'more than its limit allows');
    if (qos > 0) answer(channel, qos, packetId, ReasonCode.QuotaExceeded, 'more than its limit allows');
    return;
  }

  if (
    properties?.payloadFormatIndicator === 1 &&
    core.settings.payloadFormatCheck &&
    !isUtf8(buf.subarray(scan.payloadStart, end))
  ) {
    counters.add(C['packets.publish.error']);
    if (core.store !== null) core.store.owed = false;
    stopped(channel, null, ReasonCode.PayloadFormatInvalid, 'the payload is not UTF-8');
    if (qos > 0) answer(channel, qos, packetId, ReasonCode.PayloadFormatInvalid, 'the payload is not UTF-8');
    return;
  }

  const { values } = counters;
  const place = RECEIVED + qos * QOS_STEP;
  values[place] = values[place]! + 1;
  channel.traffic.published(qos);
  const message = new Message(
    channel.lastTopic,
    qos,
    retain,
    buf,
    scan.payloadStart,
    end,
    properties,
    session.clientid,
    channel.who,
    core.clock.now,
  );
  if (alias === 0) {
    const frameStart = start - 1 - varintBytes(end - start);
    message.passOn(channel.five, frameStart, end, qos === 0 ? 0 : scan.topicEnd - frameStart);
  }

  if (hooks.used['message.received'].length > 0) hooks.tell('message.received', message);
  if (
    hooks.used['client.authorize'].length === 0 &&
    hooks.used['client.authorize_complete'].length === 0 &&
    core.settings.authorizationNoMatch === 'allow' &&
    !isSystemTopic(message.topic)
  ) {
    route(channel, message, packetId);
    return;
  }
  const access = core.authorize(channel, channel.who!, 'publish', message.topic, qos, retain);
  if (access instanceof Promise)
    channel.suspend(
      access.then((result) => {
        if (mayGoOn(channel, qos)) permitted(channel, message, packetId, result);
      }),
    );
  else permitted(channel, message, packetId, access);
}

/**
 * Not a QoS 2 message whose connection ended while somebody thought about it: nobody promised anything, its publisher
 * sends it again, and if this one were taken as well, it would arrive twice [MQTT-4.3.3-10].
 */
function mayGoOn(channel: Channel, qos: number): boolean {
  if (qos < 2 || channel.phase !== Phase.Closed) return true;
  channel.core.counters.add(C['packets.publish.dropped']);
  return false;
}

function permitted(channel: Channel, message: Message, packetId: number, access: 'allow' | Denial): void {
  if (access === 'allow') {
    route(channel, message, packetId);
    return;
  }
  const { counters, hooks, settings, log, store } = channel.core;
  if (store !== null) store.owed = false;
  counters.add(C['packets.publish.auth_error']);
  if (hooks.used['client.denied'].length > 0)
    hooks.tell('client.denied', channel.who!, 'publish', message.topic, access);
  log.debug({ clientid: message.from, topic: message.topic }, 'publishing was not allowed');
  if (settings.authorizationDenyAction === 'disconnect') throw new MqttError(ReasonCode.NotAuthorized);
  // A 3.x client cannot be told [MQTT311-3.3.5-2]
  if (message.qos > 0) answer(channel, message.qos, packetId, ReasonCode.NotAuthorized);
}

function route(channel: Channel, message: Message, packetId: number): void {
  const { core, mountpoint } = channel;
  if (mountpoint !== null) message.change({ topic: mountedTopic(mountpoint, message.topic) });
  if (core.hooks.used['message.publish'].length === 0) {
    deliver(channel, message, packetId, routeOf(channel, message.topic));
    return;
  }
  const { qos } = message;
  const result = core.hooks.ask('message.publish', message);
  if (result instanceof Promise)
    channel.suspend(
      result.then((settled) => {
        if (mayGoOn(channel, qos)) decided(channel, message, qos, packetId, settled);
      }),
    );
  else decided(channel, message, qos, packetId, result);
}

function decided(
  channel: Channel,
  message: Message,
  qos: number,
  packetId: number,
  result: PublishResult,
): void {
  if (result === undefined) {
    deliver(channel, message, packetId, routeOf(channel, message.topic), qos);
    return;
  }
  stopped(channel, message, result.reasonCode, result.reason);
  if (result.reasonCode >= LEAST_FAILURE) channel.core.counters.add(C['packets.publish.dropped']);
  if (qos === 0) return;
  const { store } = channel.core;
  if (store !== null) store.owed = message.mustLast;
  answer(channel, qos, packetId, result.reasonCode, result.reason);
}

/** For observers. */
function stopped(
  { core: { hooks }, who, lastTopic }: Channel,
  message: Message | null,
  reasonCode: number,
  reason: string,
): void {
  if (hooks.used['message.stopped'].length > 0)
    hooks.tell('message.stopped', who, message?.topic ?? lastTopic, message, reasonCode, reason);
}

/** The route of the topic that the connection used last needs no look-up at all. */
function routeOf(channel: Channel, topic: string): Route {
  const { routes } = channel.core;
  let route = channel.lastRoute;
  if (route === null || route.topic !== topic || !routes.holds(route)) {
    route = routes.route(topic);
    channel.lastRoute = route;
  }
  return route;
}

/** `qos` is the packet's, which a hook cannot change with the message. */
function deliver(
  channel: Channel,
  message: Message,
  packetId: number,
  route: Route,
  qos: number = message.qos,
): void {
  const { core } = channel;
  if (core.store !== null) core.store.owed = message.mustLast;
  const receivers = core.deliver(message, route);
  channel.effort += receivers;
  if (channel.limits !== null) channel.limits.routed(receivers);
  if (core.store?.owed && core.store.full) channel.fillsStore = true;
  if (qos > 0) answer(channel, qos, packetId, receivers === 0 ? ReasonCode.NoMatchingSubscribers : 0);
}

function answer(channel: Channel, qos: number, packetId: number, reason: ReasonCode, text = ''): void {
  const reasonCode = reason === 0 ? 0 : carried(PacketType.PUBACK, reason); // PUBREC has the same [MQTT-3.4.2-1]
  if (qos === 1) {
    channel.explain(PacketType.PUBACK, packetId, reasonCode, text); // [MQTT-4.3.2-4]
    return;
  }
  if (reasonCode < 0x80) channel.session?.await(packetId); // [MQTT-4.3.3-8]
  channel.explain(PacketType.PUBREC, packetId, reasonCode, text);
}

/** Resolves the topic alias, if any, into `lastTopic`; 0 without one. The alias goes no further. */
function takeAlias(channel: Channel, buf: Uint8Array, alias: number | undefined): number {
  if (alias === undefined) return 0;
  if (alias === 0 || alias > channel.aliasMax) throw new MqttError(ReasonCode.TopicAliasInvalid); // [MQTT-3.3.2-8]
  if (scan.topicStart < scan.topicEnd) {
    learnTopic(channel, buf, scan.topicStart, scan.topicEnd);
    channel.aliases ??= new Map();
    channel.aliasChars += channel.lastTopic.length - (channel.aliases.get(alias)?.length ?? 0);
    if (channel.aliasChars > ALIAS_CHARS_MAX)
      throw new MqttError(ReasonCode.QuotaExceeded, 'the topics of all aliases are too long together');
    channel.aliases.set(alias, channel.lastTopic);
    return alias;
  }
  const topic = channel.aliases?.get(alias);
  if (topic === undefined) throw new MqttError(ReasonCode.ProtocolError, 'unknown topic alias'); // section 3.3.4
  if (topic !== channel.lastTopic) {
    channel.lastTopic = topic;
    channel.lastTopicBytes = null;
  }
  return alias;
}

/** The properties of a PUBLISH as they were on the wire, and what they say; the alias apart, for it goes no further. */
export interface LearntProperties {
  readonly bytes: Uint8Array;
  readonly properties: Properties;
  readonly alias: number | undefined;
}

/** As with topics: those of the last PUBLISH are compared before they are read. Messages share them unchanged. */
function learnProperties(channel: Channel, buf: Uint8Array): LearntProperties {
  const { propsStart, propsEnd } = scan;
  const last = channel.lastProperties;
  const named = scan.topicStart < scan.topicEnd;
  if (last !== null && (named || last.alias !== undefined) && same(last.bytes, buf, propsStart, propsEnd))
    return last;
  const { topicAlias: alias, ...properties } = readPublishProperties(buf, scan, 'server');
  const bytes = propsEnd - propsStart;
  const learnt = {
    bytes: bytes > LEARNT_BYTES_MAX ? NOTHING : copyOf(buf, propsStart, propsEnd),
    properties,
    alias,
  };
  channel.lastProperties = bytes > LEARNT_BYTES_MAX ? null : learnt;
  return learnt;
}

const copyOf = (buf: Uint8Array, start: number, end: number): Uint8Array =>
  Uint8Array.prototype.slice.call(buf, start, end);

function same(bytes: Uint8Array, buf: Uint8Array, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  let i = 0;
  while (i < bytes.length && bytes[i] === buf[start + i]) i++;
  return i === bytes.length;
}

/** Most publishers repeat themselves: comparing bytes is cheaper than reading a string. */
function learnTopic(channel: Channel, buf: Uint8Array, start: number, end: number): void {
  const last = channel.lastTopicBytes;
  if (last !== null && same(last, buf, start, end)) return;
  const topic = readTopic(buf, start, end);
  const { maxTopicLevels } = channel.entrance.settings;
  if (end - start >= maxTopicLevels && topicLevels(topic).length > maxTopicLevels)
    throw new MqttError(ReasonCode.TopicNameInvalid);
  channel.lastTopic = topic;
  channel.lastTopicBytes = copyOf(buf, start, end);
}
