import { isValidTopic } from '@mqdeck/mqtt/topics';
import type { Guest, GuestMessage, Link } from '../protocol.ts';
import { returnCodeOf } from './codes.ts';
import {
  type ConnectPacket,
  MsgType,
  type Packet,
  PROTOCOL_ID,
  type PublishPacket,
  ReturnCode,
} from './packets.ts';
import { publishUnconnected } from './publish-unconnected.ts';
import { Session, type SessionFacts } from './session.ts';
import type { Shared } from './shared.ts';

/** A CONNECT whose will is asked for, section 6.3. */
interface Prompting {
  readonly connect: ConnectPacket;
  readonly since: number; // epoch ms
  will: GuestMessage | null;
}

const NO_BYTES = new Uint8Array(0);

/** What only a connected device may ask for. Nothing else is answered: two gateways must not keep on answering each other. */
const NEEDS_CONNECTION: ReadonlySet<number> = new Set([
  MsgType.REGISTER,
  MsgType.PUBLISH,
  MsgType.PUBREL,
  MsgType.SUBSCRIBE,
  MsgType.UNSUBSCRIBE,
  MsgType.PINGREQ,
  MsgType.WILLTOPICUPD,
  MsgType.WILLMSGUPD,
]);

/** Who speaks from one address, or as one node behind a forwarder; connected when it has a session. */
export class Peer {
  readonly link: Link;
  session: Session | null = null;
  /** Whether it may come in is being found out. */
  connecting = false;
  private readonly shared: Shared;
  private readonly write: (packet: Packet) => number;
  private prompting: Prompting | null = null;
  private closed = false;

  constructor(shared: Shared, link: Link, write: (packet: Packet) => number) {
    this.shared = shared;
    this.link = link;
    this.write = write;
  }

  /** It has nothing here that would have to stay. */
  get idle(): boolean {
    if (this.session !== null || this.connecting) return false;
    const { core } = this.shared.gateway;
    return this.prompting === null || core.clock.now - this.prompting.since >= this.shared.idleMs;
  }

  send(packet: Packet) {
    if (this.closed) return;
    const bytes = this.write(packet);
    this.session?.guest?.countSent(bytes);
  }

  /** The session has ended, or the device speaks from somewhere else now. */
  left(session: Session) {
    if (this.session === session) this.session = null;
  }

  close() {
    this.closed = true;
    this.session?.unlinked();
    this.session = null;
  }

  receive(packet: Packet, bytes: number) {
    const { session } = this;
    session?.guest?.countReceived(bytes);
    switch (packet.type) {
      case MsgType.SEARCHGW:
        return this.send({
          type: MsgType.GWINFO,
          gatewayId: this.shared.gateway.config.gateway_id,
          address: NO_BYTES,
        });
      case MsgType.CONNECT:
        return this.onConnect(packet);
      case MsgType.WILLTOPIC:
      case MsgType.WILLMSG:
        if (this.prompting !== null) return this.onWill(this.prompting, packet);
        break;
      case MsgType.PINGREQ:
        if (packet.clientid !== null && packet.clientid !== session?.clientid && !this.connecting)
          return this.onMoved(packet.clientid);
        break;
      default:
        break;
    }
    if (session !== null) return session.onPacket(packet);
    if (this.connecting) return; // it does not know yet that it is connected, and tries again
    if (packet.type === MsgType.PUBLISH && packet.qos === -1) return this.publishUnconnected(packet);
    if (NEEDS_CONNECTION.has(packet.type)) this.send({ type: MsgType.DISCONNECT, duration: null });
  }

  private publishUnconnected(packet: PublishPacket) {
    const { shared, link } = this;
    if (shared.unconnected.full) return; // nobody waits for an answer
    shared.unconnected.run(() => publishUnconnected(shared, link, packet));
  }

  private onConnect(packet: ConnectPacket) {
    if (this.connecting) return; // the same again
    const { clientid, duration, protocolId } = packet;
    const { session } = this;
    const { maxClientidLength } = this.shared.gateway.core.settings;
    if (protocolId !== PROTOCOL_ID || clientid === '' || clientid.length > maxClientidLength)
      return this.connack(ReturnCode.NotSupported);
    if (session?.clientid === clientid) {
      if (session.sleeping) return session.wake(duration);
      if (session.fresh && !packet.will) return this.connack(ReturnCode.Accepted); // it was lost
    }
    this.prompting = null;
    if (!packet.will) return this.enter(packet, null);
    this.prompting = { connect: packet, since: this.shared.gateway.core.clock.now, will: null };
    this.send({ type: MsgType.WILLTOPICREQ });
  }

  private onWill(prompting: Prompting, packet: Packet) {
    const { connect } = prompting;
    if (packet.type === MsgType.WILLTOPIC && packet.topic === null) {
      this.prompting = null;
      return this.enter({ ...connect, will: false }, null);
    }
    if (packet.type === MsgType.WILLTOPIC && packet.topic !== null) {
      const { topic, qos, retain } = packet;
      if (!isValidTopic(topic)) {
        this.prompting = null;
        return this.connack(ReturnCode.NotSupported);
      }
      prompting.will = { topic, qos: qos === -1 ? 0 : qos, retain, payload: NO_BYTES };
      return this.send({ type: MsgType.WILLMSGREQ });
    }
    if (packet.type !== MsgType.WILLMSG || prompting.will === null) return;
    this.prompting = null;
    this.enter(connect, { ...prompting.will, payload: packet.message });
  }

  private connack(code: ReturnCode): void {
    this.send({ type: MsgType.CONNACK, code });
  }

  /** `will` null: none is given, and one that was left here stays where the session does. */
  private enter(packet: ConnectPacket, will: GuestMessage | null): void {
    const { clientid, duration, cleanSession } = packet;
    const left = this.shared.sessions.get(clientid) ?? null;
    const old = left !== null && (left.sleeping || !cleanSession) ? left : null;
    const facts = {
      clientid,
      keepalive: duration,
      clean: cleanSession,
      will: will ?? (packet.will ? null : (old?.will ?? null)),
    };
    this.admit(facts, old, (session) => session.open(old !== null));
  }

  /** A sleeper speaks from another address than before. */
  private onMoved(clientid: string) {
    const old = this.shared.sessions.get(clientid);
    if (!old?.sleeping) return this.send({ type: MsgType.DISCONNECT, duration: null });
    const { keepaliveS: keepalive, clean, will, sleepSeconds } = old;
    this.admit({ clientid, keepalive, clean, will }, old, (session) => session.fetch(sleepSeconds));
  }

  private admit(facts: SessionFacts, old: Session | null, begin: (session: Session) => void): void {
    this.connecting = true;
    this.ask(facts, old, begin)
      .catch((err: unknown) => {
        if (old !== null) old.heir = null;
        this.shared.gateway.log.error({ err, clientid: facts.clientid }, 'mqttsn_connect_failed');
        this.connack(ReturnCode.Congestion);
      })
      .finally(() => {
        this.connecting = false;
      });
  }

  /** Blacklist, limits and authentication are asked for each new address, also of who comes back. */
  private async ask(
    facts: SessionFacts,
    old: Session | null,
    begin: (session: Session) => void,
  ): Promise<void> {
    const { gateway } = this.shared;
    const session = new Session(this.shared, this, facts, old);
    const subscriptions = [...(old?.guest?.guestSubscriptions.values() ?? [])];
    if (old !== null) old.heir = session;
    old?.guest?.setWill(null); // it has not died
    const answer = await gateway.connect({
      link: this.link,
      clientid: facts.clientid,
      username: null,
      password: null,
      keepalive: facts.keepalive,
      protocolName: 'MQTT-SN',
      protocolVersion: '1.2',
      cleanStart: facts.clean,
      expiryInterval: facts.clean ? 0 : gateway.core.settings.sessionExpiryIntervalS,
      will: facts.will,
      receive: (delivery) => session.receive(delivery),
      onGone: (why) => session.onGone(why),
    });
    if ('refused' in answer) {
      if (old !== null) old.heir = null;
      old?.guest?.setWill(old.will);
      return this.connack(returnCodeOf(answer.refused));
    }
    if (session.ended) return; // somebody else has come under its client id
    if (this.closed) return answer.leave('closed', true);
    this.settle(session, answer, old);
    await session.resubscribe(subscriptions);
    begin(session);
  }

  private settle(session: Session, guest: Guest, old: Session | null): void {
    const { sessions } = this.shared;
    sessions.get(session.clientid)?.replaced();
    // Who was here before under another client id is no more
    this.session?.abandoned();
    this.session = session;
    sessions.set(session.clientid, session);
    session.begin(guest, old);
  }
}
