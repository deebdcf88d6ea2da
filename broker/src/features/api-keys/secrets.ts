import { randomBytes } from 'node:crypto';

/**
 * Rounds of a secret's hash, some 10 ms of one core: fewer than a password's, because a secret of 260 bits is not
 * guessed from its hash however fast that is made.
 */
export const SECRET_COST = 2 ** 12;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SECRET_LENGTH = 44;
/** Bytes from here on are thrown away: they would make the first letters likelier than the others. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

/** Chance alone, so that nothing that is known of a key tells its secret. */
export function newSecret(): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH)
    for (const byte of randomBytes(SECRET_LENGTH))
      if (byte < FAIR_BELOW && secret.length < SECRET_LENGTH) secret += ALPHABET[byte % ALPHABET.length];
  return secret;
}

export const newKey = (): string => randomBytes(8).toString('hex');
