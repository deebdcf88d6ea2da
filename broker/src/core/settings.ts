/** How a share group finds the member for a message, in EMQX's words; `local` means this node, where all members are. */
export type SharedStrategy =
  | 'random'
  | 'round_robin' // in turn for each publisher
  | 'round_robin_per_group' // in turn for all of them together
  | 'sticky' // a publisher stays with a member until that one leaves
  | 'local'
  | 'hash_clientid'
  | 'hash_topic';

export interface AuthorizationCache {
  maxSize: number; // answers of a connection
  ttlMs: number;
  excludes: readonly string[]; // filters of topics whose answers are not kept
}

/**
 * What the MQTT core may be told. A plain object, read at use: whoever changes a number changes the behaviour
 * from the next packet on. Names are those of the `mqtt` zone settings, with the unit last.
 */
export interface Settings {
  idleTimeoutMs: number; // time a connection has to send its CONNECT; Infinity = for ever
  maxPacketBytes: number;
  maxClientidLength: number;
  maxTopicLevels: number;
  maxQosAllowed: 0 | 1 | 2;
  maxTopicAlias: number; // a client may use towards us
  maxTopicAliasOut: number; // we use towards a client that allows as many; 0 = none
  retainAvailable: boolean;
  wildcardSubscription: boolean;
  sharedSubscription: boolean;
  exclusiveSubscription: boolean;
  ignoreLoopDeliver: boolean;
  strictMode: boolean;
  payloadFormatCheck: boolean; // refuse what says that it is UTF-8 text and is not
  responseInformation: string;
  serverKeepaliveS: number | null; // null = what the client asks for
  keepaliveMultiplier: number;
  maxSubscriptions: number; // per client; Infinity = no limit
  upgradeQos: boolean;
  maxInflight: number;
  retryIntervalMs: number; // 0 = resend on reconnect only
  maxAwaitingRel: number; // Infinity = no limit
  awaitRelTimeoutMs: number;
  sessionExpiryIntervalS: number; // of a 3.x session without clean_session
  maxMqueueLength: number; // Infinity = no limit
  maxMqueueBytes: number; // of a session's queue, about; Infinity = no limit
  maxMqueuesBytes: number; // of all sessions' queues together, about, a message in several of them counted once
  mqueuePriorities: Readonly<Record<string, number>> | null; // topic → 1…255, null = one queue
  mqueueDefaultPriority: 'highest' | 'lowest';
  mqueueStoreQos0: boolean;
  useUsernameAsClientid: boolean;
  sharedSubscriptionStrategy: SharedStrategy;
  sharedSubscriptionGroups: Readonly<Record<string, SharedStrategy>>; // those of groups that have their own
  authorizationNoMatch: 'allow' | 'deny'; // when no hook has an opinion
  authorizationDenyAction: 'ignore' | 'disconnect';
  /** How long answers are kept for a connection; null = every message and subscription is asked for. */
  authorizationCache: AuthorizationCache | null;
  outputHighWaterBytes: number; // a connection with more unsent bytes stops draining its session's queue
}

export const defaultSettings = (): Settings => ({
  idleTimeoutMs: 15_000,
  maxPacketBytes: 1024 * 1024,
  maxClientidLength: 65_535,
  maxTopicLevels: 128,
  maxQosAllowed: 2,
  maxTopicAlias: 65_535,
  maxTopicAliasOut: 128,
  retainAvailable: true,
  wildcardSubscription: true,
  sharedSubscription: true,
  exclusiveSubscription: false,
  ignoreLoopDeliver: false,
  strictMode: false,
  payloadFormatCheck: false,
  responseInformation: '',
  serverKeepaliveS: null,
  keepaliveMultiplier: 1.5, // [MQTT-3.1.2-22]
  maxSubscriptions: Number.POSITIVE_INFINITY,
  upgradeQos: false,
  maxInflight: 32,
  retryIntervalMs: 0,
  maxAwaitingRel: 100,
  awaitRelTimeoutMs: 300_000,
  sessionExpiryIntervalS: 7200,
  maxMqueueLength: 1000,
  maxMqueueBytes: 64 * 1024 * 1024,
  maxMqueuesBytes: 1024 * 1024 * 1024,
  mqueuePriorities: null,
  mqueueDefaultPriority: 'lowest',
  mqueueStoreQos0: true,
  useUsernameAsClientid: false,
  sharedSubscriptionStrategy: 'round_robin',
  sharedSubscriptionGroups: {},
  authorizationNoMatch: 'allow',
  authorizationDenyAction: 'ignore',
  authorizationCache: null,
  outputHighWaterBytes: 1024 * 1024,
});
