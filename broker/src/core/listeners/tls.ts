import { constants, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  createSecureContext,
  createServer,
  type DetailedPeerCertificate,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import type { PeerCertificate } from '../connection.ts';
import type { Certificates, KeyPair } from './certificates.ts';

/** Each costs about a millisecond: when all devices come back at once, those that are there keep their turns. */
export const HANDSHAKES_PER_TURN = 8;

const VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
export type TlsVersion = (typeof VERSIONS)[number];
/** What a version in between that is not wanted is refused by. */
const REFUSALS: Record<TlsVersion, number> = {
  TLSv1: constants.SSL_OP_NO_TLSv1,
  'TLSv1.1': constants.SSL_OP_NO_TLSv1_1,
  'TLSv1.2': constants.SSL_OP_NO_TLSv1_2,
  'TLSv1.3': constants.SSL_OP_NO_TLSv1_3,
};
const OLD: readonly TlsVersion[] = ['TLSv1', 'TLSv1.1'];

/** What is asked of TLS beside a certificate of our own. */
export interface TlsPolicy {
  versions: readonly TlsVersion[];
  /** OpenSSL's names; empty = Node's choice. */
  ciphers: readonly string[];
  honorCipherOrder: boolean;
  /** Whether a handshake may be resumed with a ticket. */
  resumes: boolean;
  handshakeTimeoutMs: number;
  dhparam: string | null; // PEM
  /** Null: clients are not asked for a certificate. */
  peers: PeerPolicy | null;
}

export interface PeerPolicy {
  ca: string; // PEM, one or several
  required: boolean;
  /** Certificates that may stand between the client's and a trusted one. */
  depth: number;
}

export const usualTls: TlsPolicy = {
  versions: ['TLSv1.2', 'TLSv1.3'],
  ciphers: [],
  honorCipherOrder: true,
  resumes: true,
  handshakeTimeoutMs: 15_000,
  dhparam: null,
  peers: null,
};

type Secured = (socket: TLSSocket, certificate: PeerCertificate | null) => void;

export interface TlsLayer {
  /** Shakes hands on a fresh socket; when that fails `secured` is not called, and the socket closes. */
  take(socket: Socket, secured: Secured): void;
  /** Takes no more notice of certificates; what is open lives on. */
  close(): void;
}

/** TLS between a port and what is spoken there. A renewed certificate is that of the next handshake. */
export function startTls(
  certificates: Certificates,
  onFailure: (cause: Error) => void,
  policy: TlsPolicy = usualTls,
): TlsLayer {
  const { peers } = policy;
  const shaking = new Map<string, Secured>();
  const server = createServer({
    ...contextOf(certificates.current, policy),
    handshakeTimeout: policy.handshakeTimeoutMs,
    requestCert: peers !== null,
    rejectUnauthorized: false, // `peerFault` decides: Node refuses those without a certificate too
  });
  server.on('secureConnection', (socket) => {
    const ends = endsOf(socket);
    const secured = shaking.get(ends);
    shaking.delete(ends);
    const shown = peers === null ? null : shownBy(socket);
    const fault = peers === null ? null : peerFault(socket, shown, peers);
    if (fault === null) secured?.(socket, shown && certificateOf(shown));
    else {
      onFailure(new Error(fault));
      socket.destroy();
    }
  });
  server.on('tlsClientError', onFailure);
  const unwatch = certificates.onChange((pair) => server.setSecureContext(contextOf(pair, policy)));
  const begin = inTurns((socket: Socket, secured: Secured) => {
    if (socket.destroyed) return;
    // Node hands out another object than it got: the addresses say whose it is
    const ends = endsOf(socket);
    shaking.set(ends, secured);
    socket.on('close', () => shaking.delete(ends));
    server.emit('connection', socket);
  });
  return {
    // Who says nothing costs nothing
    take: (socket, secured) => {
      if (socket.readableLength > 0) begin(socket, secured);
      else socket.once('readable', () => begin(socket, secured));
    },
    close: unwatch,
  };
}

/** Throws OpenSSL's word for why a pair and a policy do not make TLS. */
export const checkTls = (pair: KeyPair, policy: TlsPolicy): void =>
  void createSecureContext(contextOf(pair, policy));

/** Does so much in a turn of the event loop, and the rest in the next ones. */
export function inTurns<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void {
  const waiting: A[] = [];
  let done = 0;
  const go = (args: A) => {
    if (done++ === 0) setImmediate(nextTurn);
    work(...args);
  };
  const nextTurn = () => {
    done = 0;
    for (const args of waiting.splice(0, HANDSHAKES_PER_TURN)) go(args);
  };
  return (...args) => {
    if (waiting.length === 0 && done < HANDSHAKES_PER_TURN) go(args);
    else waiting.push(args);
  };
}

function contextOf(
  { cert, key, passphrase }: KeyPair,
  { versions, ciphers, honorCipherOrder, resumes, dhparam, peers }: TlsPolicy,
): SecureContextOptions & { honorCipherOrder: boolean } {
  const wanted = VERSIONS.map((version) => versions.includes(version));
  const [first, last] = [wanted.indexOf(true), wanted.lastIndexOf(true)];
  const between = VERSIONS.slice(first, last).filter((version) => !versions.includes(version));
  const list = [
    ...(ciphers.length > 0 ? ciphers : versions.some((version) => OLD.includes(version)) ? ['DEFAULT'] : []),
    ...(versions.some((version) => OLD.includes(version)) ? ['@SECLEVEL=0'] : []), // their signatures are too weak for more
  ];
  return {
    cert,
    key,
    ...(passphrase !== undefined && { passphrase }),
    minVersion: VERSIONS[first]!,
    maxVersion: VERSIONS[last]!,
    honorCipherOrder,
    ...(list.length > 0 && { ciphers: list.join(':') }),
    ...(dhparam !== null && { dhparam }),
    ...(peers !== null && { ca: peers.ca }),
    secureOptions: [
      constants.SSL_OP_NO_RENEGOTIATION, // costs the broker more than the peer, and no device needs it
      ...(resumes ? [] : [constants.SSL_OP_NO_TICKET]),
      ...between.map((version) => REFUSALS[version]),
    ].reduce((all, one) => all | one, 0),
  };
}

/** Why a client may not come in, for the log; null when it may. */
function peerFault(
  { authorized, authorizationError }: TLSSocket,
  shown: DetailedPeerCertificate | null,
  { required, depth }: PeerPolicy,
): string | null {
  if (shown === null) return required ? 'the client shows no certificate' : null;
  if (!authorized) return `the certificate of the client is not trusted: ${authorizationError}`;
  return between(shown) > depth ? 'the certificate of the client is too far from a trusted one' : null;
}

/** Asked once and before all else: Node gives those of the issuers only the first time. */
function shownBy(socket: TLSSocket): DetailedPeerCertificate | null {
  const shown = socket.getPeerCertificate(true);
  return Object.keys(shown).length === 0 ? null : shown;
}

/** How many certificates stand between that of the client and the trusted one. A resumed session knows no longer, and was asked. */
function between(shown: DetailedPeerCertificate): number {
  let count = 0;
  let certificate = shown;
  for (;;) {
    const { issuerCertificate: issuer } = certificate;
    if (!issuer || issuer.fingerprint256 === certificate.fingerprint256) return Math.max(0, count - 1);
    certificate = issuer;
    count++;
  }
}

function certificateOf({ raw, subject }: DetailedPeerCertificate): PeerCertificate {
  const { CN: name } = subject as { CN?: string | string[] };
  return {
    commonName: (Array.isArray(name) ? name[0] : name) ?? null,
    subject: oneLine(new X509Certificate(raw).subject),
    der: raw,
  };
}

/** `CN=device-7,O=Example`: the narrowest part first, as RFC 2253 writes it. */
export const oneLine = (name: string): string => name.split('\n').reverse().join(',');

const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
