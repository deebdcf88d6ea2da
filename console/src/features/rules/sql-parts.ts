import { lex } from '@mqdeck/rulesql/lex';
import { parse } from '@mqdeck/rulesql/parse';

/** A statement as the fields of a form; texts are as they were written. */
export interface SqlParts {
  kind: 'select' | 'foreach';
  /** Behind SELECT or FOREACH. */
  fields: string;
  /** Behind DO and INCASE; empty without them. */
  each: string;
  inCase: string;
  sources: readonly string[];
  where: string;
}

/** Why a statement cannot be shown as a form. */
type Unreadable = 'syntax' | 'comments';

export const SQL_PRESET = 'SELECT\n  *\nFROM\n  "t/#"';

/** The parts of a statement, by the parser that runs it; comments outside of the parts would be lost. */
export function partsOf(sql: string): SqlParts | Unreadable {
  const statement = parsed(sql);
  if (!statement) return 'syntax';
  const tokens = lex(sql);
  const clauses = tokens.filter(
    ({ kind, value }, at) => (kind === 'keyword' && (at === 0 || CLAUSES.has(value))) || kind === 'end',
  );
  const textOf = (keyword: string): string => {
    const at = clauses.findIndex(({ kind, value }) => kind === 'keyword' && value === keyword);
    return at === -1 ? '' : sql.slice(clauses[at]!.end, clauses[at + 1]!.start).trim();
  };
  const isComment = (from: number, to: number) => sql.slice(from, to).includes('--');
  const from = clauses.findIndex(({ value }) => value === 'FROM');
  const inFrom = tokens.filter(
    ({ start, end }) => start >= clauses[from]!.start && end <= clauses[from + 1]!.end,
  );
  const lost =
    isComment(0, tokens[0]!.start) ||
    inFrom.some(({ end }, at) => at + 1 < inFrom.length && isComment(end, inFrom[at + 1]!.start));
  if (lost) return 'comments';
  return {
    kind: statement.kind,
    fields: textOf(statement.kind === 'select' ? 'SELECT' : 'FOREACH'),
    each: textOf('DO'),
    inCase: textOf('INCASE'),
    sources: statement.sources.map(({ filter }) => filter),
    where: textOf('WHERE'),
  };
}
/** None of these occurs within an expression. */
const CLAUSES = new Set(['DO', 'INCASE', 'FROM', 'WHERE']);

export function sqlOf({ kind, fields, each, inCase, sources, where }: SqlParts): string {
  const clause = (keyword: string, text: string) =>
    text.trim() === '' ? '' : `\n${keyword}${inLines(text)}`;
  const first = kind === 'select' ? 'SELECT' : 'FOREACH';
  const from = sources.filter((source) => source !== '').map((source) => `  ${quoted(source)}`);
  return [
    `${first}${inLines(fields)}`,
    ...(kind === 'foreach' ? [clause('DO', each), clause('INCASE', inCase)] : []),
    `\nFROM\n${from.join(',\n')}`,
    clause('WHERE', where),
  ].join('');
}

/** Each field on its line; what has comments, or cannot be read yet, stays as it was typed. */
function inLines(text: string): string {
  const own = text.trim();
  const fields = own.includes('--') ? [own] : splitAtCommas(own);
  return fields.map((field) => `\n  ${field}`).join(',');
}

function splitAtCommas(text: string): string[] {
  try {
    const parts: string[] = [];
    let depth = 0;
    let start = 0;
    for (const { kind, value, start: at, end } of lex(text)) {
      if (kind !== 'symbol') continue;
      if (value === '(' || value === '[') depth++;
      if (value === ')' || value === ']') depth--;
      if (value !== ',' || depth > 0) continue;
      parts.push(text.slice(start, at).trim());
      start = end;
    }
    return [...parts, text.slice(start).trim()];
  } catch {
    return [text]; // a quote is still open
  }
}

const quoted = (source: string): string => (source.includes('"') ? `'${source}'` : `"${source}"`);

/** The sources of a statement; none while it cannot be read. */
export const sourcesOf = (sql: string): readonly string[] =>
  parsed(sql)?.sources.map(({ filter }) => filter) ?? [];

/** The statement with one more source, the same where it has it; null while it cannot be read. */
export function withSource(sql: string, source: string): string | null {
  const sources = parsed(sql)?.sources;
  if (!sources) return null;
  if (sources.some(({ filter }) => filter === source)) return sql;
  const { end } = sources.at(-1)!;
  return `${sql.slice(0, end)}, ${quoted(source)}${sql.slice(end)}`;
}

function parsed(sql: string) {
  try {
    return parse(sql);
  } catch {
    return null;
  }
}

/** A topic that the filter lets through, for a test. */
export const topicFor = (filter: string): string =>
  filter
    .replace(/^\$share\/[^/]+\//, '')
    .split('/')
    .map((level) => (level === '+' ? 'a' : level === '#' ? 'a' : level))
    .join('/');
