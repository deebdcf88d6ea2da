import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Nothing inline, nothing from elsewhere, no markup from data. `ws:` and `wss:`: the WebSocket client of the console
 * connects to whatever listener the operator names.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self' ws: wss:",
  "worker-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
];

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The headers of an answer, whoever made it. Scripts and sheets of the console are never documents (`nosniff`), so
 * they do without what rules documents: with some twenty of them a page would carry 10 KB of it.
 */
export function securityHeaders(base: string): (url: string) => Record<string, string> {
  const ofDocuments = {
    'content-security-policy': [...policy, `report-uri ${base}/csp-report`].join('; '),
    ...always,
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
  return (url) => (/^\/assets\/[\w.-]+\.(js|css)(\?|$)/.test(url) ? always : ofDocuments);
}

/**
 * Whether the browser sees this request as one of a trustworthy origin. Elsewhere it ignores the opener policy and
 * puts an error into its console for each page.
 */
export function isTrustworthy({ host, 'x-forwarded-proto': protocol }: IncomingHttpHeaders): boolean {
  const name = hostnameOf(`http://${host ?? ''}`) ?? '';
  return protocol === 'https' || /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(name);
}

export interface HostCheck {
  /** Whether a request for this Host header is meant for us. */
  allowsHost(host: string | undefined): boolean;
  /** Whether a browser page of this origin may open a websocket here. */
  allowsOrigin(headers: IncomingHttpHeaders): boolean;
}

/**
 * Against DNS rebinding: a foreign page that makes its own name point to this machine still sends that name as Host.
 * So on a loopback address, or once names are listed, only those names and plain IP addresses are answered.
 */
export function hostCheck(bound: string, allowHost: string[]): HostCheck {
  const loopback = bound === 'localhost' || bound === '::1' || bound.startsWith('127.');
  const strict = loopback || allowHost.length > 0;
  const names = new Set([...allowHost, 'localhost']);
  const isOurs = (name: string): boolean =>
    names.has(name) || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  return {
    allowsHost(host) {
      if (!strict) return true;
      const name = hostnameOf(`http://${host ?? ''}`);
      return name !== null && isOurs(name);
    },
    allowsOrigin({ origin, host }) {
      if (origin === undefined) return true; // no browser
      const name = hostnameOf(origin);
      if (name === null) return false;
      return new URL(origin).host === host?.toLowerCase() || names.has(name);
    },
  };
}

function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}
