import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { type BlockList, isIP, type LookupFunction, connect as netConnect, Socket } from 'node:net';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';
import { BackendConfigError } from './backend.ts';
import {
  canonicalHost,
  familyOf,
  isLocalName,
  KIND_TEXTS,
  type Kind,
  kindOf,
  listOf,
} from './outbound-addresses.ts';
import { targetsIn } from './outbound-targets.ts';

/**
 * Which addresses the broker may connect to. `allow`: all but link-local addresses and cloud metadata services;
 * `deny-private`: public addresses; `allow-list`: none. What `allowed` lists is allowed in addition.
 */
export type OutboundMode = 'allow' | 'deny-private' | 'allow-list';
export const OUTBOUND_MODES: readonly OutboundMode[] = ['allow', 'deny-private', 'allow-list'];

export interface OutboundOptions {
  mode: OutboundMode;
  /** Addresses, networks (`10.0.0.0/8`), host names, and `*.example.com` for the names below a domain. */
  allowed: readonly string[];
}

/** The policy denies a connection; the message is for operators. */
export class OutboundDenied extends Error {
  readonly code = 'OUTBOUND_DENIED';
}

/** Finds all addresses of a host name; tests have their own. */
export type ResolveAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Decides about every connection that the broker opens to another system; each driver connects through it. */
export class OutboundPolicy {
  private readonly mode: OutboundMode;
  private readonly allowedNetworks: BlockList;
  private readonly hasNetworks: boolean;
  private readonly allowedNames: readonly string[];
  private readonly resolveAll: ResolveAll;

  constructor({ mode, allowed }: OutboundOptions, resolveAll: ResolveAll = dnsLookup) {
    this.mode = mode;
    this.resolveAll = resolveAll;
    const networks = allowed.filter((entry) => isIP(entry.split('/')[0]!) !== 0);
    this.allowedNetworks = listOf(networks);
    this.hasNetworks = networks.length > 0;
    this.allowedNames = allowed
      .filter((entry) => !networks.includes(entry))
      .map((name) => name.toLowerCase().replace(/\.$/, ''));
  }

  /** As dns.lookup, for net, tls and dgram: gives only addresses that may be connected to. They are those that are used. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    const given = typeof options === 'number' ? { family: options } : options;
    this.resolveAll(hostname, { ...given, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const usable = found.filter(({ address }) => this.reason(hostname, address) === null);
      const [first] = usable;
      if (first === undefined) return callback(this.denied(hostname, found), '');
      if (given.all) return callback(null, usable);
      return callback(null, first.address, first.family);
    });
  };

  /** The addresses of a host that may be connected to; rejects with OutboundDenied when there are none. */
  resolve(host: string): Promise<LookupAddress[]> {
    return new Promise((resolve, reject) => {
      this.lookup(canonicalHost(host), { all: true }, (error, addresses) =>
        error ? reject(error) : resolve(addresses as unknown as LookupAddress[]),
      );
    });
  }

  /**
   * Throws OutboundDenied for a host that is known to be denied before it is resolved. The lookup is not asked about an
   * address, so every driver calls this too.
   */
  checkHost(host: string): void {
    const name = canonicalHost(host);
    const address = isIP(name) !== 0 ? name : isLocalName(name) ? '127.0.0.1' : null;
    if (address !== null && this.reason(name, address) !== null)
      throw this.denied(name, [{ address, family: isIP(address) }]);
    if (address === null && this.mode === 'allow-list' && !this.hasNetworks && !this.isNamed(name))
      throw this.denied(name, []);
  }

  /** Connects, with TLS when its options are given. A denial is the socket's error. */
  connect(
    { host, port, tls }: { host: string; port: number; tls?: ConnectionOptions | null },
    onConnect?: () => void,
  ): Socket {
    const denial = this.denialOf(host);
    if (denial !== null) return new Socket().destroy(denial);
    const target = { host, port, lookup: this.lookup, noDelay: true, keepAlive: true };
    if (!tls) return netConnect(target, onConnect);
    return tlsConnect({ ...target, ...(isIP(host) === 0 && { servername: host }), ...tls }, onConnect);
  }

  /** Null when the host may be connected to, as far as that is known before it is resolved. */
  denialOf(host: string): OutboundDenied | null {
    try {
      this.checkHost(host);
      return null;
    } catch (cause) {
      if (cause instanceof OutboundDenied) return cause;
      throw cause;
    }
  }

  /**
   * Throws BackendConfigError with the field of a configuration whose host is denied. What the configuration had before
   * may stay: it is refused when it connects.
   */
  checkConfig(config: object, before: unknown = null): void {
    const known = new Set(targetsIn(before).map(({ host }) => host));
    for (const { path, host } of targetsIn(config)) {
      const denial = known.has(host) ? null : this.denialOf(host);
      if (denial !== null) throw new BackendConfigError(path.join('.'), denial.message);
    }
  }

  /** Why an address of a host is denied; null when it is not. A listed name does not open link-local addresses. */
  private reason(host: string, address: string): Kind | 'not listed' | null {
    const bare = address.replace(/%.*$/, '');
    if (this.allowedNetworks.check(bare, familyOf(bare))) return null;
    const kind = kindOf(bare);
    if (kind === 'metadata' || kind === 'link-local') return kind;
    if (this.isNamed(canonicalHost(host))) return null;
    if (this.mode === 'allow-list') return kind ?? 'not listed';
    return this.mode === 'deny-private' ? kind : null;
  }

  private isNamed(host: string): boolean {
    return this.allowedNames.some((name) =>
      name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name,
    );
  }

  private denied(host: string, found: readonly LookupAddress[]): OutboundDenied {
    const address = found[0]?.address ?? host;
    const reason = found.length === 0 ? 'not listed' : this.reason(host, address);
    const what =
      reason === null || reason === 'not listed' ? 'not in the list of allowed targets' : KIND_TEXTS[reason];
    const subject = address === host || host === '' ? address : `${host} (${address})`;
    return new OutboundDenied(
      `The outbound policy denies connections to ${subject}: it is ${what}. To allow it, start mqdeck with --outbound-allow ${address}.`,
    );
  }
}
