import type { CompilePattern } from '@mqdeck/contract/acl/match';
import { RE2JS } from 're2js';

/** A pattern that nobody can write in time; the message says why. */
export class PatternError extends Error {}

/** Linear, whatever pattern and value; a pattern may match any part of the value. */
export const compilePattern: CompilePattern = (pattern) => {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (cause) {
    throw new PatternError(`"${pattern}" is no pattern: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  return (value) => compiled.test(value);
};
