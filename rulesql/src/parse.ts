import type { Alias, Call, Comparison, Expression, Field, Operator, Path, Statement, Step } from './ast.ts';
import { SqlFault, SqlSyntaxError } from './errors.ts';
import { numberOf } from './integers.ts';
import { lex, type Token } from './lex.ts';

const DEPTH_MAX = 100; // of expressions within expressions; a text of brackets must not end the process

/** Reads a statement. Throws SqlSyntaxError with the API's message and the place. */
export function parse(sql: string): Statement {
  if (sql.trim() === '') throw new SqlSyntaxError('invalid_string', sql, 0, sql.length);
  return new Parser(sql).statement();
}

const COMPARISONS: Record<string, Comparison> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '<=': '<=',
  '=~': '=~',
};

class Parser {
  private readonly sql: string;
  private readonly tokens: Token[];
  private at = 0;
  private depth = 0;
  /** In a condition `and`, `or`, `not` and `in` mean something; in a list of fields they do not. */
  private condition = false;

  constructor(sql: string) {
    this.sql = sql;
    this.tokens = lex(sql);
  }

  statement(): Statement {
    if (this.takes('keyword', 'SELECT')) {
      const fields = this.fields();
      const { sources, where } = this.tail();
      return { kind: 'select', fields, sources, where };
    }
    if (this.takes('keyword', 'FOREACH')) {
      const collect = this.fields();
      const each = this.takes('keyword', 'DO') ? this.fields() : null;
      const inCase = this.takes('keyword', 'INCASE') ? this.conditionAhead() : null;
      const { sources, where } = this.tail();
      return { kind: 'foreach', collect, each, inCase, sources, where };
    }
    throw this.unexpected();
  }

  private tail(): Pick<Statement, 'sources' | 'where'> {
    this.expect('keyword', 'FROM');
    const sources = [this.source()];
    while (this.takes('symbol', ',')) sources.push(this.source());
    const where = this.takes('keyword', 'WHERE') ? this.conditionAhead() : null;
    if (this.next.kind !== 'end') throw this.unexpected();
    return { sources, where };
  }

  private source(): Statement['sources'][number] {
    const { kind, value, start, end } = this.next;
    if (kind !== 'text' && kind !== 'quoted' && kind !== 'name') throw this.unexpected();
    this.at++;
    return { filter: value, start, end };
  }

  // --- fields

  private fields(): Field[] {
    const fields = [this.field()];
    while (this.takes('symbol', ',')) fields.push(this.field());
    return fields;
  }

  private field(): Field {
    if (this.is('symbol', '*')) {
      this.at++;
      return { kind: 'all' };
    }
    const expression = this.comparison();
    const named = this.takes('keyword', 'AS');
    if (named || this.next.kind === 'name' || this.next.kind === 'quoted')
      return { kind: 'as', expression, alias: this.alias(), named: true };
    const own: Alias | null = expression.kind === 'path' ? [expression.root, ...expression.steps] : null;
    return { kind: 'as', expression, alias: own, named: false };
  }

  private alias(): Alias {
    const token = this.next;
    if (token.kind !== 'name' && token.kind !== 'quoted') throw this.unexpected();
    this.at++;
    return [token.value, ...this.steps()];
  }

  // --- conditions

  private conditionAhead(): Expression {
    const before = this.condition;
    this.condition = true;
    const condition = this.or();
    this.condition = before;
    return condition;
  }

  private or(): Expression {
    let left = this.and();
    while (this.takes('keyword', 'OR')) left = { kind: 'logic', operator: 'or', left, right: this.and() };
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.takes('keyword', 'AND')) left = { kind: 'logic', operator: 'and', left, right: this.not() };
    return left;
  }

  private not(): Expression {
    if (this.takes('keyword', 'NOT')) return this.deeper(() => ({ kind: 'not', of: this.not() }));
    return this.comparison();
  }

  // --- expressions

  private comparison(): Expression {
    const left = this.sum();
    const operator = this.next.kind === 'symbol' ? COMPARISONS[this.next.value] : undefined;
    if (operator !== undefined) {
      this.at++;
      return { kind: 'compare', operator, left, right: this.sum() };
    }
    if (this.condition && this.takes('keyword', 'IN')) {
      this.expect('symbol', '(');
      const items = this.list(')');
      return { kind: 'in', left, items };
    }
    return left;
  }

  private sum(): Expression {
    let left = this.product();
    while (this.is('symbol', '+') || this.is('symbol', '-')) {
      const operator = this.take().value as Operator;
      left = { kind: 'arithmetic', operator, left, right: this.product() };
    }
    return left;
  }

  private product(): Expression {
    let left = this.factor();
    for (;;) {
      const { kind, value } = this.next;
      const operator = kind === 'symbol' || kind === 'keyword' ? value.toLowerCase() : '';
      if (operator !== '*' && operator !== '/' && operator !== 'div' && operator !== 'mod') return left;
      this.at++;
      left = { kind: 'arithmetic', operator, left, right: this.factor() };
    }
  }

  private factor(): Expression {
    if (this.takes('symbol', '-')) return this.deeper(() => ({ kind: 'negate', of: this.factor() }));
    return this.deeper(() => this.primary());
  }

  private primary(): Expression {
    const token = this.next;
    switch (token.kind) {
      case 'number':
        return { kind: 'value', value: this.number() };
      case 'text':
        this.at++;
        return { kind: 'value', value: token.value };
      case 'quoted':
      case 'name':
        return this.nameAhead();
      case 'keyword':
        if (token.value === 'CASE') return this.case();
        // An operator's word may be a function's too: mod(7, 2)
        if ((token.value === 'MOD' || token.value === 'DIV') && this.tokens[this.at + 1]?.value === '(')
          return this.nameAhead();
        throw this.unexpected();
      case 'symbol':
        if (token.value === '(') {
          this.at++;
          const inside = this.condition ? this.or() : this.comparison();
          this.expect('symbol', ')');
          return inside;
        }
        if (token.value === '[') {
          this.at++;
          return { kind: 'array', items: this.list(']') };
        }
        throw this.unexpected();
      default:
        throw this.unexpected();
    }
  }

  private nameAhead(): Expression {
    const token = this.take();
    if (token.kind !== 'quoted') {
      const word = token.value.toLowerCase();
      if (word === 'true' || word === 'false') return { kind: 'value', value: word === 'true' };
      if (this.takes('symbol', '(')) return this.call(token);
    }
    const steps = this.steps();
    return {
      kind: 'path',
      root: token.value,
      steps,
      start: token.start,
      end: this.tokens[this.at - 1]!.end,
    } satisfies Path;
  }

  private call({ kind, value, start, end }: Token): Call {
    const args = this.inFields(() => this.list(')'));
    return { kind: 'call', name: kind === 'keyword' ? value.toLowerCase() : value, args, start, end };
  }

  /** Up to the closing sign, which is taken. */
  private list(close: ')' | ']'): Expression[] {
    if (this.takes('symbol', close)) return [];
    const items = [this.comparison()];
    while (this.takes('symbol', ',')) items.push(this.comparison());
    this.expect('symbol', close);
    return items;
  }

  private case(): Expression {
    this.at++;
    const of = this.is('keyword', 'WHEN') ? null : this.comparison();
    const branches: { when: Expression; result: Expression }[] = [];
    while (this.takes('keyword', 'WHEN')) {
      const when = of === null ? this.conditionAhead() : this.comparison();
      this.expect('keyword', 'THEN');
      branches.push({ when, result: this.comparison() });
    }
    if (branches.length === 0) throw this.unexpected();
    const otherwise = this.takes('keyword', 'ELSE') ? this.comparison() : null;
    this.expect('keyword', 'END');
    return { kind: 'case', of, branches, otherwise };
  }

  private steps(): Step[] {
    const steps: Step[] = [];
    for (;;) {
      if (this.takes('symbol', '.')) {
        const { kind, value } = this.next;
        if (kind !== 'name' && kind !== 'text' && kind !== 'quoted') throw this.unexpected();
        this.at++;
        steps.push({ key: value });
      } else if (this.takes('symbol', '[')) {
        steps.push(this.index());
        this.expect('symbol', ']');
      } else return steps;
    }
  }

  private index(): Step {
    const from = this.whole();
    if (from === null) return { index: this.inFields(() => this.comparison()), append: false };
    if (this.takes('symbol', '..')) {
      const to = this.whole();
      if (to === null) throw this.unexpected();
      return { from, to };
    }
    return { index: { kind: 'value', value: from }, append: Object.is(from, -0) };
  }

  private number(): number | bigint {
    try {
      const value = numberOf(this.next.value);
      this.at++;
      return value;
    } catch (cause) {
      if (cause instanceof SqlFault) throw this.unexpected(); // more than 64 bits
      throw cause;
    }
  }

  /** A whole number with its sign, if there is nothing else before the bracket closes or the range goes on. */
  private whole(): number | null {
    const negative = this.is('symbol', '-');
    const token = this.tokens[this.at + (negative ? 1 : 0)];
    const after = this.tokens[this.at + (negative ? 2 : 1)];
    if (token?.kind !== 'number' || !/^\d+$/.test(token.value)) return null;
    if (after?.value !== ']' && after?.value !== '..') return null;
    this.at += negative ? 2 : 1;
    return negative ? -Number(token.value) : Number(token.value);
  }

  // --- tokens

  private get next(): Token {
    return this.tokens[this.at]!;
  }
  private is(kind: Token['kind'], value: string): boolean {
    return this.next.kind === kind && this.next.value === value;
  }
  private take(): Token {
    return this.tokens[this.at++]!;
  }
  private takes(kind: Token['kind'], value: string): boolean {
    if (!this.is(kind, value)) return false;
    this.at++;
    return true;
  }
  private expect(kind: Token['kind'], value: string): void {
    if (!this.takes(kind, value)) throw this.unexpected();
  }

  private inFields<T>(read: () => T): T {
    const before = this.condition;
    this.condition = false;
    const result = read();
    this.condition = before;
    return result;
  }

  private deeper<T>(read: () => T): T {
    if (++this.depth > DEPTH_MAX) throw this.unexpected();
    const result = read();
    this.depth--;
    return result;
  }

  /** The token as the API writes it: signs and keywords in single quotes, what stands for itself in double ones. */
  private unexpected(): SqlSyntaxError {
    const { kind, value, start, end } = this.next;
    const token =
      kind === 'end'
        ? ''
        : kind === 'symbol' || kind === 'keyword'
          ? `'${value}'`
          : JSON.stringify(this.sql.slice(start, end));
    return SqlSyntaxError.before(this.sql, token, start, end);
  }
}
