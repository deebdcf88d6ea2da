import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import type { FieldValues, Resolver } from 'react-hook-form';
import * as z from 'zod/mini';
import type { Words } from '../i18n/words.ts';
import type { FieldDeclaration } from './form-context.ts';
import { rangeFault } from './numbers.ts';
import { bodyOf, factsOf, schemaAt } from './schema-facts.ts';
import { valueAt, withValue } from './values.ts';
import type { words } from './words.ts';

type W = Words<typeof words>;

export interface ResolverOptions {
  schema: z.ZodMiniType | undefined;
  fields: ReadonlyMap<string, FieldDeclaration>;
  labelOf: (name: string) => string;
  w: W;
  /** Last touch before the values become a body, such as fields that follow from others. */
  toBody?: ((values: FieldValues) => unknown) | undefined;
  keepEmpty?: boolean | undefined;
}

/** What a form sends: its fields' own ways of sending, then only what the contract takes. */
export function bodyFrom(
  values: FieldValues,
  { schema, fields, toBody, keepEmpty }: ResolverOptions,
): unknown {
  let body: unknown = values;
  for (const [name, { send }] of fields) {
    if (send && valueAt(body, name) !== undefined) body = withValue(body, name, send(valueAt(body, name)));
  }
  return bodyOf(schema, toBody ? toBody(body as FieldValues) : body, keepEmpty);
}

/**
 * The fields' own checks first, because they know what was typed; then the contract on what would be sent. Its issues
 * are said in our words.
 */
export function formResolver(options: () => ResolverOptions): Resolver<FieldValues> {
  return (values, context, rest) => {
    const { schema, fields, labelOf, w } = options();
    const wrong = new Map<string, string>();
    for (const [name, { check }] of fields) {
      const fault = check?.(valueAt(values, name));
      if (fault) wrong.set(name, fault);
    }
    const standard = {
      '~standard': {
        version: 1 as const,
        vendor: 'mqdeck',
        validate: () => {
          const own = [...wrong].map(([name, message]) => ({ message, path: name.split('.') }));
          const result = schema && z.safeParse(schema, bodyFrom(values, options()), { reportInput: true });
          const issues = (result?.error?.issues ?? []).flatMap((issue) => {
            const name = nearest(issue.path.join('.'), fields);
            // What is said of a field, or of one within it, is enough.
            if ([...wrong.keys()].some((one) => one === name || one.startsWith(`${name}.`))) return [];
            return [{ message: sentence(issue, schema, labelOf(name), w), path: name.split('.') }];
          });
          const all = [...own, ...issues];
          return all.length > 0 ? { issues: all } : { value: values };
        },
      },
    };
    return standardSchemaResolver<FieldValues, unknown, FieldValues>(standard)(
      values,
      context,
      rest as never,
    );
  };
}

/** The field that shows an issue: itself, or the one that holds it. */
function nearest(path: string, fields: ReadonlyMap<string, FieldDeclaration>): string {
  for (let name = path; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.'))))
    if (fields.has(name)) return name;
  return path === '' ? 'root' : path;
}

function sentence(issue: z.core.$ZodIssue, schema: z.ZodMiniType | undefined, label: string, w: W): string {
  const facts = factsOf(schemaAt(schema, issue.path.join('.')));
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined || issue.input === null || issue.input === '')
        return facts.kind === 'choice' ? w.select({ name: label }) : w.required({ name: label });
      return w.type({ type: issue.expected === 'int' ? w.aWholeNumber : w.aNumber });
    case 'invalid_value':
      return w.select({ name: label });
    case 'too_small':
    case 'too_big':
      if (facts.kind === 'number' && typeof issue.input === 'number')
        return rangeFault(issue.input, facts, w) ?? w.format;
      if (issue.code === 'too_small')
        return Number(issue.minimum) === 1
          ? w.required({ name: label })
          : w.tooShort({ min: Number(issue.minimum) });
      return w.tooLong({ max: Number(issue.maximum) });
    case 'unrecognized_keys':
      return w.unknownField({ field: issue.keys.join(', ') });
    default:
      return w.format;
  }
}
