import type { Transport } from './request.ts';

/** How much of a body is on its way. When all is sent, the answer is what is waited for. */
export interface Sent {
  sent: number;
  total: number;
}

/**
 * A transport that tells how far a body has come, which `fetch` does not. Unlike there, a cookie of this host rides
 * along; the broker reads none.
 */
export const telling =
  (onSent: (now: Sent) => void): Transport =>
  (address, { method = 'GET', headers, body, signal }, moved) =>
    new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      const abort = () => xhr.abort();
      const failed = () => reject(signal?.aborted ? signal.reason : new TypeError('The connection broke'));
      xhr.open(method, address);
      new Headers(headers).forEach((value, name) => {
        xhr.setRequestHeader(name, value);
      });
      xhr.upload.onprogress = ({ loaded, total, lengthComputable }) => {
        moved();
        if (lengthComputable) onSent({ sent: loaded, total });
      };
      xhr.onload = () => resolve(responseOf(xhr));
      xhr.onerror = failed;
      xhr.onabort = failed;
      xhr.onloadend = () => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) return failed();
      xhr.send(body as XMLHttpRequestBodyInit | null);
    });

/** These answers have no body, and a Response of them must not be given one. */
const WITHOUT_BODY = [204, 205, 304];

function responseOf(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const body = WITHOUT_BODY.includes(xhr.status) ? null : xhr.responseText;
  return new Response(body, { status: xhr.status, headers });
}
