import { MASK } from './values.ts';

/** Secrets inside of addresses: user and password before the host, and parameters of the query. */

const URL_FIELD = /^(url|endpoint|path)$/i;
const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

const LOGIN = /(:\/\/)([^\s/?#@]*)(?=@)/g;
/** A parameter whose name says that it proves who asks; `code` is that of Azure, `key` that of Google. */
const PARAMETER =
  /([?&](?:[\w.-]*(?:token|secret|password|passwd|passphrase|signature|credentials?|api[-_]?key|access[-_]?key)|pwd|pass|auth|key|code|sig|jwt)=)([^&#\s]*)/gi;
/** Filled in from what a client or a message says: no secret of ours. */
const PLACEHOLDER = /^\$\{[^{}]*\}$/;

/** Whether a text in a field of this name is an address. */
export const isAddress = (name: string, value: string): boolean =>
  WITH_SCHEME.test(value) || (URL_FIELD.test(name) && value.includes('?'));

/** The text with every secret in its addresses replaced. */
export const withoutUrlSecrets = (text: string): string => replaced(text, () => MASK);

/**
 * The address with each MASK replaced by the secret that the stored one has at the same place; null when it has none there, or
 * leads to another server: a secret is not sent where nobody meant it to go.
 */
export function withUrlSecrets(address: string, stored: string): string | null {
  if (!secretsIn(address).includes(MASK)) return address;
  if (originOf(address) !== originOf(stored)) return null;
  const kept = new Map<string, string[]>();
  replaced(stored, (secret, before) => {
    kept.set(before, [...(kept.get(before) ?? []), secret]);
    return secret;
  });
  let missing = false;
  const whole = replaced(address, (secret, before) => {
    const known = kept.get(before)?.shift();
    if (secret !== MASK) return secret;
    missing ||= known === undefined;
    return known ?? secret;
  });
  return missing ? null : whole;
}

/** `before` is what stands before the secret and names it: `://`, or `?token=` without its first letter. */
function replaced(text: string, by: (secret: string, before: string) => string): string {
  const one = (_: string, before: string, secret: string): string =>
    before + (secret === '' || PLACEHOLDER.test(secret) ? secret : by(secret, before.replace(/^[?&]/, '')));
  return text.replace(LOGIN, one).replace(PARAMETER, one);
}

function secretsIn(address: string): string[] {
  const found: string[] = [];
  replaced(address, (secret) => {
    found.push(secret);
    return secret;
  });
  return found;
}

const originOf = (address: string): string =>
  (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(address)?.[0] ?? '').replace(/\/\/[^@]*@/, '//').toLowerCase();
