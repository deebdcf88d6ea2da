import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';

/** What the editor can write: SQL of the backends, SQL of rules, JSON, the rules of an ACL file, or just text. */
export type EditorLanguage = 'sql' | 'rule-sql' | 'json' | 'acl' | 'plain';

/** Something that may be typed here: a placeholder, a word of the language. */
export interface Suggestion {
  label: string;
  /** What it is, in a few words. */
  detail?: string | undefined;
  /** What is typed in its place; the label unless told. `#{}` marks where the cursor goes on. */
  insert?: string | undefined;
  /** What it does, in a sentence: shown beside the one that is chosen. */
  info?: string | undefined;
}
const CURSOR = '#{}';

/** What may stand at the end of the text before the cursor, and how much of that text it replaces. */
export type Suggest = (
  before: string,
  whole: string,
) => { length: number; suggestions: readonly Suggestion[] } | null;

/** What stands at an offset of the text, in words; shown while the pointer rests there. */
export type Explain = (
  text: string,
  offset: number,
) => { start: number; end: number; title: string; text: string } | null;

/** Each comes when it is first written. */
export async function loadLanguage(language: EditorLanguage): Promise<Extension> {
  switch (language) {
    case 'sql':
      return (await import('./sql.ts')).language;
    case 'rule-sql':
      return (await import('./rule-sql.ts')).language;
    case 'json':
      return (await import('@codemirror/lang-json')).json();
    case 'acl':
      return (await import('./acl.ts')).language;
    case 'plain':
      return [];
  }
}

/** What a screen suggests, in the shape that the library asks for. */
export function completionSource(suggest: Suggest) {
  return (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString();
    const found = suggest(text.slice(0, context.pos), text);
    if (found === null || (found.length === 0 && !context.explicit)) return null;
    return {
      from: context.pos - found.length,
      options: found.suggestions.map(toCompletion),
      filter: true,
    };
  };
}

const toCompletion = ({ label, detail, insert = label, info }: Suggestion, index: number): Completion => ({
  label,
  boost: -index, // as the screen has ordered them
  ...(detail === undefined ? {} : { detail }),
  ...(info === undefined ? {} : { info }),
  apply: (view, _, from, to) => {
    const at = insert.indexOf(CURSOR);
    const text = insert.replace(CURSOR, '');
    // What the editor has closed by itself is not closed twice.
    const closed = /[}\])"]$/.test(text) && view.state.sliceDoc(to, to + 1) === text.at(-1);
    view.dispatch({
      changes: { from, to: closed ? to + 1 : to, insert: text },
      selection: { anchor: from + (at < 0 ? text.length : at) },
      userEvent: 'input.complete',
    });
  },
});
