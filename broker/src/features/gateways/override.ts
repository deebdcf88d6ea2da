import type { StompConfig } from '@mqdeck/contract/gateways';
import type { GuestIntroduction } from '../../core/guest.ts';
import type { GuestRequest } from './protocol.ts';

type Override = NonNullable<StompConfig['clientinfo_override']>;

const PLACEHOLDER = /\$\{([^{}]*)\}/g;
/** As the headers of STOMP are called in configurations that were written for others. */
const ALIASES: Readonly<Record<string, string>> = {
  'Packet.headers.login': 'username',
  'Packet.headers.passcode': 'password',
  'ConnInfo.clientid': 'clientid',
  'ConnInfo.username': 'username',
};

/** What a device says of itself, as far as the configuration says nothing else; what it did not say is empty. */
export function overridden(request: GuestRequest, override: Override | undefined): GuestIntroduction {
  if (override === undefined) return request;
  const { clientid, username, password, extra = {} } = request;
  const values = new Map<string, unknown>([
    ...Object.entries(extra),
    ['clientid', clientid],
    ['username', username],
    ['password', password],
    ['peerhost', request.link.address],
  ]);
  const filled = (template: string) =>
    template.replace(PLACEHOLDER, (text, name: string) => {
      const known = ALIASES[name] ?? name;
      return values.has(known) ? String(values.get(known) ?? '') : text;
    });
  const other = (template: string | undefined) =>
    template === undefined || template === '' ? null : filled(template);
  return {
    ...request,
    clientid: other(override.clientid) || clientid,
    username: other(override.username) || username,
    password: other(override.password) || password,
    receive: (delivery) => request.receive(delivery),
    onGone: (why) => request.onGone(why),
  };
}
