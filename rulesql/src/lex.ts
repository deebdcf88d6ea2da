import { SqlSyntaxError } from './errors.ts';

export interface Token {
  kind: 'keyword' | 'name' | 'number' | 'text' | 'quoted' | 'symbol' | 'end';
  /** Of a keyword in capitals; of a text without its quotes. */
  value: string;
  start: number; // offset in the statement
  end: number;
}

/** Words with a meaning of their own; in any case. */
const KEYWORDS = new Set(
  'SELECT FROM WHERE FOREACH DO INCASE AS AND OR NOT IN CASE WHEN THEN ELSE END DIV MOD IF'.split(' '),
);

const BLANKS = /(?:[ \t\r\n\f\v\u00a0]+|--[^\n]*)+/y;
const NAME = /[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const TEXT = /'(?:[^']|'')*'/y;
const QUOTED = /"[^"]*"/y;
const SYMBOL = /<>|!=|<=|>=|=~|\.\.|[-+*/=<>().,[\]]/y;

/** Longer ones are refused: nobody writes them by hand. */
const STATEMENT_LENGTH_MAX = 64 * 1024;
/** So many may stand in one expression, each one deeper than the one before. */
const TOKENS_MAX = 5000;

/** The words and signs of a statement, and a last token that marks its end. Throws SqlSyntaxError. */
export function lex(sql: string): Token[] {
  if (sql.length > STATEMENT_LENGTH_MAX)
    throw new SqlSyntaxError(`the statement is longer than ${STATEMENT_LENGTH_MAX} characters`, sql, 0, 0);
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(sql);
    return found?.[0] ?? null;
  };
  const push = (kind: Token['kind'], value: string, length: number) => {
    tokens.push({ kind, value, start: at, end: at + length });
    at += length;
  };
  const takeOther = () => {
    const number = take(NUMBER);
    if (number !== null) return push('number', number, number.length);
    const text = take(TEXT);
    if (text !== null) return push('text', text.slice(1, -1), text.length);
    const quoted = take(QUOTED);
    if (quoted !== null) return push('quoted', quoted.slice(1, -1), quoted.length);
    const symbol = take(SYMBOL);
    if (symbol === null) throw SqlSyntaxError.illegal(sql, at);
    push('symbol', symbol, symbol.length);
  };
  for (;;) {
    at += take(BLANKS)?.length ?? 0;
    if (at >= sql.length) break;
    const name = take(NAME);
    if (name !== null) {
      const keyword = name.toUpperCase();
      const isKey = tokens.at(-1)?.value === '.' && tokens.at(-1)?.kind === 'symbol';
      if (KEYWORDS.has(keyword) && !isKey) push('keyword', keyword, name.length);
      else push('name', name, name.length);
    } else takeOther();
    if (tokens.length > TOKENS_MAX)
      throw new SqlSyntaxError(`the statement has more than ${TOKENS_MAX} words and signs`, sql, at, at);
  }
  tokens.push({ kind: 'end', value: '', start: sql.length, end: sql.length });
  return tokens;
}
