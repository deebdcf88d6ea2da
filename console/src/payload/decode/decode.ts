import { decode as decodeMessagePack } from '@msgpack/msgpack';
import { decode as decodeCbor } from 'cborg';
import { plain } from './plain.ts';
import { decodeMessage, type ProtoSchema } from './protobuf.ts';
import { decodeSparkplug, isSparkplugTopic } from './sparkplug.ts';

/** Ways to read a payload as a value. */
export const DECODINGS = ['json', 'cbor', 'msgpack', 'sparkplug', 'protobuf'] as const;
export type Decoding = (typeof DECODINGS)[number];

export interface ProtobufChoice {
  schema: ProtoSchema;
  message: string;
}

export type Decoded = { value: unknown } | { fault: string };

/** The value in the bytes as JSON can say it, or why there is none. */
export function decode(bytes: Uint8Array, how: Decoding, protobuf?: ProtobufChoice): Decoded {
  try {
    return { value: plain(read(bytes, how, protobuf)) };
  } catch (cause) {
    return { fault: cause instanceof Error ? cause.message : String(cause) };
  }
}

function read(bytes: Uint8Array, how: Decoding, protobuf: ProtobufChoice | undefined): unknown {
  switch (how) {
    case 'json':
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    case 'cbor':
      return decodeCbor(bytes, { useMaps: true, allowUndefined: true, tags: TAGS });
    case 'msgpack':
      return decodeMessagePack(bytes, { useBigInt64: true });
    case 'sparkplug':
      return decodeSparkplug(bytes);
    case 'protobuf':
      if (!protobuf) throw new Error('no schema');
      return decodeMessage(protobuf.schema, protobuf.message, bytes);
  }
}

/** What a tag says is kept beside its value; times are understood (RFC 8949 section 3.4). */
const TAGS = Object.assign(
  Object.fromEntries(
    [2, 3, 4, 5, 21, 22, 23, 24, 32, 36, 37, 55799].map((tag) => [tag, (inner: () => unknown) => inner()]),
  ),
  { 0: (inner: () => unknown) => inner(), 1: (inner: () => unknown) => epoch(inner()) },
);

const epoch = (seconds: unknown): unknown =>
  typeof seconds === 'number' || typeof seconds === 'bigint' ? new Date(Number(seconds) * 1000) : seconds;

/** What the bytes most likely are; null for a text or something else. */
export function guess(bytes: Uint8Array, topic: string, contentType = ''): Decoding | null {
  if (bytes.length === 0) return null;
  if (isSparkplugTopic(topic) && 'value' in decode(bytes, 'sparkplug')) return 'sparkplug';
  const says: readonly (readonly [RegExp, Decoding])[] = [
    [/[/+]json\b/i, 'json'],
    [/[/+]cbor\b/i, 'cbor'],
    [/msgpack/i, 'msgpack'],
  ];
  for (const [pattern, how] of says)
    if (pattern.test(contentType) && 'value' in decode(bytes, how)) return how;
  if ('value' in decode(bytes, 'json')) return 'json';
  // Both know maps and lists by their first byte; a text could be read as either
  const first = bytes[0]!;
  const isMessagePack = (first >= 0x80 && first <= 0x9f) || (first >= 0xdc && first <= 0xdf);
  const isCbor = first >= 0x80 && first <= 0xbf;
  const candidates: Decoding[] = [
    ...(isCbor ? (['cbor'] as const) : []),
    ...(isMessagePack ? (['msgpack'] as const) : []),
  ];
  return candidates.find((how) => isStructure(decode(bytes, how))) ?? null;
}

const isStructure = (decoded: Decoded): boolean =>
  'value' in decoded && typeof decoded.value === 'object' && decoded.value !== null;
