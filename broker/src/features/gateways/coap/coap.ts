import { timingSafeEqual } from 'node:crypto';
import type { CoapAnswer, CoapRequest as OperatorRequest } from '@mqdeck/contract/gateway-devices';
import type { CoapConfig } from '@mqdeck/contract/gateways';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { QoS } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Core } from '../../../core/core.ts';
import type { Gateway, Link, LinkEvents, Protocol, StartProtocol } from '../protocol.ts';
import { Budget } from './budget.ts';
import { Code, ContentFormat, codeName, textsOf, uintOf, uintOption } from './message.ts';
import { CoapPeer, type CoapRequest, type CoapResponse, type PeerRules, problem } from './peer.ts';
import { readQuery } from './query.ts';
import { isRefused, refusal } from './refusals.ts';
import { type Identity, Visitor } from './visitor.ts';

const WAITING_BYTES_MAX = 64 * 1024 * 1024; // of all devices together
/** A device that observes, and of which nothing was heard for so long, is asked whether it is there. */
const SILENCE_MS = 3_600_000;
const ASK_MS_MAX = 300_000;
const LOOK_MS = 60_000;

const METHODS = { get: Code.Get, put: Code.Put, post: Code.Post, delete: Code.Delete } as const;
const FORMATS = {
  'text/plain': ContentFormat.Text,
  'application/json': ContentFormat.Json,
  'application/octet-stream': ContentFormat.OctetStream,
} as const;

const LINKS = '</ps>;rt="core.ps",</mqtt/connection>';

type Query = ReadonlyMap<string, string>;

/** An address that sends datagrams, and who of it was let in last. */
interface Session {
  readonly peer: CoapPeer;
  visitor: Visitor | null;
  /** All that are there: where devices connect, one address may speak for several. */
  readonly visitors: Set<Visitor>;
  /** Those who come together from one address are let in one after the other. */
  entering: Promise<unknown>;
  closed: boolean;
}

/**
 * Devices that publish with PUT or POST to `ps/{topic}` and observe it with GET; where they have to connect first, at
 * `mqtt/connection`. Keeps who is there, by address and by client id.
 */
export class CoapGateway implements Protocol {
  private readonly gateway: Gateway<CoapConfig>;
  private readonly rules: PeerRules;
  private readonly sessions = new Map<CoapPeer, Session>();
  private readonly visitors = new Map<string, Visitor>();
  private readonly heartbeatMs: number;
  private readonly idleMs: number;

  constructor(gateway: Gateway<CoapConfig>) {
    this.gateway = gateway;
    const { timers, clock, settings } = gateway.core;
    this.rules = {
      timers,
      clock,
      budget: new Budget(WAITING_BYTES_MAX),
      bodyBytesMax: settings.maxPacketBytes,
      uploadBytesMax: settings.maxPacketBytes,
    };
    this.heartbeatMs = parseDuration(gateway.config.heartbeat) ?? 0;
    this.idleMs = parseDuration(gateway.config.idle_timeout) ?? 0;
  }

  accept(link: Link): LinkEvents {
    const peer: CoapPeer = new CoapPeer(
      link,
      {
        onRequest: (request) => this.onRequest(session, request),
        onUpload: (request) => this.onUpload(session, request),
        onLost: () => this.onLost(session),
        onSent: (bytes) => session.visitor?.guest.countSent(bytes),
      },
      this.rules,
    );
    const session: Session = {
      peer,
      visitor: null,
      visitors: new Set(),
      entering: Promise.resolve(),
      closed: false,
    };
    this.sessions.set(peer, session);
    return {
      onBytes: (bytes) => {
        session.visitor?.guest.countReceived(bytes.length);
        peer.receive(bytes);
      },
      onClose: () => {
        session.closed = true;
        this.sessions.delete(peer);
        peer.close();
        for (const visitor of [...session.visitors]) this.end(visitor, 'closed');
      },
    };
  }

  close(): void {
    running.delete(this.gateway.core);
  }

  /** A request of an operator to a device; undefined when there is no such device. Rejects with `NoAnswer`. */
  async ask(clientid: string, request: OperatorRequest): Promise<CoapAnswer | undefined> {
    const visitor = this.visitors.get(clientid);
    if (!visitor) return undefined;
    const isBinary = request.content_type === 'application/octet-stream';
    const timeoutMs = Math.min(parseDuration(request.timeout) ?? 0, ASK_MS_MAX);
    const { messageId, token, code, payload } = await visitor.peer.questions.ask(
      {
        code: METHODS[request.method],
        options: [uintOption('Content-Format', FORMATS[request.content_type])],
        payload: Buffer.from(request.payload, isBinary ? 'base64' : 'utf8'),
        ...(request.token !== undefined && { token: Buffer.from(request.token) }),
      },
      timeoutMs,
    );
    return {
      id: messageId,
      token: request.token ?? token.toString('hex'),
      method: codeName(code),
      payload: payload.toString(isBinary ? 'base64' : 'utf8'),
    };
  }

  private async onRequest(session: Session, request: CoapRequest): Promise<CoapResponse> {
    const path = textsOf(request.message, 'Uri-Path');
    const texts = textsOf(request.message, 'Uri-Query');
    if (path === null || texts === null) return problem(Code.BadRequest, 'not UTF-8');
    const query = readQuery(texts);
    try {
      if (path[0] === 'ps') return await this.onTopic(session, request, path.slice(1).join('/'), query);
      const where = path.join('/');
      if (where === 'mqtt/connection') return await this.onConnection(session, request, query);
      if (where === '.well-known/core') return discovery(request);
      return problem(Code.NotFound, 'publish and observe at ps/{topic}');
    } catch (cause) {
      this.gateway.log.error({ cause, address: session.peer.link.address }, 'a request of a device failed');
      throw cause;
    }
  }

  /** Nothing of a body is kept for who may not publish it. */
  private async onUpload(session: Session, { code, message }: CoapRequest): Promise<CoapResponse | null> {
    const path = textsOf(message, 'Uri-Path');
    const query = readQuery(textsOf(message, 'Uri-Query') ?? []);
    if (path?.[0] !== 'ps' || (code !== Code.Put && code !== Code.Post))
      return problem(Code.BadRequest, 'large bodies are published to ps/{topic}');
    const visitor = await this.visitorOf(session, query);
    if (!(visitor instanceof Visitor)) return visitor;
    const mayPublish = await visitor.guest.may('publish', path.slice(1).join('/'));
    return mayPublish ? null : refusal(ReasonCode.NotAuthorized);
  }

  // --- ps/{topic}

  private async onTopic(
    session: Session,
    request: CoapRequest,
    topic: string,
    query: Query,
  ): Promise<CoapResponse> {
    if (topic === '') return problem(Code.BadRequest, 'no topic');
    const isPublish = request.code === Code.Put || request.code === Code.Post;
    if (!isPublish && request.code !== Code.Get) return problem(Code.MethodNotAllowed, 'get, put or post');
    const visitor = await this.visitorOf(session, query);
    if (!(visitor instanceof Visitor)) return visitor;
    const qos = readQos(query);
    if (qos === 'wrong') return problem(Code.BadRequest, 'qos is 0, 1 or 2');
    if (isPublish) return this.publish(visitor, request, topic, query, qos);
    const { subscribe_qos } = this.gateway.config;
    switch (uintOf(request.message, 'Observe')) {
      case 0:
        if (request.token.length === 0) return problem(Code.BadRequest, 'observing takes a token');
        return visitor.observe(request, topic, qos ?? defaultQos(subscribe_qos, request));
      case 1:
        return visitor.unobserve(topic);
      default:
        return problem(Code.BadRequest, 'observe 0 subscribes, observe 1 ends that');
    }
  }

  private async publish(
    visitor: Visitor,
    request: CoapRequest,
    topic: string,
    query: Query,
    qos: QoS | null,
  ): Promise<CoapResponse> {
    const retain = query.get('retain') ?? 'false';
    if (!['true', 'false', '1', '0', ''].includes(retain))
      return problem(Code.BadRequest, 'retain is true or false');
    const expiry = query.get('expiry') ?? '0';
    if (!/^\d{1,9}$/.test(expiry)) return problem(Code.BadRequest, 'expiry is a number of seconds');
    const result = await visitor.guest.publish({
      topic,
      payload: request.payload,
      qos: qos ?? defaultQos(this.gateway.config.publish_qos, request),
      retain: retain !== 'false' && retain !== '0',
      ...(Number(expiry) > 0 && { expiryInterval: Number(expiry) }),
    });
    return isRefused(result) ? refusal(result) : { code: Code.Changed };
  }

  // --- mqtt/connection

  private async onConnection(session: Session, request: CoapRequest, query: Query): Promise<CoapResponse> {
    if (!this.gateway.config.connection_required)
      return problem(Code.NotFound, 'devices do not connect here: publish and observe at ps/{topic}');
    if (request.code === Code.Post) {
      if ((query.get('clientid') ?? '') === '') return problem(Code.BadRequest, 'no clientid');
      const visitor = await this.inTurn(session, () => this.enter(session, readIdentity(query)));
      if (!(visitor instanceof Visitor)) return visitor;
      return { code: Code.Created, payload: Buffer.from(visitor.token) };
    }
    if (request.code !== Code.Put && request.code !== Code.Delete)
      return problem(Code.MethodNotAllowed, 'post, put or delete');
    const visitor = this.provenVisitor(session, query);
    if (!(visitor instanceof Visitor)) return visitor;
    if (request.code === Code.Put) return { code: Code.Changed };
    this.end(visitor, 'normal');
    return { code: Code.Deleted };
  }

  // --- who it is

  private visitorOf(
    session: Session,
    query: Query,
  ): Visitor | CoapResponse | Promise<Visitor | CoapResponse> {
    if (this.gateway.config.connection_required) return this.provenVisitor(session, query);
    const identity = readIdentity(query);
    return this.inTurn(session, () => {
      const { visitor } = session;
      return visitor && !visitor.gone && isSame(visitor.identity, identity)
        ? visitor
        : this.enter(session, identity);
    });
  }

  private provenVisitor(session: Session, query: Query): Visitor | CoapResponse {
    const clientid = query.get('clientid');
    const token = query.get('token');
    if (clientid === undefined || token === undefined)
      return problem(Code.Unauthorized, 'connect first; clientid and token are needed');
    const visitor = this.visitors.get(clientid);
    if (!visitor || !isEqual(visitor.token, token))
      return problem(Code.Unauthorized, 'clientid or token is wrong');
    this.sessions.get(visitor.peer)?.visitors.delete(visitor);
    visitor.comesFrom(session.peer);
    this.place(session, visitor);
    return visitor;
  }

  /** After those who came earlier from there. */
  private inTurn<T>(session: Session, run: () => T | Promise<T>): Promise<T> {
    const turn = session.entering.then(run);
    session.entering = turn.catch(() => undefined); // whoever asked hears of it
    return turn;
  }

  private async enter(session: Session, identity: Identity): Promise<Visitor | CoapResponse> {
    const { config } = this.gateway;
    const visitor = new Visitor(this.gateway, identity, session.peer);
    const result = await this.gateway.connect({
      link: session.peer.link,
      ...identity,
      keepalive: config.connection_required ? Math.ceil(this.heartbeatMs / 1000) : 0,
      protocolName: 'CoAP',
      protocolVersion: '1',
      cleanStart: true,
      receive: (delivery) => visitor.deliver(delivery),
      onGone: (why) => {
        visitor.sentAway(why);
        this.forget(visitor);
      },
    });
    if ('refused' in result) return refusal(result.refused);
    visitor.enter(result);
    const before = session.visitor;
    if (!config.connection_required && before && !before.gone) this.end(before, 'replaced');
    if (session.closed) visitor.leave('closed');
    if (visitor.gone) return problem(Code.ServiceUnavailable, 'it has gone meanwhile');
    this.place(session, visitor);
    this.visitors.set(result.clientid, visitor);
    this.watch(visitor);
    return visitor;
  }

  private place(session: Session, visitor: Visitor): void {
    session.visitor = visitor;
    session.visitors.add(visitor);
  }

  private end(visitor: Visitor, reason: string): void {
    visitor.leave(reason);
    this.forget(visitor);
  }

  private forget(visitor: Visitor): void {
    const session = this.sessions.get(visitor.peer);
    session?.visitors.delete(visitor);
    if (session?.visitor === visitor) session.visitor = null;
    if (this.visitors.get(visitor.clientid) === visitor) this.visitors.delete(visitor.clientid);
  }

  // --- who is still there

  private watch(visitor: Visitor): void {
    const { timers, clock } = this.gateway.core;
    const check = () => {
      if (visitor.gone) return;
      const { peer } = visitor;
      const leftMs = peer.lastHeardAt + this.patienceMs(visitor) - clock.now;
      if (leftMs > 0) timers.after(Math.min(leftMs, LOOK_MS), check);
      else if (this.gateway.config.connection_required) this.end(visitor, 'heartbeat_timeout');
      else if (visitor.observesAnything) {
        peer.ping(); // who does not answer is lost
        timers.after(SILENCE_MS, check);
      } else {
        this.end(visitor, 'idle_timeout');
        peer.link.end();
      }
    };
    timers.after(Math.min(this.patienceMs(visitor), LOOK_MS), check);
  }

  /** How long nothing may be heard of it. */
  private patienceMs(visitor: Visitor): number {
    if (this.gateway.config.connection_required) return this.heartbeatMs * 1.5; // as MQTT allows for a keep alive
    return visitor.observesAnything ? SILENCE_MS : this.idleMs;
  }

  private onLost({ visitors, peer }: Session): void {
    if (this.gateway.config.connection_required) {
      for (const visitor of visitors) visitor.forgetObservations(); // RFC 7641, 4.5; its heartbeat decides the rest
    } else {
      for (const visitor of [...visitors]) this.end(visitor, 'lost');
      peer.link.end();
    }
  }
}

/** The gateway of each broker that runs, for its operators' requests. */
const running = new WeakMap<Core, CoapGateway>();
export const coapOf = (core: Core): CoapGateway | undefined => running.get(core);

export const startCoap: StartProtocol<CoapConfig> = (gateway) => {
  const coap = new CoapGateway(gateway);
  running.set(gateway.core, coap);
  return coap;
};

const discovery = ({ code }: CoapRequest): CoapResponse =>
  code === Code.Get
    ? {
        code: Code.Content,
        options: [uintOption('Content-Format', ContentFormat.LinkFormat)],
        payload: Buffer.from(LINKS),
      }
    : problem(Code.MethodNotAllowed, 'get');

/** Null: it says nothing of it. */
function readQos(query: Query): QoS | null | 'wrong' {
  const text = query.get('qos');
  if (text === undefined) return null;
  return text === '0' || text === '1' || text === '2' ? (Number(text) as QoS) : 'wrong';
}

const defaultQos = (configured: CoapConfig['publish_qos'], { confirmable }: CoapRequest): QoS => {
  if (configured === 'coap') return confirmable ? 1 : 0;
  return Number(configured.slice('qos'.length)) as QoS;
};

const readIdentity = (query: Query): Identity => ({
  clientid: query.get('clientid') ?? '',
  username: query.get('username') ?? null,
  password: query.get('password') ?? null,
});

/** The one who is there, by what a further request says of itself. */
const isSame = (known: Identity, said: Identity): boolean =>
  (said.clientid === '' || said.clientid === known.clientid) &&
  said.username === known.username &&
  said.password === known.password;

function isEqual(known: string, said: string): boolean {
  const a = Buffer.from(known);
  const b = Buffer.from(said);
  return a.length === b.length && timingSafeEqual(a, b);
}
