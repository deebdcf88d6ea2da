import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Certificates, KeyPair } from './certificates.ts';

/** Each costs about a millisecond: when all devices come back at once, those that are there keep their turns. */
export const HANDSHAKES_PER_TURN = 8;

type Secured = (socket: TLSSocket) => void;

export interface TlsLayer {
  /** Shakes hands on a fresh socket; when that fails `secured` is not called, and the socket closes. */
  take(socket: Socket, secured: Secured): void;
  /** Takes no more notice of certificates; what is open lives on. */
  close(): void;
}

/** TLS between a port and what is spoken there. A renewed certificate is that of the next handshake. */
export function startTls(certificates: Certificates, onFailure: (cause: Error) => void): TlsLayer {
  const shaking = new Map<string, Secured>();
  const server = createServer(contextOf(certificates.current));
  server.on('secureConnection', (socket) => {
    const ends = endsOf(socket);
    const secured = shaking.get(ends);
    shaking.delete(ends);
    secured?.(socket);
  });
  server.on('tlsClientError', onFailure);
  const unwatch = certificates.onChange((pair) => server.setSecureContext(contextOf(pair)));
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
    take: (socket, secured) => socket.once('readable', () => begin(socket, secured)),
    close: unwatch,
  };
}

/** Does so much in a turn of the event loop, and the rest in the next ones. */
function inTurns<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void {
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

const contextOf = ({ cert, key }: KeyPair) => ({
  cert,
  key,
  minVersion: 'TLSv1.2' as const,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION, // costs the broker more than the peer, and no device needs it
});

const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
