import type { Core, Listener } from '../core.ts';

export interface ListenerOptions {
  name?: string; // `default`; the id is `tcp:default`
  host: string;
  port: number; // 0 = any free one
  maxConnections?: number; // Infinity = no limit
}

/** What TCP and WebSocket listeners have in common: they are in the core's list from now on. */
export function register(core: Core, listener: Listener): Listener {
  const known = core.listeners.findIndex(({ id }) => id === listener.id);
  if (known !== -1) throw new Error(`There is a listener ${listener.id} already`);
  core.listeners.push(listener);
  return listener;
}

export const bindOf = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** A port in use and the like, said for operators. */
export function listenFault(id: string, bind: string, cause: NodeJS.ErrnoException): Error {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'another program uses this port'
      : cause.code === 'EACCES'
        ? 'this port needs more rights'
        : cause.code === 'EADDRNOTAVAIL'
          ? 'this machine has no such address'
          : cause.message;
  return new Error(`The listener ${id} cannot listen on ${bind}: ${why}`, { cause });
}
