import type { Expression, Statement } from './ast.ts';
import { SqlSyntaxError } from './errors.ts';
import { parse } from './parse.ts';
import { arities } from './signatures.ts';
import { expressionsOf, partsOf } from './walk.ts';

/** What is wrong with a statement, and where: offsets for an editor. */
export type SqlFinding = { start: number; end: number } & (
  | { kind: 'syntax'; message: string }
  | { kind: 'unknown-function'; name: string }
  | { kind: 'argument-count'; name: string; given: number; allowed: readonly number[] }
);

/** All that can be said without running it. A statement with the last two is taken all the same, and fails when it runs. */
export function check(sql: string): SqlFinding[] {
  let statement: Statement;
  try {
    statement = parse(sql);
  } catch (cause) {
    if (!(cause instanceof SqlSyntaxError)) throw cause;
    const { start, end, message } = cause;
    return [{ kind: 'syntax', start, end, message }];
  }
  const findings: SqlFinding[] = [];
  for (const expression of expressionsOf(statement)) visit(expression, findings);
  return findings.sort((a, b) => a.start - b.start);
}

function visit(expression: Expression, findings: SqlFinding[]): void {
  if (expression.kind === 'call') {
    const { name, args, start, end } = expression;
    const allowed = arities.get(name);
    if (allowed === undefined) findings.push({ kind: 'unknown-function', name, start, end });
    else if (!allowed.includes(args.length))
      findings.push({ kind: 'argument-count', name, given: args.length, allowed, start, end });
  }
  for (const part of partsOf(expression)) visit(part, findings);
}
