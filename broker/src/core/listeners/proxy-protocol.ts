import { isIPv4, isIPv6, type Socket } from 'node:net';
import type { PeerCertificate } from '../connection.ts';

/** Who is at the other end. */
export interface Peer {
  address: string;
  port: number;
  certificate: PeerCertificate | null;
}

/** Of version 2; the certificates that a proxy may add are a few kilobytes. */
const HEADER_BYTES_MAX = 16 * 1024;
const LINE_BYTES_MAX = 107; // of version 1, with its end
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const LINE_START = Buffer.from('PROXY ', 'latin1');
const FIXED_BYTES = 16;
const COMMAND = { local: 0x20, proxy: 0x21 } as const;
const FAMILY = { tcp4: 0x11, tcp6: 0x21 } as const;
const TLV_SSL = 0x20;
const TLV_SSL_COMMON_NAME = 0x22;
/** Of the flags in TLV_SSL: TLS was spoken, and a certificate shown on this connection or in this session. */
const SPOKE_TLS = 0x01;
const SHOWED_CERTIFICATE = 0x02 | 0x04;

interface Header {
  bytes: number;
  /** Null: the proxy speaks for itself, or knows nothing of the peer. */
  peer: Peer | null;
}

/** The header that the bytes begin with; `more` when some of it is missing, a sentence when it is none. */
export function parseProxyHeader(bytes: Buffer): Header | 'more' | { fault: string } {
  if (begins(bytes, SIGNATURE)) return bytes.length < FIXED_BYTES ? 'more' : binary(bytes);
  if (begins(bytes, LINE_START)) return line(bytes);
  return { fault: 'no PROXY header' };
}

/** As far as there are bytes. */
function begins(bytes: Buffer, wanted: Buffer): boolean {
  const both = Math.min(bytes.length, wanted.length);
  return both === 0 || bytes.compare(wanted, 0, both, 0, both) === 0;
}

function line(bytes: Buffer): Header | 'more' | { fault: string } {
  const end = bytes.subarray(0, LINE_BYTES_MAX).indexOf('\r\n');
  if (end < 0) return bytes.length < LINE_BYTES_MAX ? 'more' : { fault: 'a PROXY line without end' };
  const text = bytes.toString('latin1', 0, end);
  const [, family, source = '', target = '', port = '', ...others] = text.split(' ');
  if (family === 'UNKNOWN') return { bytes: end + 2, peer: null };
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false;
  const ports = [port, ...others];
  if (!isAddress(source) || !isAddress(target) || ports.length !== 2 || !ports.every(isPort))
    return { fault: 'a PROXY line that cannot be read' };
  return {
    bytes: end + 2,
    peer: { address: source.replace(/^::ffff:(?=\d+\.)/i, ''), port: Number(port), certificate: null },
  };
}

const isPort = (text: string): boolean => /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;

function binary(bytes: Buffer): Header | 'more' | { fault: string } {
  const [command, family] = [bytes[12], bytes[13]];
  const end = FIXED_BYTES + bytes.readUInt16BE(14);
  if (command !== COMMAND.local && command !== COMMAND.proxy)
    return { fault: 'a PROXY header of another version' };
  if (end > HEADER_BYTES_MAX) return { fault: 'a PROXY header that is too long' };
  if (bytes.length < end) return 'more';
  if (command === COMMAND.local) return { bytes: end, peer: null };
  const size = family === FAMILY.tcp4 ? 4 : family === FAMILY.tcp6 ? 16 : 0;
  if (size === 0) return { bytes: end, peer: null }; // a family that we need not know
  const portAt = FIXED_BYTES + 2 * size;
  if (end < portAt + 4) return { fault: 'a PROXY header without addresses' };
  return {
    bytes: end,
    peer: {
      address: addressOf(bytes.subarray(FIXED_BYTES, FIXED_BYTES + size)),
      port: bytes.readUInt16BE(portAt),
      certificate: certificateOf(bytes.subarray(portAt + 4, end)),
    },
  };
}

const IPV4_IN_IPV6 = Buffer.from('00000000000000000000ffff', 'hex');

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.subarray(0, 12).equals(IPV4_IN_IPV6)) return bytes.subarray(12).join('.');
  const groups = bytes.toString('hex').replace(/.{4}(?!$)/g, '$&:');
  return new URL(`http://[${groups}]`).hostname.slice(1, -1); // shortened as everywhere
}

/** Type, length and value, one after the other; what is cut off is none. */
function* valuesIn(bytes: Buffer): Generator<[type: number, value: Buffer]> {
  for (let at = 0; at + 3 <= bytes.length; ) {
    const end = at + 3 + bytes.readUInt16BE(at + 1);
    if (end > bytes.length) return;
    yield [bytes[at]!, bytes.subarray(at + 3, end)];
    at = end;
  }
}

/** Only of a certificate that the proxy has found good. */
function certificateOf(values: Buffer): PeerCertificate | null {
  for (const [type, value] of valuesIn(values)) {
    if (type !== TLV_SSL || value.length < 5) continue;
    const flags = value[0]!;
    const verified = value.readUInt32BE(1) === 0;
    if ((flags & SPOKE_TLS) === 0 || (flags & SHOWED_CERTIFICATE) === 0 || !verified) return null;
    for (const [inner, text] of valuesIn(value.subarray(5)))
      if (inner === TLV_SSL_COMMON_NAME)
        return { commonName: text.toString('utf8'), subject: `CN=${text.toString('utf8')}`, der: null };
  }
  return null;
}

/**
 * Takes the header from the beginning of what a proxy sends; the rest stays in the socket. Whoever sends something else
 * is not answered. The caller has a time-out.
 */
export function takeProxyHeader(
  socket: Socket,
  taken: (peer: Peer | null) => void,
  refused: (fault: string) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  const read = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read())
      bytes = Buffer.concat([bytes, chunk as Buffer]);
    if (bytes.length === 0) return;
    const header = parseProxyHeader(bytes);
    if (header === 'more') return;
    socket.off('readable', read);
    if ('fault' in header) {
      refused(header.fault);
      return;
    }
    if (header.bytes < bytes.length) socket.unshift(bytes.subarray(header.bytes));
    taken(header.peer);
  };
  socket.on('readable', read);
}
