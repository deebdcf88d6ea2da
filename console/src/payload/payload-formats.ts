import { visibleText } from '../ui/visible-text.ts';
import { layOutJson, placeOf } from './payload-json.ts';

/** Payloads are bytes; these are the four ways to read and to write them. */

export const PAYLOAD_FORMATS = ['plaintext', 'base64', 'json', 'hex'] as const;
export type PayloadFormat = (typeof PAYLOAD_FORMATS)[number];

export const isPayloadFormat = (value: unknown): value is PayloadFormat =>
  PAYLOAD_FORMATS.some((format) => format === value);

/** Larger ones are not shown, only saved. */
export const PAYLOAD_SHOWN_MAX = 1024 * 1024;

/** What keeps a text from being bytes, or bytes from being such a text. Positions count characters from 1. */
export type PayloadFault =
  | { kind: 'notUtf8'; offset: number }
  | { kind: 'notJson' | 'jsonEnds'; line: number; column: number }
  | { kind: 'notHex' | 'notBase64'; position: number; character: string }
  | { kind: 'hexHalf' | 'base64Ends' | 'halfCharacter'; position: number };

const encoder = new TextEncoder();
/** A byte order mark is a part of the payload like every other byte. */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null; // the decoder has no other way to say it
  }
}

/** The length of the UTF-8 character that begins here; 0 when there is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >> 4 === 0xe ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (bytes[at + 1]! < low || bytes[at + 1]! > high) return 0;
  for (let next = at + 2; next < at + length; next += 1) if (bytes[next]! >> 6 !== 0b10) return 0;
  return length;
}

/** Offset of the first byte that is no UTF-8, or -1. */
export function firstNonUtf8(bytes: Uint8Array): number {
  if (decodeStrictly(bytes) !== null) return -1;
  let at = 0;
  for (let length = characterLength(bytes, at); length > 0; length = characterLength(bytes, at)) at += length;
  return at;
}

/** Text that can be looked at: line ends and tabs work, nothing else is invisible or turns a line around. */
const legible = (text: string): string => text.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, visibleText);

/** Bytes that are no UTF-8 stand as `\xff` between the text that is. */
function withByteEscapes(bytes: Uint8Array, show: (text: string) => string): string {
  const parts: string[] = [];
  let textFrom = 0;
  let at = 0;
  const endText = () => {
    if (at > textFrom) parts.push(show(strict.decode(bytes.subarray(textFrom, at))));
  };
  while (at < bytes.length) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      endText();
      parts.push(`\\x${hexOf(bytes[at]!)}`);
      textFrom = at + 1;
    }
    at += length || 1;
  }
  endText();
  return parts.join('');
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const hexOf = (byte: number): string => HEX[byte]!;

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, hexOf).join('');

/** Offset, bytes in groups of eight, and what of them is printable: `00000000  68 69 0a     hi.` */
export function hexDump(bytes: Uint8Array, perLine = 16): string {
  const lines: string[] = [];
  const width = perLine * 3 + Math.ceil(perLine / 8) - 2;
  for (let from = 0; from < bytes.length; from += perLine) {
    const row = bytes.subarray(from, from + perLine);
    let codes = '';
    let printable = '';
    for (let i = 0; i < row.length; i += 1) {
      const byte = row[i]!;
      codes += `${i === 0 ? '' : i % 8 === 0 ? '  ' : ' '}${hexOf(byte)}`;
      printable += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
    }
    lines.push(`${from.toString(16).padStart(8, '0')}  ${codes.padEnd(width)}  ${printable}`);
  }
  return lines.join('\n');
}

/** More arguments than this at once and `String.fromCharCode` overflows the stack. */
const CHUNK = 8192;

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  return btoa(binary);
}

export type Parsed = { bytes: Uint8Array<ArrayBuffer> } | { fault: PayloadFault };

/** Standard or URL-safe alphabet, with or without padding and line breaks. */
export function fromBase64(text: string): Parsed {
  const wrong = /[^A-Za-z0-9+/_=\s-]|=(?![=\s]*$)/u.exec(text);
  if (wrong) return { fault: characterFault('notBase64', text, wrong) };
  const digits = text.replace(/[\s=]/g, '').replaceAll('-', '+').replaceAll('_', '/');
  if (digits.length % 4 === 1) return { fault: { kind: 'base64Ends', position: [...text].length } };
  return { bytes: Uint8Array.from(atob(digits), (char) => char.charCodeAt(0)) };
}

/** Pairs of digits; between them may stand blanks, `:`, `-`, `,` and `0x`. */
export function fromHex(text: string): Parsed {
  // Blanks of the same length instead of what may stand between, so that positions stay.
  const spaced = text.replace(/(^|[\s:,-])0x/gi, '$1  ').replace(/[\s:,-]/g, ' ');
  const wrong = /[^0-9a-fA-F ]/u.exec(spaced);
  if (wrong) return { fault: characterFault('notHex', text, wrong) };
  for (const { 0: run, index } of spaced.matchAll(/[0-9a-fA-F]+/g)) {
    if (run.length % 2 === 1) return { fault: { kind: 'hexHalf', position: index + run.length } };
  }
  const digits = spaced.replaceAll(' ', '');
  return {
    bytes: Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
      Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
    ),
  };
}

function characterFault(
  kind: 'notHex' | 'notBase64',
  text: string,
  { index }: RegExpExecArray,
): PayloadFault {
  const character = String.fromCodePoint(text.codePointAt(index)!);
  return { kind, position: [...text.slice(0, index)].length + 1, character };
}

function fromText(text: string): Parsed {
  const half = /\p{Surrogate}/u.exec(text);
  if (half) return { fault: { kind: 'halfCharacter', position: [...text.slice(0, half.index)].length + 1 } };
  return { bytes: encoder.encode(text) };
}

function jsonFault(text: string, at: number): PayloadFault {
  return { kind: at === text.length ? 'jsonEnds' : 'notJson', ...placeOf(text, at) };
}

/** What an operator typed, as the bytes he means. */
export function parsePayload(text: string, format: PayloadFormat): Parsed {
  // Nothing is no JSON but a payload: the one that clears a retained message.
  if (text === '') return { bytes: new Uint8Array() };
  switch (format) {
    case 'plaintext':
      return fromText(text);
    case 'json': {
      const layout = layOutJson(text);
      return 'at' in layout ? { fault: jsonFault(text, layout.at) } : fromText(text);
    }
    case 'base64':
      return fromBase64(text);
    case 'hex':
      return fromHex(text);
  }
}

export interface ShownPayload {
  text: string;
  /** Why it is not shown as asked: the text is the plain one then. */
  fault?: PayloadFault;
}

/** The payload as it may stand on a page: nothing in it is invisible, whatever the bytes. */
export function showPayload(bytes: Uint8Array, format: PayloadFormat, hexPerLine?: number): ShownPayload {
  if (format === 'hex') return { text: hexDump(bytes, hexPerLine) };
  if (format === 'base64') return { text: toBase64(bytes) };
  const text = decodeStrictly(bytes);
  if (text === null) {
    const fault: PayloadFault = { kind: 'notUtf8', offset: firstNonUtf8(bytes) };
    return { text: withByteEscapes(bytes, legible), ...(format === 'json' ? { fault } : {}) };
  }
  if (format === 'plaintext') return { text: legible(text) };
  const layout = layOutJson(text);
  if ('at' in layout) return { text: legible(text), fault: jsonFault(text, layout.at) };
  return { text: legible(layout.text) };
}

/** The payload for the clipboard: the same format, but the text itself where the page shows escapes, and hex alone. */
export function copyPayload(bytes: Uint8Array, format: PayloadFormat): string {
  if (format === 'hex') return toHex(bytes);
  if (format === 'base64') return toBase64(bytes);
  const text = decodeStrictly(bytes) ?? withByteEscapes(bytes, (piece) => piece);
  if (format === 'plaintext') return text;
  const layout = layOutJson(text);
  return 'at' in layout ? text : layout.text;
}

/** The payload as text to go on writing; null where the format cannot hold these bytes. */
export function editPayload(bytes: Uint8Array, format: PayloadFormat): string | null {
  if (format === 'hex') return toHex(bytes);
  if (format === 'base64') return toBase64(bytes);
  const text = decodeStrictly(bytes);
  // A text area turns every line end into a line feed.
  return text === null || text.includes('\r') ? null : text;
}

/** Control characters that no text has; a payload with one of them is data. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const DATA = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** How most people would want to see it; the sender's content type is a hint, the bytes decide. */
export function suggestFormat(bytes: Uint8Array, contentType = ''): PayloadFormat {
  const text = decodeStrictly(bytes);
  if (text === null || DATA.test(text)) return 'hex';
  const saysJson = /^[^;]*[/+]json\s*(;|$)/i.test(contentType);
  const looksJson = /^\s*[{[]/.test(text);
  return (saysJson || looksJson) && 'text' in layOutJson(text) ? 'json' : 'plaintext';
}

/** What a file of it is called at its end. */
function payloadExtension(bytes: Uint8Array): 'json' | 'txt' | 'bin' {
  const format = suggestFormat(bytes, 'application/json');
  return format === 'json' ? 'json' : format === 'plaintext' ? 'txt' : 'bin';
}

/** Names that Windows keeps for devices, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
/** Four bytes each at most, and file systems take 255. */
const NAME_MAX = 60;

/** A file name of letters, digits, `-`, `_` and `.` inside, whatever the topic. */
export function payloadFileName(topic: string, bytes: Uint8Array): string {
  const plain = [...topic.normalize('NFC').replace(/[^\p{L}\p{N}\p{M}_.-]+/gu, '-')]
    .slice(0, NAME_MAX)
    .join('');
  const name = plain.replace(/\.{2,}/g, '.').replace(/^[.-]+|[.-]+$/g, '');
  const stem = name.split('.')[0]!;
  const safe = name === '' ? 'payload' : DEVICE.test(stem) ? `payload-${name}` : name;
  return `${safe}.${payloadExtension(bytes)}`;
}
