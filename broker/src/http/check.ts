import * as z from 'zod/mini';
import { type Place, validationError } from './faults.ts';

/** What fastify expects of a compiled schema. */
type Check = (value: unknown) => { value: unknown } | { error: Error };

/** Checks one part of a request by the contract; the value that comes out is the contract's, defaults filled in. */
export function compileCheck(place: Place, schema: z.ZodMiniType): Check {
  const read = place === 'query' ? lastOfRepeated(schema) : withoutBody;
  return (given) => {
    const value = read(given);
    const result = z.safeParse(schema, value);
    return result.success
      ? { value: result.data }
      : { error: validationError(place, schema, value, result.error.issues) };
  };
}

/** No body at all is an object without fields. */
const withoutBody = (body: unknown): unknown => body ?? {};

/** Of a key that comes twice the last counts, except where the contract takes a list. */
function lastOfRepeated(schema: z.ZodMiniType): (query: unknown) => unknown {
  const { shape = {} } = schema._zod.def as unknown as { shape?: Record<string, z.ZodMiniType> };
  const lists = new Set(Object.keys(shape).filter((key) => z.safeParse(shape[key]!, ['a', 'b']).success));
  return (query) =>
    Object.fromEntries(
      Object.entries(query as Record<string, unknown>).map(([key, value]) => [
        key,
        Array.isArray(value) && !lists.has(key) ? value.at(-1) : value,
      ]),
    );
}
