import { createSecureContext } from 'node:tls';
import { type ChannelCredentials, Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import type { SslClient } from '@mqdeck/contract/kit/ssl';
import { BackendConfigError } from '../backends/backend.ts';
import type { OutboundPolicy } from '../backends/outbound.ts';
import { networkReason } from '../backends/reasons.ts';
import { type TlsOptions, tlsOptions } from '../backends/tls.ts';
import { POLICY_OPTION, SCHEME } from './resolver.ts';

const FOREVER_MS = 0x7fffffff;
const PAUSE_MS = 1000; // between attempts of a channel that stays open

export interface ChannelTarget {
  url: string; // `http://host:port`
  ssl: SslClient;
  outbound: OutboundPolicy;
  /** Of one answer. */
  receiveBytesMax: number;
}

/** One connection of its own to a gRPC server, made when it is first used. Throws BackendConfigError for TLS that cannot be. */
export function openChannel({ url, ssl, outbound, receiveBytesMax }: ChannelTarget): Client {
  const { host, protocol } = new URL(url);
  const secure = protocol === 'https:' || ssl.enable;
  const tls = secure ? tlsOptions({ ...ssl, enable: true }) : null;
  return new Client(`${SCHEME}:${hostWithPort(host, secure)}`, credentialsOf(tls), {
    [POLICY_OPTION]: outbound,
    'grpc.use_local_subchannel_pool': 1, // otherwise all channels to one address share one connection
    'grpc.client_idle_timeout_ms': FOREVER_MS, // that it ends means that the server ended it
    'grpc.initial_reconnect_backoff_ms': PAUSE_MS,
    'grpc.max_reconnect_backoff_ms': PAUSE_MS,
    'grpc.max_receive_message_length': receiveBytesMax,
    'grpc.max_send_message_length': -1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0, // a hook must not be told twice
    'grpc.service_config_disable_resolution': 1,
    ...(tls?.servername !== undefined && {
      'grpc.ssl_target_name_override': tls.servername,
      'grpc.default_authority': tls.servername,
    }),
  });
}

/** `127.0.0.1:9000` of an address, for operators. */
export const addressOf = (url: string): string => {
  const { host, protocol } = new URL(url);
  return hostWithPort(host, protocol === 'https:');
};

const hostWithPort = (host: string, secure: boolean): string =>
  /:\d+$/.test(host) ? host : `${host}:${secure ? 443 : 80}`;

function credentialsOf(tls: TlsOptions | null): ChannelCredentials {
  if (tls === null) return credentials.createInsecure();
  const { rejectUnauthorized, checkServerIdentity, servername: _, ...context } = tls;
  try {
    return credentials.createFromSecureContext(createSecureContext(context), {
      rejectUnauthorized,
      ...(checkServerIdentity && { checkServerIdentity }),
    });
  } catch {
    throw new BackendConfigError('ssl', 'certificate, key and password do not make up TLS credentials');
  }
}

/** What became of a call, in words for the operator. */
export function callReason({ code, details }: ServiceError, address: string): string {
  if (code === status.DEADLINE_EXCEEDED) return `${address} did not answer in time`;
  if (code === status.UNIMPLEMENTED) return `${address} has no such service`;
  const denial = /The outbound policy denies .*/.exec(details)?.[0];
  if (denial !== undefined) return denial;
  const system = /\b(E[A-Z]{4,}|[A-Z]+_[A-Z_]*CERT[A-Z_]*|CERT_[A-Z_]+|ERR_[A-Z_]+)\b/.exec(details)?.[1];
  const network = system === undefined ? null : networkReason({ code: system }, address);
  if (network !== null) return network;
  if (code === status.UNAVAILABLE) return `${address} cannot be reached`;
  return `${address} answered ${status[code]}`;
}
