/** An object of the API as the text that a form holds, and back. */

export const jsonText = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value, null, 2);

/** The object a text says; an empty text says none. `fault` is the parser's sentence, null for what is no object. */
export function objectIn(value: unknown): { object: object | undefined } | { fault: string | null } {
  if (typeof value !== 'string')
    return typeof value === 'object' && value !== null ? { object: value } : { object: undefined };
  if (value.trim() === '') return { object: undefined };
  try {
    const object: unknown = JSON.parse(value);
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object);
    return isObject ? { object } : { fault: null };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : null };
  }
}
