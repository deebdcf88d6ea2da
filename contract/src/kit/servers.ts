import * as z from 'zod/mini';

export interface ServerAddress {
  host: string;
  /** Null = the system's standard port. */
  port: number | null;
}

const SERVER = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:,/?#@[\]${}]+))(?::(\d{1,5}))?$/;

/** `host`, `host:port` or `[::1]:port`; null when it is none. */
export function parseServer(text: string): ServerAddress | null {
  const match = SERVER.exec(text.trim());
  if (!match) return null;
  const port = match[3] === undefined ? null : Number(match[3]);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  return { host: match[1] ?? match[2]!, port };
}

/** Addresses separated by commas; null when one of them is none. */
export function parseServers(text: string): ServerAddress[] | null {
  const all = text.split(',').map(parseServer);
  return all.every((one) => one !== null) ? all : null;
}

export const server = z.string().check(z.refine((value) => parseServer(value) !== null, 'bad_host_port'));
export const servers = z.string().check(z.refine((value) => parseServers(value) !== null, 'bad_host_port'));

const NO_URL = 'Not a valid http(s) URL; placeholders may stand in its path and query only';
/** No placeholder decides which host is asked; no user and password, which would end up in texts. */
const HTTP_URL = /^https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]\\${}]+)(?::\d{1,5})?(?:[/?#]\S*)?$/i;

/** Where an HTTP server is asked; path and query may hold placeholders. */
export const httpUrl = z
  .string()
  .check(
    z.refine((value) => HTTP_URL.test(value) && URL.canParse(value.replaceAll(/\$\{[^{}]*\}/g, 'x')), NO_URL),
  );
