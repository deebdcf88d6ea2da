/**
 * Whether two values have the same JSON, whatever the order of fields. Parts that both share are not looked into, so that two
 * versions of a large section are compared in the time of what differs.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const name of Object.keys(left)) if (!sameJson(left[name], right[name])) return false;
  for (const name of Object.keys(right))
    if (right[name] !== undefined && !Object.hasOwn(left, name)) return false;
  return true;
}
