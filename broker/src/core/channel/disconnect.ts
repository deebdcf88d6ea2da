import type { DisconnectPacket } from '@mqdeck/mqtt/packets';
import { protocolError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Channel } from './channel.ts';

/** Section 3.14.4. */
export function onDisconnect(channel: Channel, { reasonCode, properties }: DisconnectPacket): void {
  const session = channel.session!;
  const expiry = properties.sessionExpiryInterval;
  if (expiry !== undefined) {
    if (channel.expiryAsked === 0 && expiry > 0) throw protocolError('session expiry began with 0'); // section 3.14.2.2.2
    session.asked = { ...session.asked, expiryInterval: expiry };
    channel.core.persist(session);
  }
  if (reasonCode === ReasonCode.Success) session.will = null; // [MQTT-3.14.4-3]
  channel.closeInTurn('normal');
}
