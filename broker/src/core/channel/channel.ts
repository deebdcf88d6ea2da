import { bodyStart } from '@mqdeck/mqtt/bytes';
import { connectLevel, decodeConnect, decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket, PINGRESP_FRAME } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import {
  type AckPacket,
  type ConnackPacket,
  type Packet,
  PacketType,
  type ProtocolVersion,
  type QoS,
} from '@mqdeck/mqtt/packets';
import { carried } from '@mqdeck/mqtt/permitted';
import { MqttError, protocolError, ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import type { AccessCache } from '../access.ts';
import { CONNECT_BYTES_MAX, type Newcomer } from '../connect-budget.ts';
import type { Connection, ConnectionEvents } from '../connection.ts';
import { C } from '../counters.ts';
import type { Entrance } from '../entrance.ts';
import type { ClientInfo } from '../hooks.ts';
import { type ClientLimits, type Limited, Verdict } from '../limiter/client-limits.ts';
import type { Message } from '../message.ts';
import type { MqttCore } from '../mqtt-core.ts';
import { Output, type OutputOwner } from '../output.ts';
import { Refusal } from '../refusal.ts';
import type { Route } from '../router.ts';
import type { Session } from '../session.ts';
import type { Terms } from '../settings.ts';
import type { Creditor } from '../store/session-store.ts';
import type { Timer } from '../timer-wheel.ts';
import { Traffic } from '../traffic.ts';
import { onAck } from './acks.ts';
import { failUnread, onConnect, refuse } from './connect.ts';
import { onDisconnect } from './disconnect.ts';
import { type Exchange, onAuth } from './enhanced-auth.ts';
import type { OutboundAliases } from './outbound-aliases.ts';
import { type LearntProperties, onPublish } from './publish.ts';
import { onSubscribe, onUnsubscribe } from './subscribe.ts';

/** Waiting for CONNECT, busy with it, connected, over. */
export const Phase = { New: 0, Opening: 1, Open: 2, Closed: 3 } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

const PUBLISHED = C['messages.qos0.sent'];
const QOS_STEP = C['messages.qos1.sent'] - C['messages.qos0.sent'];
const SENT: Partial<Record<number, number>> = {
  [PacketType.CONNACK]: C['packets.connack.sent'],
  [PacketType.PUBACK]: C['packets.puback.sent'],
  [PacketType.PUBREC]: C['packets.pubrec.sent'],
  [PacketType.PUBREL]: C['packets.pubrel.sent'],
  [PacketType.PUBCOMP]: C['packets.pubcomp.sent'],
  [PacketType.SUBACK]: C['packets.suback.sent'],
  [PacketType.UNSUBACK]: C['packets.unsuback.sent'],
  [PacketType.PINGRESP]: C['packets.pingresp.sent'],
  [PacketType.DISCONNECT]: C['packets.disconnect.sent'],
  [PacketType.AUTH]: C['packets.auth.sent'],
};
const RECEIVED: Partial<Record<number, number>> = {
  [PacketType.CONNECT]: C['packets.connect.received'],
  [PacketType.PUBLISH]: C['packets.publish.received'],
  [PacketType.PUBACK]: C['packets.puback.received'],
  [PacketType.PUBREC]: C['packets.pubrec.received'],
  [PacketType.PUBREL]: C['packets.pubrel.received'],
  [PacketType.PUBCOMP]: C['packets.pubcomp.received'],
  [PacketType.SUBSCRIBE]: C['packets.subscribe.received'],
  [PacketType.UNSUBSCRIBE]: C['packets.unsubscribe.received'],
  [PacketType.PINGREQ]: C['packets.pingreq.received'],
  [PacketType.DISCONNECT]: C['packets.disconnect.received'],
  [PacketType.AUTH]: C['packets.auth.received'],
};

const PACKET_TIMEOUT_MS = 60_000; // from its first byte to its last, whatever the keep alive; or that, when longer
/** What does not wait behind a PUBLISH that a limit holds back: a sign of life, and what others' messages wait for. */
const OVERTAKING: ReadonlySet<number> = new Set([
  PacketType.PINGREQ,
  PacketType.PUBACK,
  PacketType.PUBREC,
  PacketType.PUBCOMP,
]);
const ALIAS_BYTES = 3 + 2; // and what the two lengths before it may grow by
const CARRIER_BYTES = 1024; // of WebSocket around a CONNECT: headers of its frames, pings
const EFFORT = 32; // packets and receivers, until it is worth asking the time
const LIMITED_BYTES = 16 * 1024; // packets read of a client that a limit holds back; with more it is not listened to
const GONE_PATIENCE_MS = 30_000; // a limit lets a client that has left be heard so long; then what it published is dropped
const OWED_MAX = 2000; // acknowledgements waiting for the store; above it the publisher has to wait too

interface Waiting {
  header: number;
  buf: Uint8Array;
  start: number;
  end: number;
}

/** One connection's MQTT: packets in, packets out. Keeps what is true of the connection only; the rest is the session's. */
export class Channel implements ConnectionEvents, OutputOwner, Creditor, Limited, Newcomer {
  readonly core: MqttCore;
  readonly connection: Connection;
  readonly entrance: Entrance;
  readonly traffic = new Traffic();
  readonly output: Output;
  phase: Phase = Phase.New;
  version: ProtocolVersion = 4;
  five = false;
  who: ClientInfo | null = null;
  session: Session | null = null;
  /** More is unsent than the high-water mark: the session's queue waits. */
  congested = false;
  /** CONNACK has gone out; until then nothing else may. */
  private greeted = false;
  packetOutMax = Number.POSITIVE_INFINITY; // bytes, the client's Maximum Packet Size
  problemInformation = true;
  /** What a 5.0 client was told, and may rely on. */
  told: Terms | null = null;
  expiryAsked = 0; // seconds, of CONNECT
  method: string | null = null; // of an enhanced authentication
  exchange: Exchange | null = null; // while it is going on
  /** What it was allowed and denied lately. */
  access: AccessCache | null = null;
  /** Goes before each of its topics; null = nothing. */
  mountpoint: string | null = null;
  /** The topics behind the client's aliases. */
  aliases: Map<number, string> | null = null;
  aliasMax = 0; // as announced
  aliasChars = 0; // of all topics in `aliases`
  /** Ours, towards a client that allows some. */
  aliasesOut: OutboundAliases | null = null;
  lastTopic = '';
  lastTopicBytes: Uint8Array | null = null;
  lastRoute: Route | null = null;
  lastProperties: LearntProperties | null = null;
  private readonly framer: Framer;
  private lastSeen: number;
  /** When the first byte of the unfinished packet came, epoch ms; 0 without one. */
  private unfinishedSince = 0;
  private finishedOne = false; // in the chunk at hand
  private timer: Timer | null = null;
  private authTimer: Timer | null = null;
  private suspended = false;
  private backlog: Waiting[] = [];
  /** Who answers CONNECT and wants to hear more of the client before. */
  private listening: { resolve: (packet: Packet) => void; reject: (cause: unknown) => void } | null = null;
  private owed = 0;
  private paused = false;
  /** Packets handled and messages handed out since the time was asked last. */
  effort = 0;
  /** It publishes what a store has to write that has enough to write already. */
  fillsStore = false;
  /** The rest of a burst waits in the backlog, for a later turn. */
  private resting = false;
  private peerGone = false; // while it waits
  private goneTimer: Timer | null = null;
  /** What it may send; null = as much as it likes. */
  limits: ClientLimits | null = null;
  private limitsOf: unknown[] = []; // epoch, rates and zone they were made for
  /** A limit holds back its PUBLISH; what else waits, waits behind it. */
  private limited = false;
  private backlogBytes = 0;
  private connectBytes = 0; // of CONNECT, while its client is authenticated
  /** Bytes that a limit holds back. */
  private heldChunks: Uint8Array[] | null = null;
  /** A PUBLISH is answered and not passed on: of this one packet, of this chunk, from now on. */
  refusing = false;
  private refusingChunk = false;
  private refusingAll = false;

  constructor(core: MqttCore, connection: Connection, entrance: Entrance) {
    this.core = core;
    this.connection = connection;
    this.entrance = entrance;
    this.output = new Output(connection, core.turn, this);
    this.framer = new Framer(entrance.settings.maxPacketBytes);
    this.lastSeen = core.clock.now;
    this.timer = core.timers.after(entrance.settings.idleTimeoutMs, () => this.close('idle_timeout'));
  }

  get listener(): string {
    return this.entrance.id;
  }

  /** What holds for what the client does: as it was told, or what its zone says now. */
  get terms(): Terms {
    return this.told ?? this.entrance.settings;
  }

  // --- bytes in

  onBytes(chunk: Uint8Array): void {
    if (this.phase === Phase.Closed) return;
    const { core, traffic } = this;
    this.lastSeen = core.clock.refresh();
    core.counters.add(C['bytes.received'], chunk.length);
    traffic.bytesIn += chunk.length;
    traffic.readsIn++;
    if (this.heldChunks !== null) {
      this.heldChunks.push(chunk); // it was on its way
      return;
    }
    this.knowLimits();
    if (this.limits === null || this.affords(this.limits, chunk)) this.take(chunk);
  }

  private take(chunk: Uint8Array): void {
    const { maxPacketBytes } = this.terms;
    this.framer.maxPacketBytes =
      this.phase === Phase.New ? Math.min(maxPacketBytes, CONNECT_BYTES_MAX) : maxPacketBytes;
    try {
      // Another protocol's first bytes may look like a long packet: do not wait for its end
      if (this.phase === Phase.New && this.framer.pendingBytes === 0 && chunk[0]! >> 4 !== PacketType.CONNECT)
        throw protocolError('the first packet is not CONNECT'); // [MQTT-3.1.0-1]
      this.finishedOne = false;
      this.framer.push(chunk, this.onPacket);
      if (this.framer.pendingBytes === 0) this.unfinishedSince = 0;
      else if (this.finishedOne || this.unfinishedSince === 0) this.unfinishedSince = this.lastSeen;
      if (!this.greeted) this.holdsAsNewcomer(0);
    } catch (cause) {
      if (this.phase === Phase.New && this.framer.pendingBytes === 0 && cause instanceof MqttError)
        failUnread(this, cause, connectLevel(chunk, bodyStart(chunk), chunk.length));
      else this.fail(cause);
    }
  }

  /** What it keeps in memory before it is let in; `outside`: in what carries its bytes. */
  private holdsAsNewcomer(outside: number): void {
    if (this.phase === Phase.Closed) return;
    const { framer, connectBytes, backlogBytes } = this;
    this.core.connectBudget.holds(this, framer.heldBytes + connectBytes + backlogBytes + outside);
  }

  onUnfinished(bytes: number): boolean {
    if (this.greeted || this.phase === Phase.Closed) return false;
    if (bytes > CONNECT_BYTES_MAX + CARRIER_BYTES) this.fail(new MqttError(ReasonCode.PacketTooLarge));
    else this.holdsAsNewcomer(bytes);
    return true;
  }

  get unfinished(): boolean {
    return this.phase === Phase.New;
  }

  giveUp(): void {
    this.end(ReasonCode.ServerBusy);
  }

  private readonly onPacket = (header: number, buf: Uint8Array, start: number, end: number): void => {
    this.finishedOne = true;
    if (this.listening !== null) this.handOver(header, buf, start, end);
    else if (this.suspended || this.backlog.length > 0 || !this.mayHandle(header))
      this.waits(header, buf, start, end);
    else {
      this.handle(header, buf, start, end);
      this.restIfTooLong();
    }
  };

  private waits(header: number, buf: Uint8Array, start: number, end: number): void {
    if (this.limited && OVERTAKING.has(header >> 4)) {
      this.handle(header, buf, start, end);
      return;
    }
    this.backlog.push({ header, buf, start, end });
    this.backlogBytes += end - start;
    if (this.limited && this.backlogBytes > LIMITED_BYTES) this.connection.pause();
  }

  // --- limits

  /** Those of the moment: they may have changed since the last bytes. */
  private knowLimits(): void {
    const { core, entrance, limitsOf } = this;
    const { epoch } = core.limiter;
    if (limitsOf[0] === epoch && limitsOf[1] === entrance.rates && limitsOf[2] === entrance.zone) return;
    this.limitsOf = [epoch, entrance.rates, entrance.zone];
    const waited = this.limits?.waiting === true;
    this.limits = core.limiter.limitsFor(this, this.limits);
    this.refusing = false;
    if (waited) core.bursts.later(() => this.release());
  }

  /** Whether a chunk may be taken now; otherwise it is kept, and nothing more is read meanwhile. */
  private affords(limits: ClientLimits, chunk: Uint8Array): boolean {
    this.refusingChunk = false;
    if (this.phase !== Phase.Open || this.suspended) {
      limits.oweBytes(chunk.length);
      return true;
    }
    try {
      const verdict = limits.admitBytes(chunk.length);
      this.refusingChunk = verdict === Verdict.Drop;
      if (verdict !== Verdict.Wait) return true;
    } catch (cause) {
      this.fail(cause);
      return false;
    }
    this.heldChunks = [chunk];
    this.connection.pause();
    return false;
  }

  /** Whether a packet may be handled now: a PUBLISH needs tokens. */
  private mayHandle(header: number): boolean {
    const { limits } = this;
    if (limits === null || header >> 4 !== PacketType.PUBLISH || this.phase !== Phase.Open) return true;
    this.refusing = this.refusingChunk || this.refusingAll;
    if (this.refusing) return true;
    const verdict = limits.admitPublish();
    this.refusing = verdict === Verdict.Drop;
    if (verdict !== Verdict.Wait) return true;
    this.limited = true;
    this.suspended = true;
    return false;
  }

  /** What a limit held back is tried again. */
  release(): void {
    if (this.phase === Phase.Closed) return;
    if (this.deaf) this.lastSeen = this.core.clock.refresh();
    if (this.unfinishedSince !== 0) this.unfinishedSince = this.core.clock.now;
    this.knowLimits();
    if (this.limits?.waiting) return;
    if (this.heldChunks !== null) this.takeHeld(this.heldChunks);
    else if (this.limited) {
      this.limited = false;
      this.proceed();
    }
    this.leaveIfGone();
  }

  private takeHeld(chunks: Uint8Array[]): void {
    this.heldChunks = null;
    let next = 0;
    while (next < chunks.length && this.phase !== Phase.Closed && this.heldChunks === null) {
      const chunk = chunks[next++]!;
      if (this.limits === null || this.refusingAll || this.affords(this.limits, chunk)) this.take(chunk);
    }
    if (this.phase === Phase.Closed) return;
    (this.heldChunks as Uint8Array[] | null)?.push(...chunks.slice(next));
    this.listen();
  }

  /** Reads on, unless somebody wants to wait. A client that a limit holds back is heard, so that we notice when it goes. */
  private listen(): void {
    const { limited, suspended, paused, heldChunks, backlogBytes } = this;
    if (paused || heldChunks !== null || this.phase === Phase.Closed) return;
    if (limited ? backlogBytes <= LIMITED_BYTES : !suspended) this.connection.resume();
  }

  private get heldBack(): boolean {
    return this.limited || this.heldChunks !== null;
  }
  /** Held back, and not even listened to. */
  private get deaf(): boolean {
    return this.heldChunks !== null || (this.limited && this.backlogBytes > LIMITED_BYTES);
  }

  private leaveIfGone(): void {
    if (!this.peerGone || this.resting || this.phase === Phase.Closed) return;
    if (this.heldBack) this.goneTimer ??= this.core.timers.after(GONE_PATIENCE_MS, () => this.hearNoMore());
    else this.close('sock_closed');
  }

  /** It has left with more to say than its limits let through. What is no message still counts. */
  private hearNoMore(): void {
    if (this.limits === null) return;
    this.refusingAll = true;
    this.limits.end();
    this.release();
  }

  /** The client's next packet, while the others wait for the answer to CONNECT. */
  nextPacket(): Promise<Packet> {
    return new Promise((resolve, reject) => {
      this.listening = { resolve, reject };
      const waiting = this.backlog.shift();
      if (waiting !== undefined) this.backlogBytes -= waiting.end - waiting.start;
      if (waiting === undefined) this.connection.resume();
      else this.handOver(waiting.header, waiting.buf, waiting.start, waiting.end);
    });
  }

  private handOver(header: number, buf: Uint8Array, start: number, end: number): void {
    this.countReceived(header >> 4);
    const packet = decodePacket(header, buf, start, end, this.version, 'server');
    this.connection.pause();
    this.listening?.resolve(packet);
    this.listening = null;
  }

  private countReceived(type: number): void {
    const received = RECEIVED[type];
    if (received !== undefined) this.core.counters.add(received);
    this.traffic.packetsIn++;
  }

  private handle(header: number, buf: Uint8Array, start: number, end: number): void {
    if (this.phase === Phase.Closed) return;
    const type = header >> 4;
    this.countReceived(type);
    if (this.phase === Phase.New) {
      this.handleFirst(header, buf, start, end);
      return;
    }
    switch (type) {
      case PacketType.PUBLISH:
        onPublish(this, header, buf, start, end);
        return;
      case PacketType.PUBACK:
      case PacketType.PUBREC:
      case PacketType.PUBREL:
      case PacketType.PUBCOMP:
        onAck(this, header, buf, start, end);
        return;
      case PacketType.CONNECT:
        throw protocolError('second CONNECT'); // [MQTT-3.1.0-2]
    }
    const packet = decodePacket(header, buf, start, end, this.version, 'server');
    switch (packet.type) {
      case PacketType.SUBSCRIBE:
        onSubscribe(this, packet);
        break;
      case PacketType.UNSUBSCRIBE:
        onUnsubscribe(this, packet);
        break;
      case PacketType.PINGREQ:
        this.count(PacketType.PINGRESP);
        this.output.bytes(PINGRESP_FRAME); // [MQTT-3.12.4-1]
        if (this.core.hooks.used['client.ping'].length > 0)
          this.core.hooks.tell('client.ping', this.session!);
        break;
      case PacketType.DISCONNECT:
        onDisconnect(this, packet);
        break;
      case PacketType.AUTH:
        onAuth(this, packet);
        break;
    }
  }

  private handleFirst(header: number, buf: Uint8Array, start: number, end: number): void {
    this.timer?.cancel();
    let packet: ReturnType<typeof decodeConnect>;
    try {
      packet = decodeConnect(header, buf, start, end);
    } catch (cause) {
      if (!(cause instanceof MqttError)) throw cause;
      failUnread(this, cause, connectLevel(buf, start, end));
      return;
    }
    this.phase = Phase.Opening;
    this.version = packet.protocolVersion;
    this.five = packet.protocolVersion === 5;
    this.framer.maxPacketBytes = this.terms.maxPacketBytes;
    this.connectBytes = end - start;
    this.holdsAsNewcomer(0);
    if (!this.isOpening) return; // there was no room
    const answered = onConnect(this, packet);
    this.suspend(answered.finally(() => this.core.connectBudget.holds(this, 0)));
  }

  private get isOpening(): boolean {
    return this.phase === Phase.Opening;
  }

  /** Keeps later packets waiting until the promise has settled; a failure ends the connection. */
  suspend(until: Promise<void>): void {
    this.suspended = true;
    this.connection.pause();
    until.then(
      () => this.proceed(),
      (cause: unknown) => {
        this.suspended = false;
        this.fail(cause);
      },
    );
  }

  private proceed(): void {
    this.suspended = false;
    let done = 0;
    try {
      while (done < this.backlog.length && !this.suspended) {
        const { header, buf, start, end } = this.backlog[done]!;
        if (!this.mayHandle(header)) break;
        done++;
        this.backlogBytes -= end - start;
        this.handle(header, buf, start, end);
        this.restIfTooLong();
      }
    } catch (cause) {
      this.fail(cause);
    }
    this.backlog = this.phase === Phase.Closed ? [] : this.backlog.slice(done);
    this.listen();
  }

  /** A few kilobytes may be thousands of messages to thousands of subscribers each. */
  private restIfTooLong(): void {
    if (++this.effort < EFFORT) return;
    this.effort = 0;
    if (this.suspended || this.phase !== Phase.Open) return;
    const { bursts, store } = this.core;
    const full = this.fillsStore;
    this.fillsStore = false;
    if (!full && !bursts.tooLong) return;
    this.resting = true;
    this.suspended = true;
    this.connection.pause();
    const goOn = () => this.goOn();
    if (full && store !== null) store.onceSafe(goOn);
    else bursts.later(goOn);
  }

  private goOn(): void {
    this.resting = false;
    this.lastSeen = this.core.clock.refresh(); // it may have said more that we did not listen to
    this.proceed();
    this.leaveIfGone();
  }

  // --- bytes out

  /** Whether the client accepts a packet of that size [MQTT-3.1.2-24]; throws Unencodable when there is no packet. */
  fits(message: Message, qos: QoS, identifier: number): boolean {
    const { mountpoint } = this;
    const seen = mountpoint === null ? message : message.seenFrom(mountpoint);
    const frame = seen.frame(this.five, qos, identifier);
    return frame.end - frame.start <= this.packetOutMax;
  }

  publish(
    message: Message,
    qos: QoS,
    retain: boolean,
    dup: boolean,
    identifier: number,
    packetId: number,
  ): void {
    const { core, mountpoint } = this;
    const seen = mountpoint === null ? message : message.seenFrom(mountpoint);
    const { aliasesOut } = this;
    const alias = aliasesOut === null ? 0 : this.aliasFor(aliasesOut, seen, qos, identifier);
    const frame =
      alias !== 0
        ? seen.aliasedFrame(alias, aliasesOut!.isNew, qos, identifier, core.clock.now)
        : message.expiresAt === 0
          ? seen.frame(this.five, qos, identifier)
          : seen.frameAfterWait(this.five, qos, identifier, core.clock.now);
    const header = 0x30 | (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0);
    if (qos === 0 && frame.alias === alias && frame.buf[frame.start] === header)
      this.output.run(frame.buf, frame.start, frame.end);
    else this.output.patched(frame, header, packetId, alias);
    const { values } = core.counters;
    const place = PUBLISHED + qos * QOS_STEP;
    values[place] = values[place]! + 1;
    this.traffic.sent(qos);
    if (core.hooks.used['message.delivered'].length > 0)
      core.hooks.tell('message.delivered', this.session!, message, qos);
  }

  /** The alias of its topic, known or made just now; 0 where none is worth it. */
  private aliasFor(aliases: OutboundAliases, message: Message, qos: QoS, identifier: number): number {
    const { topic } = message;
    const known = aliases.known(topic);
    if (known !== 0 || !aliases.isWorthwhile(topic)) return known;
    const plain = message.frame(true, qos, identifier);
    if (plain.end - plain.start + ALIAS_BYTES > this.packetOutMax) return 0; // [MQTT-3.1.2-24]
    return aliases.assign(topic);
  }

  /** An acknowledgement that promises something: it waits when the store has to write first, and for those before it. */
  acknowledge(type: AckPacket['type'], packetId: number, reasonCode: number): void {
    const { store } = this.core;
    if (store !== null && (store.owed || this.owed > 0)) {
      this.owe();
      store.whenSafe(this, type, packetId, reasonCode, null);
    } else this.sendAck(type, packetId, reasonCode);
  }

  sendAck(type: AckPacket['type'], packetId: number, reasonCode: number): void {
    this.count(type);
    this.output.ack(type, packetId, reasonCode, this.version);
  }

  send(packet: Packet): void {
    if (this.phase === Phase.Closed) return;
    const bytes = this.encode(packet);
    if (bytes === null) return;
    this.count(packet.type);
    this.output.bytes(bytes);
  }

  /** A client that accepts no packet as small as this one cannot be served [MQTT-3.1.2-24]. */
  private encode(packet: Packet): Uint8Array | null {
    try {
      return encodePacket(packet, this.version, this.packetOutMax);
    } catch (cause) {
      if (!(cause instanceof MqttError)) throw cause;
      this.core.log.info(
        { clientid: this.who?.clientid, bytesMax: this.packetOutMax },
        'a client accepts too little',
      );
      this.close('packet_too_large');
      return null;
    }
  }

  /** As `acknowledge`, and a 5.0 client that wants to hear why is told [MQTT-3.1.2-29]. */
  explain(type: AckPacket['type'], packetId: number, reasonCode: number, reasonString: string): void {
    if (this.five && this.problemInformation && reasonCode >= 0x80 && reasonString !== '')
      this.sendWhenSafe({ type, packetId, reasonCode, properties: { reasonString } });
    else this.acknowledge(type, packetId, reasonCode);
  }

  /** As `send`, but after the store has written what the packet promises, and behind those that wait for it. */
  sendWhenSafe(packet: Packet): void {
    const { store } = this.core;
    if (store === null || (!store.owed && this.owed === 0)) {
      this.send(packet);
      return;
    }
    const bytes = this.encode(packet);
    if (bytes === null) return;
    this.owe();
    store.whenSafe(this, PacketType.PUBACK, packet.type, 0, bytes);
  }

  settle(type: AckPacket['type'], packetId: number, reasonCode: number, bytes: Uint8Array | null): void {
    this.owed--;
    if (this.phase === Phase.Closed) return;
    if (bytes === null) this.sendAck(type, packetId, reasonCode);
    else {
      this.count(packetId);
      this.output.bytes(bytes);
    }
    if (this.paused && this.owed < OWED_MAX / 2 && !this.overfull) this.unpause();
  }

  private owe(): void {
    this.owed++;
    if (this.owed > OWED_MAX) this.pause();
  }

  private count(type: number): void {
    const sent = SENT[type];
    if (sent !== undefined) this.core.counters.add(sent);
    this.traffic.packetsOut++;
  }

  onWritten(bytes: number): void {
    const { core, traffic, connection } = this;
    core.counters.add(C['bytes.sent'], bytes);
    traffic.bytesOut += bytes;
    traffic.writesOut++;
    this.congested = connection.bufferedBytes > core.settings.outputHighWaterBytes;
    // Messages stop at the mark, so the rest are answers to a client that asks without reading them
    if (this.congested && this.overfull) this.pause();
  }

  onDrain(): void {
    if (!this.greeted || (!this.congested && !this.paused)) return;
    this.congested = false;
    if (this.paused && this.owed < OWED_MAX) this.unpause();
    this.session?.drain();
  }

  private get overfull(): boolean {
    return this.connection.bufferedBytes > 2 * this.core.settings.outputHighWaterBytes;
  }

  private pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.connection.pause();
  }

  private unpause(): void {
    this.paused = false;
    if (this.unfinishedSince !== 0) this.unfinishedSince = this.core.clock.now; // it was us who did not read
    this.listen();
  }

  // --- from CONNECT to the end

  /** CONNECT is accepted. What comes for the client waits in its queue until it is greeted. */
  open(session: Session, who: ClientInfo, keepaliveS: number): void {
    this.phase = Phase.Open;
    this.congested = true;
    this.session = session;
    this.who = who;
    this.mountpoint = who.mountpoint;
    session.traffic = this.traffic;
    session.attach(this);
    this.core.registry.connectedCount++;
    this.keepAlive(keepaliveS);
    this.expireAuthentication();
  }

  /** Ends the connection when what its client has proven holds no longer. */
  expireAuthentication(): void {
    this.authTimer?.cancel();
    const expiresAt = this.who?.authExpiresAt ?? null;
    if (expiresAt === null) return;
    const { timers, clock } = this.core;
    this.authTimer = timers.after(expiresAt - clock.now, () => this.end(ReasonCode.NotAuthorized));
  }

  greet(connack: ConnackPacket): void {
    this.greeted = true;
    this.congested = false;
    this.send(connack);
  }

  /** [MQTT-3.1.2-22]; 0 = off. */
  keepAlive(seconds: number): void {
    this.timer?.cancel();
    if (seconds === 0) return;
    const lookAfter = (idleMs: number) => {
      const { keepaliveMultiplier, keepaliveCheckMs } = this.entrance.settings;
      const left = seconds * 1000 * keepaliveMultiplier - idleMs;
      if (left <= 0) this.end(ReasonCode.KeepAliveTimeout);
      else this.timer = this.core.timers.after(Math.min(left, keepaliveCheckMs), look);
    };
    const look = () => lookAfter(this.deaf ? 0 : this.core.clock.now - this.lastSeen);
    lookAfter(0);
  }

  /** Once a second: bytes that trickle in keep a connection alive, but only as long as they make packets. */
  sweep(now: number): void {
    if (this.heldBack) {
      this.knowLimits();
      return;
    }
    if (this.unfinishedSince === 0 || this.paused || this.suspended) return;
    const keepaliveMs = this.session!.keepalive * 1000 * this.entrance.settings.keepaliveMultiplier;
    if (now - this.unfinishedSince >= Math.max(PACKET_TIMEOUT_MS, keepaliveMs))
      this.end(ReasonCode.KeepAliveTimeout, 'a packet took too long to arrive');
  }

  /**
   * The broker ends the connection and, to a 5.0 client, says why. The will is published. Before CONNACK that is a
   * refusal; `why` is then for the operator.
   */
  end(reasonCode: ReasonCode, text?: string, why?: string): void {
    if (this.phase === Phase.Closed) return;
    if (this.phase !== Phase.New && !this.greeted) {
      refuse(this, reasonCode, text, why);
      return;
    }
    if (this.five && this.greeted) {
      const reasonString = this.problemInformation ? text : undefined;
      this.send({
        type: PacketType.DISCONNECT,
        reasonCode: carried(PacketType.DISCONNECT, reasonCode), // [MQTT-3.14.2-1]
        properties: reasonString === undefined ? {} : { reasonString },
      });
    }
    this.close(closeReason(reasonCode));
  }

  takenOver(): void {
    this.end(ReasonCode.SessionTakenOver);
  }

  /** What was thrown while handling the peer's bytes: its fault is told to it, ours to the log. */
  fail(cause: unknown): void {
    if (this.phase === Phase.Closed) return;
    const ours = !(cause instanceof MqttError);
    if (ours)
      this.core.log.error({ err: cause, clientid: this.who?.clientid }, 'a packet could not be handled');
    else
      this.core.log.debug(
        { reason: cause.message, clientid: this.who?.clientid },
        'a client broke the protocol',
      );
    const reasonCode = ours ? ReasonCode.UnspecifiedError : cause.reasonCode;
    const why = cause instanceof Refusal ? cause.why : undefined;
    this.end(reasonCode, ours ? undefined : cause.message, why);
  }

  onClose(): void {
    this.peerGone = true;
    if (this.heldBack) this.timer?.cancel(); // it keeps nothing alive any more, and what it has said still counts
    this.leaveIfGone();
  }

  private countLost(): void {
    const lost = this.backlog.filter(({ header }) => header >> 4 === PacketType.PUBLISH).length;
    this.core.counters.add(C['packets.publish.dropped'], lost);
    this.traffic.droppedIn += lost;
  }

  /** After the client's good-bye. Thousands that leave in the same moment keep the others waiting a little at a time. */
  closeInTurn(reason: string): void {
    if (!this.core.bursts.tooLong) {
      this.close(reason);
      return;
    }
    this.resting = true;
    this.suspended = true; // nothing may follow [MQTT-3.14.4-1]
    this.core.bursts.later(() => this.close(reason));
  }

  /** The one way out, whoever began. */
  close(reason: string): void {
    if (this.phase === Phase.Closed) return;
    const wasOpen = this.phase === Phase.Open;
    if (this.phase === Phase.New) this.core.connectBudget.holds(this, 0);
    this.output.flush();
    this.output.drop();
    this.phase = Phase.Closed;
    this.timer?.cancel();
    this.goneTimer?.cancel();
    this.authTimer?.cancel();
    this.exchange?.cancel();
    this.listening?.reject(new MqttError(ReasonCode.UnspecifiedError, 'the connection has ended'));
    this.listening = null;
    this.limits?.end();
    if (this.limited) this.countLost();
    this.backlog = [];
    this.connection.close(!this.greeted);
    const { core, session } = this;
    core.channels.delete(this);
    if (!wasOpen || !session) return;
    core.registry.connectedCount--;
    if (this.greeted) core.counters.add(C['client.disconnected']);
    session.detach();
    if (this.greeted) core.hooks.tell('client.disconnected', session, reason);
  }
}

/** The words of the `client.disconnected` event. */
function closeReason(reasonCode: ReasonCode): string {
  switch (reasonCode) {
    case ReasonCode.KeepAliveTimeout:
      return 'keepalive_timeout';
    case ReasonCode.SessionTakenOver:
      return 'takenover';
    case ReasonCode.AdministrativeAction:
      return 'kicked';
    case ReasonCode.ServerShuttingDown:
      return 'server_shutting_down';
    default:
      return reasonName(reasonCode)
        .replace(/(?<=.)[A-Z]/g, (capital) => `_${capital}`)
        .toLowerCase();
  }
}
