import { isSystemTopic, isValidTopic, topicLevels } from '@mqdeck/mqtt/topics';
import type { AccessRequest, ClientInfo } from '../../../core/hooks.ts';
import { checkMountpoint, mountedTopic, mountpointOf } from '../../../core/mountpoint.ts';
import type { Link } from '../protocol.ts';
import type { PublishPacket } from './packets.ts';
import type { Shared } from './shared.ts';

const PROTOCOL_NAME = 'MQTT-SN';

/**
 * QoS -1, section 6.8: to a predefined or short topic, from somebody who has no name. What authorization says of its
 * address holds. Throws MqttError when its topic cannot be.
 */
export async function publishUnconnected(shared: Shared, link: Link, packet: PublishPacket): Promise<void> {
  const { config, core } = shared.gateway;
  if (!config.enable_qos3 || packet.topic.kind === 'normal') return;
  const topic =
    packet.topic.kind === 'short' ? packet.topic.name : shared.predefined.topicOf(packet.topic.id);
  if (topic === undefined || !isValidTopic(topic) || isSystemTopic(topic)) return;
  const entrance = core.entrance(link.listener);
  const { settings } = entrance;
  if (topicLevels(topic).length > settings.maxTopicLevels) return;
  if (packet.retain && !settings.retainAvailable) return;
  const who = nobody(link);
  checkMountpoint(entrance.mountpoint, who);
  who.mountpoint = mountpointOf(entrance.mountpoint, who);
  const request: AccessRequest = { action: 'publish', topic, qos: 0, retain: packet.retain };
  if (!(await mayPublish(shared, who, request))) return;
  const mounted = who.mountpoint === null ? topic : mountedTopic(who.mountpoint, topic);
  await core.publish({ topic: mounted, payload: packet.data, qos: 0, retain: packet.retain });
}

async function mayPublish({ gateway }: Shared, who: ClientInfo, request: AccessRequest): Promise<boolean> {
  const { core } = gateway;
  const answer = await core.hooks.ask('client.authorize', who, request);
  const access = typeof answer === 'object' ? answer.access : answer;
  return (access ?? core.settings.authorizationNoMatch) === 'allow';
}

const nobody = ({ listener, address, port, certCommonName, certSubject }: Link): ClientInfo => ({
  clientid: '',
  username: null,
  address,
  port,
  listener,
  protocolVersion: 5,
  mountpoint: null,
  isSuperuser: false,
  attributes: {},
  authExpiresAt: null,
  certCommonName,
  certSubject,
  guest: { gateway: 'mqttsn', protocolName: PROTOCOL_NAME, protocolVersion: '1.2', facts: {} },
});
