import { StreamLanguage } from '@codemirror/language';

/**
 * Rules of an ACL file: Erlang terms. `{allow, {user, "a"}, publish, ["t/#"]}.` and comments after `%`; the old
 * placeholders `%u` and `%c` stand out.
 */
export const language = StreamLanguage.define<{ quote: boolean }>({
  startState: () => ({ quote: false }),
  copyState: ({ quote }) => ({ quote }),
  token(stream, state) {
    if (state.quote) {
      if (stream.match(/^%[uc]\b/)) return 'macroName';
      if (stream.match(/^\\./)) return 'string';
      if (stream.next() === '"') state.quote = false;
      else stream.match(/^[^"\\%]+/);
      return 'string';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^%.*/)) return 'comment';
    if (stream.eat('"')) {
      state.quote = true;
      return 'string';
    }
    if (stream.match(/^(allow|deny)\b/)) return 'keyword';
    if (stream.match(/^\d+\b/)) return 'number';
    if (stream.match(/^[a-z]\w*/)) return 'atom';
    stream.next();
    return 'punctuation';
  },
  languageData: { commentTokens: { line: '%%' }, closeBrackets: { brackets: ['(', '[', '{', '"'] } },
});
