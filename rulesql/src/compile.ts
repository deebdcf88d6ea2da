import type { Alias, Expression, Field, Operator, Statement, Step } from './ast.ts';
import { SqlFault, SqlRuntimeError, type Stage } from './errors.ts';
import type { FunctionTable, SqlFunction, World } from './functions/function.ts';
import { calculate, integer, isInteger, isNumber, MINUS, OVER, PLUS, TIMES } from './integers.ts';
import { parse } from './parse.ts';
import { put } from './put.ts';
import { Scope } from './scope.ts';
import {
  compare,
  equal,
  isMap,
  limited,
  placeOf,
  rangeOf,
  setKey,
  textOf,
  type Value,
  type ValueMap,
} from './values.ts';
import { rootsOf } from './walk.ts';

/** The columns of a message or an event. */
export type Columns = Readonly<Record<string, Value>>;

export interface Rule {
  /** Topic filters, `$events/…` and `$bridges/…`, as written. */
  readonly sources: readonly string[];
  readonly kind: Statement['kind'];
  /**
   * What the statement makes of a row: null when WHERE is not true, one result of SELECT, and one for each item of FOREACH.
   * Throws SqlRuntimeError.
   */
  run(columns: Columns): ValueMap | ValueMap[] | null;
}

type Run = (scope: Scope) => Value;

/** Makes a function of a statement, to be run for each message. Throws SqlSyntaxError. */
export function compile(sql: string, functions: FunctionTable, world: World): Rule {
  const statement = parse(sql);
  const compiler = new Compiler(functions, world, statement);
  const sources = statement.sources.map(({ filter }) => filter);
  const run = statement.kind === 'select' ? compiler.select(statement) : compiler.foreach(statement);
  return { sources, kind: statement.kind, run };
}

type Select = Extract<Statement, { kind: 'select' }>;
type Foreach = Extract<Statement, { kind: 'foreach' }>;

/** Items of one row: each may become a message, and all of them are made before it is anybody else's turn. */
const FOREACH_MAX = 10_000;

class Compiler {
  private readonly functions: FunctionTable;
  private readonly world: World;
  private readonly roots: ReadonlySet<string>;
  private unnamed = 0;

  constructor(functions: FunctionTable, world: World, statement: Statement) {
    this.roots = rootsOf(statement);
    this.functions = functions;
    this.world = world;
  }

  select({ fields, where }: Select): Rule['run'] {
    const transform = this.fields(fields);
    const condition = where && this.condition(where);
    return (columns) => {
      const scope = new Scope(columns);
      const result = at('select_and_transform_error', () => transform(scope));
      if (condition !== null && !at('match_conditions_error', () => condition(scope))) return null;
      return result;
    };
  }

  foreach({ collect, each, inCase, where }: Foreach): Rule['run'] {
    const collection = this.collection(collect);
    const transform = each && this.fields(each);
    const passes = inCase && this.condition(inCase);
    const condition = where && this.condition(where);
    return (columns) => {
      const scope = new Scope(columns);
      const { name, items } = at('select_and_collect_error', () => collection(scope));
      if (condition !== null && !at('match_conditions_error', () => condition(scope))) return null;
      const results: ValueMap[] = [];
      if (!Array.isArray(items)) return results;
      if (items.length > FOREACH_MAX)
        throw new SqlRuntimeError('select_and_collect_error', new SqlFault('system_limit'));
      for (const item of items) {
        const inside = scope.with(name, item);
        if (passes !== null && !at('match_incase_error', () => passes(inside))) continue;
        results.push(transform === null ? inside.all() : at('doeach_error', () => transform(inside)));
      }
      return results;
    };
  }

  private fields(fields: Field[]): (scope: Scope) => ValueMap {
    const steps = fields.map((field, at) => this.field(field, fields.slice(at + 1)));
    const rest = steps.slice(1);
    if (fields[0]?.kind !== 'all')
      return (scope) => {
        const result: ValueMap = {};
        for (const step of steps) step(scope, result);
        return result;
      };
    return (scope) => {
      const result = scope.all();
      for (const step of rest) step(scope, result);
      return result;
    };
  }

  private field(field: Field, later: Field[]): (scope: Scope, result: ValueMap) => void {
    if (field.kind === 'all')
      return (scope, result) => {
        for (const [name, value] of Object.entries(scope.all())) setKey(result, name, value);
      };
    const run = this.expression(field.expression);
    const alias = field.alias ?? [this.nameless()];
    const [name] = alias;
    const isSeen = this.roots.has(name) || later.some(({ kind }) => kind === 'all');
    if (alias.length > 1) {
      const write = this.write(alias);
      return (scope, result) => {
        const value = run(scope);
        setKey(result, name, write(scope, Object.hasOwn(result, name) ? result[name] : undefined, value));
        scope.set(name, write(scope, scope.get(name), value));
      };
    }
    if (isSeen || name === '__proto__')
      return (scope, result) => {
        const value = run(scope);
        setKey(result, name, value);
        scope.set(name, value);
      };
    return (scope, result) => {
      result[name] = run(scope);
    };
  }

  /** What FOREACH goes through, and by which name an item is known. */
  private collection(fields: Field[]): (scope: Scope) => { name: string; items: Value } {
    const last = fields.at(-1)!;
    const transform = this.fields(fields.slice(0, -1));
    if (last.kind === 'all') return () => ({ name: 'item', items: [] });
    const run = this.expression(last.expression);
    const { alias, named } = last;
    const write = alias !== null && alias.length > 1 ? this.write(alias) : null;
    return (scope) => {
      transform(scope);
      const items = run(scope);
      if (alias === null) return { name: 'item', items };
      const [name] = alias;
      scope.set(name, write === null ? items : write(scope, undefined, items));
      return { name: named ? name : 'item', items };
    };
  }

  private write([, ...steps]: Alias): (scope: Scope, into: Value, value: Value) => Value {
    const places = steps.map((step) => {
      if (!('index' in step)) return () => step;
      const run = this.expression(step.index);
      return (scope: Scope) => ({ index: run(scope), append: step.append });
    });
    return (scope, into, value) =>
      put(
        into,
        places.map((place) => place(scope)),
        value,
      );
  }

  /** Only what is true or false decides. */
  private condition(expression: Expression): (scope: Scope) => boolean {
    const run = this.expression(expression);
    return (scope) => {
      const value = run(scope);
      if (typeof value !== 'boolean') throw new SqlFault('function_clause');
      return value;
    };
  }

  private expression(expression: Expression): Run {
    switch (expression.kind) {
      case 'value': {
        const { value } = expression;
        return () => value;
      }
      case 'path':
        return this.path(expression.root, expression.steps);
      case 'array': {
        const items = expression.items.map((item) => this.expression(item));
        return (scope) => items.map((item) => item(scope));
      }
      case 'negate': {
        const of = this.expression(expression.of);
        return (scope) => {
          const value = of(scope);
          if (!isNumber(value)) throw SqlFault.argument('-', [value]);
          return typeof value === 'bigint' ? integer(-value) : -value;
        };
      }
      case 'arithmetic':
        return arithmetic(
          expression.operator,
          this.expression(expression.left),
          this.expression(expression.right),
        );
      case 'compare':
        return this.compare(expression);
      case 'in': {
        const left = this.expression(expression.left);
        const items = expression.items.map((item) => this.expression(item));
        return (scope) => {
          const value = left(scope);
          return items.some((item) => equal(value, item(scope)));
        };
      }
      case 'logic': {
        const left = this.condition(expression.left);
        const right = this.condition(expression.right);
        return expression.operator === 'and'
          ? (scope) => left(scope) && right(scope)
          : (scope) => left(scope) || right(scope);
      }
      case 'not': {
        const of = this.condition(expression.of);
        return (scope) => !of(scope);
      }
      case 'case':
        return this.case(expression);
      case 'call':
        return this.call(expression.name, expression.args);
    }
  }

  private compare(expression: Extract<Expression, { kind: 'compare' }>): Run {
    const left = this.expression(expression.left);
    const right = this.expression(expression.right);
    const { operator } = expression;
    if (operator !== '=~') return (scope) => compare(operator, left(scope), right(scope));
    const { topicMatches } = this.world;
    return (scope) => {
      const topic = left(scope);
      const filter = right(scope);
      return typeof topic === 'string' && typeof filter === 'string' && topicMatches(topic, filter);
    };
  }

  private case({ of, branches, otherwise }: Extract<Expression, { kind: 'case' }>): Run {
    const value = of && this.expression(of);
    const compiled = branches.map(({ when, result }) => ({
      when: value === null ? this.condition(when) : this.expression(when),
      result: this.expression(result),
    }));
    const last = otherwise && this.expression(otherwise);
    return (scope) => {
      const looked = value?.(scope);
      for (const { when, result } of compiled) {
        const found = when(scope);
        if (value === null ? found === true : equal(looked, found)) return result(scope);
      }
      return last?.(scope);
    };
  }

  private call(name: string, args: Expression[]): Run {
    const found: SqlFunction | undefined = this.functions.get(name);
    if (found === undefined) {
      const fault = new SqlFault(unknownFunction(name));
      return () => {
        throw fault;
      };
    }
    if (!found.arity.includes(args.length))
      return () => {
        throw new SqlFault('sql_function_not_supported');
      };
    const { run } = found;
    const { world } = this;
    const runs = args.map((arg) => this.expression(arg));
    return (scope) =>
      run(
        runs.map((one) => one(scope)),
        world,
        scope,
      );
  }

  private path(root: string, steps: Step[]): Run {
    if (root === 'null' || root === 'undefined') return () => undefined;
    let run: Run = (scope) => scope.get(root);
    for (const step of steps) run = this.step(run, step);
    return run;
  }

  private step(of: Run, step: Step): Run {
    if ('key' in step) {
      const { key } = step;
      return (scope) => {
        const map = scope.decoded(of(scope));
        return isMap(map) && Object.hasOwn(map, key) ? map[key] : undefined;
      };
    }
    if ('from' in step) return (scope) => rangeOf(scope.decodedIfPossible(of(scope)), step.from, step.to);
    const index = this.expression(step.index);
    return (scope) => {
      const items = scope.decodedIfPossible(of(scope));
      const place = index(scope);
      if (isMap(items) && typeof place === 'string')
        return Object.hasOwn(items, place) ? items[place] : undefined;
      if (!Array.isArray(items) || typeof place !== 'number') return undefined;
      return items[placeOf(place, items.length)];
    };
  }

  private nameless(): string {
    return `_v_${++this.unnamed}`;
  }
}

const unknownFunction = (name: string) => ({
  reason: 'sql_function_not_supported',
  function_name: name,
  arguments: [],
});

function arithmetic(operator: Operator, left: Run, right: Run): Run {
  const refuse = (a: Value, b: Value): never => {
    throw SqlFault.argument(operator, [a, b]);
  };
  switch (operator) {
    case '+':
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        if (isNumber(a) && isNumber(b)) return calculate(a, b, PLUS);
        return typeof a === 'string' || typeof b === 'string' ? limited(textOf(a) + textOf(b)) : refuse(a, b);
      };
    case '-':
    case '*':
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        return isNumber(a) && isNumber(b) ? calculate(a, b, operator === '-' ? MINUS : TIMES) : refuse(a, b);
      };
    case '/':
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        if (!isNumber(a) || !isNumber(b)) return refuse(a, b);
        if (b === 0) throw new SqlFault('badarith');
        return Number(a) / Number(b);
      };
    default:
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        if (!isInteger(a) || !isInteger(b)) return refuse(a, b);
        if (b === 0) throw new SqlFault('badarith');
        return calculate(a, b, OVER[operator]);
      };
  }
}

function at<T>(stage: Stage, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof SqlFault) throw new SqlRuntimeError(stage, cause);
    // Nested deeper, or longer, than the engine can take
    if (cause instanceof RangeError) throw new SqlRuntimeError(stage, new SqlFault('system_limit'));
    throw cause;
  }
}
