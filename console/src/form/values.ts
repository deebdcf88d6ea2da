/** Reads and compares the values of a form by dotted names. */

export function valueAt(values: unknown, name: string): unknown {
  let one = values;
  for (const part of name.split('.')) {
    if (typeof one !== 'object' || one === null) return undefined;
    one = (one as Record<string, unknown>)[part];
  }
  return one;
}

export function withValue(values: unknown, name: string, value: unknown): unknown {
  const [first, ...rest] = name.split('.');
  const before = (typeof values === 'object' && values !== null ? values : {}) as Record<string, unknown>;
  const next = rest.length === 0 ? value : withValue(before[first!], rest.join('.'), value);
  return { ...before, [first!]: next };
}

export const blank = (value: unknown) => value === undefined || value === null || value === '';

/** Nothing, null and the empty text are one to an operator. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || (blank(a) && blank(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) =>
    same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

export const changedNames = (names: Iterable<string>, before: unknown, now: unknown): string[] =>
  [...names].filter((name) => !same(valueAt(before, name), valueAt(now, name)));

/** What a settings form starts from: what the operator may edit stays apart from what the cache holds. */
export const copyOf = <T>(value: T): T => structuredClone(value);
