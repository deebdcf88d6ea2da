import { PacketType } from './packets.ts';
import { ReasonCode } from './reason-codes.ts';

const { CONNACK, PUBACK, PUBREC, PUBREL, PUBCOMP, SUBACK, UNSUBACK, DISCONNECT } = PacketType;

const received = [0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99];
const released = [0x00, 0x92];
// 0x00 is the client's alone by the table, but what a server means by it is beyond doubt
const disconnectByServer = [
  0x00, 0x80, 0x81, 0x82, 0x83, 0x87, 0x89, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97,
  0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f, 0xa0, 0xa1, 0xa2,
];

/** The reason codes of each packet, from the tables of its section. */
const permitted = new Map<number, ReadonlySet<number>>(
  (
    [
      [
        CONNACK,
        [
          0x00, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8c, 0x90, 0x95, 0x97,
          0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9f,
        ],
      ],
      [PUBACK, received],
      [PUBREC, received],
      [PUBREL, released],
      [PUBCOMP, released],
      [SUBACK, [0x00, 0x01, 0x02, 0x80, 0x83, 0x87, 0x8f, 0x91, 0x97, 0x9e, 0xa1, 0xa2]],
      [UNSUBACK, [0x00, 0x11, 0x80, 0x83, 0x87, 0x8f, 0x91]],
      [DISCONNECT, disconnectByServer],
    ] as const
  ).map(([type, codes]) => [type, new Set<number>(codes)]),
);

const disconnectByClient = new Set<number>([
  0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99,
]);

/** Whether a 5.0 packet of this type may carry the reason code when `sender` sends it. */
export const isPermitted = (type: number, code: number, sender: 'server' | 'client'): boolean =>
  (type === DISCONNECT && sender === 'client' ? disconnectByClient : permitted.get(type))?.has(code) ?? false;

/** The reason code where a server's packet of this type may carry it, else the one that says as much without a reason. */
export function carried(type: number, code: number): number {
  if (isPermitted(type, code, 'server')) return code;
  return code < 0x80 ? ReasonCode.Success : ReasonCode.UnspecifiedError;
}
