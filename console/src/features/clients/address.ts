import { api } from '@mqdeck/contract/api';
import type { ApiError } from '../../api/api-error.ts';

/** Servers and proxies commonly read 8 KB of a request line; path, version and filters need some of it. */
const ADDRESS_MAX = 7500;

/** Too long for any address, be it in the path or in the query. */
export const isTooLong = (clientid: string): boolean =>
  clientid.length > ADDRESS_MAX || encodeURIComponent(wellFormed(clientid)).length > ADDRESS_MAX;

/** Half of a surrogate pair cannot be encoded. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

/**
 * Whether a path of the API can name the client. Browsers take `.` and `..` out of a path, encoded or not, and servers
 * refuse what is too long; such clients are read from the list and kicked out by the bulk endpoint, whose ids stand in
 * query and body.
 */
export const hasPath = (clientid: string): boolean =>
  clientid !== '' && clientid !== '.' && clientid !== '..' && !isTooLong(clientid);

export const isGone = (error: ApiError | null | undefined): boolean =>
  error?.status === 404 && error.absent === false;

/** What shows something else once a client is kicked out or its subscriptions changed. */
export const clientLists = [
  api.clients.list,
  api.clients.get,
  api.clients.subscriptions,
  api.subscriptions.list,
  api.topics.list,
  api.stats.list,
];
