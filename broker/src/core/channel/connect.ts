import { randomUUID } from 'node:crypto';
import { connackReturnCode } from '@mqdeck/mqtt/encode';
import { type ConnectPacket, PacketType, type Properties } from '@mqdeck/mqtt/packets';
import { carried } from '@mqdeck/mqtt/permitted';
import { MqttError, ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import { topicLevels } from '@mqdeck/mqtt/topics';
import { C } from '../counters.ts';
import type { ClientInfo } from '../hooks.ts';
import { checkMountpoint, mountpointOf } from '../mountpoint.ts';
import { Refusal } from '../refusal.ts';
import type { Opened } from '../registry.ts';
import type { ConnectFacts } from '../session.ts';
import type { Terms, ZoneSettings } from '../settings.ts';
import { type Channel, Phase } from './channel.ts';
import { authenticateInSteps } from './enhanced-auth.ts';
import { introduce } from './introduce.ts';
import { OutboundAliases } from './outbound-aliases.ts';

/** The order is that of section 3.1.4; a step refuses by throwing MqttError(reasonCode). */
export async function onConnect(channel: Channel, packet: ConnectPacket): Promise<void> {
  const { core } = channel;
  const { hooks, counters } = core;
  const { properties } = packet;
  counters.add(C['client.connect']);
  channel.problemInformation = properties.requestProblemInformation !== false; // [MQTT-3.1.2-29]
  channel.packetOutMax = properties.maximumPacketSize ?? Number.POSITIVE_INFINITY;

  const who = introduce(channel, packet);
  who.mountpoint = mountpointOf(channel.entrance.mountpoint, who);
  channel.who = who;
  checkWill(channel, packet);
  await hooks.ask('client.connect', who, packet);
  const { authenticationMethod: method = null } = properties;
  channel.method = method;
  let proof: { data: Uint8Array | null } | null = null;
  if (method === null) await authenticate(channel, who, packet);
  else proof = await authenticateInSteps(channel, who, packet, method);
  if (channel.phase !== Phase.Opening) return; // the client did not wait

  const assigned = packet.clientid === ''; // by us, or by what its certificate or username says
  if (who.clientid === '') who.clientid = `auto-${randomUUID()}`; // [MQTT-3.1.3-7]
  // Its names are final now
  checkMountpoint(channel.entrance.mountpoint, who);
  who.mountpoint = mountpointOf(channel.entrance.mountpoint, who);
  const turn = core.connects.enter(who.clientid);
  if (turn !== null) await turn;
  try {
    if (channel.phase !== Phase.Opening) return; // the client did not wait
    const { session, present } = await openSession(channel, packet, who);
    if (session.channel !== channel) return; // the connection did not last as long

    counters.add(C['client.connack']);
    const said = channel.five ? offers(channel, packet, assigned, who, proof?.data ?? null) : {};
    channel.greet({
      type: PacketType.CONNACK,
      sessionPresent: present, // [MQTT-3.2.2-2]
      reasonCode: ReasonCode.Success,
      properties: said,
    });
    hooks.tell('client.connack', who, ReasonCode.Success, null, said);
    counters.add(C['client.connected']);
    hooks.tell('client.connected', session);
    hooks.tell(present ? 'session.resumed' : 'session.created', session);
    if (present) session.resume(channel);
    else session.drain();
  } finally {
    core.connects.leave(who.clientid);
  }
}

/** CONNACK promises that the session and its will last, and that another one has ended for good: the store writes first. */
async function openSession(channel: Channel, packet: ConnectPacket, who: ClientInfo): Promise<Opened> {
  const { core, entrance } = channel;
  const { store, registry } = core;
  const asked = requests(channel, packet);
  const lasts = asked.expiryInterval > 0 || (registry.find(who.clientid)?.store ?? null) !== null;
  if (store !== null && store.trouble !== null && lasts) throw unwritable();
  channel.expiryAsked = asked.expiryInterval;
  if (store !== null) store.owed = false;
  const opened = registry.open(entrance, who, asked);
  const { session, present } = opened;
  session.will = packet.will;
  channel.open(session, who, asked.keepalive);
  core.persist(session);
  if (!store?.owed) return opened;
  try {
    await store.safe();
  } catch {
    channel.fail(unwritable());
    if (!present) registry.end(session, 'session.discarded'); // its client does not know of it
  }
  return opened;
}

const unwritable = (): Refusal => new Refusal(ReasonCode.QuotaExceeded, 'the store cannot be written');

function checkWill({ entrance: { settings } }: Channel, { will }: ConnectPacket): void {
  if (!will) return;
  if (will.qos > settings.maxQosAllowed) throw new MqttError(ReasonCode.QoSNotSupported); // [MQTT-3.2.2-12]
  if (will.retain && !settings.retainAvailable) throw new MqttError(ReasonCode.RetainNotSupported); // [MQTT-3.2.2-13]
  if (topicLevels(will.topic).length > settings.maxTopicLevels)
    throw new MqttError(ReasonCode.TopicNameInvalid);
}

/** Asks who a client is; throws when it shall not come in. */
export async function authenticate(
  { core, entrance }: Pick<Channel, 'core' | 'entrance'>,
  who: ClientInfo,
  packet: ConnectPacket,
): Promise<void> {
  const { hooks, counters } = core;
  const { authenticates } = entrance;
  counters.add(C['client.authenticate']);
  try {
    if (authenticates === 'quick_deny_anonymous' && who.username === null)
      throw new Refusal(ReasonCode.NotAuthorized, 'the listener takes nobody without username');
    const result = authenticates && (await hooks.ask('client.authenticate', who, packet)); // [MQTT-3.1.4-2]
    if (result && !result.allow) throw new Refusal(result.reasonCode, result.why);
    counters.add(C['authentication.success']);
    if (hooks.used['client.authenticate_complete'].length > 0)
      hooks.tell(
        'client.authenticate_complete',
        who,
        ReasonCode.Success,
        !result,
        (result ? result.source : null) ?? null,
      );
    if (result) return;
    counters.add(C['authentication.success.anonymous']);
    counters.add(C['client.auth.anonymous']);
  } catch (cause) {
    counters.add(C['authentication.failure']);
    const reasonCode = cause instanceof MqttError ? cause.reasonCode : ReasonCode.NotAuthorized;
    if (hooks.used['client.authenticate_complete'].length > 0)
      hooks.tell(
        'client.authenticate_complete',
        who,
        reasonCode,
        false,
        cause instanceof Refusal ? (cause.why ?? null) : null,
      );
    if (cause instanceof MqttError) throw cause;
    core.log.error(
      { err: cause, clientid: who.clientid },
      'authentication failed to decide; the client is refused',
    );
    throw new MqttError(ReasonCode.NotAuthorized);
  }
}

function requests({ entrance: { settings } }: Channel, packet: ConnectPacket): ConnectFacts {
  const { protocolVersion, cleanStart, properties } = packet;
  const kept = cleanStart ? 0 : settings.sessionExpiryIntervalS;
  return {
    protocolVersion,
    bridge: packet.bridge,
    cleanStart,
    keepalive: settings.serverKeepaliveS ?? packet.keepAlive, // [MQTT-3.2.2-21]
    expiryInterval: protocolVersion === 5 ? (properties.sessionExpiryInterval ?? 0) : kept,
    inflightMax: properties.receiveMaximum ?? 65_535,
  };
}

function offers(
  channel: Channel,
  packet: ConnectPacket,
  assigned: boolean,
  who: ClientInfo,
  proof: Uint8Array | null,
): Properties {
  const { core, entrance } = channel;
  const { settings } = entrance;
  channel.told = termsOf(settings);
  channel.aliasMax = settings.maxTopicAlias;
  const aliasesOut = Math.min(packet.properties.topicAliasMaximum ?? 0, core.settings.maxTopicAliasOut);
  if (aliasesOut > 0) channel.aliasesOut = new OutboundAliases(aliasesOut); // [MQTT-3.1.2-26] [MQTT-3.1.2-27]
  const offer: Properties = {
    topicAliasMaximum: settings.maxTopicAlias,
    maximumPacketSize: settings.maxPacketBytes,
    retainAvailable: settings.retainAvailable,
    wildcardSubscriptionAvailable: settings.wildcardSubscription,
    sharedSubscriptionAvailable: settings.sharedSubscription,
    subscriptionIdentifierAvailable: true,
  };
  if (Number.isFinite(settings.maxAwaitingRel))
    offer.receiveMaximum = Math.max(1, Math.min(settings.maxAwaitingRel, 65_535));
  if (settings.maxQosAllowed < 2) offer.maximumQoS = settings.maxQosAllowed as 0 | 1; // [MQTT-3.2.2-9]
  if (assigned) offer.assignedClientIdentifier = who.clientid; // [MQTT-3.2.2-16]
  if (settings.serverKeepaliveS !== null) offer.serverKeepAlive = settings.serverKeepaliveS;
  if (packet.properties.requestResponseInformation && settings.responseInformation !== '')
    offer.responseInformation = settings.responseInformation;
  if (channel.method !== null) offer.authenticationMethod = channel.method; // [MQTT-4.12.0-5]
  if (proof !== null) offer.authenticationData = proof;
  return offer;
}

const termsOf = ({
  maxPacketBytes,
  maxQosAllowed,
  retainAvailable,
  wildcardSubscription,
  sharedSubscription,
  maxAwaitingRel,
}: ZoneSettings): Terms => ({
  maxPacketBytes,
  maxQosAllowed,
  retainAvailable,
  wildcardSubscription,
  sharedSubscription,
  maxAwaitingRel,
});

/** [MQTT-3.2.2-7] */
export function refuse(channel: Channel, reasonCode: ReasonCode, text?: string, why?: string): void {
  const { core } = channel;
  const refusal = reasonCode < 0x80 ? ReasonCode.UnspecifiedError : reasonCode; // a hook may throw anything
  if (channel.session !== null) channel.session.will = null; // of a connection that has not come about
  const denied =
    reasonCode === ReasonCode.BadUserNameOrPassword ||
    reasonCode === ReasonCode.NotAuthorized ||
    reasonCode === ReasonCode.Banned;
  // The name of the code says nothing that the code does not say
  const reasonString = channel.problemInformation && text !== reasonName(reasonCode) ? text : undefined;
  const properties = reasonString === undefined ? {} : { reasonString };
  core.counters.add(C['packets.connack.error']);
  if (denied) core.counters.add(C['packets.connack.auth_error']);
  core.counters.add(C['client.connack']);
  channel.send({
    type: PacketType.CONNACK,
    sessionPresent: false, // [MQTT-3.2.2-6]
    reasonCode: channel.five ? carried(PacketType.CONNACK, refusal) : connackReturnCode(refusal), // [MQTT-3.2.2-8]
    properties,
  });
  const told = why ?? (text === reasonName(reasonCode) ? undefined : text);
  core.hooks.tell(
    'client.connack',
    channel.who ?? stranger(channel),
    refusal,
    told ?? null,
    channel.five ? properties : {},
  );
  channel.close('refused');
}

/** Who sent a CONNECT that could not be read. */
const stranger = ({ connection, listener, version }: Channel): ClientInfo => ({
  clientid: '',
  username: null,
  address: connection.remoteAddress,
  port: connection.remotePort,
  listener,
  protocolVersion: version,
  mountpoint: null,
  isSuperuser: false,
  attributes: {},
  authExpiresAt: null,
});

/** Of these a 3.x client hears, which otherwise is told nothing when it breaks its protocol [MQTT311-3.1.4-1]. */
const ANSWERED_OLD: ReadonlySet<number> = new Set([
  ReasonCode.UnsupportedProtocolVersion,
  ReasonCode.PacketTooLarge,
  ReasonCode.QuotaExceeded,
]);

/**
 * A CONNECT that was not read to its end is answered in the version that it begins with, unless its bytes make no sense. A
 * client of the future is answered in the newest language we have, one that gives 5.0 another name in the older one
 * [MQTT-3.1.2-2].
 */
export function failUnread(channel: Channel, cause: MqttError, level: number | null): void {
  const { reasonCode, message } = cause;
  const five =
    level !== null && (reasonCode === ReasonCode.UnsupportedProtocolVersion ? level > 5 : level === 5);
  const answered = five ? reasonCode !== ReasonCode.MalformedPacket : ANSWERED_OLD.has(reasonCode);
  if (level === null || !answered) {
    channel.fail(cause);
    return;
  }
  channel.five = five;
  channel.version = five ? 5 : 4;
  refuse(channel, reasonCode, message);
}
