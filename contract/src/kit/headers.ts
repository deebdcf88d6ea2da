import * as z from 'zod/mini';
import { text } from './values.ts';

/** RFC 9110, section 5.6.2: a token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, section 5.5: no control characters but the tab. They would end the header, or be refused when it is sent. */
const CONTROL = /[^\t\x20-\x7e\x80-\u{10ffff}]/u;

/** What of a header cannot be sent; null when it can be. */
export function headerFault(name: string, value: string): 'name' | 'value' | null {
  if (!NAME.test(name)) return 'name';
  return CONTROL.test(value) ? 'value' : null;
}

const REASONS = {
  name: 'Not a valid header name',
  value: 'A header value must not contain CR, LF, NUL or other control characters',
} as const;

/** Headers of an HTTP request by their names; values may hold placeholders. */
export const httpHeaders = z.record(z.string(), text).check((payload) => {
  for (const [name, value] of Object.entries(payload.value)) {
    const fault = headerFault(name, value);
    if (fault === null) continue;
    payload.issues.push({ code: 'custom', input: payload.value, path: [name], message: REASONS[fault] });
  }
});
