import * as endpoints from './endpoints.ts';
import type { Endpoint } from './kit/endpoint.ts';

/** The base path of every endpoint. */
export const API_BASE = '/api/v5';

/** Everything that can be asked, by feature. */
export const api = endpoints;
api satisfies Record<string, Record<string, Endpoint>>;
