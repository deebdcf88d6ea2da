import { Alert, DtlsError } from './alerts.ts';
import { ByteReader, u8, u16, vector } from './bytes.ts';
import { DTLS_1_0, DTLS_1_2 } from './records.ts';

const Extension = {
  supportedGroups: 10,
  ecPointFormats: 11,
  signatureAlgorithms: 13,
  extendedMasterSecret: 23,
  renegotiationInfo: 0xff01,
} as const;

/** Says the same as an empty `renegotiation_info` (RFC 5746). */
const EMPTY_RENEGOTIATION_INFO_SCSV = 0x00ff;
const NULL_COMPRESSION = 0;

export interface ClientHello {
  version: number;
  random: Buffer;
  sessionId: Buffer;
  cookie: Buffer;
  suites: number[];
  groups: number[] | null; // null: it says nothing about them
  signatures: number[];
  extendedMasterSecret: boolean;
  secureRenegotiation: boolean;
  pointFormats: boolean;
  /** What a second ClientHello has in common with the first one: all but the cookie. */
  unchanged: Buffer;
}

export function readClientHello(body: Buffer): ClientHello {
  const reader = new ByteReader(body);
  const version = reader.u16();
  const random = reader.take(32);
  const sessionId = reader.vector(1);
  const cookie = reader.vector(1);
  const suites = reader.u16s(2);
  const compressions = reader.vector(1);
  const extensions = reader.left > 0 ? readExtensions(reader.vector(2)) : new Map<number, Buffer>();
  reader.finish();
  if (!compressions.includes(NULL_COMPRESSION) || sessionId.length > 32)
    throw new DtlsError(Alert.decodeError, 'a ClientHello that is none');
  const numbers = (type: number) => {
    const extension = extensions.get(type);
    return extension === undefined ? null : new ByteReader(extension).u16s(2);
  };
  return {
    version,
    random,
    sessionId,
    cookie,
    suites,
    groups: numbers(Extension.supportedGroups),
    signatures: numbers(Extension.signatureAlgorithms) ?? [],
    extendedMasterSecret: extensions.has(Extension.extendedMasterSecret),
    secureRenegotiation: renegotiates(extensions) || suites.includes(EMPTY_RENEGOTIATION_INFO_SCSV),
    pointFormats: extensions.has(Extension.ecPointFormats),
    unchanged: Buffer.concat([
      body.subarray(0, 35 + sessionId.length),
      body.subarray(36 + sessionId.length + cookie.length),
    ]),
  };
}

/** Of a first handshake, where there is nothing to renegotiate. */
function renegotiates(extensions: Map<number, Buffer>): boolean {
  const info = extensions.get(Extension.renegotiationInfo);
  if (info === undefined) return false;
  if (info.length !== 1 || info[0] !== 0)
    throw new DtlsError(Alert.handshakeFailure, 'a handshake that continues another');
  return true;
}

function readExtensions(bytes: Buffer): Map<number, Buffer> {
  const reader = new ByteReader(bytes);
  const extensions = new Map<number, Buffer>();
  while (reader.left > 0) {
    const type = reader.u16();
    if (extensions.has(type)) throw new DtlsError(Alert.decodeError, 'an extension comes twice');
    extensions.set(type, reader.vector(2));
  }
  return extensions;
}

export const helloVerifyRequest = (cookie: Buffer): Buffer =>
  Buffer.concat([u16(DTLS_1_0), vector(1, cookie)]);

/** Without a session id: nothing is resumed. */
export function serverHello(random: Buffer, suite: number, hello: ClientHello): Buffer {
  const extensions = [
    ...(hello.secureRenegotiation ? [extension(Extension.renegotiationInfo, u8(0))] : []),
    ...(hello.extendedMasterSecret ? [extension(Extension.extendedMasterSecret)] : []),
    ...(hello.pointFormats ? [extension(Extension.ecPointFormats, vector(1, u8(0)))] : []), // uncompressed
  ];
  return Buffer.concat([
    u16(DTLS_1_2),
    random,
    vector(1),
    u16(suite),
    u8(NULL_COMPRESSION),
    ...(extensions.length > 0 ? [vector(2, ...extensions)] : []),
  ]);
}

const extension = (type: number, ...content: Buffer[]): Buffer =>
  Buffer.concat([u16(type), vector(2, ...content)]);

export const certificateMessage = (chain: readonly Uint8Array[]): Buffer =>
  vector(3, ...chain.map((der) => vector(3, der)));

export function readCertificates(body: Buffer): Buffer[] {
  const reader = new ByteReader(body);
  const list = new ByteReader(reader.vector(3));
  reader.finish();
  const chain: Buffer[] = [];
  while (list.left > 0) chain.push(list.vector(3));
  return chain;
}

const NAMED_CURVE = 3;
const CLIENT_CERTIFICATE_TYPES = Buffer.of(64, 1); // ecdsa_sign, rsa_sign

export const ecParameters = (group: number, publicKey: Buffer): Buffer =>
  Buffer.concat([u8(NAMED_CURVE), u16(group), vector(1, publicKey)]);

export const serverKeyExchange = (parameters: Buffer, signature: number, signed: Buffer): Buffer =>
  Buffer.concat([parameters, u16(signature), vector(2, signed)]);

/** Names no authorities: a client with one certificate shows that. */
export const certificateRequest = (signatures: readonly number[]): Buffer =>
  Buffer.concat([vector(1, CLIENT_CERTIFICATE_TYPES), vector(2, ...signatures.map(u16)), vector(2)]);

export function readClientKeyExchange(body: Buffer): Buffer {
  const reader = new ByteReader(body);
  const point = reader.vector(1);
  reader.finish();
  return point;
}

export function readCertificateVerify(body: Buffer): { signature: number; signed: Buffer } {
  const reader = new ByteReader(body);
  const verify = { signature: reader.u16(), signed: reader.vector(2) };
  reader.finish();
  return verify;
}
