/** Characters that look like nothing: RFC 3454, B.1. */
const MAPPED_TO_NOTHING = /[\u00ad\u1806\u200b-\u200d\u2060\ufeff]|\u034f|\p{Variation_Selector}/gu;
/** Spaces other than the one of ASCII: C.1.2. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
/** What has no business in a name or a password: C.2 to C.9. */
const PROHIBITED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  /[\u0000-\u001f\u007f-\u009f\u06dd\u070f\u180e\u2028\u2029\u200e\u200f\u202a-\u202e\u2061-\u2063\u206a-\u206f\u2ff0-\u2ffb\ufff9-\uffff]|\u0340|\u0341|\p{Co}|\p{Cs}|\p{Cn}|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e007f}]/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const LETTERS_LEFT_TO_RIGHT = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}]/u;

/**
 * A name or a password as both sides have to see it (RFC 4013): `Ⅸ` is `IX`, a soft hyphen is not there. Null when it
 * holds something prohibited.
 */
export function saslprep(text: string): string | null {
  const mapped = text.replace(SPACES, ' ').replace(MAPPED_TO_NOTHING, '').normalize('NFKC');
  if (PROHIBITED.test(mapped)) return null;
  if (!RIGHT_TO_LEFT.test(mapped)) return mapped;
  const letters = [...mapped];
  const framed = RIGHT_TO_LEFT.test(letters[0]!) && RIGHT_TO_LEFT.test(letters.at(-1)!);
  return framed && !LETTERS_LEFT_TO_RIGHT.test(mapped) ? mapped : null;
}
