/** Values of clients and messages in HTTP requests: each stands in its place and changes nothing around it. */

/** A value cannot stand where the template wants it; the message names the place only. */
export class PlaceholderError extends Error {}

/** For a segment of a path, and for a name or a value of a query. Half of a surrogate pair becomes U+FFFD. */
export const encodeUrlValue = (value: string): string => encodeURIComponent(toWellFormed(value));

/** What an operator has written in a URL stays as it is, placeholders too; what HTTP does not carry is encoded. */
export const encodeUrlText = (text: string): string =>
  text.replace(/\$\{[^{}]*\}|[^\x21-\x7e]+/g, (found) =>
    found.startsWith('${') ? found : encodeURIComponent(toWellFormed(found)),
  );

const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

const DOTS = /^(?:\.|%2e){1,2}$/i;

/** The path itself. Throws PlaceholderError for a segment `.` or `..`, which servers resolve whether it is encoded or not. */
export function withoutDotSegments(path: string): string {
  if (path.split('/').some((segment) => DOTS.test(segment)))
    throw new PlaceholderError('a value of dots only cannot stand in the path');
  return path;
}
