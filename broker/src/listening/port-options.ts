import { constants } from 'node:zlib';
import { rateOf } from '@mqdeck/contract/kit/rates';
import { parseDuration } from '@mqdeck/contract/kit/values';
import {
  type Bind,
  type ListenerConfig,
  type ListenerSslOptions,
  parseAccessRule,
  parseBind,
  type TcpOptions,
  type WebSocketOptions,
} from '@mqdeck/contract/listeners';
import type { EntranceRates } from '../core/entrance.ts';
import { accessBy } from '../core/listeners/access-rules.ts';
import type { ListenerOptions, SocketOptions } from '../core/listeners/listener.ts';
import type { TlsPolicy, TlsVersion } from '../core/listeners/tls.ts';
import type { WebSocketRules } from '../core/listeners/websocket.ts';

/** Milliseconds; the contract has checked that it is a duration. */
const msOf = (duration: string | number): number => parseDuration(duration) ?? 0;

/** The contract has checked it. */
export function bindOf(config: { bind: string }): Bind {
  const bind = parseBind(config.bind);
  if (typeof bind === 'string') throw new Error(`${config.bind} is no address to listen on`);
  return bind;
}

/** Whether an address may come, by rules that the contract has checked. */
export const accessOf = (rules: readonly string[]): ((address: string) => boolean) =>
  accessBy(rules.flatMap((text) => parseAccessRule(text) ?? []));

type StreamConfig = Pick<
  ListenerConfig,
  'bind' | 'max_connections' | 'access_rules' | 'proxy_protocol' | 'proxy_protocol_timeout' | 'tcp_options'
> & { websocket?: WebSocketOptions };

/** What the core's listener shall do, as far as it is not TLS. */
export function portOptions(
  name: string,
  config: StreamConfig,
  host: string,
): Omit<ListenerOptions, 'tls' | 'tlsPolicy'> {
  const bind = bindOf(config);
  return {
    name,
    host: bind.host ?? host,
    port: bind.port,
    backlog: config.tcp_options.backlog,
    maxConnections: config.max_connections === 'infinity' ? Number.POSITIVE_INFINITY : config.max_connections,
    admits: accessOf(config.access_rules),
    proxyTimeoutMs: config.proxy_protocol ? msOf(config.proxy_protocol_timeout) : null,
    socket: socketOptions(config.tcp_options),
    ...(config.websocket && { webSocket: webSocketRules(config.websocket) }),
  };
}

export function ratesOf(config: ListenerConfig): EntranceRates {
  const rate = (text: string | undefined) => {
    const facts = rateOf(text ?? 'infinity');
    return facts ? { count: facts.count, perMs: facts.ms } : null;
  };
  return {
    connections: rate(config.max_conn_rate),
    messages: rate(config.messages_rate),
    bytes: rate(config.bytes_rate),
  };
}

function socketOptions(options: TcpOptions): SocketOptions {
  const { nodelay, keepalive, send_timeout, send_timeout_close, nolinger } = options;
  const idleS = Number(keepalive.split(',', 1)[0]);
  return {
    noDelay: nodelay,
    keepaliveMs: Number.isFinite(idleS) && idleS > 0 ? idleS * 1000 : null,
    sendTimeoutMs: send_timeout_close ? msOf(send_timeout) : Number.POSITIVE_INFINITY,
    resets: nolinger,
  };
}

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function webSocketRules(options: WebSocketOptions): WebSocketRules {
  return {
    path: options.mqtt_path,
    protocols: namesIn(options.supported_subprotocols),
    protocolRequired: options.fail_if_no_subprotocol,
    origins: options.check_origin_enable ? namesIn(options.check_origins).map(originOf) : null,
    originRequired: !options.allow_origin_absence,
    deflate: options.compress && deflateOptions(options.deflate_opts),
    frameBytesMax: options.max_frame_size === 'infinity' ? Number.POSITIVE_INFINITY : options.max_frame_size,
    idleMs: msOf(options.idle_timeout),
    checksUtf8: options.validate_utf8,
    addressHeader: options.proxy_address_header,
    portHeader: options.proxy_port_header,
  };
}

/** As browsers write it: `https://Example.com:443/` is `https://example.com`. */
const originOf = (text: string): string => (URL.canParse(text) ? new URL(text).origin : text);

const LEVELS = {
  none: constants.Z_NO_COMPRESSION,
  default: constants.Z_DEFAULT_COMPRESSION,
  best_compression: constants.Z_BEST_COMPRESSION,
  best_speed: constants.Z_BEST_SPEED,
};
const STRATEGIES = {
  default: constants.Z_DEFAULT_STRATEGY,
  filtered: constants.Z_FILTERED,
  huffman_only: constants.Z_HUFFMAN_ONLY,
  rle: constants.Z_RLE,
};

const deflateOptions = (
  options: WebSocketOptions['deflate_opts'],
): Exclude<WebSocketRules['deflate'], false> => ({
  serverNoContextTakeover: options.server_context_takeover === 'no_takeover',
  clientNoContextTakeover: options.client_context_takeover === 'no_takeover',
  serverMaxWindowBits: options.server_max_window_bits,
  clientMaxWindowBits: options.client_max_window_bits,
  zlibDeflateOptions: {
    level: LEVELS[options.level ?? 'default'],
    memLevel: options.mem_level,
    strategy: STRATEGIES[options.strategy],
  },
});

const VERSIONS: Record<ListenerSslOptions['versions'][number], TlsVersion> = {
  tlsv1: 'TLSv1',
  'tlsv1.1': 'TLSv1.1',
  'tlsv1.2': 'TLSv1.2',
  'tlsv1.3': 'TLSv1.3',
};

/** `ca` and `dhparam` are the texts behind what is configured. */
export const tlsPolicy = (options: ListenerSslOptions, ca: string, dhparam: string | null): TlsPolicy => ({
  versions: options.versions.map((version) => VERSIONS[version]),
  ciphers: options.ciphers,
  honorCipherOrder: options.honor_cipher_order,
  resumes: options.reuse_sessions,
  handshakeTimeoutMs: msOf(options.handshake_timeout),
  dhparam,
  peers:
    options.verify === 'verify_peer'
      ? { ca, required: options.fail_if_no_peer_cert, depth: options.depth }
      : null,
});
