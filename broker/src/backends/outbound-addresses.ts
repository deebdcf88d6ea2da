import { BlockList, isIP } from 'node:net';

export type Kind = 'metadata' | 'link-local' | 'loopback' | 'private';

/** In the order in which they are looked for. Sources: the IANA special-purpose address registries; docs of the clouds. */
const NETWORKS: Readonly<Record<Kind, readonly string[]>> = {
  // AWS, Azure, Google; AWS ECS; Alibaba; Oracle; Azure's wire server; AWS over IPv6
  metadata: [
    '169.254.169.254/32',
    '169.254.170.2/32',
    '100.100.100.200/32',
    '192.0.0.192/32',
    '168.63.129.16/32',
    'fd00:ec2::/32',
  ],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  loopback: ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  private: [
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '100.64.0.0/10',
    '192.0.0.0/24',
    '198.18.0.0/15',
    '224.0.0.0/4',
    '240.0.0.0/4',
    'fc00::/7',
    'fec0::/10',
    'ff00::/8',
  ],
};

export const KIND_TEXTS: Readonly<Record<Kind, string>> = {
  metadata: 'a cloud metadata service',
  'link-local': 'a link-local address',
  loopback: 'a loopback address',
  private: 'a private address',
};

export const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Networks, and addresses as networks of one. */
export function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks.flatMap(spellings)) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}

/** A network of IPv4 is also reached through IPv6: as a compatible address, by NAT64 and by 6to4. BlockList itself knows `::ffff:0:0/96`. */
function spellings(network: string): string[] {
  const [address = '', bits = '32'] = network.split('/');
  if (isIP(address) !== 4) return [network];
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const compatible = a === 0 ? [] : [`::${address}/${96 + Number(bits)}`]; // `::1` has a meaning of its own
  return [
    network,
    ...compatible,
    `64:ff9b::${address}/${96 + Number(bits)}`,
    `2002:${groups}::/${16 + Number(bits)}`,
  ];
}

const NETWORK = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/;
const NAME = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;

/** Whether a text can stand in `allowed`. */
export function isAllowedEntry(text: string): boolean {
  const [, address = '', bits] = NETWORK.exec(text) ?? [];
  const family = isIP(address);
  if (family !== 0) return bits === undefined || Number(bits) <= (family === 4 ? 32 : 128);
  return NAME.test(text.toLowerCase()) && isIP(canonicalHost(text)) === 0;
}

/** As the system reads it: `2130706433`, `0x7f.1` and `127.0.0.1.` are 127.0.0.1; names in lower case and without their last dot. */
export function canonicalHost(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const text = bare.includes(':') ? `[${bare}]` : bare;
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null;
  return (url?.hostname ?? bare.toLowerCase()).replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** A name that stands for this machine, whatever DNS says. */
export const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

const lists = Object.entries(NETWORKS).map(([kind, networks]) => [kind as Kind, listOf(networks)] as const);

/** Null for a public address. */
export function kindOf(address: string): Kind | null {
  return lists.find(([, list]) => list.check(address, familyOf(address)))?.[0] ?? null;
}
