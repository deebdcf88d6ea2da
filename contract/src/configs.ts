import * as z from 'zod/mini';
import { empty, endpoint, json } from './kit/endpoint.ts';
import type { ValidationFault } from './kit/faults.ts';
import { queryBool } from './kit/query.ts';

/** A text that an operator writes by hand, and no larger than a program needs to be told everything. */
const CONFIGS_BYTES_MAX = 1024 * 1024;

/** The JSON of what is wrong: of a text that cannot be read the line, otherwise the faults of each root. */
export interface ConfigFaults {
  errors:
    | { line: number; reason: string; type: 'parse_error' }
    | Record<string, ValidationFault | ValidationFault[] | string>;
}

/** The answer to `Accept: application/json`: of the roots that a PUT of their own changes, what they are set to. */
const Roots = z.record(z.string(), z.unknown());

export const configs = {
  get: endpoint({
    method: 'GET',
    path: '/configs',
    summary: 'What is set, as HOCON text, or as JSON when that alone is accepted; secrets are masked',
    query: z.object({
      /** One root alone. */
      key: z.optional(z.string()),
      node: z.optional(z.string()),
    }),
    ok: json(z.union([z.string(), Roots])),
    errors: ['INVALID_ACCEPT', 'NOT_FOUND'],
  }),
  /** All of it, or nothing: a fault in one root keeps the others as they were. */
  update: endpoint({
    method: 'PUT',
    path: '/configs',
    summary: 'Change the roots that a HOCON text names; a masked secret keeps its value',
    query: z.object({
      /** `merge` changes what the text says; `replace` gives what it leaves out of a root its default. */
      mode: z._default(z.enum(['merge', 'replace']), 'merge'),
      /** Taken and without effect: of the roots here each can be changed. */
      ignore_readonly: z.optional(queryBool),
    }),
    text: { bytesMax: CONFIGS_BYTES_MAX },
    /** Nothing; the text comes with 400 alone, and is that of ConfigFaults. */
    ok: json(z.optional(z.string())),
  }),
  reset: endpoint({
    method: 'POST',
    path: '/configs_reset/:root',
    summary: 'Give a setting of a root its default again',
    /** Dotted; a root as a whole has no default. */
    query: z.object({ conf_path: z.optional(z.string()) }),
    ok: empty,
    errors: ['NO_DEFAULT_VALUE'],
  }),
};
