/** The JSON that the API puts into the `message` of a 400: what is wrong with which field. */
export interface ValidationFault {
  kind: 'validation_error';
  /** Dotted; items of a list count from 1: `root.2.topic`. */
  path: string;
  /** A word such as `required_field`, a sentence, or what was expected. */
  reason: string | { expected: string };
  value?: unknown;
  unknown?: string;
  unmatched?: string;
}

/** The text of a schema's check that expects a range or a type: becomes `reason: { expected }` of the fault. */
export const expected = (what: string): string => `expected ${what}`;

/** The faults in an error message, none where it is plain text. */
export function faultsOf(message: string): ValidationFault[] {
  if (!/^\s*[[{]/.test(message)) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(message);
  } catch {
    return []; // Some messages are terms of the broker's own language and only look like JSON.
  }
  const list = Array.isArray(parsed) ? parsed : [parsed];
  return list.filter(
    (fault): fault is ValidationFault =>
      typeof fault === 'object' && fault !== null && typeof (fault as ValidationFault).path === 'string',
  );
}
