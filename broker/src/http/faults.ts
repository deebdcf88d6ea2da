import type { ValidationFault } from '@mqdeck/contract/kit/faults';
import { withoutUrlSecrets } from '@mqdeck/contract/kit/url-secrets';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { ApiError } from './api-error.ts';

// zod/mini brings no texts of its own; these are for what the mapping below has no word for.
z.config(en());

const FAULTS_MAX = 20;
const VALUE_CHARACTERS_MAX = 256;
const SECRET = /password|pwd|secret|token|keyfile|authorization|cookie/i;

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Where a value came from decides how its faults are told. */
export type Place = 'query' | 'body';

/** The 400 whose message is the JSON of what is wrong with which field. */
export function validationError(
  place: Place,
  schema: z.ZodMiniType,
  value: unknown,
  issues: Issue[],
): ApiError {
  const root = place === 'body' && hasRoot(schema) ? 'root' : '';
  const faults = issues
    .flatMap(unfolded)
    .slice(0, FAULTS_MAX)
    .map((issue) => faultOf(place, root, schema, value, issue));
  // Bodies and queries without a root were checked field by field: the first fault is the answer.
  const told = root === '' || faults.length === 1 ? faults[0]! : faults;
  return new ApiError('BAD_REQUEST', JSON.stringify(told), 400);
}

/** What is wrong with a value of a configuration, below the name that it has. */
export function configFaults(
  name: string,
  schema: z.ZodMiniType,
  value: unknown,
  issues: Issue[],
): ValidationFault[] {
  return issues
    .flatMap(unfolded)
    .slice(0, FAULTS_MAX)
    .map((issue) => faultOf('body', name, schema, value, issue));
}

/** Bodies that refuse unknown fields have a schema of their own, and paths that begin with `root`. */
function hasRoot(schema: z.ZodMiniType): boolean {
  const { def } = schema._zod as { def: { type: string; catchall?: unknown } };
  return def.type !== 'object' || def.catchall !== undefined;
}

/** Of something that may have several shapes: what is wrong inside the one that it has, where that can be told. */
function unfolded(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const inside = issue.errors.find(
    (list) =>
      list.length > 0 && list.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  if (inside === undefined) return [issue];
  return inside.flatMap((one) => unfolded({ ...one, path: [...issue.path, ...one.path] } as Issue));
}

function faultOf(
  place: Place,
  root: string,
  schema: z.ZodMiniType,
  whole: unknown,
  issue: Issue,
): ValidationFault {
  const value = valueAt(whole, issue.path);
  const fault = {
    kind: 'validation_error',
    path: pathText(root, issue.path),
  } as const;
  if (value === undefined && issue.path.length > 0) return { ...fault, reason: 'required_field' };
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(schemaAt(schema, issue.path, whole)).filter(
      (key) => !Object.hasOwn(Object(value), key),
    );
    return { ...fault, reason: 'unknown_fields', unknown: listed(issue.keys), unmatched: listed(known) };
  }
  return { ...fault, reason: reasonOf(place, issue), ...shown(place, issue.path, value) };
}

function reasonOf(place: Place, issue: Issue): ValidationFault['reason'] {
  if (issue.message.startsWith('expected ')) return { expected: issue.message.slice('expected '.length) };
  if (issue.code === 'invalid_value')
    return place === 'query' ? 'unable_to_convert_to_enum_symbol' : 'not_a_enum_symbol';
  if (issue.code === 'invalid_type') {
    if (issue.expected === 'object') return 'bad_value_for_struct';
    return { expected: issue.expected === 'record' ? 'map()' : issue.expected };
  }
  return issue.message;
}

/** Items of a list count from 1. */
function pathText(root: string, path: Path): string {
  const parts = path.map((part) => (typeof part === 'number' ? String(part + 1) : String(part)));
  return (root === '' && parts.length > 0 ? parts : [root || 'root', ...parts]).join('.');
}

function valueAt(whole: unknown, path: Path): unknown {
  let value = whole;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** The value goes back to whoever sent it, unless it may be a secret or is long. */
function shown(place: Place, path: Path, value: unknown): { value?: unknown } {
  if (path.some((part) => SECRET.test(String(part)))) return {};
  if (place === 'query' && typeof value === 'string' && /^-?\d{1,15}$/.test(value))
    return { value: Number(value) };
  if (isDeeper(value, VALUE_CHARACTERS_MAX)) return {};
  if (typeof value === 'string' && value.includes('://') && value.length <= VALUE_CHARACTERS_MAX)
    return { value: withoutUrlSecrets(value) };
  const text = JSON.stringify(value);
  return text === undefined || text.length > VALUE_CHARACTERS_MAX ? {} : { value };
}

/** Thousands of lists in one another are read without recursion, but not written. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

const listed = (keys: readonly string[]): string =>
  keys.length > 2 ? `${keys.slice(0, 2).join(',')},...` : keys.join(',');

interface Definition {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
  discriminator?: string;
}

/** Of schemas with several shapes, that of the value. */
function definition(schema: z.core.$ZodType, value: unknown): Definition {
  const def = schema._zod.def as unknown as Definition;
  const inner = def.innerType ?? def.in ?? optionFor(def, value);
  return inner ? definition(inner, value) : def;
}

function optionFor({ options, discriminator }: Definition, value: unknown): z.core.$ZodType | undefined {
  if (discriminator === undefined) return undefined;
  const told = (value as Record<string, unknown> | undefined)?.[discriminator];
  return options?.find((option) => option._zod.propValues?.[discriminator]?.has(told as string));
}

function schemaAt(schema: z.core.$ZodType, path: Path, whole: unknown): Definition {
  let found = definition(schema, whole);
  for (const [i, part] of path.entries()) {
    const next = typeof part === 'number' ? found.element : found.shape?.[String(part)];
    if (!next) return found;
    found = definition(next, valueAt(whole, path.slice(0, i + 1)));
  }
  return found;
}

const keysOf = ({ shape }: Definition): string[] => Object.keys(shape ?? {});
