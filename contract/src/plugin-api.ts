/**
 * What a plugin is given, and what it may answer. Types alone: a plugin needs nothing of this at run time, and may copy
 * this file. docs/plugins.md is the tutorial.
 */

type MaybePromise<T> = T | Promise<T>;

export interface PluginClient {
  clientid: string; // '' until the broker assigned one
  username: string | null;
  address: string;
  port: number; // the peer's
  listener: string; // `tcp:default`
  protocolVersion: 3 | 4 | 5;
}

/** Of MQTT 5.0; older clients send none. */
export interface PluginMessageProperties {
  payloadFormatIndicator?: 0 | 1;
  messageExpiryInterval?: number; // seconds
  contentType?: string;
  responseTopic?: string;
  correlationData?: Uint8Array;
  userProperty?: [name: string, value: string][]; // order kept, names may repeat
}

export interface PluginMessage {
  id: string;
  topic: string;
  payload: Uint8Array;
  qos: 0 | 1 | 2;
  retain: boolean;
  from: string; // the publisher's client id, '' when nobody's
  username: string | null; // the publisher's
  timestamp: number; // epoch ms
  properties: PluginMessageProperties;
}

/** What is left out stays; `properties` take the place of all there were. A text becomes UTF-8. */
export interface PluginMessageChange {
  topic?: string;
  payload?: Uint8Array | string;
  qos?: 0 | 1 | 2;
  retain?: boolean;
  properties?: PluginMessageProperties;
}

export interface PluginPublish extends PluginMessageChange {
  topic: string;
  payload: Uint8Array | string;
}

/** The hooks: what a handler is told, and what it may answer. Nothing = no opinion. */
export interface PluginHooks {
  /** Somebody connects. Refused clients are told 0x87 (not authorized). */
  'client.connect': (client: PluginClient) => MaybePromise<undefined | { refuse: string }>;
  /** Before the authenticators. The first opinion counts; `why` is for the operator, the client never hears it. */
  'client.authenticate': (
    client: PluginClient,
    password: Uint8Array | null,
  ) => MaybePromise<undefined | { allow: true; superuser?: boolean } | { allow: false; why?: string }>;
  /** Before the sources. The answer is remembered for the connection until a plugin starts, stops or is configured. */
  'client.authorize': (
    client: PluginClient,
    request: { action: 'publish' | 'subscribe'; topic: string; qos: 0 | 1 | 2; retain: boolean },
  ) => MaybePromise<undefined | 'allow' | 'deny'>;
  /** A SUBSCRIBE was allowed. An answer has as many filters, in the same order. */
  'client.subscribe': (client: PluginClient, filters: string[]) => MaybePromise<undefined | string[]>;
  /**
   * A message is about to be routed. `drop`: its publisher is told that all went well; `refuse`: that it was not allowed.
   * What the plugin itself made, or had a part in, it is not asked about.
   */
  'message.publish': (
    message: PluginMessage,
  ) => MaybePromise<undefined | PluginMessageChange | { drop: true } | { refuse: string }>;
  // From here on nobody waits, and answers are ignored.
  'client.connected': (client: PluginClient) => void;
  'client.disconnected': (client: PluginClient, reason: string) => void;
  'session.subscribed': (client: PluginClient, filter: string, qos: 0 | 1 | 2) => void;
  'session.unsubscribed': (client: PluginClient, filter: string) => void;
  'message.delivered': (client: PluginClient, message: PluginMessage, qos: 0 | 1 | 2) => void;
  'message.acked': (client: PluginClient, message: PluginMessage) => void;
  /** `client` is null when nobody subscribed. */
  'message.dropped': (client: PluginClient | null, message: PluginMessage, reason: string) => void;
}

export interface PluginLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** The broker as a plugin sees it. */
export interface PluginBroker<Config = Record<string, unknown>> {
  /** Joins a hook that the manifest names. One handler a hook; a second one takes the place of the first. */
  on<Name extends keyof PluginHooks>(hook: Name, handler: PluginHooks[Name]): void;
  /** Settles when the broker has taken the message; rejects what cannot be published, and when too much waits. */
  publish(message: PluginPublish): Promise<void>;
  /** By the schema of the manifest, defaults filled in. */
  readonly config: Config;
  /** Calls after each change of the configuration; `broker.config` is the new one by then. */
  onConfig(run: (config: Config) => void): void;
  readonly log: PluginLog;
}

/**
 * What the module of a plugin exports by default. Called once, when the plugin starts: it is running as soon as this
 * has returned, or what it returned has settled. A function as the result is called before the plugin ends.
 */
export type StartPlugin<Config = Record<string, unknown>> = (
  broker: PluginBroker<Config>,
) => MaybePromise<undefined | (() => MaybePromise<void>)>;
