/** How a share group finds the member for a message, in EMQX's words; `local` means this node, where all members are. */
export type SharedStrategy =
  | 'random'
  | 'round_robin' // in turn for each publisher
  | 'round_robin_per_group' // in turn for all of them together
  | 'sticky' // a publisher stays with a member until that one leaves
  | 'local'
  | 'hash_clientid'
  | 'hash_topic';

/** How `sticky` finds a publisher's first member. */
export type InitialStickyPick = 'random' | 'local' | 'hash_topic' | 'hash_clientid';

export interface AuthorizationCache {
  maxSize: number; // answers of a connection
  ttlMs: number;
  excludes: readonly string[]; // filters of topics whose answers are not kept
}

/** A part of the certificate that a client has shown: `crt` is the whole of it in base64, `md5` its fingerprint. */
export type PeerCertPart = 'cn' | 'dn' | 'crt' | 'pem' | 'md5';

/** What is known of a client when it connects; what is not known is empty. */
export interface Introduction {
  clientid: string;
  username: string;
  cn: string;
  dn: string;
  zone: string;
  listener: string;
  peerhost: string;
  userProperties: readonly (readonly [name: string, value: string])[];
}

/** What holds for the clients of a zone. Names are those of the `mqtt` settings, with the unit last. */
export interface ZoneSettings {
  idleTimeoutMs: number; // time a connection has to send its CONNECT; Infinity = for ever
  maxPacketBytes: number;
  maxClientidLength: number;
  maxTopicLevels: number;
  maxQosAllowed: 0 | 1 | 2;
  maxTopicAlias: number; // a client may use towards us
  retainAvailable: boolean;
  wildcardSubscription: boolean;
  sharedSubscription: boolean;
  exclusiveSubscription: boolean;
  ignoreLoopDeliver: boolean;
  strictMode: boolean;
  responseInformation: string;
  serverKeepaliveS: number | null; // null = what the client asks for
  keepaliveMultiplier: number;
  keepaliveCheckMs: number; // a connection is looked at again after so long at the latest
  maxSubscriptions: number; // per client; Infinity = no limit
  upgradeQos: boolean;
  maxInflight: number;
  retryIntervalMs: number; // 0 = resend on reconnect only
  maxAwaitingRel: number; // Infinity = no limit
  awaitRelTimeoutMs: number;
  sessionExpiryIntervalS: number; // of a 3.x session without clean_session
  messageExpiryMs: number; // of a queued message that has no expiry of its own; Infinity = never
  maxMqueueLength: number; // Infinity = no limit
  maxMqueueBytes: number; // of a session's queue, about; Infinity = no limit
  maxHeld: number; // messages that wait for the store on their way to one connection; more stay in the queue
  mqueuePriorities: ReadonlyMap<string, number> | null; // topic → the higher the sooner, null = one queue
  mqueueDefaultPriority: 'highest' | 'lowest';
  mqueueStoreQos0: boolean;
  useUsernameAsClientid: boolean;
  peerCertAsUsername: PeerCertPart | null;
  peerCertAsClientid: PeerCertPart | null;
  /** What becomes an attribute of a client that connects. */
  clientAttributes: readonly { readonly name: string; readonly of: (who: Introduction) => string }[];
  /** Gives a client that connects another id, unless it gives an empty one. */
  clientidOverride: ((who: Introduction) => string) | null;
  sharedSubscriptionStrategy: SharedStrategy; // of a group: that of its first member
  sharedSubscriptionInitialStickyPick: InitialStickyPick;
}

/**
 * What the MQTT core may be told; what of it a zone may have its own of is the global zone's. A plain object, read at
 * use: whoever changes a number changes the behaviour from the next packet on.
 */
export interface Settings extends ZoneSettings {
  maxTopicAliasOut: number; // we use towards a client that allows as many; 0 = none
  payloadFormatCheck: boolean; // refuse what says that it is UTF-8 text and is not
  maxMqueuesBytes: number; // of all sessions' queues together, about, a message in several of them counted once
  sharedSubscriptionGroups: Readonly<Record<string, SharedStrategy>>; // those of groups that have their own
  authorizationNoMatch: 'allow' | 'deny'; // when no hook has an opinion
  authorizationDenyAction: 'ignore' | 'disconnect';
  /** How long answers are kept for a connection; null = every message and subscription is asked for. */
  authorizationCache: AuthorizationCache | null;
  outputHighWaterBytes: number; // a connection with more unsent bytes stops draining its session's queue
}

/** What a 5.0 client is told in CONNACK and may rely on as long as it is connected. */
export type Terms = Pick<
  ZoneSettings,
  | 'maxPacketBytes'
  | 'maxQosAllowed'
  | 'retainAvailable'
  | 'wildcardSubscription'
  | 'sharedSubscription'
  | 'maxAwaitingRel'
>;

const defaultZoneSettings = (): ZoneSettings => ({
  idleTimeoutMs: 15_000,
  maxPacketBytes: 1024 * 1024,
  maxClientidLength: 65_535,
  maxTopicLevels: 128,
  maxQosAllowed: 2,
  maxTopicAlias: 65_535,
  retainAvailable: true,
  wildcardSubscription: true,
  sharedSubscription: true,
  exclusiveSubscription: false,
  ignoreLoopDeliver: false,
  strictMode: false,
  responseInformation: '',
  serverKeepaliveS: null,
  keepaliveMultiplier: 1.5, // [MQTT-3.1.2-22]
  keepaliveCheckMs: 30_000,
  maxSubscriptions: Number.POSITIVE_INFINITY,
  upgradeQos: false,
  maxInflight: 32,
  retryIntervalMs: 0,
  maxAwaitingRel: 100,
  awaitRelTimeoutMs: 300_000,
  sessionExpiryIntervalS: 7200,
  messageExpiryMs: Number.POSITIVE_INFINITY,
  maxMqueueLength: 1000,
  maxMqueueBytes: 32 * 1024 * 1024,
  maxHeld: 1000,
  mqueuePriorities: null,
  mqueueDefaultPriority: 'lowest',
  mqueueStoreQos0: true,
  useUsernameAsClientid: false,
  peerCertAsUsername: null,
  peerCertAsClientid: null,
  clientAttributes: [],
  clientidOverride: null,
  sharedSubscriptionStrategy: 'round_robin',
  sharedSubscriptionInitialStickyPick: 'random',
});

export const defaultSettings = (): Settings => ({
  ...defaultZoneSettings(),
  maxTopicAliasOut: 128,
  payloadFormatCheck: false,
  maxMqueuesBytes: 1024 * 1024 * 1024,
  sharedSubscriptionGroups: {},
  authorizationNoMatch: 'allow',
  authorizationDenyAction: 'ignore',
  authorizationCache: null,
  outputHighWaterBytes: 1024 * 1024,
});
