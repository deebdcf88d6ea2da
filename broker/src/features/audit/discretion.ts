import { isPlaceholder } from '@mqdeck/contract/kit/secrets';
import { MASK } from '@mqdeck/contract/kit/values';

/** Names of what proves who somebody is, or what that is made of. Rather one too many than one too few. */
const SECRET_NAME =
  /^(pass|psk|salt|cookie|authorization|key|stored_key|server_key|keyfile|service_account_json|session_?id|x-.*(auth|sig).*)$|(secret|token|password|passwd|passphrase|pwd|credentials?|private_key|password_hash|api[-_]?key|access[-_]?key)$/i;
/** What stands below is named by the operator: any of it may prove who asks. */
const NAMED_BY_OTHERS = /^(headers|cookies)$/i;
const PLAIN_HEADER = /^(accept|content-type|content-length|user-agent|host)$/i;
/** Sections of the settings, and fields of them, that are called as a header is. */
const NO_SECRET_OBJECT = /^authorization$/i;

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
const IN_ADDRESSES: readonly [RegExp, string][] = [
  [/(:\/\/)[^/@\s]*@/g, `$1${MASK}@`],
  [/([?&][^=&#\s]*(?:key|token|secret|password|pwd|sig|signature|auth)=)[^&#\s]*/gi, `$1${MASK}`],
];

const TEXT_MAX = 2000;
const PAYLOAD_MAX = 256;
const NAME_MAX = 256;
const ITEMS_MAX = 100; // of a list, and names of an object
const DEPTH_MAX = 10;

/** Whether what stands at this path is a secret. `${password}` is what a client will show, not a secret of ours. */
function isSecret(path: readonly string[], value: unknown): boolean {
  if (value === null || value === '' || typeof value === 'boolean') return false;
  if (typeof value === 'string' && isPlaceholder(value)) return false;
  const [name = '', parent = ''] = [path.at(-1), path.at(-2)];
  if (typeof value === 'object' && !Array.isArray(value) && NO_SECRET_OBJECT.test(name)) return false;
  return SECRET_NAME.test(name) || (NAMED_BY_OTHERS.test(parent) && !PLAIN_HEADER.test(name));
}

/** A text without what proves who somebody is, and not endless. */
export function discreetText(text: string, max = TEXT_MAX): string {
  if (PRIVATE_KEY.test(text)) return MASK;
  // Before it is cut: half a secret is one too
  const told = IN_ADDRESSES.reduce((said, [pattern, by]) => said.replace(pattern, by), text);
  // A part of a text would keep the whole of it in memory, so it is copied
  return told.length <= max ? told : `${Buffer.from(told.slice(0, max)).toString()}… (${text.length})`;
}

/** A copy that may be kept of whatever was sent or shown: secrets read MASK, what is long is cut and says so. */
export function discreet(value: unknown, path: readonly string[] = [], depth = 0): unknown {
  if (value === undefined || isSecret(path, value)) return value === undefined ? undefined : MASK;
  if (typeof value === 'string')
    return discreetText(value, path.at(-1) === 'payload' ? PAYLOAD_MAX : TEXT_MAX);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '…';
  if (Array.isArray(value)) {
    // Items are named as their list: a list of tokens is one of secrets
    const items = value.slice(0, ITEMS_MAX).map((item) => discreet(item, path, depth + 1));
    return value.length > ITEMS_MAX ? [...items, `… (${value.length})`] : items;
  }
  const names = Object.keys(value);
  const fields = names
    .slice(0, ITEMS_MAX)
    .map((name) => [
      discreetText(name, NAME_MAX),
      discreet((value as Record<string, unknown>)[name], [...path, name], depth + 1),
    ]);
  if (names.length > ITEMS_MAX) fields.push(['…', `(${names.length})`]);
  return Object.fromEntries(fields);
}
