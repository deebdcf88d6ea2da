import { BlockList, isIPv6 } from 'node:net';

/** Null: everybody. */
export interface AccessRule {
  allow: boolean;
  network: { address: string; prefix: number } | null;
}

/** Whether an address may connect: the first rule that fits says so, and where none fits it may not. */
export function accessBy(rules: readonly AccessRule[]): (address: string) => boolean {
  const checks = rules.map(({ allow, network }) => {
    if (network === null) return { allow, fits: () => true };
    const list = new BlockList();
    list.addSubnet(network.address, network.prefix, familyOf(network.address));
    return { allow, fits: (address: string) => list.check(address, familyOf(address)) };
  });
  return (address) => checks.find(({ fits }) => fits(address))?.allow ?? false;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
