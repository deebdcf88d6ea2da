import { randomBytes } from 'node:crypto';
import { encodePublish, publishBytes, writePublish } from '@mqdeck/mqtt/encode';
import type { Properties, QoS } from '@mqdeck/mqtt/packets';
import { encodeProperties } from '@mqdeck/mqtt/properties';
import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import type { Descent } from './descent.ts';
import type { ClientInfo } from './hooks.ts';
import { isBehind } from './mountpoint.ts';

/** A serialised PUBLISH, shared by all who get it: first byte and packet id are written into each copy. */
export class Frame {
  readonly buf: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly packetIdAt: number; // from `start`; 0 without packet id
  readonly aliasAt: number; // as well; 0 without topic alias
  readonly alias: number; // that is written there; a client with another one gets a copy

  constructor(buf: Uint8Array, start: number, end: number, packetIdAt: number, aliasAt = 0, alias = 0) {
    this.buf = buf;
    this.start = start;
    this.end = end;
    this.packetIdAt = packetIdAt;
    this.aliasAt = aliasAt;
    this.alias = alias;
  }
}

/** A message that a hook has made, or a store has kept, and that no packet can carry. */
export class Unencodable extends Error {}

export interface MessageChange {
  topic?: string;
  payload?: Uint8Array;
  qos?: QoS;
  retain?: boolean;
  properties?: Properties;
}

const MESSAGE_BYTES = 300; // of the objects around topic and payload
const USER_PROPERTY_BYTES = 90; // as well, around a name and a value
const NO_BYTES = new Uint8Array(0);
const NOBODY: readonly string[] = Object.freeze([]);
const NO_PROPERTIES: Properties = Object.freeze({});
const idPrefix = randomBytes(4).toString('hex');
let idCount = 0;

/**
 * One message, from its publisher to all receivers. It is serialised once per version (3.x, 5.0), with or without
 * packet id, and per subscription identifier; what a client sent is passed on as it came where that is the same.
 */
export class Message {
  topic: string;
  qos: QoS;
  retain: boolean;
  /** The publisher's client id, '' when nobody's. */
  readonly from: string;
  readonly publisher: ClientInfo | null;
  readonly timestamp: number; // epoch ms
  expiresAt: number; // epoch ms, 0 = never
  /** How many sessions' queues hold it. */
  queues = 0;
  /** The number of its body in the store, 0 = not there. */
  stored = 0;
  /** A handler of `message.publish` wrote it to the store: its acknowledgement waits for the group. */
  mustLast = false;
  /** The broker speaks of itself; see `PublishInput`. */
  system = false;
  /** The rules that have made it, one of another's message. */
  trail: readonly string[] = NOBODY;
  /** What rules have made of it and of its origin; null until they make something. */
  descent: Descent | null = null;
  private buf: Uint8Array;
  private payloadStart: number;
  private payloadEnd: number;
  private props: Properties;
  private kept = false;
  private identity: string | null = null;
  private view: Uint8Array | null = null;
  private plain0: Frame | null = null; // 3.x without packet id …
  private plain1: Frame | null = null; // … and with
  private five0: Frame | null = null;
  private five1: Frame | null = null;
  private identified: Map<number, Frame> | null = null;
  private aliased0: Frame | null = null; // an alias for a topic
  private aliased1: Frame | null = null;
  private seen: { message: Message; mountpoint: string } | null = null;

  constructor(
    topic: string,
    qos: QoS,
    retain: boolean,
    buf: Uint8Array,
    payloadStart: number,
    payloadEnd: number,
    properties: Properties | null,
    from: string,
    publisher: ClientInfo | null,
    timestamp: number,
  ) {
    this.topic = topic;
    this.qos = qos;
    this.retain = retain;
    this.buf = buf;
    this.payloadStart = payloadStart;
    this.payloadEnd = payloadEnd;
    if (payloadStart === 0 && payloadEnd === buf.length) this.view = buf;
    this.props = properties ?? NO_PROPERTIES;
    this.from = from;
    this.publisher = publisher;
    this.timestamp = timestamp;
    const expiry = properties?.messageExpiryInterval;
    this.expiresAt = expiry === undefined ? 0 : timestamp + expiry * 1000;
  }

  /** 32 hex digits, unique in the cluster as far as chance goes. */
  get id(): string {
    if (this.identity === null) {
      idCount = (idCount + 1) >>> 0;
      this.identity =
        this.timestamp.toString(16).padStart(16, '0') + idPrefix + idCount.toString(16).padStart(8, '0');
    }
    return this.identity;
  }

  get payload(): Uint8Array {
    this.view ??= this.buf.subarray(this.payloadStart, this.payloadEnd);
    return this.view;
  }

  get payloadBytes(): number {
    return this.payloadEnd - this.payloadStart;
  }

  /** Those a receiver may see; without topic alias and subscription identifiers. */
  get properties(): Readonly<Properties> {
    return this.props;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    let bytes = MESSAGE_BYTES + this.payloadBytes + this.topic.length;
    if (this.props === NO_PROPERTIES) return bytes;
    const { contentType, responseTopic, correlationData, userProperty } = this.props;
    bytes += (contentType?.length ?? 0) + (responseTopic?.length ?? 0) + (correlationData?.length ?? 0);
    for (const [name, value] of userProperty ?? []) bytes += USER_PROPERTY_BYTES + name.length + value.length;
    return bytes;
  }

  expired(now: number): boolean {
    return this.expiresAt !== 0 && this.expiresAt <= now;
  }

  /** For handlers of `message.publish` only: later it is on its way. */
  change({ topic, payload, qos, retain, properties }: MessageChange): void {
    if (payload !== undefined) {
      this.buf = payload;
      this.payloadStart = 0;
      this.payloadEnd = payload.length;
      this.view = payload;
    }
    if (topic !== undefined) this.topic = topic;
    if (qos !== undefined) this.qos = qos;
    if (retain !== undefined) this.retain = retain;
    if (properties !== undefined) {
      this.props = properties;
      const expiry = properties.messageExpiryInterval;
      this.expiresAt = expiry === undefined ? 0 : this.timestamp + expiry * 1000;
    }
    this.plain0 = null;
    this.plain1 = null;
    this.five0 = null;
    this.five1 = null;
    this.identified = null;
    this.aliased0 = null;
    this.aliased1 = null;
    this.seen = null;
  }

  /** The publisher's own frame is good for receivers of the same version and kind of QoS. */
  passOn(five: boolean, start: number, end: number, packetIdAt: number): void {
    const frame = new Frame(this.buf, start, end, packetIdAt);
    if (five) {
      if (packetIdAt === 0) this.five0 = frame;
      else this.five1 = frame;
    } else if (packetIdAt === 0) this.plain0 = frame;
    else this.plain1 = frame;
  }

  frame(five: boolean, qos: QoS, identifier: number): Frame {
    if (five && identifier !== 0) return this.identifiedFrame(qos, identifier);
    if (five) {
      if (qos === 0) {
        this.five0 ??= this.serialise(true, 0, this.props);
        return this.five0;
      }
      this.five1 ??= this.serialise(true, 1, this.props);
      return this.five1;
    }
    if (qos === 0) {
      this.plain0 ??= this.serialise(false, 0, NO_PROPERTIES);
      return this.plain0;
    }
    this.plain1 ??= this.serialise(false, 1, NO_PROPERTIES);
    return this.plain1;
  }

  /** As `frame`, with the rest of the expiry of a message that waited [MQTT-3.3.2-6]. */
  frameAfterWait(five: boolean, qos: QoS, identifier: number, now: number): Frame {
    if (!five || !this.hasWaited(now)) return this.frame(five, qos, identifier);
    return this.serialise(true, qos, this.propertiesFor(identifier, now));
  }

  /**
   * For 5.0, under a topic alias; `named` tells the client which topic that is. Without it receivers share one frame with
   * the alias of the first of them.
   */
  aliasedFrame(alias: number, named: boolean, qos: QoS, identifier: number, now: number): Frame {
    if (named || identifier !== 0 || this.hasWaited(now))
      return this.serialiseAliased(alias, named, qos, this.propertiesFor(identifier, now));
    if (qos === 0) {
      this.aliased0 ??= this.serialiseAliased(alias, false, 0, this.props);
      return this.aliased0;
    }
    this.aliased1 ??= this.serialiseAliased(alias, false, 1, this.props);
    return this.aliased1;
  }

  private hasWaited(now: number): boolean {
    return this.expiresAt !== 0 && now - this.timestamp >= 1000;
  }

  private propertiesFor(identifier: number, now: number): Properties {
    const properties = identifier === 0 ? this.props : withIdentifier(this.props, identifier);
    if (!this.hasWaited(now)) return properties;
    return { ...properties, messageExpiryInterval: Math.max(0, Math.ceil((this.expiresAt - now) / 1000)) };
  }

  /** As clients behind a mountpoint see it: without that before its topic. */
  seenFrom(mountpoint: string): Message {
    if (!isBehind(mountpoint, this.topic)) return this;
    if (this.seen?.mountpoint === mountpoint) return this.seen.message;
    const { qos, retain, buf, payloadStart, payloadEnd, props, from, publisher, timestamp } = this;
    const topic = this.topic.slice(mountpoint.length);
    const message = new Message(
      topic,
      qos,
      retain,
      buf,
      payloadStart,
      payloadEnd,
      props,
      from,
      publisher,
      timestamp,
    );
    message.expiresAt = this.expiresAt;
    this.seen = { message, mountpoint };
    return message;
  }

  /** It will stay: do not let some bytes keep the whole chunk of the network in memory. */
  keep(): void {
    if (this.kept) return;
    this.kept = true;
    this.seen = null; // it holds the same bytes
    this.aliased0 = null; // it holds a slab
    const { buf, payloadStart, payloadEnd } = this;
    if (buf.byteLength < 2 * (payloadEnd - payloadStart) + 256 && buf.buffer.byteLength < 2 * buf.byteLength)
      return;
    const source = this.plain1 ?? this.five1 ?? this.plain0 ?? this.five0;
    if (source && source.buf === buf && source.end === payloadEnd) {
      // The payload lies in the frame: one copy serves both
      const copy = copyOf(buf, source.start, source.end);
      const moved = new Frame(copy, 0, copy.length, source.packetIdAt);
      if (source === this.plain1) this.plain1 = moved;
      else if (source === this.five1) this.five1 = moved;
      else if (source === this.plain0) this.plain0 = moved;
      else this.five0 = moved;
      this.buf = copy;
      this.payloadStart = payloadStart - source.start;
      this.payloadEnd = copy.length;
    } else {
      this.buf = copyOf(buf, payloadStart, payloadEnd);
      this.payloadStart = 0;
      this.payloadEnd = this.buf.length;
    }
    this.view = null;
  }

  private identifiedFrame(qos: QoS, identifier: number): Frame {
    const key = identifier * 2 + (qos === 0 ? 0 : 1);
    this.identified ??= new Map();
    let frame = this.identified.get(key);
    if (!frame) {
      frame = this.serialise(true, qos, withIdentifier(this.props, identifier));
      this.identified.set(key, frame);
    }
    return frame;
  }

  private serialiseAliased(alias: number, named: boolean, qos: QoS, properties: Properties): Frame {
    const raw = aliasAnd(alias, properties);
    const topic = named ? encodeUtf8(this.topic) : NO_BYTES;
    const { payload } = this;
    if (qos > 0) {
      const { bytes, packetIdOffset } = encodePublish(topic, raw, payload, qos, false, false, 5);
      return new Frame(
        bytes,
        0,
        bytes.length,
        packetIdOffset,
        bytes.length - payload.length - raw.length + 1,
        alias,
      );
    }
    const bytes = publishBytes(topic.length, raw.length, payload.length, 0, 5);
    const start = room(bytes);
    const { buf } = slab;
    const end = writePublish(buf, start, topic, raw, payload, 0, false, false, 0, 5);
    return new Frame(buf, start, end, 0, bytes - payload.length - raw.length + 1, alias);
  }

  private serialise(five: boolean, qos: QoS, properties: Properties): Frame {
    try {
      const { bytes, packetIdOffset } = encodePublish(
        topicBytes(this.topic),
        five ? properties : null,
        this.payload,
        qos,
        false,
        false,
        five ? 5 : 4,
      );
      return new Frame(bytes, 0, bytes.length, packetIdOffset);
    } catch (cause) {
      throw new Unencodable('no packet can carry this message', { cause });
    }
  }
}

const TOPIC_ALIAS = 0x23;
const aliasAlone = Uint8Array.of(TOPIC_ALIAS, 0, 0);

/** The alias and the other properties; valid until the next call. */
function aliasAnd(alias: number, properties: Properties): Uint8Array {
  const rest = properties === NO_PROPERTIES ? NO_BYTES : encodeProperties(properties);
  const raw = rest.length === 0 ? aliasAlone : new Uint8Array(3 + rest.length);
  raw[0] = TOPIC_ALIAS;
  raw[1] = alias >>> 8;
  raw[2] = alias;
  if (rest.length > 0) raw.set(rest, 3);
  return raw;
}

const SLAB_BYTES = 64 * 1024;
const slab = { buf: new Uint8Array(0), used: 0 };

/** Room for a QoS 0 frame in `slab.buf`, right behind the one before: a burst of them is sent as one run. */
function room(bytes: number): number {
  if (slab.used + bytes > slab.buf.length) {
    slab.buf = new Uint8Array(Math.max(SLAB_BYTES, bytes));
    slab.used = 0;
  }
  slab.used += bytes;
  return slab.used - bytes;
}

/** A message that no connection brought: a will, REST, a rule. */
export function newMessage(
  topic: string,
  payload: Uint8Array | string,
  options: {
    qos?: QoS;
    retain?: boolean;
    properties?: Properties;
    from?: string;
    publisher?: ClientInfo | null;
    timestamp: number;
  },
): Message {
  const { qos = 0, retain = false, properties = null, from = '', publisher = null, timestamp } = options;
  const bytes = typeof payload === 'string' ? encodeUtf8(payload) : payload;
  return new Message(topic, qos, retain, bytes, 0, bytes.length, properties, from, publisher, timestamp);
}

const withIdentifier = (properties: Properties, identifier: number): Properties => ({
  ...properties,
  subscriptionIdentifier: [identifier], // [MQTT-3.3.4-3]
});

const SHORT_TOPIC = 128;
const scratch = new Uint8Array(SHORT_TOPIC);
const scratchViews: Uint8Array[] = [];

/** Valid until the next call: a short topic in ASCII needs neither an encoder nor bytes of its own. */
function topicBytes(topic: string): Uint8Array {
  const { length } = topic;
  if (length > SHORT_TOPIC) return encodeUtf8(topic);
  for (let i = 0; i < length; i++) {
    const code = topic.charCodeAt(i);
    if (code > 0x7f) return encodeUtf8(topic);
    scratch[i] = code;
  }
  scratchViews[length] ??= scratch.subarray(0, length);
  return scratchViews[length];
}

function copyOf(buf: Uint8Array, start: number, end: number): Uint8Array {
  if (start === end) return NO_BYTES;
  const copy = Buffer.allocUnsafe(end - start);
  if (end - start > 200) copy.set(buf.subarray(start, end));
  else for (let from = start, to = 0; from < end; from++, to++) copy[to] = buf[from]!;
  return copy;
}
