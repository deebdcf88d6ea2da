/** What a form holds of a password hash before anybody chose: all that one of the algorithms may need. */
export const HASH_INITIAL = {
  name: 'sha256',
  salt_position: 'suffix',
  mac_fun: 'sha256',
  iterations: 4096,
} as const;

/** Only what matters to the algorithm; rounds of bcrypt only where hashes are made. */
export function hashBody(value: unknown, fresh: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { name, salt_position, salt_rounds, mac_fun, iterations, dk_length } = value as Record<
    string,
    unknown
  >;
  if (name === 'plain') return { name, salt_position: 'disable' };
  if (name === 'bcrypt') return { name, ...(fresh && isGiven(salt_rounds) ? { salt_rounds } : {}) };
  if (name === 'pbkdf2') return { name, mac_fun, iterations, ...(isGiven(dk_length) ? { dk_length } : {}) };
  return { name, salt_position };
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

/** Whether a table beside the hash has to hold a salt. */
export function isSalted(hash: unknown): boolean {
  const { name, salt_position } = (hash ?? {}) as Record<string, unknown>;
  // bcrypt keeps its salt within the hash.
  if (name === 'plain' || name === 'bcrypt') return false;
  return name === 'pbkdf2' || salt_position !== 'disable';
}
