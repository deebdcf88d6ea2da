import { generate, type OptionName, parse } from 'coap-packet';

/** Confirmable, non-confirmable, acknowledgement, reset (RFC 7252, 4). */
export type MessageType = 'CON' | 'NON' | 'ACK' | 'RST';

/** Methods and response codes, written as their specifications do (RFC 7252, 12.1; RFC 7959, 2.9). */
export const Code = {
  Empty: '0.00',
  Get: '0.01',
  Post: '0.02',
  Put: '0.03',
  Delete: '0.04',
  Created: '2.01',
  Deleted: '2.02',
  Changed: '2.04',
  Content: '2.05',
  NoContent: '2.07', // of no specification, but what EMQX's devices hear when they unsubscribe
  Continue: '2.31',
  BadRequest: '4.00',
  Unauthorized: '4.01',
  BadOption: '4.02',
  Forbidden: '4.03',
  NotFound: '4.04',
  MethodNotAllowed: '4.05',
  RequestEntityIncomplete: '4.08',
  PreconditionFailed: '4.12',
  RequestEntityTooLarge: '4.13',
  InternalServerError: '5.00',
  ServiceUnavailable: '5.03',
  ProxyingNotSupported: '5.05',
} as const;

const CODE_NAMES: Readonly<Record<string, string>> = {
  '2.01': 'created',
  '2.02': 'deleted',
  '2.03': 'valid',
  '2.04': 'changed',
  '2.05': 'content',
  '2.07': 'nocontent',
  '2.31': 'continue',
  '4.00': 'bad_request',
  '4.01': 'unauthorized',
  '4.02': 'bad_option',
  '4.03': 'forbidden',
  '4.04': 'not_found',
  '4.05': 'method_not_allowed',
  '4.06': 'not_acceptable',
  '4.08': 'request_entity_incomplete',
  '4.12': 'precondition_failed',
  '4.13': 'request_entity_too_large',
  '4.15': 'unsupported_content_format',
  '5.00': 'internal_server_error',
  '5.01': 'not_implemented',
  '5.02': 'bad_gateway',
  '5.03': 'service_unavailable',
  '5.04': 'gateway_timeout',
  '5.05': 'proxying_not_supported',
};

/** What a code is called where programs read it; one without a name is its own. */
export const codeName = (code: string): string => CODE_NAMES[code] ?? code;

/** `name` is that of the registry where the codec knows it, else the number in digits. */
export interface CoapOption {
  readonly name: string;
  readonly value: Buffer;
}

export interface CoapMessage {
  readonly type: MessageType;
  readonly code: string; // `2.05`
  readonly messageId: number;
  readonly token: Buffer;
  readonly options: readonly CoapOption[];
  readonly payload: Buffer;
}

/** A datagram that is no message; what of its header can be read, as whoever sent it confirmable hears of it (4.2). */
export interface Malformed {
  readonly malformed: string;
  readonly type: MessageType | null; // null = not even of this version: silence is the answer
  readonly messageId: number;
}

export const NO_BYTES = Buffer.alloc(0);
const TYPES: readonly MessageType[] = ['CON', 'NON', 'ACK', 'RST'];
const HEADER_BYTES = 4;
const TOKEN_BYTES_MAX = 8;
/** The largest datagram that is looked at: those who have more to say send blocks. */
export const DATAGRAM_BYTES_MAX = 8192;
const UNBOUND = 65_535; // the codec's own limit is of no use here: sizes are ours

/** Reads a datagram; never throws, whatever is in it. */
export function decode(bytes: Buffer): CoapMessage | Malformed {
  const version = bytes.length < HEADER_BYTES ? 0 : bytes[0]! >> 6;
  if (version !== 1) return { malformed: 'not CoAP 1', type: null, messageId: 0 };
  const type = TYPES[(bytes[0]! >> 4) & 3]!;
  const messageId = bytes.readUInt16BE(2);
  const wrong = (malformed: string): Malformed => ({ malformed, type, messageId });
  if (bytes.length > DATAGRAM_BYTES_MAX) return wrong('datagram too large');
  if ((bytes[0]! & 15) > TOKEN_BYTES_MAX) return wrong('token too long');
  let message: CoapMessage;
  try {
    const { code, token, options, payload } = parse(bytes);
    message = {
      type,
      code,
      messageId,
      token,
      options: options.map(({ name, value }) => ({ name: String(name), value })),
      payload,
    };
    // The codec is lenient: an option that runs over the end, a marker with nothing behind it. Only what is whole
    // is written as it was read.
    if (!encode(message).equals(bytes)) return wrong('not well-formed');
  } catch (cause) {
    return wrong(cause instanceof Error ? cause.message : String(cause));
  }
  const [kind] = message.code;
  if (kind === '1' || kind === '6' || kind === '7') return wrong('reserved class of code'); // RFC 7252, 4.2
  return message;
}

export function encode({ type, code, messageId, token, options, payload }: CoapMessage): Buffer {
  return generate(
    {
      code,
      messageId,
      token,
      payload,
      options: options.map(({ name, value }) => ({ name: name as OptionName, value })),
      confirmable: type === 'CON',
      ack: type === 'ACK',
      reset: type === 'RST',
    },
    UNBOUND,
  );
}

/** Without a code, token or payload: an acknowledgement, a reset, or, confirmable, the question whether somebody is there. */
export const emptyMessage = (type: MessageType, messageId: number): CoapMessage => ({
  type,
  code: Code.Empty,
  messageId,
  token: NO_BYTES,
  options: [],
  payload: NO_BYTES,
});

export const isRequest = ({ code }: CoapMessage): boolean => code.startsWith('0.') && code !== Code.Empty;
export const isSuccess = (code: string): boolean => code.startsWith('2.');

/** A number as an option carries it: big-endian, without leading zeros (3.2). */
export function uintOption(name: string, value: number): CoapOption {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return { name, value: Buffer.from(bytes) };
}

export const textOption = (name: string, value: string): CoapOption => ({ name, value: Buffer.from(value) });

export const optionOf = ({ options }: CoapMessage, name: string): Buffer | undefined =>
  options.find((option) => option.name === name)?.value;

/** Undefined: there is none, or it is no number. */
export function uintOf(message: CoapMessage, name: string): number | undefined {
  const value = optionOf(message, name);
  if (value === undefined || value.length > 4) return undefined;
  return value.length === 0 ? 0 : value.readUIntBE(0, value.length);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The texts of an option that may come several times; null when one is no UTF-8. */
export function textsOf({ options }: CoapMessage, name: string): string[] | null {
  try {
    return options.filter((option) => option.name === name).map(({ value }) => utf8.decode(value));
  } catch {
    return null;
  }
}

/** What is done with these options; an unknown one with an odd number makes the message one that is not understood (5.4.1). */
const UNDERSTOOD = new Set(['Uri-Host', 'Uri-Port', 'Uri-Path', 'Uri-Query', 'Accept', 'Block1', 'Block2']);
const CRITICAL = new Set([
  'If-Match',
  'If-None-Match',
  'OSCORE',
  'Q-Block1',
  'Q-Block2',
  'Proxy-Uri',
  'Proxy-Scheme',
  'OCF-Accept-Content-Format-Version',
  'OCF-Content-Format-Version',
]);

/** The first option that may not be passed over and is not understood, by name. */
export const notUnderstood = ({ options }: CoapMessage): string | undefined =>
  options.find(({ name }) => {
    if (UNDERSTOOD.has(name)) return false;
    return CRITICAL.has(name) || Number(name) % 2 === 1;
  })?.name;

/** Numbers of formats (RFC 7252, 12.3; LwM2M 1.0, 6.4). */
export const ContentFormat = {
  Text: 0,
  LinkFormat: 40,
  OctetStream: 42,
  Json: 50,
  Tlv: 11_542,
  LwM2mJson: 11_543,
} as const;
