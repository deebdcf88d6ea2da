/** The fields of a TLS block and what is sent of it. */
export const TLS_FILES = ['certfile', 'keyfile', 'cacertfile'] as const;
export const TLS_KINDS = ['crt', 'key', 'pem', 'jks', 'der', 'cer', 'pfx'] as const;

/** A file that is on the server already is known by its path; a PEM text has lines. */
export const isServerPath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !isPem(value) && !value.includes('\n');

export const isPem = (value: unknown): boolean => typeof value === 'string' && value.includes('-----BEGIN');

/** Off: nothing but that it is off. On: no empty fields. */
export function tlsBody(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const block = value as Record<string, unknown>;
  if (block.enable !== true) return { enable: false };
  return Object.fromEntries(Object.entries(block).filter(([, one]) => one !== '' && one !== undefined));
}
