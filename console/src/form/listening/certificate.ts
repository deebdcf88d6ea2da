/** Reads of a certificate what an operator wants to know before it is in use; nothing in it is verified. */

export interface CertificateFacts {
  /** Whom it names: its common name; empty where it has none. */
  subject: string;
  notBefore: Date;
  notAfter: Date;
}

const PEM = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END/;

/** The first certificate of a PEM text, which is the server's own; null where there is none that can be read. */
export function readCertificate(pem: string): CertificateFacts | null {
  const base64 = PEM.exec(pem)?.[1];
  if (base64 === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(base64.replace(/\s/g, '')), (char) => char.charCodeAt(0));
    return factsOf(bytes);
  } catch {
    return null; // cut off, or no base64
  }
}

/** From so many days on its end is a warning. */
export const SOON_DAYS = 30;

/** Whole days until then; negative once it is over. */
export const daysUntil = (moment: Date | string | number, now: number): number =>
  Math.floor((new Date(moment).getTime() - now) / 86_400_000);

/** The tags of DER that occur on the way (X.690, 8.1.2). */
const SEQUENCE = 0x30;
const VERSION = 0xa0;
const UTC_TIME = 0x17;
const OBJECT_ID = 0x06;
const COMMON_NAME = '85,4,3'; // 2.5.4.3
const BMP_STRING = 0x1e;

interface Element {
  tag: number;
  content: Uint8Array;
}

/** One element after the other (X.690, 8.1.3). */
function* elements(bytes: Uint8Array): Generator<Element> {
  let at = 0;
  while (at < bytes.length) {
    const tag = byteAt(bytes, at);
    let length = byteAt(bytes, at + 1);
    at += 2;
    if (length > 0x80) {
      const count = length - 0x80;
      length = 0;
      for (let i = 0; i < count; i += 1) length = length * 256 + byteAt(bytes, at + i);
      at += count;
    }
    if (at + length > bytes.length) throw new RangeError('cut off');
    yield { tag, content: bytes.subarray(at, at + length) };
    at += length;
  }
}

function byteAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError('cut off');
  return byte;
}

/** Certificate → tbsCertificate: version, serial number, signature, issuer, validity, subject (RFC 5280, 4.1). */
function factsOf(der: Uint8Array): CertificateFacts | null {
  const [certificate] = elements(der);
  if (certificate?.tag !== SEQUENCE) return null;
  const [body] = elements(certificate.content);
  if (body?.tag !== SEQUENCE) return null;
  const fields = [...elements(body.content)];
  if (fields[0]?.tag === VERSION) fields.shift();
  const [, , , validity, subject] = fields;
  if (!validity || !subject) return null;
  const [notBefore, notAfter] = [...elements(validity.content)].map(momentOf);
  if (!notBefore || !notAfter) return null;
  return { subject: commonNameOf(subject.content), notBefore, notAfter };
}

/** `YYMMDDhhmmssZ`, or with the whole year (RFC 5280, 4.1.2.5). */
function momentOf({ tag, content }: Element): Date | null {
  const text = new TextDecoder().decode(content);
  const [, year, month, day, hour, minute, second] =
    /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text) ?? [];
  if (year === undefined) return null;
  const full = tag === UTC_TIME ? `${Number(year) >= 50 ? 19 : 20}${year}` : year;
  const date = new Date(`${full}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

function commonNameOf(name: Uint8Array): string {
  for (const set of elements(name)) {
    for (const pair of elements(set.content)) {
      const [id, value] = elements(pair.content);
      if (id?.tag !== OBJECT_ID || !value || id.content.join() !== COMMON_NAME) continue;
      return new TextDecoder(value.tag === BMP_STRING ? 'utf-16be' : 'utf-8').decode(value.content);
    }
  }
  return '';
}
