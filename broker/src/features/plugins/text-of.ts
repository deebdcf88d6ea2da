import { inspect } from 'node:util';

const CHARS_MAX = 4000;

/** What another's code threw or sent, as a text of bearable length. Never throws, whatever that is. */
export function textOf(value: unknown): string {
  try {
    return (ownText(value) ?? inspect(value, { customInspect: false, depth: 2 })).slice(0, CHARS_MAX);
  } catch {
    return 'something that cannot be shown';
  }
}

function ownText(value: unknown): string | null {
  const [text] = value instanceof Error ? [value.stack, value.message].filter(isText) : [value];
  return isText(text) ? text : null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Why something failed that was tried here. */
export const reasonOf = (cause: unknown): string => textOf(cause instanceof Error ? cause.message : cause);
