import * as z from 'zod/mini';
import { AuthenticatorConfig, AuthnUser, IMPORT_BYTES_MAX } from './authentication.ts';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { page, pageQueryFields } from './kit/page.ts';
import { queryBool, queryInt, queryTime } from './kit/query.ts';
import { httpUrl } from './kit/servers.ts';
import { LOG_LEVELS, SslClient } from './kit/ssl.ts';
import { byteSize, duration, flag, intBetween, orInfinity, secret, text, timestamp } from './kit/values.ts';
import {
  accessRules,
  bind,
  countOrInfinity,
  LISTENER_NAME,
  ListenerSslOptions,
  lastingDuration,
  TcpOptions,
} from './listeners.ts';

/** Devices that do not speak MQTT. Each gateway is loaded by its first PUT; from then on it is running or stopped. */

export const GATEWAY_NAMES = ['coap', 'exproto', 'lwm2m', 'mqttsn', 'stomp'] as const;
export const GatewayName = z.enum(GATEWAY_NAMES);
export type GatewayName = z.infer<typeof GatewayName>;

// --- listeners

export const GATEWAY_LISTENER_TYPES = ['tcp', 'ssl', 'udp', 'dtls'] as const;
export type GatewayListenerType = (typeof GATEWAY_LISTENER_TYPES)[number];

/** Where each gateway may listen, the usual type first. */
export const LISTENER_TYPES_OF: Record<GatewayName, readonly GatewayListenerType[]> = {
  coap: ['udp', 'dtls'],
  exproto: ['tcp', 'ssl', 'udp', 'dtls'],
  lwm2m: ['udp', 'dtls'],
  mqttsn: ['udp', 'dtls'],
  stomp: ['tcp', 'ssl'],
};

const MOUNTPOINT = /^(?!\$(?!\{))[^#+\0]*$/;
const mountpoint = z.string().check(z.maxLength(1024), z.regex(MOUNTPOINT, 'invalid_mountpoint'));
const perSecond = z
  .union([z.literal('infinity'), z.number()], expected('pos_integer()'))
  .check(
    z.refine(
      (value) => value === 'infinity' || (Number.isSafeInteger(value) && value >= 1),
      expected('pos_integer()'),
    ),
  );

const listenerFields = {
  enable: z._default(flag, true),
  bind,
  /** Of datagrams: peers that were heard of lately. */
  max_connections: z._default(countOrInfinity, 1024),
  /** Connections in a second; who comes too fast is refused. */
  max_conn_rate: z._default(perSecond, 1000),
  access_rules: z._default(accessRules, []),
  /** `false` lets everybody in. */
  enable_authn: z._default(flag, true),
  /** Instead of that of the gateway. */
  mountpoint: z.optional(mountpoint),
};
/** Kept for those who send it back: one acceptor is enough here. */
const acceptors = z._default(intBetween(1, 65_535), 16);
const streamFields = {
  acceptors,
  /** A proxy says first whose connection it passes on, in version 1 or 2 of the PROXY protocol. */
  proxy_protocol: z._default(flag, false),
  proxy_protocol_timeout: z._default(lastingDuration, '3s'),
  tcp_options: z.prefault(TcpOptions, {}),
};

const UdpOptions = z.strictObject({
  /** Of the socket; what the system allows at most. */
  recbuf: z.optional(byteSize),
  sndbuf: z.optional(byteSize),
  /** Kept for those who send them back. */
  active_n: z._default(intBetween(-32_768, 32_767), 100),
  buffer: z.optional(byteSize),
  reuseaddr: z._default(flag, true),
});
const datagramFields = {
  udp_options: z.prefault(UdpOptions, {}),
  /** A datagram that says `request` is answered by `reply`, and nobody else hears of it. */
  health_check: z.optional(
    z.strictObject({ request: z.optional(z.string()), reply: z.optional(z.string()) }),
  ),
};

const DtlsOptions = z.strictObject({
  certfile: z._default(z.string(), ''),
  keyfile: z._default(secret, ''),
  password: z.optional(secret),
  cacertfile: z._default(z.string(), ''),
  verify: z._default(z.enum(['verify_peer', 'verify_none']), 'verify_none'),
  fail_if_no_peer_cert: z._default(flag, false),
  depth: z._default(intBetween(0, 100), 10),
  versions: z._default(z.array(z.enum(['dtlsv1.2', 'dtlsv1'])).check(z.minLength(1)), ['dtlsv1.2']),
  ciphers: z._default(z.array(z.string()), []),
  honor_cipher_order: z._default(flag, true),
  handshake_timeout: z._default(lastingDuration, '15s'),
  reuse_sessions: z._default(flag, true),
  dhfile: z.optional(z.string()),
  enable_crl_check: z._default(flag, false),
  ocsp: z.optional(z.looseObject({})),
  /** Kept for those who send them back. */
  client_renegotiation: z._default(flag, true),
  secure_renegotiate: z._default(flag, true),
  gc_after_handshake: z._default(flag, false),
  hibernate_after: z._default(duration, '5s'),
  log_level: z._default(z.enum(LOG_LEVELS), 'notice'),
  cacerts: z._default(flag, false),
});

const GatewayTcpListener = z.strictObject({
  type: z.literal('tcp'),
  ...listenerFields,
  ...streamFields,
});
export const GatewaySslListener = z.strictObject({
  type: z.literal('ssl'),
  ...listenerFields,
  ...streamFields,
  ssl_options: z.prefault(ListenerSslOptions, {}),
});
const GatewayUdpListener = z.strictObject({
  type: z.literal('udp'),
  ...listenerFields,
  ...datagramFields,
});
export const GatewayDtlsListener = z.strictObject({
  type: z.literal('dtls'),
  ...listenerFields,
  ...datagramFields,
  acceptors,
  dtls_options: z.prefault(DtlsOptions, {}),
});

const NO_SYMBOL = 'not_a_enum_symbol';
export const GatewayListenerConfig = z.discriminatedUnion(
  'type',
  [GatewayTcpListener, GatewaySslListener, GatewayUdpListener, GatewayDtlsListener],
  NO_SYMBOL,
);
export type GatewayListenerConfig = z.output<typeof GatewayListenerConfig>;

const listenerName = z.string().check(z.regex(LISTENER_NAME, 'invalid_listener_name'));
/** What answers say beside the configuration; taken and ignored when it is sent back. */
const shown = {
  id: z.optional(z.unknown()),
  running: z.optional(z.unknown()),
  status: z.optional(z.unknown()),
  node_status: z.optional(z.unknown()),
  failure: z.optional(z.unknown()),
  authentication: z.optional(z.unknown()),
};
const named = { name: listenerName, ...shown };
/** A listener as it is sent. */
export const NewGatewayListener = z.discriminatedUnion(
  'type',
  [
    z.extend(GatewayTcpListener, named),
    z.extend(GatewaySslListener, named),
    z.extend(GatewayUdpListener, named),
    z.extend(GatewayDtlsListener, named),
  ],
  NO_SYMBOL,
);
export type NewGatewayListener = z.output<typeof NewGatewayListener>;

// --- configuration

/** Taken from what the device said, by placeholders such as `${username}`, instead of what it would be. */
const ClientInfoOverride = z.strictObject({
  clientid: z.optional(z.string()),
  username: z.optional(z.string()),
  password: z.optional(z.string()),
});

const common = {
  enable: z._default(flag, true),
  /** Kept for those who send it back: the figures of clients are always there. */
  enable_stats: z._default(flag, true),
  /** A connection, or an address of datagrams, by which nobody has come in ends after so long. */
  idle_timeout: z._default(lastingDuration, '30s'),
  clientinfo_override: z.optional(ClientInfoOverride),
};
/** Goes before each topic of its devices, who do not see it; `${clientid}` and `${username}` are filled in. */
const noMountpoint = z._default(mountpoint, '');

const nonNegative = expected('non_neg_integer()');
const count = z
  .number(nonNegative)
  .check(z.int(nonNegative), z.gte(0, nonNegative), z.lte(2 ** 31 - 1, nonNegative));

export const StompConfig = z.strictObject({
  ...common,
  mountpoint: noMountpoint,
  frame: z.prefault(
    z.strictObject({
      max_headers: z._default(count, 10),
      /** Bytes of one header. */
      max_headers_length: z._default(count, 1024),
      max_body_length: z._default(count, 65_536),
    }),
    {},
  ),
});
export type StompConfig = z.output<typeof StompConfig>;

export const PREDEFINED_ID_MAX = 65_535;
const PREDEFINED_TOPICS_MAX = 1024;

export const MqttsnConfig = z.strictObject({
  ...common,
  mountpoint: noMountpoint,
  /** One byte of ADVERTISE and GWINFO. */
  gateway_id: z._default(intBetween(0, 255), 1),
  /** Whether it advertises itself in its network. */
  broadcast: z._default(flag, false),
  /** Devices may publish to predefined topics without having connected (QoS -1). */
  enable_qos3: z._default(flag, true),
  /** Whether who comes back with its session kept gets its topic ids told anew. */
  subs_resume: z._default(flag, false),
  predefined: z._default(
    z
      .array(
        z.strictObject({
          id: intBetween(1, PREDEFINED_ID_MAX),
          topic: z.string().check(z.minLength(1, 'required_field'), z.regex(/^[^#+\0]*$/, 'invalid_topic')),
        }),
      )
      .check(
        z.maxLength(PREDEFINED_TOPICS_MAX),
        z.refine((rows) => new Set(rows.map(({ id }) => id)).size === rows.length, 'duplicate_id'),
      ),
    [],
  ),
});
export type MqttsnConfig = z.output<typeof MqttsnConfig>;

export const COAP_NOTIFY_TYPES = ['non', 'con', 'qos'] as const;
export const COAP_QOS = ['qos0', 'qos1', 'qos2', 'coap'] as const;

export const CoapConfig = z.strictObject({
  ...common,
  mountpoint: noMountpoint,
  /** Devices say first who they are, and send heartbeats. */
  connection_required: z._default(flag, false),
  heartbeat: z._default(lastingDuration, '30s'),
  /** Whether notifications are confirmed: never, always, or as the QoS of the message asks. */
  notify_type: z._default(z.enum(COAP_NOTIFY_TYPES), 'qos'),
  /** `coap`: QoS 1 where the request was confirmable, else 0. */
  subscribe_qos: z._default(z.enum(COAP_QOS), 'coap'),
  publish_qos: z._default(z.enum(COAP_QOS), 'coap'),
});
export type CoapConfig = z.output<typeof CoapConfig>;

const Translator = z.strictObject({
  /** Behind the mountpoint. */
  topic: z.string().check(z.minLength(1, 'required_field')),
  qos: z._default(intBetween(0, 2), 0),
});
export const TRANSLATORS = ['command', 'response', 'notify', 'register', 'update'] as const;

export const Lwm2mConfig = z.strictObject({
  ...common,
  mountpoint: z._default(mountpoint, 'lwm2m/${endpoint_name}/'),
  /** A folder with descriptions of objects, in the form of OMA; a relative one lies in the broker's data folder. */
  xml_dir: z._default(z.string(), 'etc/lwm2m_xml/'),
  /** What a device in queue mode is awake after it was heard of. */
  qmode_time_window: z._default(lastingDuration, '22s'),
  lifetime_min: z._default(lastingDuration, '15s'),
  lifetime_max: z._default(lastingDuration, '86400s'),
  /** Whether the objects of a device are observed as soon as it has registered. */
  auto_observe: z._default(flag, false),
  update_msg_publish_condition: z._default(
    z.enum(['always', 'contains_object_list']),
    'contains_object_list',
  ),
  /** The topics of what goes to and comes from a device. */
  translators: z.strictObject({
    command: Translator,
    response: Translator,
    notify: Translator,
    register: Translator,
    update: Translator,
  }),
});
export type Lwm2mConfig = z.output<typeof Lwm2mConfig>;

export const EXPROTO_SERVICES = ['ConnectionUnaryHandler', 'ConnectionHandler'] as const;

const usedCertificate = (options: { certfile: string; keyfile: string }): boolean =>
  options.certfile !== '' && options.keyfile !== '';
/** TLS of a gRPC server: as of a listener, with a certificate of its own. */
const ServerSslOptions = ListenerSslOptions.check(
  z.refine(usedCertificate, 'certfile and keyfile are both needed'),
);

export const ExprotoConfig = z.strictObject({
  ...common,
  mountpoint: noMountpoint,
  /** Where handlers reach the broker, by gRPC. */
  server: z.strictObject({ bind, ssl_options: z.optional(ServerSslOptions) }),
  /** Where the broker reaches the handler: `http://host:port`, or `https://` with `ssl_options`. */
  handler: z.strictObject({
    address: httpUrl,
    service_name: z._default(z.enum(EXPROTO_SERVICES), 'ConnectionUnaryHandler'),
    ssl_options: z.optional(SslClient),
  }),
});
export type ExprotoConfig = z.output<typeof ExprotoConfig>;

/** The configuration of each gateway, without its listeners and authentication. */
export const gatewayConfigs = {
  coap: CoapConfig,
  exproto: ExprotoConfig,
  lwm2m: Lwm2mConfig,
  mqttsn: MqttsnConfig,
  stomp: StompConfig,
};
export interface GatewayConfigs {
  coap: CoapConfig;
  exproto: ExprotoConfig;
  lwm2m: Lwm2mConfig;
  mqttsn: MqttsnConfig;
  stomp: StompConfig;
}

/** What the steps of a new gateway begin with, where it is not the default. */
export const gatewayPresets = {
  coap: { port: 5683 },
  exproto: {
    port: 7993,
    server: { bind: '127.0.0.1:9100' },
    handler: { address: 'http://127.0.0.1:9001' },
  },
  lwm2m: {
    port: 5783,
    lifetime_min: '1s',
    translators: {
      command: { topic: 'dn/#', qos: 0 },
      response: { topic: 'up/resp', qos: 0 },
      notify: { topic: 'up/notify', qos: 0 },
      register: { topic: 'up/resp', qos: 0 },
      update: { topic: 'up/update', qos: 0 },
    },
  },
  mqttsn: { port: 1884 },
  stomp: { port: 61_613, frame: { max_headers: 10, max_headers_length: 1024, max_body_length: 8192 } },
} as const;
export const NEW_LISTENER_PRESET = { max_connections: 1_024_000, max_conn_rate: 1000 } as const;

// --- settings

const stored = <S extends z.ZodMiniType>(listener: S) => z.prefault(z.record(listenerName, listener), {});
const StoredListeners = z.strictObject({
  tcp: stored(GatewayTcpListener),
  ssl: stored(GatewaySslListener),
  udp: stored(GatewayUdpListener),
  dtls: stored(GatewayDtlsListener),
});
const storedBeside = {
  listeners: z.prefault(StoredListeners, {}),
  created_at: z.optional(timestamp),
};

/**
 * The section of the settings file: those gateways that were loaded. Their authenticators are chains of the section
 * `authentication`: `stomp:global`, `stomp:tcp:default`.
 */
export const GatewaySettings = z.strictObject({
  coap: z.optional(z.extend(CoapConfig, storedBeside)),
  exproto: z.optional(z.extend(ExprotoConfig, storedBeside)),
  lwm2m: z.optional(z.extend(Lwm2mConfig, storedBeside)),
  mqttsn: z.optional(z.extend(MqttsnConfig, storedBeside)),
  stomp: z.optional(z.extend(StompConfig, storedBeside)),
});
export type GatewaySettings = z.output<typeof GatewaySettings>;
export type StoredGateway = NonNullable<GatewaySettings[GatewayName]>;

// --- answers

export const GATEWAY_STATES = ['running', 'stopped', 'unloaded'] as const;
export type GatewayState = (typeof GATEWAY_STATES)[number];

const moments = {
  created_at: z.optional(timestamp),
  started_at: z.optional(timestamp),
  stopped_at: z.optional(timestamp),
  /** An extension: why it does not run although it is enabled, a sentence. */
  failure: z.optional(z.string()),
};

/** A gateway in the list; only name and status while it is unloaded. */
export const GatewayItem = z.looseObject({
  name: GatewayName,
  status: z.enum(GATEWAY_STATES),
  ...moments,
  current_connections: z.optional(z.number()),
  max_connections: z.optional(orInfinity),
  listeners: z.optional(
    z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        type: z.enum(GATEWAY_LISTENER_TYPES),
        running: z.boolean(),
      }),
    ),
  ),
  node_status: z.optional(z.array(z.looseObject({ node: z.string(), status: z.string() }))),
});
export type GatewayItem = z.infer<typeof GatewayItem>;

/** A listener with all that is configured of it; secrets are masked. */
export const GatewayListener = z.looseObject({
  id: z.string(), // `stomp:tcp:default`
  type: z.enum(GATEWAY_LISTENER_TYPES),
  name: z.string(),
  bind: z.string(),
  enable: z.optional(z.boolean()),
  acceptors: z.optional(z.number()),
  max_connections: z.optional(orInfinity),
  max_conn_rate: z.optional(orInfinity),
  running: z.optional(z.boolean()),
  status: z.optional(
    z.looseObject({ running: z.boolean(), current_connections: z.number(), max_connections: orInfinity }),
  ),
  /** An extension, when asked for: host and port where it listens, also where `bind` says no host. */
  address: z.optional(z.string()),
  /** An extension: why it does not listen although it is enabled, a sentence. */
  failure: z.optional(z.string()),
});
export type GatewayListener = z.infer<typeof GatewayListener>;

/** Its configuration stands beside these: see `gatewayConfigs`. */
export const GatewayDetail = z.looseObject({
  name: GatewayName,
  status: z.enum(GATEWAY_STATES),
  ...moments,
  enable: z.optional(z.boolean()),
  listeners: z.optional(z.array(GatewayListener)),
});
export type GatewayDetail = z.infer<typeof GatewayDetail>;

const counter = z.optional(z.number());

/** A device that is connected to a gateway. */
export const GatewayClient = z.looseObject({
  clientid: z.string(),
  username: z.nullable(z.string()),
  connected: z.boolean(),
  node: z.string(),
  ip_address: z.string(),
  port: z.number(),
  proto_name: z.string(), // STOMP
  proto_ver: z.string(), // 1.2
  keepalive: z.number(), // seconds, 0 = off
  clean_start: z.boolean(),
  expiry_interval: z.number(), // seconds
  is_bridge: z.boolean(),
  mountpoint: z.optional(z.nullable(z.string())),
  created_at: z.optional(z.nullable(timestamp)),
  connected_at: z.optional(timestamp),
  disconnected_at: z.optional(z.nullable(timestamp)),
  subscriptions_cnt: z.number(),
  subscriptions_max: orInfinity,
  inflight_cnt: z.number(),
  inflight_max: orInfinity,
  mqueue_len: z.number(),
  mqueue_max: orInfinity,
  mqueue_dropped: z.number(),
  awaiting_rel_cnt: z.number(),
  awaiting_rel_max: orInfinity,
  recv_oct: counter,
  recv_cnt: counter,
  recv_pkt: counter,
  recv_msg: counter,
  send_oct: counter,
  send_cnt: counter,
  send_pkt: counter,
  send_msg: counter,
  heap_size: counter,
  mailbox_len: counter,
  reductions: counter,
  /** Of LwM2M. */
  endpoint_name: z.optional(z.string()),
  lifetime: z.optional(z.number()), // seconds
  /** An extension, of LwM2M: what the device said that it has, `/1/0 /3/0`. */
  object_list: z.optional(z.string()),
});
export type GatewayClient = z.infer<typeof GatewayClient>;

const bit = z.literal([0, 1]);
const qos = z.literal([0, 1, 2]);
const subProps = z.strictObject({ subid: z.optional(text) });

export const GatewaySubscription = z.looseObject({
  topic: z.string(), // with the mountpoint
  qos: z.number(),
  nl: z.optional(z.number()),
  rap: z.optional(z.number()),
  rh: z.optional(z.number()),
  is_new: z.optional(z.boolean()),
  sub_props: z.looseObject({ subid: z.optional(z.string()) }),
});
export type GatewaySubscription = z.infer<typeof GatewaySubscription>;

/** The one authenticator of a gateway or of one of its listeners; secrets are masked. */
const GatewayAuthenticator = z.looseObject({
  id: z.optional(z.string()),
  chain_name: z.optional(z.string()), // `stomp:global`, `stomp:tcp:default`
  mechanism: z.string(),
  backend: z.optional(z.string()),
  enable: z.optional(z.boolean()),
});
export type GatewayAuthenticator = z.infer<typeof GatewayAuthenticator>;

/**
 * Mechanisms and backends that a gateway can ask, none where its devices show nothing that could be asked about. SCRAM
 * needs a conversation that none of these protocols has.
 */
export const authenticatorsOf = (name: GatewayName): 'all' | 'http' =>
  name === 'mqttsn' || name === 'lwm2m' ? 'http' : 'all';

const passwordOf = z.string(expected('binary()'));
const notLoaded = ['RESOURCE_NOT_FOUND'] as const;

function authenticationAt<const P extends string>(base: P) {
  const at = <const S extends string>(rest: S) => `${base}${rest}` as `${P}${S}`;
  const errors = ['RESOURCE_NOT_FOUND', 'NOT_FOUND'] as const;
  return {
    /** 204 without one. */
    get: endpoint({
      method: 'GET',
      path: at(''),
      summary: 'The authenticator; nothing (204) where there is none',
      ok: json(z.optional(GatewayAuthenticator)),
      errors,
    }),
    create: endpoint({
      method: 'POST',
      path: at(''),
      summary: 'Ask an authenticator before a device is let in',
      body: AuthenticatorConfig,
      ok: json(GatewayAuthenticator, 201),
      errors: [...errors, 'ALREADY_EXISTS'],
    }),
    update: endpoint({
      method: 'PUT',
      path: at(''),
      summary: 'Change the authenticator: its whole configuration. A masked secret keeps its value',
      body: AuthenticatorConfig,
      ok: json(GatewayAuthenticator),
      errors,
    }),
    remove: endpoint({
      method: 'DELETE',
      path: at(''),
      summary: 'Remove the authenticator, with its users; everybody is let in',
      ok: noContent,
      errors,
    }),
    users: endpoint({
      method: 'GET',
      path: at('/users'),
      summary: 'Users of the built-in database',
      query: z.object({
        ...pageQueryFields,
        like_user_id: z.optional(z.string()),
        is_superuser: z.optional(queryBool),
      }),
      ok: page(AuthnUser),
      errors,
    }),
    createUser: endpoint({
      method: 'POST',
      path: at('/users'),
      summary: 'Add a user',
      body: z.strictObject({
        user_id: text,
        password: passwordOf,
        is_superuser: z._default(flag, false),
      }),
      ok: json(AuthnUser, 201),
      errors: [...errors, 'ALREADY_EXISTS'],
    }),
    importUsers: endpoint({
      method: 'POST',
      path: at('/import_users'),
      summary: 'Add users from a CSV or JSON file with hashes',
      upload: { field: 'filename', bytesMax: IMPORT_BYTES_MAX },
      ok: noContent,
      errors,
    }),
    user: endpoint({
      method: 'GET',
      path: at('/users/:uid'),
      summary: 'One user',
      ok: json(AuthnUser),
      errors,
    }),
    updateUser: endpoint({
      method: 'PUT',
      path: at('/users/:uid'),
      summary: "Change a user's password and whether he is a superuser",
      body: z.strictObject({ password: passwordOf, is_superuser: z._default(flag, false) }),
      ok: json(AuthnUser),
      errors,
    }),
    removeUser: endpoint({
      method: 'DELETE',
      path: at('/users/:uid'),
      summary: 'Delete a user; he stays connected where he is',
      ok: noContent,
      errors,
    }),
  };
}

export const gateways = {
  list: endpoint({
    method: 'GET',
    path: '/gateways',
    summary: 'All gateways with their states',
    query: z.object({ status: z.optional(z.enum(GATEWAY_STATES)) }),
    ok: json(z.array(GatewayItem)),
  }),
  get: endpoint({
    method: 'GET',
    path: '/gateways/:name',
    summary: 'A gateway with its configuration; its secrets are hidden',
    ok: json(GatewayDetail),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/gateways/:name',
    summary:
      'Load a gateway, or replace its configuration, which ends its connections. Only the first one reads `listeners`.',
    /** Checked by the schema of its name, with `listeners` and `name` beside it. */
    body: z.looseObject({}),
    bodyByType: 'gateway',
    ok: noContent,
  }),
  enable: endpoint({
    method: 'PUT',
    path: '/gateways/:name/enable/:enable',
    summary: 'Start or stop a gateway',
    ok: noContent,
    errors: notLoaded,
  }),
  listeners: endpoint({
    method: 'GET',
    path: '/gateways/:name/listeners',
    summary: 'The listeners of a gateway',
    /** With `addresses` each one that listens says where: an extension. */
    query: z.object({ addresses: z.optional(queryBool) }),
    ok: json(z.array(GatewayListener)),
    errors: notLoaded,
  }),
  createListener: endpoint({
    method: 'POST',
    path: '/gateways/:name/listeners',
    summary: 'Create a listener, and start it when it is enabled',
    /** Checked as a NewGatewayListener of a type that the gateway has. */
    body: z.looseObject({}),
    bodyByType: 'gateway_listener',
    ok: json(GatewayListener, 201),
    errors: notLoaded,
  }),
  listener: endpoint({
    method: 'GET',
    path: '/gateways/:name/listeners/:id',
    summary: 'One listener; its secrets are hidden',
    ok: json(GatewayListener),
    errors: notLoaded,
  }),
  updateListener: endpoint({
    method: 'PUT',
    path: '/gateways/:name/listeners/:id',
    summary: 'Replace a listener; its connections stay unless it listens elsewhere',
    body: z.looseObject({}),
    bodyByType: 'gateway_listener',
    ok: json(GatewayListener),
    errors: notLoaded,
  }),
  removeListener: endpoint({
    method: 'DELETE',
    path: '/gateways/:name/listeners/:id',
    summary: 'Delete a listener with its connections and its authenticator',
    ok: noContent,
    errors: notLoaded,
  }),
  clients: endpoint({
    method: 'GET',
    path: '/gateways/:name/clients',
    summary: 'The devices that are connected to a gateway',
    query: z.object({
      ...pageQueryFields,
      node: z.optional(z.string()),
      clientid: z.optional(z.string()),
      username: z.optional(z.string()),
      ip_address: z.optional(z.string()),
      conn_state: z.optional(z.enum(['connected', 'disconnected', 'idle'])),
      proto_ver: z.optional(z.union([z.string(), z.number()])),
      clean_start: z.optional(queryBool),
      like_clientid: z.optional(z.string()),
      like_username: z.optional(z.string()),
      gte_created_at: z.optional(queryTime),
      lte_created_at: z.optional(queryTime),
      gte_connected_at: z.optional(queryTime),
      lte_connected_at: z.optional(queryTime),
      /** Of LwM2M. */
      endpoint_name: z.optional(z.string()),
      like_endpoint_name: z.optional(z.string()),
      gte_lifetime: z.optional(queryInt({ min: 0 })),
      lte_lifetime: z.optional(queryInt({ min: 0 })),
    }),
    ok: page(GatewayClient),
    errors: ['NODE_DOWN', 'RESOURCE_NOT_FOUND'],
  }),
  client: endpoint({
    method: 'GET',
    path: '/gateways/:name/clients/:clientid',
    summary: 'One device',
    ok: json(GatewayClient),
    errors: notLoaded,
  }),
  kickOut: endpoint({
    method: 'DELETE',
    path: '/gateways/:name/clients/:clientid',
    summary: 'End the connection of a device',
    ok: noContent,
    errors: notLoaded,
  }),
  subscriptions: endpoint({
    method: 'GET',
    path: '/gateways/:name/clients/:clientid/subscriptions',
    summary: "A device's subscriptions",
    ok: json(z.array(GatewaySubscription)),
    errors: notLoaded,
  }),
  subscribe: endpoint({
    method: 'POST',
    path: '/gateways/:name/clients/:clientid/subscriptions',
    summary: 'Subscribe on behalf of a device; one of STOMP needs `sub_props.subid`',
    body: z.strictObject({
      topic: z.optional(text),
      qos: z._default(qos, 0),
      nl: z._default(bit, 0),
      rap: z._default(bit, 0),
      rh: z._default(qos, 1),
      sub_props: z._default(subProps, {}),
    }),
    ok: json(GatewaySubscription, 201),
    errors: notLoaded,
  }),
  unsubscribe: endpoint({
    method: 'DELETE',
    path: '/gateways/:name/clients/:clientid/subscriptions/:topic',
    summary: 'Unsubscribe on behalf of a device; an unknown filter is no error',
    ok: noContent,
    errors: notLoaded,
  }),
};

/** Who may connect to a gateway: its one authenticator is asked, which decides. */
export const gatewayAuthentication = authenticationAt('/gateways/:name/authentication');

/** A listener that has an authenticator of its own asks that one instead of its gateway's. */
export const gatewayListenerAuthentication = authenticationAt('/gateways/:name/listeners/:id/authentication');
