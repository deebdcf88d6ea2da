import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import type { ClientInfo } from './hooks.ts';

const TOPIC_BYTES_MAX = 65_535;
const PLACEHOLDER = /\$\{(\w+)\}/g;
/** Of a name: what would lead into the topics of other clients, or to what is no place but a kind of subscription. */
const LEADS_AWAY = /^$|^\$|[+#/]/;

/** Undefined: nobody knows this name, and it stands for itself. */
function nameOf(name: string, { clientid, username, guest }: ClientInfo): string | undefined {
  if (name === 'clientid') return clientid;
  if (name === 'username') return username ?? '';
  return guest !== undefined && Object.hasOwn(guest.facts, name) ? guest.facts[name] : undefined;
}

/** What goes before each topic of a client; null = nothing. */
export const mountpointOf = (template: string | null, who: ClientInfo): string | null =>
  template?.replace(PLACEHOLDER, (text, name: string) => nameOf(name, who) ?? text) ?? null;

/** A client whose name would open the topics of others is refused. */
export function checkMountpoint(template: string | null, who: ClientInfo): void {
  for (const [, name = ''] of template?.matchAll(PLACEHOLDER) ?? []) {
    const value = nameOf(name, who);
    if (value !== undefined && LEADS_AWAY.test(value))
      throw new MqttError(
        name === 'clientid' ? ReasonCode.ClientIdentifierNotValid : ReasonCode.BadUserNameOrPassword,
        `the ${name} cannot be part of a topic`,
      );
  }
}

/** Where a topic of the client is in truth. */
export function mountedTopic(mountpoint: string, topic: string): string {
  const mounted = mountpoint + topic;
  if (mounted.length * 3 > TOPIC_BYTES_MAX && encodeUtf8(mounted).length > TOPIC_BYTES_MAX)
    throw new MqttError(ReasonCode.TopicNameInvalid, 'the topic is too long');
  return mounted;
}

/** The filter, shared or exclusive as it was, for topics behind the mountpoint. */
export function mountedFilter(mountpoint: string | null, filter: string): string {
  if (mountpoint === null) return filter;
  const plain = parseShared(filter)?.filter ?? parseExclusive(filter) ?? filter;
  return filter.slice(0, filter.length - plain.length) + mountpoint + plain;
}

/** Whether a topic is one behind the mountpoint: `a/#` matches `a` too, which is not behind `a/`. */
export const isBehind = (mountpoint: string, topic: string): boolean =>
  topic.length > mountpoint.length && topic.startsWith(mountpoint);
