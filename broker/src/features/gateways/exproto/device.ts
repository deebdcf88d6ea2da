import type { QoS } from '@mqdeck/mqtt/packets';
import { ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import type { GuestPeer } from '../../../core/guest.ts';
import type { Timer } from '../../../core/timer-wheel.ts';
import type { Gateway, Guest, GuestDelivery, Link, LinkEvents } from '../protocol.ts';
import type { Handler } from './handler.ts';
import type { ClientInfo, CodeResponse, HandlerEvent, ResultCode } from './messages.ts';

const PAUSE_BYTES = 64 * 1024; // that the handler has not taken yet: the device waits …
const RESUME_BYTES = 16 * 1024;
const BYTES_MAX = 1024 * 1024; // … or, where it cannot be told to, datagrams are dropped
const CALL_BYTES_MAX = 64 * 1024; // of chunks that go as one
const MESSAGES_MAX = 1000;
const CALL_MESSAGES_MAX = 100;
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;
/** A silent device goes after so many intervals. */
const PATIENCE = 1.5;

const SOCKET_TYPES = { tcp: 'TCP', ssl: 'SSL', udp: 'UDP', dtls: 'DTLS' } as const;

interface Told {
  event: HandlerEvent;
  /** What of the device goes with the call. */
  request: () => object;
  bytes: number;
}

export interface DeviceParts {
  readonly gateway: Gateway<{ idle_timeout: string | number }>;
  readonly handler: Handler;
  readonly idleMs: number;
  readonly onEnd: (device: Device) => void;
}

export const done: CodeResponse = { code: 'SUCCESS', message: '' };
export const failed = (code: Exclude<ResultCode, 'SUCCESS'>, message: string): CodeResponse => ({
  code,
  message,
});

/**
 * One connection of a device. What happens on it is told to the handler, one event after the other; when the handler does
 * not take one, the connection ends, for nobody could say what the device has meant.
 */
export class Device implements LinkEvents {
  readonly conn: string;
  private readonly link: Link;
  private readonly parts: DeviceParts;
  private guest: Guest | null = null;
  private isArriving = false;
  private readonly toTell: Told[] = [];
  private readonly chunks: Buffer[] = [];
  private chunkBytes = 0;
  private deliveries: GuestDelivery[] = [];
  private telling = false;
  private paused = false; // for the handler is behind …
  private isHeldBack = false; // … or the broker is
  private isHeld = false;
  private ended: string | null = null;
  private closed = false;
  private lingers = false;
  private saidGoodbye = false;
  private heardAt: number;
  private keepaliveMs = 0;
  private timer: Timer | null;

  constructor(conn: string, link: Link, parts: DeviceParts) {
    this.conn = conn;
    this.link = link;
    this.parts = parts;
    const { core } = parts.gateway;
    this.heardAt = core.clock.now;
    this.timer = core.timers.after(parts.idleMs, () => this.nobodyCame());
    this.tell('OnSocketCreated', () => ({ conninfo: this.connection }));
  }

  // --- what happens on the link

  onBytes(bytes: Buffer): void {
    if (this.ended !== null) return;
    this.heardAt = this.parts.gateway.core.clock.now;
    this.guest?.countReceived(bytes.length);
    if (this.chunkBytes + bytes.length > BYTES_MAX) {
      if (this.link.transport === 'udp') return;
      this.end('the handler does not keep up');
      return;
    }
    this.chunks.push(bytes);
    this.chunkBytes += bytes.length;
    if (this.chunkBytes > PAUSE_BYTES) this.pause(true);
    void this.go();
  }

  onClose(): void {
    if (this.closed) return;
    this.closed = true;
    this.timer?.cancel();
    for (const delivery of this.deliveries.splice(0)) this.guest?.dropped(delivery, 'queue_full');
    if (this.ended === null) {
      // It hung up by itself: what it said last still counts, and until the handler has it, it is there
      this.ended = 'closed';
      this.lingers = true;
    } else {
      this.chunks.length = 0;
      this.leave();
    }
    void this.go();
  }

  private leave(): void {
    const { guest } = this;
    this.lingers = false;
    this.guest = null;
    if (guest?.connected) guest.leave(this.ended ?? 'closed', false);
  }

  /** With a reason for the handler and the operator. */
  end(reason: string): void {
    if (this.ended !== null) return;
    this.ended = reason;
    this.link.end();
  }

  // --- what the handler wants

  private get isThere(): boolean {
    return this.ended === null || this.lingers;
  }

  send(bytes: Buffer): CodeResponse {
    if (this.ended !== null) return gone;
    if (this.link.bufferedBytes + bytes.length > UNSENT_BYTES_MAX) {
      this.end('the device does not take what is sent to it');
      return gone;
    }
    this.link.send(bytes);
    this.guest?.countSent(bytes.length);
    return done;
  }

  async authenticate({ proto_name, proto_ver, clientid, username }: ClientInfo, password: string) {
    if (!this.isThere) return gone;
    if (this.guest !== null || this.isArriving)
      return failed('PERMISSION_DENY', 'the device is authenticated already');
    this.isArriving = true;
    const answer = await this.parts.gateway
      .connect({
        link: this.place,
        clientid,
        username: username === '' ? null : username,
        password: password === '' ? null : password,
        keepalive: 0,
        protocolName: proto_name,
        protocolVersion: proto_ver,
        receive: (delivery) => this.receive(delivery),
        onGone: (why) => {
          this.guest = null;
          this.end(why);
        },
      })
      .finally(() => {
        this.isArriving = false;
      });
    if ('refused' in answer) return failed('PERMISSION_DENY', answer.why);
    if (!this.isThere) {
      if (answer.connected) answer.leave(this.ended ?? 'closed', false);
      return gone;
    }
    this.guest = answer;
    if (!this.lingers && this.keepaliveMs === 0) this.timer?.cancel();
    return done;
  }

  startTimer(seconds: number): CodeResponse {
    if (this.ended !== null) return gone;
    if (seconds === 0) return failed('PARAMS_TYPE_ERROR', 'the interval must be longer than zero');
    this.keepaliveMs = seconds * 1000 * PATIENCE;
    this.guest?.setKeepalive(seconds);
    this.watch();
    return done;
  }

  async publish(topic: string, qos: number, payload: Buffer): Promise<CodeResponse> {
    return this.asGuest(topic, qos, isValidTopic, async (guest) =>
      guest.publish({ topic, qos: qos as QoS, payload, retain: false }),
    );
  }

  async subscribe(filter: string, qos: number): Promise<CodeResponse> {
    return this.asGuest(
      filter,
      qos,
      () => true,
      (guest) => guest.subscribe(filter, { qos: qos as QoS }),
    );
  }

  unsubscribe(filter: string): CodeResponse {
    if (!this.isThere) return gone;
    if (this.guest === null) return stranger;
    this.guest.unsubscribe(filter);
    return done;
  }

  private async asGuest(
    topic: string,
    qos: number,
    isValid: (topic: string) => boolean,
    act: (guest: Guest) => Promise<ReasonCode>,
  ): Promise<CodeResponse> {
    if (!this.isThere) return gone;
    if (this.guest === null) return stranger;
    if (qos > 2) return failed('PARAMS_TYPE_ERROR', 'the QoS is 0, 1 or 2');
    if (!isValid(topic)) return failed('PARAMS_TYPE_ERROR', 'nothing can be published to this topic');
    const reasonCode = await act(this.guest);
    if (reasonCode < 0x80) return done;
    if (reasonCode === ReasonCode.NotAuthorized) return failed('PERMISSION_DENY', 'it is not allowed');
    return failed('PARAMS_TYPE_ERROR', reasonName(reasonCode));
  }

  // --- messages to the device

  private receive(delivery: GuestDelivery): void {
    const { guest } = this;
    if (this.ended !== null || guest === null) return;
    if (this.deliveries.length >= MESSAGES_MAX) {
      guest.dropped(delivery, 'queue_full');
      return;
    }
    this.deliveries.push(delivery);
    void this.go();
  }

  // --- telling

  private tell(event: HandlerEvent, request: () => object): void {
    this.toTell.push({ event, request, bytes: 0 });
    void this.go();
  }

  /** What is next for the handler: events, then bytes, then messages, each in its order; at the end the goodbye. */
  private next(): Told | null {
    const told = this.toTell.shift();
    if (told) return told;
    if (this.chunks.length > 0 && this.isThere) return this.nextBytes();
    if (this.deliveries.length > 0 && this.ended === null) return this.nextMessages();
    if (!this.closed || this.saidGoodbye) return null;
    this.saidGoodbye = true;
    const reason = this.ended;
    return { event: 'OnSocketClosed', request: () => ({ reason }), bytes: 0 };
  }

  /** Chunks of a stream go together, datagrams stay what they are. */
  private nextBytes(): Told {
    let count = 1;
    let bytes = this.chunks[0]!.length;
    if (this.link.transport !== 'udp')
      while (count < this.chunks.length && bytes + this.chunks[count]!.length <= CALL_BYTES_MAX)
        bytes += this.chunks[count++]!.length;
    const chunks = this.chunks.splice(0, count);
    return {
      event: 'OnReceivedBytes',
      request: () => ({ bytes: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks) }),
      bytes,
    };
  }

  private nextMessages(): Told {
    const deliveries = this.deliveries.splice(0, CALL_MESSAGES_MAX);
    const { guest } = this;
    const { node } = this.parts.gateway.core;
    for (const delivery of deliveries) guest?.delivered(delivery);
    return {
      event: 'OnReceivedMessages',
      request: () => ({
        messages: deliveries.map(({ message, topic, payload, qos }) => ({
          node,
          id: message.id,
          qos,
          from: message.from,
          topic,
          payload,
          timestamp: message.timestamp,
        })),
      }),
      bytes: 0,
    };
  }

  private async go(): Promise<void> {
    if (this.telling) return;
    this.telling = true;
    for (let told = this.next(); told !== null; told = this.next()) {
      try {
        await this.parts.handler.tell(told.event, { conn: this.conn, ...told.request() });
      } catch (cause) {
        this.chunks.length = 0; // what follows would make no sense to it
        this.end((cause as Error).message);
      }
      if (told.event === 'OnSocketClosed') {
        this.leave();
        this.parts.onEnd(this);
      }
      this.chunkBytes -= told.bytes;
      if (!this.closed && this.chunkBytes < RESUME_BYTES) this.pause(false);
    }
    this.telling = false;
  }

  private pause(paused: boolean): void {
    this.paused = paused;
    this.obeyPauses();
  }

  private obeyPauses(): void {
    const held = this.paused || this.isHeldBack;
    if (held === this.isHeld) return;
    this.isHeld = held;
    const peer: GuestPeer = this.link;
    if (held) peer.pause?.();
    else peer.resume?.();
  }

  /**
   * Where the broker sees the device: at its socket, but also after it hung up, for what it said last. An address of
   * datagrams hangs up never.
   */
  private get place(): Link & GuestPeer {
    const { transport, listener, address, port, certCommonName, certSubject } = this.link;
    if (transport === 'udp') return this.link;
    const holdBack = (held: boolean) => {
      this.isHeldBack = held;
      this.obeyPauses();
    };
    return {
      transport,
      listener,
      address,
      port,
      certCommonName,
      certSubject,
      bufferedBytes: 0, // what waits for the handler is counted here
      send: (bytes) => this.link.send(bytes),
      end: () => this.link.end(),
      destroy: () => this.link.destroy(),
      pause: () => holdBack(true),
      resume: () => holdBack(false),
    };
  }

  // --- silence

  /** The handler has not said who this is. */
  private nobodyCame(): void {
    if (this.guest === null) this.end('idle_timeout');
  }

  private watch(): void {
    this.timer?.cancel();
    const { core } = this.parts.gateway;
    const leftMs = this.heardAt + this.keepaliveMs - core.clock.now;
    this.timer = core.timers.after(Math.max(leftMs, 0), () => {
      if (this.ended !== null) return;
      if (core.clock.now - this.heardAt < this.keepaliveMs) {
        this.watch();
        return;
      }
      this.tell('OnTimerTimeout', () => ({ type: 'KEEPALIVE' }));
      this.end('keepalive_timeout');
    });
  }

  private get connection(): object {
    const { transport, address, port, certCommonName, certSubject } = this.link;
    return {
      socktype: SOCKET_TYPES[transport],
      peername: { host: address, port },
      sockname: { host: '', port: 0 }, // a link does not know where it came in
      ...(certSubject !== null && { peercert: { cn: certCommonName ?? '', dn: certSubject } }),
    };
  }
}

export const gone = failed('CONN_PROCESS_NOT_ALIVE', 'there is no such connection');
const stranger = failed('PERMISSION_DENY', 'the device is not authenticated');
