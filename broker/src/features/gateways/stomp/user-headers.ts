import type { Properties } from '@mqdeck/mqtt/packets';
import { isMqttText } from '@mqdeck/mqtt/utf8';
import type { GuestMessage } from '../protocol.ts';
import { FrameError, type Version } from './frame.ts';

/** What STOMP, or this gateway, says by these is nobody's to say otherwise, neither in SEND nor in MESSAGE. */
const OURS: ReadonlySet<string> = new Set([
  'destination',
  'content-type',
  'content-length',
  'receipt',
  'receipt-id',
  'transaction',
  'message-id',
  'subscription',
  'id',
  'ack',
  'qos',
  'retain',
]);

type Said = NonNullable<GuestMessage['properties']>;

/** The headers of SEND as subscribers who speak MQTT 5 know them: its content type, and what else the device says. */
export function propertiesOf(headers: ReadonlyMap<string, string>): Said {
  const userProperty: [string, string][] = [...headers].filter(([name]) => !OURS.has(name));
  const contentType = headers.get('content-type');
  for (const text of [contentType ?? '', ...userProperty.flat()])
    if (!isMqttText(text)) throw new FrameError('a header cannot be passed on');
  return {
    ...(contentType !== undefined && { contentType }),
    ...(userProperty.length > 0 && { userProperty }),
  };
}

/** The way back: the headers of MESSAGE that its publisher has put there. */
export function headersOf(
  { contentType, userProperty = [] }: Readonly<Properties>,
  version: Version,
): [name: string, value: string][] {
  const headers: [string, string][] = contentType === undefined ? [] : [['content-type', contentType]];
  for (const [name, value] of userProperty)
    if (!OURS.has(name.trim()) && canBeName(name, version)) headers.push([name, value]);
  return headers;
}

/** 1.0 has no escapes: what ends a name ends it. */
const canBeName = (name: string, version: Version): boolean =>
  name.trim() !== '' && (version !== '1.0' || !/[:\r\n]/.test(name));
