import { createHash } from 'node:crypto';
import type { ConnectPacket } from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import type { PeerCertificate } from '../connection.ts';
import type { ClientInfo } from '../hooks.ts';
import type { Introduction, PeerCertPart, ZoneSettings } from '../settings.ts';
import type { Channel } from './channel.ts';

const TEXT_BYTES_MAX = 65_535;

/** Who a client is by its CONNECT, its certificate and the settings of its zone. */
export function introduce(channel: Channel, packet: ConnectPacket): ClientInfo {
  const { connection, listener, entrance } = channel;
  const { settings } = entrance;
  const { certificate = null } = connection;
  const username = partOf(certificate, settings.peerCertAsUsername) ?? packet.username;
  let clientid =
    settings.useUsernameAsClientid && username
      ? username
      : (partOf(certificate, settings.peerCertAsClientid) ?? packet.clientid);
  let attributes: Record<string, string> = {};
  if (settings.clientidOverride !== null || settings.clientAttributes.length > 0) {
    const introduction: Introduction = {
      clientid,
      username: username ?? '',
      cn: certificate?.commonName ?? '',
      dn: certificate?.subject ?? '',
      zone: entrance.zone,
      listener,
      peerhost: connection.remoteAddress,
      userProperties: packet.properties.userProperty ?? [],
    };
    clientid = settings.clientidOverride?.(introduction) || clientid;
    attributes = attributesOf({ ...introduction, clientid }, settings);
  }
  if (username !== packet.username) checkText(username, ReasonCode.BadUserNameOrPassword);
  if (clientid !== packet.clientid) checkText(clientid, ReasonCode.ClientIdentifierNotValid);
  checkClientid(clientid, packet, settings);
  return {
    clientid,
    username,
    address: connection.remoteAddress,
    port: connection.remotePort,
    listener,
    protocolVersion: packet.protocolVersion,
    mountpoint: null,
    isSuperuser: false,
    attributes,
    authExpiresAt: null,
    zone: entrance.zone,
    ...(certificate && { certCommonName: certificate.commonName, certSubject: certificate.subject }),
  };
}

function checkClientid(
  clientid: string,
  { protocolVersion, cleanStart }: ConnectPacket,
  { maxClientidLength, strictMode }: ZoneSettings,
): void {
  const nameless = protocolVersion === 3 || (protocolVersion === 4 && !cleanStart);
  if (
    (clientid === '' && nameless) || // [MQTT311-3.1.3-8]
    clientid.length > maxClientidLength ||
    // 3.1 limits ids to 23 characters, which few clients keep to
    (strictMode && protocolVersion === 3 && clientid.length > 23)
  )
    throw new MqttError(ReasonCode.ClientIdentifierNotValid);
}

function attributesOf(
  introduction: Introduction,
  { clientAttributes }: ZoneSettings,
): Record<string, string> {
  const found = clientAttributes.map(({ name, of }) => [name, of(introduction)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ''));
}

/** What somebody else than the client has said has to be what a client could have said [MQTT-1.5.4-1]. */
function checkText(text: string | null, reasonCode: ReasonCode): void {
  if (text === null) return;
  if (/\0|\p{Surrogate}/u.test(text) || encodeUtf8(text).length > TEXT_BYTES_MAX)
    throw new MqttError(reasonCode, 'the certificate or an expression gives a name that cannot be one');
}

/** Null: there is none, and what CONNECT says holds. */
function partOf(certificate: PeerCertificate | null, part: PeerCertPart | null): string | null {
  if (certificate === null || part === null) return null;
  const { commonName, subject, der } = certificate;
  switch (part) {
    case 'cn':
      return commonName || null;
    case 'dn':
      return subject || null;
    case 'crt':
      return der && Buffer.from(der).toString('base64');
    case 'pem':
      return der && pemOf(der);
    case 'md5':
      return der && createHash('md5').update(der).digest('hex');
  }
}

const pemOf = (der: Uint8Array): string => {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};
