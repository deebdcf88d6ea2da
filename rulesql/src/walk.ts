import type { Expression, Field, Statement, Step } from './ast.ts';

/** The outermost expressions of a statement, in no order. */
export function expressionsOf(statement: Statement): Expression[] {
  const inFields = (fields: Field[] | null) =>
    (fields ?? []).flatMap((field) => (field.kind === 'all' ? [] : [field.expression]));
  const { where } = statement;
  const rest = where ? [where] : [];
  if (statement.kind === 'select') return [...inFields(statement.fields), ...rest];
  const { collect, each, inCase } = statement;
  return [...inFields(collect), ...inFields(each), ...(inCase ? [inCase] : []), ...rest];
}

/** The expressions that one is made of. */
export function partsOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'value':
      return [];
    case 'path':
      return expression.steps.flatMap((step: Step) => ('index' in step ? [step.index] : []));
    case 'call':
      return expression.args;
    case 'array':
      return expression.items;
    case 'negate':
    case 'not':
      return [expression.of];
    case 'in':
      return [expression.left, ...expression.items];
    case 'case': {
      const { of, branches, otherwise } = expression;
      const inside = branches.flatMap(({ when, result }) => [when, result]);
      return [...(of ? [of] : []), ...inside, ...(otherwise ? [otherwise] : [])];
    }
    default:
      return [expression.left, expression.right];
  }
}

/** The names that a statement looks up: columns, and what its fields have been named. */
export function rootsOf(statement: Statement): ReadonlySet<string> {
  const roots = new Set<string>();
  const visit = (expression: Expression): void => {
    if (expression.kind === 'path') roots.add(expression.root);
    for (const part of partsOf(expression)) visit(part);
  };
  for (const expression of expressionsOf(statement)) visit(expression);
  return roots;
}
