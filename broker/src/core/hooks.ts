import type { ConnectPacket, Properties, QoS, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import type { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Client } from './client.ts';
import type { Message } from './message.ts';

type MaybePromise<T> = T | Promise<T>;

/** Who is connecting: what later becomes `client.who`. Hooks of `client.connect` and `client.authenticate` may change it. */
export interface ClientInfo {
  clientid: string; // '' until the broker assigned one
  username: string | null;
  readonly address: string;
  readonly port: number; // the peer's
  readonly listener: string; // `tcp:default`
  readonly protocolVersion: 3 | 4 | 5;
  mountpoint: string | null;
  isSuperuser: boolean; // skips `client.authorize`
  attributes: Record<string, string>;
  authExpiresAt: number | null; // epoch ms; then the connection ends
  /** By the certificate that it showed. */
  readonly certCommonName?: string | null;
  readonly certSubject?: string | null;
  readonly zone?: string; // of the listener, when it came
  /** Of those who do not speak MQTT: what they speak, and what they said of themselves beyond this. */
  readonly guest?: {
    readonly gateway: string;
    readonly protocolName: string;
    readonly protocolVersion: string;
    readonly facts: Readonly<Record<string, string>>;
  };
}

/**
 * Undefined: no opinion, the next handler decides. `why` and `source`, who let it in and why, are for the
 * operator; the client never hears them.
 */
export type AuthenticateResult =
  | undefined
  | { allow: true; source?: string }
  | { allow: false; reasonCode: ReasonCode; why?: string };

/** One step of an authentication in several, which CONNECT with an Authentication Method begins (section 4.12). */
export interface EnhancedAuthenticateRequest {
  readonly method: string; // `SCRAM-SHA-256`; a handler has an opinion on its own methods only
  readonly data: Uint8Array | null;
  /** What the handler wanted to remember in its last `continue`; undefined in the first step. */
  readonly state: unknown;
  /** The client is connected and authenticates again. */
  readonly again: boolean;
}
/** Undefined: an unknown method. `data` goes to the client with AUTH, or with CONNACK. */
export type EnhancedAuthenticateResult =
  | undefined
  | { result: 'continue'; data: Uint8Array | null; state: unknown }
  | { result: 'success'; data: Uint8Array | null }
  | { result: 'failure'; reasonCode: ReasonCode; why?: string };

export interface AccessRequest {
  action: 'publish' | 'subscribe';
  topic: string; // a filter when subscribing
  qos: QoS;
  retain: boolean;
}
export type Access = 'allow' | 'deny';
/**
 * An answer with what is to be said of it. `matched`: a rule says so; `keepMs`: not for ever, as it may be another one soon
 * where somebody could not be asked; `source`: who decided, `rule`: by which of its rules; both are named of what is denied,
 * and of what is allowed only where somebody hears of decisions.
 */
interface ExplainedAccess {
  access: Access;
  matched: boolean;
  keepMs: number;
  source?: string;
  rule?: string;
}
/** Who denied something: a source by its type, a hook …, `no_match` the setting, `undecided` nobody who could be asked, `system_topic` the core. */
export interface Denial {
  readonly source: string;
  /** As an ACL would say it; null where no single rule did. */
  readonly rule: string | null;
}
export type AccessResult = undefined | Access | ExplainedAccess;

/** One of a SUBSCRIBE or UNSUBSCRIBE; the latter has no options. */
export interface FilterRequest extends Readonly<Partial<SubscriptionOptions>> {
  filter: string;
}

/** Undefined: go on. Otherwise the message ends here: it is consumed (delayed …) or refused. */
export type PublishResult = undefined | { reasonCode: ReasonCode; reason: string };

/** Why a message was not delivered: the last part of the names of the `delivery.dropped` metrics, or of `messages.dropped`. */
export type DropReason =
  | 'queue_full'
  | 'qos0_msg'
  | 'expired'
  | 'no_local'
  | 'too_large'
  | 'unencodable' // no packet can carry it; counted, but no metric of its own
  | 'no_subscribers'
  | 'await_pubrel_timeout';

export interface HookTypes {
  /** A CONNECT arrived. Throw MqttError to refuse it (banned, limiter, exhook). */
  'client.connect': (who: ClientInfo, packet: ConnectPacket) => MaybePromise<void>;
  /** The first opinion counts; without any the client is anonymous and allowed in. A handler that throws refuses. */
  'client.authenticate': (who: ClientInfo, packet: ConnectPacket) => MaybePromise<AuthenticateResult>;
  /** Asked instead of `client.authenticate` of a client that names a method. A handler that throws refuses. */
  'client.enhanced_authenticate': (
    who: ClientInfo,
    request: EnhancedAuthenticateRequest,
  ) => MaybePromise<EnhancedAuthenticateResult>;
  /** The first opinion counts; without any `settings.authorizationNoMatch` does. A handler that throws denies. */
  'client.authorize': (who: ClientInfo, request: AccessRequest) => MaybePromise<AccessResult>;
  /**
   * It was decided who a client is, or that it is nobody; also each time that it authenticates again. `anonymous`: let in
   * without anybody having an opinion. `source`: who decided and why, where that is known.
   */
  'client.authenticate_complete': (
    who: ClientInfo,
    reasonCode: ReasonCode,
    anonymous: boolean,
    source: string | null,
  ) => void;
  /** It was decided what a client may do. `source`: the type of a source, `cache`, `superuser` … */
  'client.authorize_complete': (
    who: ClientInfo,
    request: AccessRequest,
    access: Access,
    source: string,
  ) => void;
  /** It may not do that: told of each attempt, also where the answer was kept from an earlier one. */
  'client.denied': (who: ClientInfo, action: AccessRequest['action'], topic: string, denial: Denial) => void;
  /** A SUBSCRIBE was allowed and is about to take effect. A handler may change the filters. */
  'client.subscribe': (
    who: ClientInfo,
    requests: readonly FilterRequest[],
    properties: Readonly<Properties>,
  ) => MaybePromise<void>;
  /** Those of an UNSUBSCRIBE; a handler may change them too. */
  'client.unsubscribe': (
    who: ClientInfo,
    requests: readonly FilterRequest[],
    properties: Readonly<Properties>,
  ) => MaybePromise<void>;
  /**
   * A CONNECT was answered. `why` is for the operator: what was wrong beyond the reason code; null when there is nothing
   * to add. Of a CONNECT that could not be read, `who` has the address and an empty client id. `properties` are those of
   * the answer.
   */
  'client.connack': (
    who: ClientInfo,
    reasonCode: number,
    why: string | null,
    properties: Readonly<Properties>,
  ) => void;
  'client.connected': (client: Client) => void;
  /** PINGREQ. */
  'client.ping': (client: Client) => void;
  'client.disconnected': (client: Client, reason: string) => void;
  'session.created': (client: Client) => void;
  'session.resumed': (client: Client) => void;
  'session.takenover': (client: Client) => void;
  'session.discarded': (client: Client) => void;
  'session.terminated': (client: Client) => void;
  /** `isNew`: the client had no subscription to this filter [retain handling 1]. */
  'session.subscribed': (
    client: Client,
    filter: string,
    options: Readonly<SubscriptionOptions>,
    isNew: boolean,
  ) => void;
  'session.unsubscribed': (client: Client, filter: string) => void;
  /** A filter of a SUBSCRIBE that was allowed cannot be subscribed to. */
  'session.subscribe_refused': (client: Client, filter: string, reasonCode: number) => void;
  /** A PUBLISH came from a client, as it wrote it, before anybody was asked whether it may. */
  'message.received': (message: Message) => void;
  /**
   * A message is about to be routed. A handler may change it (`message.change`), end its way by returning a
   * result, or return a promise of either: then only the publisher's connection waits, and its order is kept.
   */
  'message.publish': (message: Message) => MaybePromise<PublishResult>;
  /** It goes no further: a handler of `message.publish` ended its way, a limit or its payload did (then without message). */
  'message.stopped': (
    who: ClientInfo | null,
    topic: string,
    message: Message | null,
    reasonCode: number,
    reason: string,
  ) => void;
  /** It waits in the queue of a session. */
  'message.queued': (client: Client, message: Message, qos: QoS) => void;
  /** Handed to the connection of a subscriber. */
  'message.delivered': (client: Client, message: Message, qos: QoS) => void;
  /** PUBACK or PUBCOMP of a subscriber; `sentAt` (epoch ms): when the message, or its PUBREL, was sent to it last. */
  'message.acked': (client: Client, message: Message, sentAt: number) => void;
  /** `client` is null when nobody subscribed. */
  'message.dropped': (client: Client | null, message: Message, reason: DropReason) => void;
}

export type HookName = keyof HookTypes;
type HookParameters<Name extends HookName> = Parameters<HookTypes[Name]>;
type HookResult<Name extends HookName> = Awaited<ReturnType<HookTypes[Name]>>;

export interface HookOptions {
  /** Larger runs earlier; equal ones in the order of `on`. */
  priority?: number;
  /** A feature's name, for the log. */
  owner?: string;
}

interface Handler<Name extends HookName> {
  run: HookTypes[Name];
  priority: number;
  owner: string;
}

/** Told when an observer throws: one handler's fault never reaches the client or its neighbours. */
export type HookFault = (name: HookName, owner: string, cause: unknown) => void;

type Tables = { readonly [Name in HookName]: Handler<Name>[] };

/**
 * Where features join in. Keeps one array per name, so that a hook nobody uses costs one look at a length:
 * `if (hooks.used['message.delivered'].length > 0) hooks.tell('message.delivered', …)`.
 */
export class Hooks {
  readonly used: Tables = {
    'client.connect': [],
    'client.authenticate': [],
    'client.enhanced_authenticate': [],
    'client.authorize': [],
    'client.authenticate_complete': [],
    'client.authorize_complete': [],
    'client.denied': [],
    'client.subscribe': [],
    'client.unsubscribe': [],
    'client.connack': [],
    'client.connected': [],
    'client.ping': [],
    'client.disconnected': [],
    'session.created': [],
    'session.resumed': [],
    'session.takenover': [],
    'session.discarded': [],
    'session.terminated': [],
    'session.subscribed': [],
    'session.unsubscribed': [],
    'session.subscribe_refused': [],
    'message.received': [],
    'message.publish': [],
    'message.stopped': [],
    'message.queued': [],
    'message.delivered': [],
    'message.acked': [],
    'message.dropped': [],
  };
  private readonly onFault: HookFault;

  constructor(onFault: HookFault) {
    this.onFault = onFault;
  }

  /** Adds a handler; the returned function takes it out again. */
  on<Name extends HookName>(name: Name, run: HookTypes[Name], options: HookOptions = {}): () => void {
    const { priority = 0, owner = '' } = options;
    const handlers: Handler<Name>[] = this.used[name];
    const handler = { run, priority, owner };
    const before = handlers.findIndex((other) => other.priority < priority);
    handlers.splice(before === -1 ? handlers.length : before, 0, handler);
    return () => {
      const at = handlers.indexOf(handler);
      if (at !== -1) handlers.splice(at, 1);
    };
  }

  /** For observers: runs all, expects nothing, and survives every fault. */
  tell<Name extends HookName>(name: Name, ...args: HookParameters<Name>): void {
    for (const handler of [...this.used[name]] as Handler<Name>[]) {
      try {
        call(handler, args);
      } catch (cause) {
        this.onFault(name, handler.owner, cause);
      }
    }
  }

  /**
   * For deciders: runs until one has an opinion. Stays synchronous as long as the handlers do. What a handler
   * throws is the caller's to turn into a refusal.
   */
  ask<Name extends HookName>(name: Name, ...args: HookParameters<Name>): MaybePromise<HookResult<Name>> {
    const handlers: Handler<Name>[] = this.used[name];
    for (let i = 0; i < handlers.length; i++) {
      const result = call(handlers[i]!, args);
      if (result instanceof Promise) return this.askOn(result, handlers.slice(i + 1), args);
      if (result !== undefined) return result as HookResult<Name>;
    }
    return undefined as HookResult<Name>;
  }

  private async askOn<Name extends HookName>(
    first: Promise<unknown>,
    rest: Handler<Name>[],
    args: HookParameters<Name>,
  ): Promise<HookResult<Name>> {
    let result = await first;
    for (let i = 0; result === undefined && i < rest.length; i++) result = await call(rest[i]!, args);
    return result as HookResult<Name>;
  }
}

const call = <Name extends HookName>(handler: Handler<Name>, args: HookParameters<Name>): unknown =>
  (handler.run as (...args: HookParameters<Name>) => unknown)(...args);
