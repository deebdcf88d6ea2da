import { isAddress, withoutUrlSecrets, withUrlSecrets } from './url-secrets.ts';
import { MASK } from './values.ts';

/** Fields that hold a secret wherever they stand: passwords, keys, and headers that prove who asks. */
const SECRET_FIELD =
  /^(password|passwd|passphrase|secret|client_secret|token|access_token|private_key|service_account_json|keyfile|authorization|proxy-authorization|cookie|api[-_]?key|(x-[a-z0-9-]*)?(api-key|auth|token|secret|access-key))$/i;

/** Whether a field of this name is hidden in answers. */
export const isSecretName = (name: string): boolean => SECRET_FIELD.test(name);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Nothing but the name of something that a client or a message has, and the word before it that says how it is proof. */
const PLACEHOLDER =
  /^(?:(?:Bearer|Basic) )?\$\{(?:password|username|clientid|peerhost|cert_\w+|endpoint_name|(?:client_attrs|payload|metadata|pub_props|headers)(?:\.[\w-]+)*|topic|id)\}$/;

/** Whether a text is filled in from what a client shows, and no secret of ours. */
export const isPlaceholder = (value: string): boolean => PLACEHOLDER.test(value);

/** A text in a field for secrets. `${password}` is what a client will show, not a secret of ours. */
const isSecret = (name: string, value: unknown): value is string =>
  SECRET_FIELD.test(name) &&
  typeof value === 'string' &&
  value !== '' &&
  !isPlaceholder(value) &&
  // The key of a certificate may be a path, which is none.
  (name.toLowerCase() !== 'keyfile' || value === MASK || value.includes('-----BEGIN'));

/** What an answer shows of a configuration: every secret in it reads MASK. */
export function masked<T>(config: T): T {
  if (Array.isArray(config)) return config.map(masked) as T;
  if (!isObject(config)) return config;
  const fields = Object.entries(config).map(([name, value]) => [
    name,
    isSecret(name, value)
      ? MASK
      : typeof value === 'string' && isAddress(name, value)
        ? withoutUrlSecrets(value)
        : masked(value),
  ]);
  return Object.fromEntries(fields) as T;
}

/** A secret that reads MASK and of which nothing is stored. */
export class NoSecret extends Error {
  /** The field's path: `ssl.password`. */
  readonly path: string;

  constructor(path: string) {
    super(`${MASK} stands for a secret that is kept, and there is none: write the secret itself`);
    this.path = path;
  }
}

/** The configuration with every MASK replaced by the secret stored at the same place; throws NoSecret where there is none. */
export function unmasked<T>(config: T, stored: unknown, path = ''): T {
  if (Array.isArray(config)) {
    const others = Array.isArray(stored) ? stored : [];
    return config.map((item, i) => unmasked(item, others[i], `${path}${path && '.'}${i + 1}`)) as T;
  }
  if (!isObject(config)) return config;
  const others = isObject(stored) ? stored : {};
  const fields = Object.entries(config).map(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const kept = Object.hasOwn(others, name) ? others[name] : undefined;
    if (typeof value === 'string' && isAddress(name, value)) {
      const whole = withUrlSecrets(value, typeof kept === 'string' ? kept : '');
      if (whole === null) throw new NoSecret(at);
      return [name, whole];
    }
    if (value !== MASK || !SECRET_FIELD.test(name)) return [name, unmasked(value, kept, at)];
    if (typeof kept !== 'string' || kept === MASK) throw new NoSecret(at);
    return [name, kept];
  });
  return Object.fromEntries(fields) as T;
}
