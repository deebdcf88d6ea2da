import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PeerCertificate } from '../connection.ts';
import type { Log } from '../core.ts';
import type { KeyPair } from '../listeners/certificates.ts';
import { inTurns } from '../listeners/tls.ts';
import type { Clock, TimerWheel } from '../timer-wheel.ts';
import { Alert, asDtlsError, DtlsError } from './alerts.ts';
import { Association } from './association.ts';
import { type HandshakeMessage, HandshakeType, readFragments, writeMessage } from './handshake.ts';
import { type ClientHello, helloVerifyRequest, readClientHello } from './messages.ts';
import { type DtlsPolicy, type Terms, termsOf } from './policy.ts';
import { ContentType, DTLS_1_0, DTLS_1_2, type Record, readRecords, writeRecord } from './records.ts';

/** Whoever sends datagrams from one address and port. */
export interface DtlsPeer {
  readonly key: string; // of that address and port
  readonly address: string;
  readonly port: number;
}

/** One secured association, ready for what is spoken there. */
export interface SecureLink {
  readonly certificate: PeerCertificate | null;
  /** One datagram; one that is too long for a record is lost. */
  send(bytes: Uint8Array): void;
  end(): void;
}

export interface SecureEvents {
  onBytes(bytes: Buffer): void;
  onClose(): void;
}

export interface DtlsPorter {
  readonly clock: Clock;
  readonly timers: TimerWheel;
  readonly log: Log;
  transmit(datagram: Buffer, peer: DtlsPeer): void;
  /** Whether a peer that is where it says may shake hands at all. */
  admits(peer: DtlsPeer): boolean;
  /** Null: it may not come in after all. */
  accept(link: SecureLink, peer: DtlsPeer): SecureEvents | null;
}

const COOKIE_MS = 60_000; // a secret makes cookies for so long, and is good for as long again
const HANDSHAKES_MAX = 1000;

/** A peer: what it has, and what is going to take its place when its handshake is done. */
interface Known {
  peer: DtlsPeer;
  current: { association: Association; events: SecureEvents } | null;
  shaking: Association | null;
}

/** A ClientHello that has the cookie. */
interface FirstFlight {
  record: Record;
  message: HandshakeMessage;
  hello: ClientHello;
}

/** DTLS 1.2 (RFC 6347) for the peers of one port. Keeps nothing of a peer before it has answered with its cookie. */
export class DtlsServer {
  private terms: Terms;
  private readonly porter: DtlsPorter;
  private readonly peers = new Map<string, Known>();
  private secrets: [Buffer, Buffer] = [randomBytes(32), randomBytes(32)];
  private secretSince: number;
  private handshakes = 0;
  private waiting = 0;
  private closed = false;
  /** Each costs a millisecond or more: when all devices come back at once, others keep their turns. */
  private readonly beginInTurn = inTurns((first: FirstFlight, peer: DtlsPeer) => {
    this.waiting--;
    if (!this.closed) this.begin(first, peer);
  });

  /** Throws a sentence for the operator when the certificate cannot be used. */
  constructor(porter: DtlsPorter, pair: KeyPair, policy: DtlsPolicy) {
    this.porter = porter;
    this.terms = termsOf(pair, policy);
    this.secretSince = porter.clock.now;
  }

  /** For handshakes from now on; those who are there stay. */
  change(pair: KeyPair, policy: DtlsPolicy): void {
    this.terms = termsOf(pair, policy);
  }

  receive(datagram: Buffer, peer: DtlsPeer): void {
    for (const record of readRecords(datagram)) {
      const hello = helloOf(record);
      if (hello !== null) this.onHello(record, hello, peer);
      else {
        const known = this.peers.get(peer.key);
        if (!known?.shaking?.take(record)) known?.current?.association.take(record);
      }
    }
  }

  close(): void {
    this.closed = true;
    for (const { current, shaking } of [...this.peers.values()]) {
      shaking?.close();
      current?.association.close();
    }
  }

  private onHello(record: Record, message: HandshakeMessage, peer: DtlsPeer): void {
    const hello = readOrNull(message.body);
    if (hello === null) return; // it may be from anywhere: an answer would hit somebody else
    if (!this.isOurs(hello, peer)) {
      this.sendCookie(record, hello, peer);
      return;
    }
    if (this.waiting >= HANDSHAKES_MAX) return; // it comes again
    this.waiting++;
    this.beginInTurn({ record, message, hello }, peer);
  }

  private begin(first: FirstFlight, peer: DtlsPeer): void {
    const known = this.peers.get(peer.key);
    const same = [known?.shaking, known?.current?.association].find((one) =>
      one?.hello.random.equals(first.hello.random),
    );
    if (same) {
      same.repeat();
      return;
    }
    try {
      // Larger numbers are older versions; 0xfe.. says that it is DTLS
      if (first.hello.version > DTLS_1_2 || first.hello.version < 0xfe00)
        throw new DtlsError(Alert.protocolVersion, 'the client has no DTLS 1.2');
      this.shakeHands(first, peer);
    } catch (error) {
      this.refuse(first.record, asDtlsError(error), peer);
    }
  }

  private shakeHands(first: FirstFlight, peer: DtlsPeer): void {
    const { porter } = this;
    if (this.handshakes >= HANDSHAKES_MAX || !porter.admits(peer)) return;
    const known = this.peers.get(peer.key) ?? { peer, current: null, shaking: null };
    known.shaking?.close();
    this.handshakes++;
    let events: SecureEvents | null = null;
    let counted = true;
    const settle = () => {
      if (counted) this.handshakes--;
      counted = false;
    };
    try {
      const association: Association = new Association(this.terms, copied(first), porter, {
        transmit: (datagram) => porter.transmit(datagram, peer),
        onOpen: () => {
          settle();
          known.shaking = null;
          known.current?.association.close(); // RFC 6347 section 4.2.8: it is proven to be the same address
          events = porter.accept(linkOf(association), peer);
          if (events === null) association.close();
          else known.current = { association, events };
          this.peers.set(peer.key, known);
        },
        onBytes: (bytes) => events?.onBytes(bytes),
        onEnd: (fault) => {
          settle();
          if (known.shaking === association) known.shaking = null;
          if (known.current?.association === association) known.current = null;
          if (known.shaking === null && known.current === null) this.peers.delete(peer.key);
          if (fault !== null) this.report(fault, peer);
          events?.onClose();
        },
      });
      known.shaking = association;
      this.peers.set(peer.key, known);
    } catch (error) {
      settle();
      throw error;
    }
  }

  private refuse({ sequence }: Record, fault: DtlsError, peer: DtlsPeer): void {
    const { porter } = this;
    const fragment = Buffer.of(2, fault.alert);
    const record = { type: ContentType.alert, version: DTLS_1_2, epoch: 0, sequence, fragment };
    porter.transmit(writeRecord(record), peer);
    this.report(fault, peer);
  }

  private report(fault: Error, { address, port }: DtlsPeer): void {
    const { log } = this.porter;
    const ours = fault instanceof DtlsError && fault.alert === Alert.internalError;
    if (ours) log.error({ err: fault.cause ?? fault, address, port }, 'a DTLS handshake failed');
    else log.debug({ address, port, reason: fault.message }, 'a DTLS handshake failed');
  }

  // --- cookies, section 4.2.1

  private sendCookie({ sequence }: Record, hello: ClientHello, peer: DtlsPeer): void {
    const body = helloVerifyRequest(this.cookieOf(hello, peer, this.secrets[0]));
    const fragment = writeMessage({ type: HandshakeType.helloVerifyRequest, sequence: 0, body });
    const record = { type: ContentType.handshake, version: DTLS_1_0, epoch: 0, sequence, fragment };
    this.porter.transmit(writeRecord(record), peer);
  }

  private isOurs(hello: ClientHello, peer: DtlsPeer): boolean {
    this.renewSecret();
    return this.secrets.some((secret) => {
      const cookie = this.cookieOf(hello, peer, secret);
      return cookie.length === hello.cookie.length && timingSafeEqual(cookie, hello.cookie);
    });
  }

  private cookieOf({ unchanged }: ClientHello, { key }: DtlsPeer, secret: Buffer): Buffer {
    return createHmac('sha256', secret).update(`${key}\0`).update(unchanged).digest();
  }

  private renewSecret(): void {
    const { now } = this.porter.clock;
    const age = now - this.secretSince;
    if (age < COOKIE_MS) return;
    this.secrets = [randomBytes(32), age < 2 * COOKIE_MS ? this.secrets[0] : randomBytes(32)];
    this.secretSince = now;
  }
}

/** A ClientHello in the clear, whole; others are none for us: nothing is kept to put them together. */
function helloOf({ type, epoch, fragment }: Record): HandshakeMessage | null {
  if (type !== ContentType.handshake || epoch !== 0 || fragment[0] !== HandshakeType.clientHello) return null;
  const [part, ...more] = unlessFaulty(() => readFragments(fragment)) ?? [];
  if (part === undefined || more.length > 0 || part.body.length !== part.length) return null;
  return { type: part.type, sequence: part.sequence, body: part.body };
}

const readOrNull = (body: Buffer): ClientHello | null => unlessFaulty(() => readClientHello(body));

function unlessFaulty<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DtlsError) return null;
    throw error;
  }
}

/** What lives on must not keep the network's buffer alive. */
function copied({ record, message }: FirstFlight): FirstFlight {
  const body = Buffer.from(message.body);
  return { record, message: { ...message, body }, hello: readClientHello(body) };
}

const linkOf = (association: Association): SecureLink => ({
  certificate: association.certificate,
  send: (bytes) => void association.send(bytes),
  end: () => association.close(),
});
