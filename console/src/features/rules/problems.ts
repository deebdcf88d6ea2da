import { isValidFilter } from '@mqdeck/mqtt/topics';
import type { Expression, Field, Statement } from '@mqdeck/rulesql/ast';
import { check, type SqlFinding } from '@mqdeck/rulesql/check';
import { columnsOf } from '@mqdeck/rulesql/events';
import { parse } from '@mqdeck/rulesql/parse';
import { expressionsOf, partsOf } from '@mqdeck/rulesql/walk';
import type { Problem } from '../../editor/problem.ts';
import type { Words } from '../../i18n/words.ts';
import type { sqlWords } from './sql-words.ts';

type W = Words<typeof sqlWords>;

/** What an editor says of a statement while it is written; only what cannot be read is an error. */
export function problemsOf(sql: string, w: W): readonly Problem[] {
  if (sql.trim() === '') return [];
  const findings = check(sql);
  const faults = findings.map((finding) => ({
    ...placeOf(sql, finding.start, finding.end),
    severity: finding.kind === 'syntax' ? ('error' as const) : ('warning' as const),
    text: sentenceOf(sql, finding, w),
  }));
  return findings.some(({ kind }) => kind === 'syntax') ? faults : [...faults, ...doubts(sql, w)];
}

function sentenceOf(sql: string, finding: SqlFinding, w: W): string {
  switch (finding.kind) {
    case 'unknown-function':
      return w.unknownFunction({ name: finding.name });
    case 'argument-count':
      return w.argumentCount({
        name: finding.name,
        given: finding.given,
        allowed: finding.allowed.join(', '),
      });
    case 'syntax': {
      const { start, end, message } = finding;
      if (message.includes('lex_error')) return w.illegal({ sign: sql[start] ?? '' });
      if (!message.includes('syntax error before')) return message;
      return sql.slice(start).trim() === '' ? w.endsEarly : w.unexpected({ token: sql.slice(start, end) });
    }
  }
}

/** Known to every rule beside the columns of its source, and what only FOREACH makes. */
const ALWAYS = new Set(['event', 'event_type', 'metadata', 'null', 'undefined', 'item']);

/** Sources that never fire, and names that no source has: taken by the broker, but seldom meant. */
function doubts(sql: string, w: W): Problem[] {
  const statement = parse(sql);
  const found: Problem[] = [];
  const warn = (start: number, end: number, text: string) =>
    found.push({ ...placeOf(sql, start, end), severity: 'warning', text });
  for (const { filter, start, end } of statement.sources)
    if (columnsOf(filter).length === 0) warn(start, end, w.unknownEvent({ event: filter }));
    else if (!isValidFilter(filter)) warn(start, end, w.badFilter({ filter }));
  // Of bridges we know the columns of one type only.
  if (
    statement.sources.some(({ filter }) => filter.startsWith('$bridges/') || columnsOf(filter).length === 0)
  )
    return found;
  const known = new Set(statement.sources.flatMap(({ filter }) => columnsOf(filter)));
  for (const name of namesOf(statement)) known.add(name);
  const visit = (expression: Expression): void => {
    if (expression.kind === 'path' && !known.has(expression.root) && !ALWAYS.has(expression.root))
      warn(
        expression.start,
        expression.start + expression.root.length,
        w.unknownColumn({ name: expression.root }),
      );
    for (const part of partsOf(expression)) visit(part);
  };
  for (const expression of expressionsOf(statement)) visit(expression);
  return found;
}

/** What the fields of a statement have been named. */
export function namesOf(statement: Statement): string[] {
  const inFields = (fields: readonly Field[] | null) =>
    (fields ?? []).flatMap((field) =>
      field.kind === 'as' && field.named && field.alias ? [field.alias[0]] : [],
    );
  return statement.kind === 'select'
    ? inFields(statement.fields)
    : [...inFields(statement.collect), ...inFields(statement.each)];
}

/** Offsets as line and columns, from 1; what spans lines ends with its first. */
function placeOf(sql: string, start: number, end: number): Pick<Problem, 'line' | 'column' | 'endColumn'> {
  const before = sql.slice(0, start);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineEnd = sql.indexOf('\n', start);
  const last = Math.min(Math.max(end, start + 1), lineEnd === -1 ? sql.length : lineEnd);
  const column = start - lineStart + 1;
  return {
    line: before.split('\n').length,
    column,
    endColumn: Math.max(last - lineStart + 1, column),
  };
}
