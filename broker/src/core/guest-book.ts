import { randomUUID } from 'node:crypto';
import { type ConnectPacket, PacketType } from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import { authenticate } from './channel/connect.ts';
import type { Entrance } from './entrance.ts';
import {
  Guest,
  type GuestFacts,
  type GuestIntroduction,
  type GuestPeer,
  type GuestRefused,
  willOf,
} from './guest.ts';
import type { ClientInfo } from './hooks.ts';
import { checkMountpoint, mountpointOf } from './mountpoint.ts';
import type { MqttCore } from './mqtt-core.ts';
import type { ZoneSettings } from './settings.ts';

/** Whoever knocks all the time fills no log with it: one line, and how many others there were. */
const REPORT_EVERY_MS = 1000;
const ID_SHOWN = 256;

/** Those of one gateway who are there, by client id. Nobody else lets one in. */
export class GuestBook {
  readonly name: string;
  readonly guests = new Map<string, Guest>();
  private readonly core: MqttCore;
  /** Being let in: who repeats itself meanwhile gets the same answer. */
  private readonly arriving: { peer: GuestPeer; clientid: string; answer: Promise<Guest | GuestRefused> }[] =
    [];
  private closed = false;
  private reportedAt = Number.NEGATIVE_INFINITY;
  private unsaid = 0;

  constructor(core: MqttCore, name: string) {
    this.core = core;
    this.name = name;
  }

  /** In the order of a CONNECT: blacklist and limits, who it is, what it may be called, who was there before. */
  connect(peer: GuestPeer, asked: GuestIntroduction): Promise<Guest | GuestRefused> {
    const { clientid } = asked;
    const known = this.arriving.find(
      (one) => one.peer === peer && clientid !== '' && one.clientid === clientid,
    );
    if (known) return known.answer;
    const arrival = { peer, clientid, answer: this.letIn(peer, asked) };
    this.arriving.push(arrival);
    void arrival.answer.finally(() => this.arriving.splice(this.arriving.indexOf(arrival), 1));
    return arrival.answer;
  }

  /** All go, and nobody comes any more. */
  close(): void {
    this.closed = true;
    this.core.guestBooks.delete(this);
    for (const guest of [...this.guests.values()]) guest.sendAway('stopped');
  }

  private async letIn(peer: GuestPeer, asked: GuestIntroduction): Promise<Guest | GuestRefused> {
    const { core } = this;
    const entrance = core.entrance(peer.listener);
    const who = introduced(this.name, peer, asked, entrance);
    const packet = packetOf(asked);
    try {
      checkNames(who, entrance.settings);
      if (
        packet.will &&
        (!isValidTopic(packet.will.topic) || packet.will.qos > entrance.settings.maxQosAllowed)
      )
        throw new MqttError(ReasonCode.TopicNameInvalid, 'the will cannot be published');
      who.mountpoint = mountpointOf(entrance.mountpoint, who);
      await core.hooks.ask('client.connect', who, packet);
      await authenticate({ core, entrance }, who, packet);
      if (who.clientid === '') who.clientid = `auto-${randomUUID()}`;
      checkMountpoint(entrance.mountpoint, who); // its names are final now
      who.mountpoint = mountpointOf(entrance.mountpoint, who);
    } catch (cause) {
      return this.refuse(who, cause);
    }
    if (peer.closed === true || this.closed)
      return { refused: ReasonCode.UnspecifiedError, why: 'the connection has ended' };
    const before = this.guests.get(who.clientid);
    // Who comes again over the same link knows it, and must not be told to go
    if (before?.peer === peer) before.leave('takenover', false);
    else before?.sendAway('takenover');
    const guest = new Guest(core, this, peer, who, asked);
    this.guests.set(who.clientid, guest);
    core.hooks.tell('client.connack', who, ReasonCode.Success, null, {});
    core.hooks.tell('client.connected', guest);
    core.hooks.tell('session.created', guest);
    return guest;
  }

  private refuse(who: ClientInfo, cause: unknown): GuestRefused {
    const { log, hooks } = this.core;
    const known = cause instanceof MqttError;
    if (!known)
      log.error({ err: cause, clientid: who.clientid }, 'it failed to be decided; the device is refused');
    const refused = known && cause.reasonCode >= 0x80 ? cause.reasonCode : ReasonCode.UnspecifiedError;
    const told = (cause as { why?: string }).why;
    const why = known ? (told ?? cause.message) : 'it failed; the log says more';
    hooks.tell('client.connack', who, refused, why, {});
    this.report(who, refused, why);
    return { refused, why };
  }

  private report(
    { clientid, username, address, listener }: ClientInfo,
    refused: ReasonCode,
    why: string,
  ): void {
    const { clock, log } = this.core;
    if (clock.now - this.reportedAt < REPORT_EVERY_MS) {
      this.unsaid++;
      return;
    }
    const who = { clientid: clientid.slice(0, ID_SHOWN), username: username?.slice(0, ID_SHOWN) ?? null };
    log.info(
      { ...who, address, listener, reason: reasonName(refused), why, others: this.unsaid },
      'a device of a gateway was not let in',
    );
    this.reportedAt = clock.now;
    this.unsaid = 0;
  }
}

const introduced = (
  gateway: string,
  peer: GuestPeer,
  asked: GuestIntroduction,
  entrance: Entrance,
): ClientInfo => ({
  clientid: asked.clientid,
  username: asked.username,
  address: peer.address,
  port: peer.port,
  listener: peer.listener,
  protocolVersion: 5, // what it is handed may need all of it
  mountpoint: null,
  isSuperuser: false,
  attributes: {},
  authExpiresAt: null,
  zone: entrance.zone,
  certCommonName: peer.certCommonName,
  certSubject: peer.certSubject,
  guest: {
    gateway,
    protocolName: asked.protocolName,
    protocolVersion: asked.protocolVersion,
    facts: textsOf(asked.extra),
  },
});

const textsOf = (facts: GuestFacts = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );

const packetOf = (asked: GuestIntroduction): ConnectPacket => ({
  type: PacketType.CONNECT,
  protocolVersion: 5,
  bridge: false,
  cleanStart: asked.cleanStart ?? true,
  keepAlive: asked.keepalive,
  clientid: asked.clientid,
  username: asked.username,
  password: asked.password === null ? null : encodeUtf8(asked.password),
  will: willOf(asked.will ?? null),
  properties: {},
});

const TEXT_CHARS_MAX = 65_535;
const NO_TEXT = /\0|\p{Surrogate}/u;

function checkNames({ clientid, username }: ClientInfo, { maxClientidLength }: ZoneSettings): void {
  if (clientid.length > maxClientidLength || NO_TEXT.test(clientid))
    throw new MqttError(ReasonCode.ClientIdentifierNotValid);
  if (username !== null && (username.length > TEXT_CHARS_MAX || NO_TEXT.test(username)))
    throw new MqttError(ReasonCode.BadUserNameOrPassword);
}
