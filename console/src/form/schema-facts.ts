import * as z from 'zod/mini';

/** What the contract says of a field: its limits, default and choices; read from the schema, so that no form repeats them. */
export interface Facts {
  /** May be left out of the body. */
  optional: boolean;
  standard?: unknown;
  kind: 'text' | 'number' | 'switch' | 'choice' | 'other';
  integer: boolean;
  /** Of a number, or of the length of a text. */
  min?: number;
  max?: number;
  choices: readonly string[];
}

type Schema = z.ZodMiniType;

/** The parts of zod's own description that are read here. */
interface Definition {
  type: string;
  innerType?: Schema;
  in?: Schema;
  out?: Schema;
  shape?: Record<string, Schema>;
  catchall?: Schema;
  element?: Schema;
  options?: Schema[];
  entries?: Record<string, string | number>;
  values?: unknown[];
  /** The key by which a union tells its options apart. */
  discriminator?: string;
  defaultValue?: unknown;
  checks?: { _zod: { def: CheckDefinition } }[];
}

const definition = (schema: Schema): Definition => schema._zod.def as unknown as Definition;

/** A check's own description: `greater_than` 5 and the like. */
interface CheckDefinition {
  check: string;
  value?: number;
  inclusive?: boolean;
  minimum?: number;
  maximum?: number;
  format?: string;
}

export function factsOf(schema: Schema | undefined): Facts {
  const facts: Facts = { optional: false, kind: 'other', integer: false, choices: [] };
  for (let one = schema; one; one = read(one, facts));
  return facts;
}

/** Notes what this layer says and returns the layer below. */
function read(schema: Schema, facts: Facts): Schema | undefined {
  const def = definition(schema);
  for (const one of def.checks ?? []) note(one._zod.def, facts);
  switch (def.type) {
    case 'optional':
      facts.optional = true;
      return def.innerType;
    case 'default':
    case 'prefault':
      facts.optional = true;
      facts.standard = def.defaultValue;
      return def.innerType;
    case 'nullable':
      return def.innerType;
    case 'pipe':
      return definition(def.in!).type === 'transform' ? def.out : def.in;
    case 'union': {
      const parts = (def.options ?? []).map(factsOf);
      // A union such as "number or `infinity`" is entered as its first part.
      const main = parts.find(({ kind }) => kind === 'number' || kind === 'switch') ?? parts[0];
      if (main) Object.assign(facts, { ...main, optional: facts.optional });
      if (parts.length > 0 && parts.every(({ choices }) => choices.length > 0)) {
        facts.kind = 'choice';
        facts.choices = parts.flatMap(({ choices }) => choices);
      }
      return undefined;
    }
    case 'enum':
      facts.kind = 'choice';
      facts.choices = Object.values(def.entries ?? {}).map(String);
      return undefined;
    case 'literal':
      facts.kind = 'choice';
      facts.choices = (def.values ?? []).map(String);
      return undefined;
    case 'number':
    case 'int':
      facts.kind = 'number';
      return undefined;
    case 'boolean':
      facts.kind = 'switch';
      return undefined;
    case 'string':
      facts.kind = 'text';
      return undefined;
    default:
      return undefined;
  }
}

/** Notes a limit. One that is not inclusive is left to the contract itself. */
function note({ check, value, inclusive, minimum, maximum, format }: CheckDefinition, facts: Facts): void {
  const least = check === 'greater_than' && inclusive ? value : check === 'min_length' ? minimum : undefined;
  const most = check === 'less_than' && inclusive ? value : check === 'max_length' ? maximum : undefined;
  if (least !== undefined) facts.min = Math.max(facts.min ?? -Infinity, least);
  if (most !== undefined) facts.max = Math.min(facts.max ?? Infinity, most);
  if (check === 'number_format' && format?.includes('int')) facts.integer = true;
}

/** The schema behind wrappers that say only "optional" or "default". */
function bare(schema: Schema): Schema {
  const { type, innerType } = definition(schema);
  return innerType && ['optional', 'default', 'prefault', 'nullable', 'readonly'].includes(type)
    ? bare(innerType)
    : schema;
}

/** The schema of a dotted field; undefined where the contract has none. Of several shapes the first that has it. */
export function schemaAt(schema: Schema | undefined, path: string): Schema | undefined {
  let one = schema;
  for (const part of path.split('.')) {
    if (!one) return undefined;
    one = partOf(one, part);
  }
  return one;
}

function partOf(schema: Schema, part: string): Schema | undefined {
  const { shape, element, discriminator, options } = definition(bare(schema));
  if (shape) return shape[part];
  if (discriminator === undefined) return /^\d+$/.test(part) ? element : undefined;
  for (const option of options ?? []) {
    const found = partOf(option, part);
    if (found) return found;
  }
  return undefined;
}

/** The shape that a value has, of a union of shapes that one of their fields tells apart; such may hold others. */
function shapeFor(schema: Schema, value: Record<string, unknown>): Schema | undefined {
  const { shape, discriminator, options } = definition(bare(schema));
  if (discriminator === undefined) return shape ? schema : undefined;
  const fits = (option: Schema): boolean => {
    const def = definition(bare(option));
    if (!def.shape) return (def.options ?? []).some(fits);
    const mark = def.shape[discriminator];
    return mark !== undefined && z.safeParse(mark, value[discriminator]).success;
  };
  const option = (options ?? []).find(fits);
  return option && shapeFor(option, value);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is sent of what the form holds: nothing the contract does not know (an answer says more than a request may),
 * and no empty text where the field may be left out. With `keepEmpty` such a text is sent: left out it would stay.
 */
export function bodyOf(schema: Schema | undefined, value: unknown, keepEmpty = false): unknown {
  if (!schema) return value;
  if (Array.isArray(value)) {
    const { element } = definition(bare(schema));
    return value.map((one) => bodyOf(element, one, keepEmpty));
  }
  const own = isObject(value) ? shapeFor(schema, value) : undefined;
  const { shape, catchall } = own ? definition(bare(own)) : {};
  if (!isObject(value) || !shape) return value;
  const loose = catchall !== undefined && definition(catchall).type !== 'never';
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      const part = shape[key];
      if (!part && !loose) return [];
      if (one === undefined) return [];
      if (one === '' && part && isLeftOut(factsOf(part), keepEmpty)) return [];
      return [[key, bodyOf(part, one, keepEmpty)]];
    }),
  );
}

/** Whether an empty text says no more than nothing at all. */
const isLeftOut = ({ optional, kind }: Facts, keepEmpty: boolean): boolean =>
  optional && !(keepEmpty && kind === 'text');
