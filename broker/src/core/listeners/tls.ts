import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Certificates, KeyPair } from './certificates.ts';

export interface TlsLayer {
  /** Shakes hands on a fresh socket; when that fails `secured` is not called, and the socket closes. */
  take(socket: Socket, secured: (socket: TLSSocket) => void): void;
  /** Takes no more notice of certificates; what is open lives on. */
  close(): void;
}

/** TLS between a port and what is spoken there. A renewed certificate is that of the next handshake. */
export function startTls(certificates: Certificates, onFailure: (cause: Error) => void): TlsLayer {
  const waiting = new Map<string, (socket: TLSSocket) => void>();
  const server = createServer(contextOf(certificates.current));
  server.on('secureConnection', (socket) => {
    const ends = endsOf(socket);
    const secured = waiting.get(ends);
    waiting.delete(ends);
    secured?.(socket);
  });
  server.on('tlsClientError', onFailure);
  const unwatch = certificates.onChange((pair) => server.setSecureContext(contextOf(pair)));
  return {
    take(socket, secured) {
      // Node hands out another object than it got: the addresses say whose it is
      const ends = endsOf(socket);
      waiting.set(ends, secured);
      socket.on('close', () => waiting.delete(ends));
      server.emit('connection', socket);
    },
    close: unwatch,
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
