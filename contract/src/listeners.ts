import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { rateOf } from './kit/rates.ts';
import { LOG_LEVELS, TLS_VERSIONS } from './kit/ssl.ts';
import { flag, intBetween, orInfinity, parseBytes, parseDuration, secret, timestamp } from './kit/values.ts';

export const LISTENER_TYPES = ['tcp', 'ssl', 'ws', 'wss'] as const;
export type ListenerType = (typeof LISTENER_TYPES)[number];

/** Why there is no listener of the type `quic`, for operators. */
const NO_QUIC = 'QUIC is not available: the broker has TCP and WebSocket, both also with TLS';

/** Where a listener of a type listens unless told. */
export const STANDARD_PORTS: Record<ListenerType, number> = { tcp: 1883, ssl: 8883, ws: 8083, wss: 8084 };

// --- where it listens

export interface Bind {
  /** Null = what the broker was started with (`--host`). */
  host: string | null;
  port: number; // 0 = any free one
}

const BIND = /^(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([^\s:[\]]*)):(\d{1,6})$/;
const HOST_NAME = /^(?=.*[A-Za-z])[A-Za-z0-9](?:[\w-]|\.(?!\.|$))*$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

const portOf = (text: string): number | null =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;

/** `1883`, `:1883`, `127.0.0.1:1883`, `localhost:1883` or `[::1]:1883`; a word for what is wrong with other texts. */
export function parseBind(value: string | number): Bind | 'bad_port_number' | 'bad_ip_port' {
  const text = String(value).trim();
  if (!text.includes(':')) {
    const port = portOf(text);
    return port === null ? 'bad_port_number' : { host: null, port };
  }
  const [, ipv6, name = '', digits = ''] = BIND.exec(text) ?? [];
  const port = portOf(digits);
  if (port === null || name.length > 253) return 'bad_ip_port';
  if (ipv6 !== undefined) return { host: ipv6, port };
  if (name === '') return { host: null, port };
  return IPV4.test(name) || HOST_NAME.test(name) ? { host: name, port } : 'bad_ip_port';
}

/** As the API writes it. */
export const bindText = ({ host, port }: Bind): string =>
  host?.includes(':') ? `[${host}]:${port}` : `${host ?? ''}:${port}`;

export const bind = z.pipe(
  z.union([z.string(), z.number()], 'bad_ip_port').check(
    z.refine((value) => typeof parseBind(value) === 'object', {
      error: ({ input }) => String(parseBind(input as string | number)),
    }),
  ),
  z.transform((value): string => {
    const parsed = parseBind(value);
    return typeof parsed === 'object' ? bindText(parsed) : String(value);
  }),
);

// --- who may come, and how fast

const RULE = /^(allow|deny)\s+(\S{1,64})$/;
const RULE_LENGTH_MAX = 100;
const IPV6 = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(?:\d+\.\d+\.\d+\.\d+)?$/;

export interface AccessRule {
  allow: boolean;
  /** Null = everybody. */
  network: { address: string; prefix: number } | null;
}

/** `allow all`, `deny 10.0.0.0/8`, `allow 2001:db8::1`; null when it is no rule. */
export function parseAccessRule(text: string): AccessRule | null {
  if (text.length > RULE_LENGTH_MAX) return null;
  const [, verb, who = ''] = RULE.exec(text.trim()) ?? [];
  if (verb === undefined) return null;
  const allow = verb === 'allow';
  if (who === 'all') return { allow, network: null };
  const [address = '', length, ...more] = who.split('/');
  const bits = IPV4.test(address)
    ? 32
    : IPV6.test(address) && URL.canParse(`http://[${address}]`)
      ? 128
      : null;
  if (bits === null || more.length > 0) return null;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null;
  const prefix = length === undefined ? bits : Number(length);
  return prefix > bits ? null : { allow, network: { address, prefix } };
}

/** The first rule that fits decides, about the address that opens the connection (the proxy's, where there is one). */
export const accessRules = z.array(z.string()).check(
  z.maxLength(1000),
  z.refine((rules) => rules.every((rule) => parseAccessRule(rule) !== null), {
    error: ({ input }) =>
      `invalid_rule(s): ${(input as string[])
        .filter((rule) => parseAccessRule(rule) === null)
        .map((rule) => rule.slice(0, RULE_LENGTH_MAX))
        .slice(0, 5)
        .join(', ')}`,
  }),
);

/** With its time, unlike elsewhere: `100/s`. */
export const listenerRate = z.string().check(
  z.refine((value) => value === 'infinity' || (value.includes('/') && rateOf(value) !== undefined), {
    error: ({ input }) => String(input).slice(0, 64), // the real API has no better word for it
  }),
);

// --- options

const positive = expected('pos_integer()');
const nonNegative = expected('non_neg_integer()');
const atLeast = (min: 0 | 1) => {
  const range = min === 0 ? nonNegative : positive;
  return z.number(range).check(z.int(range), z.gte(min, range), z.lte(Number.MAX_SAFE_INTEGER, range));
};
export const countOrInfinity = z
  .union([z.literal('infinity'), z.number()], positive)
  .check(z.refine((value) => value === 'infinity' || (Number.isSafeInteger(value) && value >= 1), positive));
const NO_DURATION = 'Not a valid duration';
/** Written back exactly as it was sent. */
const duration = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => parseDuration(value) !== null, NO_DURATION));
const size = z
  .union([z.string(), z.number()], 'Not a valid bytesize')
  .check(z.refine((value) => parseBytes(value) !== null, 'Not a valid bytesize'));
export const lastingDuration = duration.check(
  z.refine((value) => (parseDuration(value) ?? 0) > 0, 'The time must be longer than zero'),
);

type Shape = Record<string, z.ZodMiniType>;
type Defaults<S extends Shape> = { [K in keyof S]?: z.output<S[K]> };
type WithDefaults<S extends Shape, D> = {
  [K in keyof S]: K extends keyof D ? z.ZodMiniDefault<S[K]> : z.ZodMiniOptional<S[K]>;
};

/** A strict object; what has no default may be absent. */
const withDefaults = <S extends Shape, D extends Defaults<S>>(shape: S, defaults: D) =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(shape).map(([name, schema]) => [
        name,
        Object.hasOwn(defaults, name)
          ? z._default(schema, defaults[name] as NonNullable<unknown>)
          : z.optional(schema),
      ]),
    ),
  ) as unknown as z.ZodMiniObject<WithDefaults<S, D>, z.core.$strict>;

const KEEPALIVE = /^none$|^\s*\d{1,9}\s*,\s*\d{1,9}\s*,\s*\d{1,9}\s*$/;

const tcpFields = {
  /** Connections that wait to be accepted. */
  backlog: intBetween(1, 65_535),
  /** Small packets leave at once. */
  nodelay: flag,
  /** `none`, or seconds until a silent peer is probed, between probes, and their number: `240,30,5`. The last two are the system's here. */
  keepalive: z.string().check(z.regex(KEEPALIVE, 'invalid_keepalive')),
  /** A peer that takes nothing for so long loses its connection, unless … */
  send_timeout: lastingDuration,
  /** … this is false: then it may take its time. */
  send_timeout_close: flag,
  /** A connection that is broken off ends with a reset, and what waits to be sent with it. */
  nolinger: flag,
  /** Kept for those who send them back: here the system decides. */
  active_n: atLeast(0),
  buffer: size,
  high_watermark: size,
  recbuf: size,
  sndbuf: size,
  reuseaddr: flag,
};
const TCP_DEFAULTS = {
  active_n: 100,
  backlog: 1024,
  buffer: '4KB',
  high_watermark: '1MB',
  keepalive: 'none',
  nodelay: true,
  nolinger: false,
  reuseaddr: true,
  send_timeout: '15s',
  send_timeout_close: true,
} as const;
export const TcpOptions = withDefaults(tcpFields, TCP_DEFAULTS);
export type TcpOptions = z.output<typeof TcpOptions>;

const takeover = z.enum(['takeover', 'no_takeover']);
const deflateFields = {
  level: z.enum(['none', 'default', 'best_compression', 'best_speed']),
  mem_level: intBetween(1, 9),
  strategy: z.enum(['default', 'filtered', 'huffman_only', 'rle']),
  server_context_takeover: takeover,
  client_context_takeover: takeover,
  server_max_window_bits: intBetween(8, 15),
  client_max_window_bits: intBetween(8, 15),
};
const DEFLATE_DEFAULTS = {
  client_context_takeover: 'takeover',
  client_max_window_bits: 15,
  mem_level: 8,
  server_context_takeover: 'takeover',
  server_max_window_bits: 15,
  strategy: 'default',
} as const;
const DeflateOptions = withDefaults(deflateFields, DEFLATE_DEFAULTS);

/** Names separated by commas; a list is taken too. */
const names = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((value): string => (Array.isArray(value) ? value.join(', ') : value)),
);
const headerName = z.string().check(z.regex(/^[\w-]{0,128}$/, 'invalid_header_name'));

const webSocketFields = {
  /** Of the URL: `ws://host:8083/mqtt`. */
  mqtt_path: z.string().check(z.regex(/^\/[\w./~-]{0,255}$/, 'invalid_path')),
  /** Whether a client must name a protocol of `supported_subprotocols`. */
  fail_if_no_subprotocol: flag,
  supported_subprotocols: names.check(z.refine((value) => /[\w.-]/.test(value), 'required_field')),
  /** Whether a page may connect that is not of one of the `check_origins`. */
  check_origin_enable: flag,
  check_origins: names,
  /** Where origins are checked: whether programs may connect, which say none. */
  allow_origin_absence: flag,
  /** Compresses for clients that can. */
  compress: flag,
  /** Bytes. The largest packet and a little more is the limit in any case. */
  max_frame_size: countOrInfinity,
  /** A client that sends nothing for so long loses its connection. */
  idle_timeout: lastingDuration,
  /**
   * The headers in which a proxy writes whose connection it passes on; empty = none is believed. Any client can
   * write such a header: name one only where all come through the proxy.
   */
  proxy_address_header: headerName,
  proxy_port_header: headerName,
  /** Of text frames, which MQTT has not: a faulty one ends the connection with 1007 instead of 1003. */
  validate_utf8: flag,
  /** Kept for those who send it back: a frame to a client may hold several packets. */
  mqtt_piggyback: z.enum(['single', 'multiple']),
};
const WEB_SOCKET_DEFAULTS = {
  allow_origin_absence: true,
  check_origin_enable: false,
  check_origins: 'http://localhost:18083, http://127.0.0.1:18083',
  compress: false,
  fail_if_no_subprotocol: true,
  idle_timeout: '7200s',
  max_frame_size: 'infinity',
  mqtt_path: '/mqtt',
  mqtt_piggyback: 'multiple',
  proxy_address_header: '',
  proxy_port_header: '',
  supported_subprotocols: 'mqtt, mqtt-v3, mqtt-v3.1.1, mqtt-v5, mqttv3.1',
  validate_utf8: true,
} as const;
export const WebSocketOptions = z.extend(withDefaults(webSocketFields, WEB_SOCKET_DEFAULTS), {
  deflate_opts: z.prefault(DeflateOptions, {}),
});
export type WebSocketOptions = z.output<typeof WebSocketOptions>;

const never = (what: string) =>
  flag.check(z.refine((value) => !value, `${what} is not available: leave it off`));

const ocspFields = {
  enable_ocsp_stapling: never('OCSP stapling'),
  /** Kept for those who send them back. */
  responder_url: z.string(),
  issuer_pem: z.string(),
  refresh_interval: duration,
  refresh_http_timeout: duration,
};
const OCSP_DEFAULTS = {
  enable_ocsp_stapling: false,
  refresh_http_timeout: '15s',
  refresh_interval: '5m',
} as const;
const Ocsp = withDefaults(ocspFields, OCSP_DEFAULTS);

const sslFields = {
  /**
   * PEM text, or the path of a file on the broker's machine; what comes as text is kept as a file, and the answer has
   * its path. Both empty = the broker's own certificate, which renews itself.
   */
  certfile: z.string(),
  keyfile: secret,
  /** Of the key, when it is encrypted; empty = none. */
  password: secret,
  /** Who signs the certificates of clients; needed by `verify_peer`. */
  cacertfile: z.string(),
  /** `verify_peer`: a client's certificate must be signed by one of `cacertfile`; without it none is asked for. */
  verify: z.enum(['verify_peer', 'verify_none']),
  /** Where certificates are verified: whether a client must show one. */
  fail_if_no_peer_cert: flag,
  /** So many certificates may stand between that of a client and the one that is trusted. */
  depth: intBetween(0, 100),
  /** `tlsv1.1` and `tlsv1` are broken; with them the ciphers of that time are offered too. */
  versions: z.array(z.enum(TLS_VERSIONS)).check(z.minLength(1, 'required_field')),
  /** Names as OpenSSL writes them; none = the usual ones. */
  ciphers: z.array(z.string().check(z.regex(/^[\w-]{1,64}$/, 'invalid_cipher'))),
  honor_cipher_order: flag,
  handshake_timeout: lastingDuration,
  /** Whether who comes back may spare itself most of the handshake. */
  reuse_sessions: flag,
  /** Parameters of Diffie-Hellman: PEM text or a path. */
  dhfile: z.string(),
  enable_crl_check: never('Checking of revocation lists'),
  /** Kept for those who send them back; renegotiation is refused always, as no device needs it. */
  client_renegotiation: flag,
  secure_renegotiate: flag,
  gc_after_handshake: flag,
  hibernate_after: duration,
  log_level: z.enum(LOG_LEVELS),
  cacerts: flag,
};
const SSL_DEFAULTS = {
  cacertfile: '',
  certfile: '',
  keyfile: '',
  ciphers: [] as string[],
  client_renegotiation: true,
  depth: 10,
  enable_crl_check: false,
  fail_if_no_peer_cert: false,
  gc_after_handshake: false,
  handshake_timeout: '15s',
  hibernate_after: '5s',
  honor_cipher_order: true,
  log_level: 'notice',
  reuse_sessions: true,
  secure_renegotiate: true,
  verify: 'verify_none',
  versions: ['tlsv1.3', 'tlsv1.2'] as (typeof TLS_VERSIONS)[number][],
} as const;
export const ListenerSslOptions = z.extend(withDefaults(sslFields, SSL_DEFAULTS), {
  ocsp: z.prefault(Ocsp, {}),
});
export type ListenerSslOptions = z.output<typeof ListenerSslOptions>;

// --- a listener

/** Letters, digits, `-` and `_`; the first is a letter or digit. */
export const LISTENER_NAME = /^[A-Za-z0-9][\w-]{0,254}$/;

const commonFields = {
  enable: flag,
  /** Kept for those who send it back: one acceptor is enough here. */
  acceptors: atLeast(1),
  max_connections: countOrInfinity,
  /** Connections of the listener; who comes too fast is refused. */
  max_conn_rate: listenerRate,
  /** Of each of its clients; `infinity` = no limit, as absent. */
  messages_rate: listenerRate,
  bytes_rate: listenerRate,
  /** Goes before each topic of its clients, who do not see it; `${clientid}` and `${username}` are filled in. */
  mountpoint: z.string().check(z.maxLength(1024), z.regex(/^(?!\$(?!\{))[^#+\0]*$/, 'invalid_mountpoint')),
  zone: z.string().check(z.minLength(1, 'required_field'), z.maxLength(256)),
  /** `false` lets everybody in; `quick_deny_anonymous` refuses clients without username without asking further. */
  enable_authn: z.union(
    [z.boolean(), z.enum(['true', 'false', 'quick_deny_anonymous'])],
    'not_a_enum_symbol',
  ),
  access_rules: accessRules,
  /** A proxy says first whose connection it passes on, in version 1 or 2 of the PROXY protocol; others are refused. */
  proxy_protocol: flag,
  proxy_protocol_timeout: lastingDuration,
};
const authn = z.pipe(
  commonFields.enable_authn,
  z.transform((value): boolean | 'quick_deny_anonymous' =>
    value === 'quick_deny_anonymous' ? value : value === true || value === 'true',
  ),
);
const common = { ...commonFields, enable_authn: authn };
const COMMON_DEFAULTS = {
  acceptors: 16,
  access_rules: ['allow all'] as string[],
  enable: true,
  enable_authn: true,
  max_conn_rate: 'infinity',
  max_connections: 'infinity',
  mountpoint: '',
  proxy_protocol: false,
  proxy_protocol_timeout: '3s',
  zone: 'default',
} as const;
const commonShape = withDefaults(common, COMMON_DEFAULTS).shape;

const tcpOptions = z.prefault(TcpOptions, {});
const sslOptions = z.prefault(ListenerSslOptions, {});
const websocket = z.prefault(WebSocketOptions, {});
const standard = (type: ListenerType) => z._default(bind, `:${STANDARD_PORTS[type]}`);

/** What is configured of a listener, with the defaults of its type. */
export const TcpListener = z.strictObject({
  type: z.literal('tcp'),
  bind: standard('tcp'),
  ...commonShape,
  tcp_options: tcpOptions,
});
export const SslListener = z.strictObject({
  type: z.literal('ssl'),
  bind: standard('ssl'),
  ...commonShape,
  tcp_options: tcpOptions,
  ssl_options: sslOptions,
});
export const WsListener = z.strictObject({
  type: z.literal('ws'),
  bind: standard('ws'),
  ...commonShape,
  tcp_options: tcpOptions,
  websocket,
});
export const WssListener = z.strictObject({
  type: z.literal('wss'),
  bind: standard('wss'),
  ...commonShape,
  tcp_options: tcpOptions,
  ssl_options: sslOptions,
  websocket,
});

const noSuchType = {
  error: ({ input }: { input?: unknown }) =>
    (input as { type?: unknown } | null)?.type === 'quic' ? NO_QUIC : 'not_a_enum_symbol',
};

export const ListenerConfig = z.discriminatedUnion(
  'type',
  [TcpListener, SslListener, WsListener, WssListener],
  noSuchType,
);
export type ListenerConfig = z.output<typeof ListenerConfig>;

/** What answers say beside the configuration; taken and ignored when it is sent back. */
const shown = {
  running: z.optional(z.unknown()),
  current_connections: z.optional(z.unknown()),
  certificate: z.optional(z.unknown()),
  failure: z.optional(z.unknown()),
};
const named = { name: z.string().check(z.minLength(1, 'required_field')), ...shown };
/** The id of the path, which it must be. */
const identified = { id: z.optional(z.string()), ...shown };

const NewListener = z.discriminatedUnion(
  'type',
  [
    z.extend(TcpListener, named),
    z.extend(SslListener, named),
    z.extend(WsListener, named),
    z.extend(WssListener, named),
  ],
  noSuchType,
);
const NewListenerAt = z.discriminatedUnion(
  'type',
  [
    z.extend(TcpListener, identified),
    z.extend(SslListener, identified),
    z.extend(WsListener, identified),
    z.extend(WssListener, identified),
  ],
  noSuchType,
);

const partOf = <S extends Shape>(shape: S) => z.optional(z.partial(z.strictObject(shape)));
const commonChange = {
  ...z.partial(z.strictObject({ bind, ...common })).shape,
  tcp_options: partOf(tcpFields),
};
const sslChange = { ssl_options: partOf({ ...sslFields, ocsp: z.partial(z.strictObject(ocspFields)) }) };
const webSocketChange = {
  websocket: partOf({ ...webSocketFields, deflate_opts: z.partial(z.strictObject(deflateFields)) }),
};
const changes = {
  tcp: commonChange,
  ssl: { ...commonChange, ...sslChange },
  ws: { ...commonChange, ...webSocketChange },
  wss: { ...commonChange, ...sslChange, ...webSocketChange },
};

/** What is left out keeps its value, within the options too. */
const ListenerChange = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('tcp'), ...changes.tcp, ...identified }),
    z.strictObject({ type: z.literal('ssl'), ...changes.ssl, ...identified }),
    z.strictObject({ type: z.literal('ws'), ...changes.ws, ...identified }),
    z.strictObject({ type: z.literal('wss'), ...changes.wss, ...identified }),
  ],
  noSuchType,
);

const storedName = z.string().check(z.regex(LISTENER_NAME, 'invalid_listener_name'));
const stored = <S extends Shape>(shape: S) =>
  z.prefault(z.record(storedName, z.nullable(z.strictObject(shape))), {});

/**
 * The section of the settings file: by type and name what differs from the defaults, which of the listeners named
 * `default` the command line gives. Null: that one was deleted.
 */
export const ListenersSection = z.strictObject({
  tcp: stored(changes.tcp),
  ssl: stored(changes.ssl),
  ws: stored(changes.ws),
  wss: stored(changes.wss),
});
export type ListenersSection = z.output<typeof ListenersSection>;

/** What a TLS listener shows to its clients. */
export const ListenerCertificate = z.looseObject({
  subject: z.string(), // `CN=broker.example,O=Example`
  issuer: z.string(),
  not_after: timestamp,
  /** Whole days that remain; negative when it has ended. */
  days: z.number(),
  self_signed: z.boolean(),
  /** Whether the broker made it and renews it. */
  own: z.boolean(),
});
export type ListenerCertificate = z.infer<typeof ListenerCertificate>;

/** Extensions to the answers. */
const extensions = {
  /** Of ssl and wss; absent while the listener has none that can be used. */
  certificate: z.optional(ListenerCertificate),
  /** Why it does not listen although it is enabled, a sentence. */
  failure: z.optional(z.string()),
};

/** A listener with everything that is configured; secrets read MASK. `name` is the second part of `id`. */
const listenerShown = {
  id: z.string(), // `tcp:default`
  bind: z.string(), // with the port in use
  running: z.boolean(),
  current_connections: z.number(),
  ...extensions,
};
export const Listener = z.discriminatedUnion('type', [
  z.looseObject({ ...TcpListener.shape, ...listenerShown }),
  z.looseObject({ ...SslListener.shape, ...listenerShown }),
  z.looseObject({ ...WsListener.shape, ...listenerShown }),
  z.looseObject({ ...WssListener.shape, ...listenerShown }),
]);
export type Listener = z.output<typeof Listener>;

const ListenerStatus = z.looseObject({
  running: z.boolean(),
  current_connections: z.number(),
  max_connections: orInfinity,
});
const statusOfNodes = {
  status: ListenerStatus,
  node_status: z.array(z.looseObject({ node: z.string(), status: ListenerStatus })),
};

/** A listener in the list. */
export const ListenerItem = z.looseObject({
  id: z.string(),
  type: z.enum(LISTENER_TYPES),
  name: z.string(),
  bind: z.string(),
  enable: z.boolean(),
  acceptors: z.number(),
  number: z.number(), // of nodes that have it
  ...statusOfNodes,
  ...extensions,
  /** Extensions too, so that a list need not ask for each. */
  zone: z.optional(z.string()),
  mountpoint: z.optional(z.string()),
});
export type ListenerItem = z.infer<typeof ListenerItem>;

/** All listeners of a type together. */
export const ListenersOfType = z.looseObject({
  type: z.enum(LISTENER_TYPES),
  ids: z.array(z.string()),
  enable: z.boolean(),
  ...statusOfNodes,
});
export type ListenersOfType = z.infer<typeof ListenersOfType>;

const notFound = ['BAD_LISTENER_ID'] as const;
const nothing = json(z.undefined());

export const listeners = {
  list: endpoint({
    method: 'GET',
    path: '/listeners',
    summary: 'All listeners',
    ok: json(z.array(ListenerItem)),
  }),
  status: endpoint({
    method: 'GET',
    path: '/listeners_status',
    summary: 'Listeners by type, with the sum of their connections',
    ok: json(z.array(ListenersOfType)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/listeners',
    summary: 'Create a listener, and start it when it is enabled',
    body: NewListener,
    ok: json(Listener),
    errors: notFound,
  }),
  get: endpoint({
    method: 'GET',
    path: '/listeners/:id',
    summary: 'A listener',
    ok: json(Listener),
    errors: notFound,
  }),
  createAt: endpoint({
    method: 'POST',
    path: '/listeners/:id',
    summary: 'Create the listener of this id, and start it when it is enabled',
    body: NewListenerAt,
    ok: json(Listener),
    errors: notFound,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/listeners/:id',
    summary: 'Change a listener; its connections stay unless it listens elsewhere',
    body: ListenerChange,
    ok: json(Listener),
    errors: notFound,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/listeners/:id',
    summary: 'Delete a listener with its connections and its authenticators',
    ok: noContent,
    errors: notFound,
  }),
  start: endpoint({
    method: 'POST',
    path: '/listeners/:id/start',
    summary: 'Start and enable a listener',
    ok: nothing,
    errors: notFound,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/listeners/:id/stop',
    summary: 'Stop and disable a listener; its connections end',
    ok: nothing,
    errors: notFound,
  }),
  restart: endpoint({
    method: 'POST',
    path: '/listeners/:id/restart',
    summary: 'Stop and start a listener; its connections end',
    ok: nothing,
    errors: notFound,
  }),
};
