import { columnsOf, events } from '@mqdeck/rulesql/events';
import { lex, type Token } from '@mqdeck/rulesql/lex';
import { signatures } from '@mqdeck/rulesql/signatures';
import type { Explain, Suggest, Suggestion } from '../../editor/languages.ts';
import type { Language } from '../../i18n/language.ts';
import type { Words } from '../../i18n/words.ts';
import { functionDocs } from './function-docs.ts';
import type { sqlWords } from './sql-words.ts';

export interface Known {
  /** Events that this broker has, with their titles. */
  events: readonly { event: string; title: string }[];
  /** What can be selected from: `$bridges/mqtt:in`. */
  bridgeSources: readonly string[];
}

const KEYWORDS = [
  ...['SELECT', 'FROM', 'WHERE', 'AS', 'AND', 'OR', 'NOT', 'IN'],
  ...['CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'FOREACH', 'DO', 'INCASE', 'DIV', 'MOD'],
];
const TOPIC = 't/#';

/** What may be written at a place of a statement: sources behind FROM, else columns, functions and words. */
export function suggestFor(
  { events: known, bridgeSources }: Known,
  w: Words<typeof sqlWords>,
  language: Language,
): Suggest {
  const functions = functionSuggestions(language);
  const keywords = KEYWORDS.map((label) => ({ label, detail: w.keyword }));
  const sources: readonly (readonly [name: string, detail: string])[] = [
    [TOPIC, w.topicFilter],
    ...(known.length > 0
      ? known.map(({ event, title }) => [event, title] as const)
      : Object.keys(events).map((event) => [event, w.event] as const)),
    ...bridgeSources.map((name) => [name, w.bridge] as const),
  ];
  return (before, whole) => {
    const quote = openQuote(before);
    if (quote?.sign === "'") return null;
    const tokens = tokensOf(quote ? before.slice(0, quote.at) : before);
    if (tokens === null) return null;
    const clause = tokens.findLast(({ kind, value }) => kind === 'keyword' && CLAUSES.has(value))?.value;
    if (clause === 'FROM') {
      const length = quote ? before.length - quote.at - 1 : lengthOfWord(before);
      const suggestions = sources.map(([label, detail]): Suggestion => {
        const insert = quote ? `${label}"` : `"${label}"`;
        return { label, detail, insert };
      });
      return { length, suggestions: quote ? suggestions : [...suggestions, ...keywords.slice(2, 3)] };
    }
    if (quote) return null;
    const length = lengthOfWord(before);
    if (before[before.length - length - 1] === '.') return null;
    return { length, suggestions: [...columnSuggestions(whole, w), ...functions, ...keywords] };
  };
}
const CLAUSES = new Set(['SELECT', 'FOREACH', 'DO', 'INCASE', 'FROM', 'WHERE']);

const lengthOfWord = (before: string): number => /[\w$]*$/.exec(before)?.[0].length ?? 0;

/** The quote that is still open at the end of a text, comments left out. */
function openQuote(text: string): { sign: '"' | "'"; at: number } | null {
  let open: { sign: '"' | "'"; at: number } | null = null;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (open) {
      if (sign === open.sign) open = null;
    } else if (sign === '"' || sign === "'") open = { sign, at };
    else if (sign === '-' && text[at + 1] === '-') {
      const end = text.indexOf('\n', at);
      if (end === -1) return { sign: "'", at }; // within a comment nothing is suggested either
      at = end;
    }
  }
  return open;
}

function tokensOf(text: string): readonly Token[] | null {
  try {
    return lex(text);
  } catch {
    return null; // a sign that occurs in no statement
  }
}

/** Columns of the sources; of a message where there is none yet. */
function columnSuggestions(sql: string, w: Words<typeof sqlWords>): Suggestion[] {
  const { sources, names } = glance(sql);
  const columns = new Set((sources.length > 0 ? sources : [TOPIC]).flatMap((one) => columnsOf(one)));
  return [
    ...[...columns].map((label) => ({ label, detail: w.column })),
    ...names.map((label) => ({ label, detail: w.alias })),
  ];
}

/** Sources and given names of a statement; while it is being written it can seldom be parsed, but its words are there. */
function glance(sql: string): { sources: readonly string[]; names: readonly string[] } {
  const tokens = tokensOf(sql) ?? [];
  const from = tokens.findLastIndex(({ kind, value }) => kind === 'keyword' && value === 'FROM');
  const behind = from === -1 ? [] : tokens.slice(from + 1);
  const end = behind.findIndex(({ kind }) => kind === 'keyword' || kind === 'end');
  const names = tokens.flatMap(({ kind, value }, at) => {
    const next = tokens[at + 1];
    const isName = next?.kind === 'name' || next?.kind === 'quoted';
    return kind === 'keyword' && value === 'AS' && isName ? [next.value] : [];
  });
  return {
    sources: behind
      .slice(0, Math.max(end, 0))
      .flatMap(({ kind, value }) => (kind === 'symbol' ? [] : [value])),
    names: [...new Set(names)],
  };
}

export const allSignatures: readonly string[] = Object.values(signatures).flat();
export const nameOf = (signature: string): string => signature.slice(0, signature.indexOf('('));

function functionSuggestions(language: Language): Suggestion[] {
  const byName = new Map<string, string>();
  for (const signature of allSignatures)
    if (!byName.has(nameOf(signature))) byName.set(nameOf(signature), signature);
  return [...byName].map(([label, signature]) => ({
    label,
    detail: signature.slice(label.length),
    insert: signature.endsWith('()') ? `${label}()` : `${label}(#{})`,
    info: functionDocs[label]?.[language],
  }));
}

/** What a function does, where the pointer rests on its name. */
export const explainIn =
  (language: Language): Explain =>
  (text, offset) => {
    const tokens = tokensOf(text);
    const at = tokens?.findIndex(({ start, end }) => start <= offset && offset < end) ?? -1;
    const token = tokens?.[at];
    if (!token || tokens[at + 1]?.value !== '(') return null;
    const name = token.kind === 'keyword' ? token.value.toLowerCase() : token.value;
    const doc = functionDocs[name];
    if (!doc || (token.kind !== 'name' && token.kind !== 'keyword')) return null;
    const title = allSignatures.filter((one) => nameOf(one) === name).join('\n');
    return { start: token.start, end: token.end, title, text: doc[language] };
  };
