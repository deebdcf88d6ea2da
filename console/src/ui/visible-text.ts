/** Characters that draw nothing or turn the writing round: an identifier with them could pass for another one. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** An identifier as it may be shown: unseen characters become `\u202e`, the rest stays. */
export const visibleText = (text: string): string =>
  text.replace(UNSEEN, (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`);
