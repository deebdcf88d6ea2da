import { isIP } from 'node:net';

/**
 * Who listens on this machine alone does not want web pages of others in: a browser here would open a connection for
 * them. Tells whether an upgrade comes from a page of this machine, or from no browser at all.
 */
export function fromThisMachine(host: string | undefined, origin: string | undefined): boolean {
  const asked = nameOf(`http://${host ?? ''}`);
  // Another name that leads here was bent to this address by whoever owns it (DNS rebinding)
  if (asked === null || !(isLoopback(asked) || isAddress(asked))) return false;
  if (origin === undefined) return true; // browsers always say
  const from = nameOf(origin);
  return from !== null && (isLoopback(from) || from === asked);
}

/** A listener's host: whether only this machine reaches it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '::1' ||
  host === '[::1]' ||
  (host.startsWith('127.') && isIP(host) === 4);

const isAddress = (name: string): boolean => isIP(name) !== 0 || name.startsWith('[');

/** Null when it is no URL with a name, such as the origin `null`. */
function nameOf(url: string): string | null {
  if (!/^https?:/.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, '');
}
