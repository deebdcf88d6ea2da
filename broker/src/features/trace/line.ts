import { TRACE_PAYLOAD_BYTES_MAX, type TracePacket } from '@mqdeck/contract/traces';
import { rfc3339 } from '../../paging/rfc3339.ts';

/** Who a line is about. */
export interface Peer {
  clientid: string;
  username: string | null;
  address: string; // '' = none, as of a message by REST
  port: number;
}

/** What happened, once; each trace that wants it writes it in its own way. */
export interface TraceEvent {
  at: number; // epoch ms
  /** Which part of the broker speaks. */
  tag: 'MQTT' | 'AUTHN' | 'AUTHZ' | 'SESSION' | 'PUBLISH' | 'DELIVER' | 'RULE' | 'TRACE';
  msg: string;
  peer: Peer | null;
  /** That of the message it is about: all lines with it are one message's way. */
  messageId: string | null;
  facts: Readonly<Record<string, unknown>>;
  payload: Uint8Array | null;
  /** What a rule has made of a message; holds parts of the payload. */
  result: Readonly<Record<string, unknown>> | null;
}

export interface LineFormat {
  formatter: 'text' | 'json';
  payloadEncode: 'text' | 'hex' | 'hidden';
}

/** The kind of packets that made it happen. */
export function packetOf({ tag, msg, facts }: TraceEvent): TracePacket {
  switch (tag) {
    case 'PUBLISH':
    case 'RULE':
      return 'publish';
    case 'DELIVER':
      return 'deliver';
    case 'AUTHZ':
      return facts.action === 'publish' ? 'publish' : 'subscribe';
    case 'SESSION':
      return msg.includes('subscri') ? 'subscribe' : 'connect';
    default:
      return msg === 'pingreq_received' ? 'ping' : 'connect';
  }
}

const HIDDEN = '******';
const RESULT_CHARS_MAX = 4096;
const DEPTH_MAX = 8;
/** Columns whose values nobody should read in a file: what is called so, and user properties, which carry tokens. */
const SECRET = /passw|secret|token|credential|api_?key|authorization|user-property/i;

/** One line, whatever clients have put into their names. */
export function lineOf(event: TraceEvent, { formatter, payloadEncode }: LineFormat): string {
  const { at, tag, msg, peer, messageId } = event;
  const time = timeText(at);
  const facts = {
    ...(messageId !== null && { message_id: messageId }),
    ...event.facts,
    ...(event.payload !== null && { payload: payloadText(event.payload, payloadEncode) }),
    ...(event.result !== null && { result: resultOf(event.result, payloadEncode) }),
  };
  if (formatter === 'json') {
    const who = peer && {
      clientid: peer.clientid,
      ...(peer.username !== null && { username: peer.username }),
      ...(peer.address !== '' && { peername: `${peer.address}:${peer.port}` }),
    };
    return visible(JSON.stringify({ time, tag, msg, ...who, ...facts }));
  }
  const username = peer?.username ?? undefined;
  return visible(`${time} [${tag}]${peerText(peer)} msg: ${msg}${factsText({ ...facts, username })}`);
}

let latest = { at: -1, text: '' };
/** Many things happen within a millisecond. */
function timeText(at: number): string {
  if (latest.at !== at) latest = { at, text: rfc3339(at) };
  return latest.text;
}

function peerText(peer: Peer | null): string {
  if (peer === null) return '';
  const name = plainOrQuoted(peer.clientid);
  return peer.address === '' ? ` ${name}` : ` ${name}@${peer.address}:${peer.port}`;
}

const factsText = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${plainOrQuoted(value)}`)
    .join('');

/** Text that could be taken for more than one value is quoted, so that a line can be read back. */
function plainOrQuoted(value: unknown): string {
  if (typeof value === 'string') return /^[^\s",:@{}[\]\p{C}]+$/u.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? 'null';
}

function payloadText(payload: Uint8Array, encode: LineFormat['payloadEncode']): string {
  if (encode === 'hidden') return HIDDEN;
  const bytes = Buffer.from(
    payload.buffer,
    payload.byteOffset,
    Math.min(payload.length, TRACE_PAYLOAD_BYTES_MAX),
  );
  const text = bytes.toString(encode === 'hex' ? 'hex' : 'utf8');
  return payload.length > TRACE_PAYLOAD_BYTES_MAX ? `${text}… (${payload.length} bytes)` : text;
}

function resultOf(
  result: Readonly<Record<string, unknown>>,
  encode: LineFormat['payloadEncode'],
): Record<string, unknown> | string {
  const shown = Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, shownValue(name, value, encode, 0)]),
  );
  const text = JSON.stringify(shown);
  return text.length > RESULT_CHARS_MAX
    ? `${text.slice(0, RESULT_CHARS_MAX)}… (${text.length} characters)`
    : shown;
}

/** Any column may be made of the payload, so with it all of them are hidden. */
function shownValue(
  name: string,
  value: unknown,
  encode: LineFormat['payloadEncode'],
  depth: number,
): unknown {
  if (encode === 'hidden' || SECRET.test(name)) return HIDDEN;
  if (value instanceof Uint8Array) return payloadText(value, 'hex');
  if (name === 'payload' && encode === 'hex' && typeof value === 'string')
    return payloadText(Buffer.from(value), 'hex');
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '…';
  if (Array.isArray(value)) return value.map((one) => shownValue('', one, encode, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([inner, one]) => [inner, shownValue(inner, one, encode, depth + 1)]),
  );
}

/** What JSON leaves as it is and a terminal obeys: the control characters of C1, other line ends, text turned round. */
const visible = (text: string): string =>
  text.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
