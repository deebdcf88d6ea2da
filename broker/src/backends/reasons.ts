import { OutboundDenied } from './outbound.ts';

/** What the system said of a connection that did not come about, in words for the operator; null when it is something else. */
export function networkReason(error: unknown, address: string): string | null {
  const denial = denialIn(error);
  if (denial !== null) return denial.message;
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return `nobody listens on ${address}`;
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'PROTOCOL_CONNECTION_LOST':
      return `${address} ended the connection`;
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `${address} cannot be reached: no answer`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no way to ${address}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name in ${address} is not known`;
    case 'EACCES':
    case 'EADDRNOTAVAIL':
      return `${address} cannot be used as an address`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the certificate of ${address} is not signed by a CA that is trusted here`;
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${address} has expired`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${address} bears another name`;
  }
  const code = codeOf(error);
  return code?.startsWith('ERR_SSL_') || code === 'EPROTO'
    ? `${address} and we did not agree on TLS (${code})`
    : null;
}

function denialIn(error: unknown): OutboundDenied | null {
  if (error instanceof OutboundDenied) return error;
  if (error instanceof AggregateError) return error.errors.map(denialIn).find((one) => one !== null) ?? null;
  return error instanceof Error && error.cause !== undefined ? denialIn(error.cause) : null;
}

/** Of the error, or of the one that is its cause. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error ? codeOf(error.cause) : null;
}
