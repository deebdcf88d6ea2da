import { randomBytes, timingSafeEqual, type X509Certificate } from 'node:crypto';
import type { PeerCertificate } from '../connection.ts';
import { oneLine } from '../listeners/tls.ts';
import type { Clock, Timer, TimerWheel } from '../timer-wheel.ts';
import { Alert, asDtlsError, DtlsError } from './alerts.ts';
import {
  type HandshakeMessage,
  HandshakeType,
  Reassembly,
  readFragments,
  writeMessage,
} from './handshake.ts';
import { masterSecret, protections, type Randoms, Transcript, verifyData } from './key-schedule.ts';
import {
  type Exchange,
  groupFor,
  isSignedBy,
  SIGNATURES,
  schemeFor,
  signWith,
  startExchange,
} from './keys.ts';
import {
  type ClientHello,
  certificateMessage,
  certificateRequest,
  ecParameters,
  readCertificates,
  readCertificateVerify,
  readClientKeyExchange,
  serverHello,
  serverKeyExchange,
} from './messages.ts';
import { suiteFor, type Terms } from './policy.ts';
import {
  ContentType,
  DTLS_1_2,
  PLAINTEXT_BYTES_MAX,
  type Record,
  ReplayWindow,
  writeRecord,
} from './records.ts';
import type { Protection, Suite } from './suites.ts';
import { checkChain, readChain } from './trust.ts';

/** Who has an association. */
export interface AssociationOwner {
  transmit(datagram: Buffer): void;
  onOpen(association: Association): void;
  onBytes(bytes: Buffer): void;
  /** Once; null: it ended well, otherwise why not. */
  onEnd(fault: Error | null): void;
}

/** What the client has to send next. */
type Expected = 'certificate' | 'keyExchange' | 'certificateVerify' | 'finished' | 'nothing';

/** A handshake message or ChangeCipherSpec, as it is sent and sent again. */
type FlightPart = { epoch: 0 | 1; message: HandshakeMessage | null };

const RETRY_MS = 1000; // doubled each time, RFC 6347 section 4.2.4.1
const RETRY_MS_MAX = 60_000;
const REPEAT_MS = 400; // a client that repeats itself gets our flight again, so often at most
const DATAGRAM_BYTES = 1200; // fits through all networks of today
const FRAGMENT_BYTES = 1100;
const FATAL = 2;
const WARNING = 1;
const SEQUENCE_MAX = 2 ** 48 - 1;

/** One client, from its second ClientHello on. Keeps the handshake until it is over, then the keys. */
export class Association {
  readonly hello: ClientHello;
  certificate: PeerCertificate | null = null;
  private readonly terms: Terms;
  private readonly owner: AssociationOwner;
  private readonly clock: Clock;
  private readonly timers: TimerWheel;
  private readonly suite: Suite;
  private readonly exchange: Exchange;
  private readonly randoms: Randoms;
  private readonly reassembly: Reassembly;
  private readonly transcript = new Transcript();
  private readonly windows = [new ReplayWindow(), new ReplayWindow()] as const;
  private readonly written: [number, number]; // the next record's number in each epoch
  private expected: Expected;
  private master: Buffer | null = null;
  private reading: Protection | null = null;
  private writing: Protection | null = null;
  private shown: X509Certificate[] = [];
  private flight: FlightPart[] = [];
  private flightAt = Number.NEGATIVE_INFINITY;
  private sequence: number; // of our next message
  private retryMs = RETRY_MS;
  private retry: Timer | null = null;
  private timeout: Timer | null;
  private over = false;

  /** Throws DtlsError where there is nothing to agree on. */
  constructor(
    terms: Terms,
    { hello, message, record }: { hello: ClientHello; message: HandshakeMessage; record: Record },
    time: { clock: Clock; timers: TimerWheel },
    owner: AssociationOwner,
  ) {
    const { credentials, policy } = terms;
    const suite = suiteFor(terms, hello.suites);
    const group = groupFor(hello.groups);
    const scheme = schemeFor(credentials.kind, hello.signatures);
    if (suite === null || group === null || scheme === null)
      throw new DtlsError(Alert.handshakeFailure, 'nothing in common with the client');
    this.terms = terms;
    this.hello = hello;
    this.owner = owner;
    this.clock = time.clock;
    this.timers = time.timers;
    this.suite = suite;
    this.exchange = startExchange(group);
    this.randoms = { client: Buffer.from(hello.random), server: randomBytes(32) };
    this.reassembly = new Reassembly(message.sequence + 1);
    this.written = [record.sequence, 0]; // RFC 6347 section 4.2.1
    this.windows[0].add(record.sequence);
    this.sequence = message.sequence;
    this.expected = policy.peers === null ? 'keyExchange' : 'certificate';
    this.transcript.add(writeMessage(message));
    this.timeout = time.timers.after(policy.handshakeTimeoutMs, () =>
      this.end(new Error('the handshake takes too long')),
    );
    this.answerHello(group, scheme);
  }

  get open(): boolean {
    return this.expected === 'nothing' && !this.over;
  }

  /** The ClientHello has come again. */
  repeat(): void {
    this.transmitAgain();
  }

  /** Whether it was meant for this association. */
  take(record: Record): boolean {
    if (this.over) return false;
    try {
      return record.epoch === 0 ? this.takePlain(record) : this.takeProtected(record);
    } catch (error) {
      this.fail(asDtlsError(error));
      return true;
    }
  }

  /** A message of the application; false when it is too long for one record. */
  send(bytes: Uint8Array): boolean {
    if (!this.open || bytes.length > PLAINTEXT_BYTES_MAX) return false;
    this.transmit(this.record(1, ContentType.applicationData, Buffer.from(bytes)));
    return true;
  }

  /** Says good-bye. */
  close(): void {
    if (this.over) return;
    if (this.writing !== null) this.transmit(this.alert(WARNING, Alert.closeNotify));
    this.end(null);
  }

  // --- what comes

  private takePlain(record: Record): boolean {
    if (this.open || !this.windows[0].fresh(record.sequence)) return false;
    this.windows[0].add(record.sequence);
    if (record.type === ContentType.alert) this.onAlert(record.fragment);
    if (record.type === ContentType.handshake) this.onFragments(record);
    return true;
  }

  private takeProtected(record: Record): boolean {
    const { reading } = this;
    const window = this.windows[1];
    if (record.epoch !== 1 || reading === null || !window.fresh(record.sequence)) return false;
    const fragment = reading.open(record);
    if (fragment === null) return false; // without a word, RFC 6347 section 4.1.2.7
    window.add(record.sequence);
    if (record.type === ContentType.applicationData && this.open) this.owner.onBytes(fragment);
    else if (record.type === ContentType.alert) this.onAlert(fragment);
    else if (record.type === ContentType.handshake) this.onFragments({ ...record, fragment });
    return true;
  }

  private onAlert(alert: Buffer): void {
    const [level, description] = alert;
    if (alert.length !== 2) return;
    if (description === Alert.closeNotify) this.close();
    else if (level === FATAL) this.end(new Error(`the client gives up: alert ${description}`));
  }

  private onFragments({ epoch, fragment }: Record): void {
    for (const part of readFragments(fragment)) {
      // Only Finished is protected, and nothing else is believed where it is not
      if ((part.type === HandshakeType.finished) !== (epoch === 1)) {
        if (this.open && part.type === HandshakeType.clientHello)
          this.transmit(this.alert(WARNING, Alert.noRenegotiation));
        continue;
      }
      if (part.sequence < this.reassembly.next) this.transmitAgain();
      else if (!this.open) this.reassembly.add(part);
    }
    for (let next = this.reassembly.take(); next !== null && !this.over; next = this.reassembly.take())
      this.onMessage(next);
  }

  private onMessage(message: HandshakeMessage): void {
    const { body, type } = message;
    const whole = writeMessage(message);
    switch (this.expected) {
      case 'certificate':
        need(type, HandshakeType.certificate);
        this.onCertificate(body);
        this.transcript.add(whole);
        this.expected = 'keyExchange';
        return;
      case 'keyExchange':
        need(type, HandshakeType.clientKeyExchange);
        this.transcript.add(whole);
        this.agree(readClientKeyExchange(body));
        this.expected = this.shown.length > 0 ? 'certificateVerify' : 'finished';
        return;
      case 'certificateVerify':
        need(type, HandshakeType.certificateVerify);
        this.onCertificateVerify(body);
        this.transcript.add(whole);
        this.expected = 'finished';
        return;
      case 'finished':
        need(type, HandshakeType.finished);
        this.onFinished(body);
        this.transcript.add(whole);
        this.finish();
        return;
      case 'nothing':
        return;
    }
  }

  private onCertificate(body: Buffer): void {
    const { peers } = this.terms.policy;
    this.shown = readChain(readCertificates(body));
    const [leaf] = this.shown;
    if (peers === null) return;
    if (leaf === undefined) {
      if (peers.required) throw new DtlsError(Alert.handshakeFailure, 'the client shows no certificate');
      return;
    }
    checkChain(this.shown, this.terms.trusted, peers.depth, this.clock.now);
    this.certificate = presented(leaf);
  }

  private onCertificateVerify(body: Buffer): void {
    const { signature, signed } = readCertificateVerify(body);
    const key = this.shown[0]!.publicKey;
    if (!isSignedBy(key, signature, this.transcript.bytes, signed))
      throw new DtlsError(Alert.decryptError, 'the client does not have the key of its certificate');
  }

  private onFinished(body: Buffer): void {
    const wanted = verifyData(this.suite, this.master!, 'client', this.transcript);
    if (body.length !== wanted.length || !timingSafeEqual(body, wanted))
      throw new DtlsError(Alert.decryptError, 'the handshake was changed on its way');
  }

  // --- what goes

  private answerHello(group: number, scheme: number): void {
    const { credentials, policy } = this.terms;
    const { client, server } = this.randoms;
    const parameters = ecParameters(group, this.exchange.publicKey);
    const signed = signWith(credentials.key, scheme, Buffer.concat([client, server, parameters]));
    this.flight = [
      this.say(HandshakeType.serverHello, serverHello(server, this.suite.id, this.hello)),
      this.say(HandshakeType.certificate, certificateMessage(credentials.chain)),
      this.say(HandshakeType.serverKeyExchange, serverKeyExchange(parameters, scheme, signed)),
      ...(policy.peers === null
        ? []
        : [this.say(HandshakeType.certificateRequest, certificateRequest(SIGNATURES))]),
      this.say(HandshakeType.serverHelloDone, Buffer.alloc(0)),
    ];
    this.transmitFlight();
    this.retryLater();
  }

  private agree(point: Buffer): void {
    const { suite, randoms, hello } = this;
    const secret = this.exchange.agree(point);
    const sessionHash = hello.extendedMasterSecret ? this.transcript.digest(suite.hash) : null;
    this.master = masterSecret(suite, secret, randoms, sessionHash);
    const { reading, writing } = protections(suite, this.master, randoms);
    this.reading = reading;
    this.writing = writing;
  }

  private finish(): void {
    const body = verifyData(this.suite, this.master!, 'server', this.transcript);
    const finished = { ...this.say(HandshakeType.finished, body), epoch: 1 as const };
    this.flight = [{ epoch: 0, message: null }, finished];
    this.retry?.cancel();
    this.timeout?.cancel();
    this.retry = null;
    this.timeout = null;
    this.master = null;
    this.expected = 'nothing';
    this.transmitFlight();
    this.owner.onOpen(this);
  }

  private say(type: number, body: Buffer): FlightPart {
    const message = { type, sequence: this.sequence++, body };
    this.transcript.add(writeMessage(message));
    return { epoch: 0, message };
  }

  /** In as few datagrams as it needs. */
  private transmitFlight(): void {
    this.flightAt = this.clock.now;
    let datagram: Buffer[] = [];
    let bytes = 0;
    for (const record of this.flight.flatMap((part) => this.recordsOf(part))) {
      if (bytes > 0 && bytes + record.length > DATAGRAM_BYTES) {
        this.transmit(Buffer.concat(datagram));
        datagram = [];
        bytes = 0;
      }
      datagram.push(record);
      bytes += record.length;
    }
    if (bytes > 0) this.transmit(Buffer.concat(datagram));
  }

  private recordsOf({ epoch, message }: FlightPart): Buffer[] {
    if (message === null) return [this.record(0, ContentType.changeCipherSpec, Buffer.of(1))];
    const records: Buffer[] = [];
    for (let offset = 0; offset === 0 || offset < message.body.length; offset += FRAGMENT_BYTES) {
      const length = Math.min(FRAGMENT_BYTES, message.body.length - offset);
      records.push(this.record(epoch, ContentType.handshake, writeMessage(message, offset, length)));
    }
    return records;
  }

  private transmitAgain(): void {
    if (this.clock.refresh() - this.flightAt >= REPEAT_MS) this.transmitFlight();
  }

  private retryLater(): void {
    this.retry = this.timers.after(this.retryMs, () => {
      this.retryMs = Math.min(this.retryMs * 2, RETRY_MS_MAX);
      this.transmitFlight();
      this.retryLater();
    });
  }

  private record(epoch: 0 | 1, type: number, fragment: Buffer): Buffer {
    const sequence = this.written[epoch]++;
    if (sequence > SEQUENCE_MAX) throw new DtlsError(Alert.internalError, 'too many records');
    const record = { type, version: DTLS_1_2, epoch, sequence, fragment };
    return epoch === 1 ? this.writing!.seal(record) : writeRecord(record);
  }

  private alert(level: number, alert: Alert): Buffer {
    return this.record(
      this.writing !== null && this.open ? 1 : 0,
      ContentType.alert,
      Buffer.of(level, alert),
    );
  }

  private transmit(datagram: Buffer): void {
    this.owner.transmit(datagram);
  }

  private fail(error: DtlsError): void {
    this.transmit(this.alert(FATAL, error.alert));
    this.end(error);
  }

  private end(fault: Error | null): void {
    if (this.over) return;
    this.over = true;
    this.retry?.cancel();
    this.timeout?.cancel();
    this.owner.onEnd(fault);
  }
}

function need(type: number, wanted: number): void {
  if (type !== wanted) throw new DtlsError(Alert.unexpectedMessage, 'a message that is not due');
}

function presented(leaf: X509Certificate): PeerCertificate {
  const name = leaf.subject.split('\n').find((part) => part.startsWith('CN='));
  return { commonName: name?.slice(3) ?? null, subject: oneLine(leaf.subject), der: leaf.raw };
}
