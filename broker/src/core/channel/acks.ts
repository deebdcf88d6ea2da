import { decodePacket } from '@mqdeck/mqtt/decode';
import { type AckPacket, PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { C } from '../counters.ts';
import type { Channel } from './channel.ts';

const PUBACK_HEADER = PacketType.PUBACK << 4;

/** PUBACK, PUBREC, PUBREL and PUBCOMP, sections 3.4 to 3.7. */
export function onAck(channel: Channel, header: number, buf: Uint8Array, start: number, end: number): void {
  // A plain PUBACK, the bulk of QoS 1, needs no packet object
  if (header === PUBACK_HEADER && end - start === 2) {
    const packetId = (buf[start]! << 8) | buf[start + 1]!;
    if (packetId !== 0) {
      channel.session!.acknowledged(packetId);
      return;
    }
  }
  const packet = decodePacket(header, buf, start, end, channel.version, 'server') as AckPacket;
  const { packetId, reasonCode } = packet;
  const session = channel.session!;
  const { core } = channel;
  if (core.store !== null) core.store.owed = false;
  switch (packet.type) {
    case PacketType.PUBACK:
      session.acknowledged(packetId);
      break;
    case PacketType.PUBREC: {
      const known = session.received(packetId, reasonCode);
      if (reasonCode >= 0x80) break; // the exchange is over, section 4.3.3
      if (known)
        channel.acknowledge(PacketType.PUBREL, packetId, 0); // [MQTT-4.3.3-4]
      else channel.sendAck(PacketType.PUBREL, packetId, ReasonCode.PacketIdentifierNotFound);
      break;
    }
    case PacketType.PUBREL: {
      const known = session.release(packetId);
      if (!known) core.counters.add(C['packets.pubrel.missed']);
      // After PUBCOMP the id may be a new message's: if a crash brought the old one back, that message would be lost
      if (core.store !== null) core.store.owed = session.store !== null;
      channel.acknowledge(PacketType.PUBCOMP, packetId, known ? 0 : ReasonCode.PacketIdentifierNotFound); // [MQTT-4.3.3-11]
      break;
    }
    case PacketType.PUBCOMP:
      session.completed(packetId);
      break;
  }
}
