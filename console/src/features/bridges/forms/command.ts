/** A Redis command as people write it, and as the API keeps it: a text for each of its words. */

const WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"']+))(?=\s|$)/gsy;

/** The words of a command; null where a quotation mark is left open or stands within a word. */
export function commandWords(text: string): string[] | null {
  const line = text.trim();
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < line.length) {
    const match = WORD.exec(line);
    if (!match) return null;
    const [, double, single, plain] = match;
    words.push(plain ?? (double ?? single)!.replace(/\\(.)/gs, '$1'));
  }
  return words;
}

/** The command as text: a word that would not be one again stands in quotation marks. */
export const commandText = (words: readonly string[]): string => words.map(quoted).join(' ');

const quoted = (word: string): string =>
  word !== '' && !/[\s"'\\]/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`;
