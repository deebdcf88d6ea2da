import { paths } from './paths.ts';

/**
 * Where a sign-in may lead: an address of this console, or the start page. The parameter comes from a link that anybody
 * may have made, so nothing that a browser could read as another host passes.
 */
export function safeTarget(to: string | null | undefined): string {
  const home = '/dashboard';
  // biome-ignore lint/complexity/useRegexLiterals: the escapes are easier read as text
  const suspicious = new RegExp('[\\\\\\s\\p{Cc}]', 'u');
  if (!to || !/^\/(?!\/)/.test(to) || suspicious.test(to)) return home;
  const self = 'http://console.invalid';
  let url: URL;
  try {
    url = new URL(to, self);
  } catch {
    return home;
  }
  if (url.origin !== self || /^\/(\/|%2f|%5c)/i.test(url.pathname)) return home;
  if (url.pathname === paths.login()) return home;
  return url.pathname + url.search + url.hash;
}
