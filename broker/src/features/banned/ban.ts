import { SocketAddress } from 'node:net';
import { inNetwork, type Network, parseAddress, parseNetwork } from '@mqdeck/contract/acl/network';
import { BANNED_PATTERN_MAX, BANNED_WHO_MAX, type BannedAs } from '@mqdeck/contract/banned';
import { RE2JS } from 're2js';

/** Who may not connect. Times are epoch seconds, as the API has them. */
export interface Ban {
  readonly as: BannedAs;
  /** In the one form that this address or network has. */
  readonly who: string;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  readonly until: number | null; // null = for ever
}

/** What of a client decides whether it is banned. */
export interface Names {
  readonly clientid: string;
  readonly username: string | null;
  readonly address: string;
}

export type Groups = Network['groups'];

/** The bytes of a peer's address; null when it has none, as in memory. */
export function groupsOf(address: string): Groups | null {
  const zone = address.indexOf('%'); // fe80::1%eth0
  return parseAddress(zone < 0 ? address : address.slice(0, zone));
}

export function addressText(groups: Groups): string {
  if (groups.length === 2) return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
  const address = groups.map((group) => group.toString(16)).join(':');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}

/** The first address of a network. */
export const maskedGroups = (groups: Groups, bits: number): Groups =>
  groups.map((group, i) => {
    const left = Math.max(0, Math.min(16, bits - i * 16));
    return group & (0xffff << (16 - left)) & 0xffff;
  });

/** The form in which `who` is kept and found again; a fault says why it is none. */
export function canonical(as: BannedAs, who: string): { who: string } | { fault: string } {
  if (who === '') return { fault: 'An empty value is refused: no path could name it to lift the ban' };
  switch (as) {
    case 'clientid':
    case 'username':
      return who.length > BANNED_WHO_MAX
        ? { fault: `A ${as} of more than ${BANNED_WHO_MAX} characters is banned by a pattern, ${as}_re` }
        : { who };
    case 'peerhost': {
      const groups = groupsOf(who);
      return groups
        ? { who: addressText(groups) }
        : { fault: 'bad peerhost: an IPv4 or IPv6 address is expected; for a network take peerhost_net' };
    }
    case 'peerhost_net': {
      const network = parseNetwork(who);
      if (!network) return { fault: 'bad network: expected is an address with its bits, such as 10.0.0.0/8' };
      return { who: `${addressText(maskedGroups(network.groups, network.bits))}/${network.bits}` };
    }
    case 'clientid_re':
    case 'username_re':
      return patternFault(who) ?? { who };
  }
}

function patternFault(pattern: string): { fault: string } | null {
  if (pattern.length > BANNED_PATTERN_MAX)
    return { fault: `A pattern may have ${BANNED_PATTERN_MAX} characters` };
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (cause) {
    const { message } = cause as Error;
    return { fault: `The pattern cannot be understood: ${message}` };
  }
}

/** Whether a ban concerns a client. */
export function concerns({ as, who }: Ban): (names: Names) => boolean {
  switch (as) {
    case 'clientid':
      return ({ clientid }) => clientid === who;
    case 'username':
      return ({ username }) => username === who;
    case 'peerhost':
    case 'peerhost_net': {
      const network = parseNetwork(who);
      return ({ address }) => {
        const groups = groupsOf(address);
        return network !== null && groups !== null && inNetwork(network, groups);
      };
    }
    case 'clientid_re': {
      const pattern = RE2JS.compile(who);
      return ({ clientid }) => pattern.test(clientid);
    }
    case 'username_re': {
      const pattern = RE2JS.compile(who);
      return ({ username }) => username !== null && pattern.test(username);
    }
  }
}
