import { type PluginConfigField, PluginConfigSchema, type PluginWords } from '@mqdeck/contract/plugins';
import * as z from 'zod/mini';

/**
 * What a form can be made of. Our broker answers a schema as the contract has it; real clusters answer a record of Avro
 * with texts apart. Undefined = there is more in it than the form knows.
 */
export function configSchemaOf(answer: {
  json?: unknown;
  avro?: unknown;
  i18n?: unknown;
}): PluginConfigSchema | undefined {
  const own = z.safeParse(PluginConfigSchema, answer.json);
  if (own.success) return own.data;
  return fromAvro(answer.avro, isObject(answer.i18n) ? answer.i18n : {});
}

type Texts = Record<string, unknown>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fromAvro(avro: unknown, texts: Texts): PluginConfigSchema | undefined {
  if (!isObject(avro) || avro.type !== 'record' || !Array.isArray(avro.fields)) return undefined;
  const fields = avro.fields.map((one) => (isObject(one) ? avroField(one, texts) : undefined));
  const whole = fields.every((one) => one !== undefined);
  if (!whole) return undefined;
  const schema = z.safeParse(PluginConfigSchema, {
    type: 'object',
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
  });
  return schema.success ? schema.data : undefined;
}

const NUMBERS = ['int', 'long', 'float', 'double'];

function avroField(field: Record<string, unknown>, texts: Texts): [string, PluginConfigField] | undefined {
  const { name, type, default: standard, $ui } = field;
  if (typeof name !== 'string') return undefined;
  const ui = isObject($ui) ? $ui : {};
  const about = { title: wordsOf(ui.label, texts) ?? name, description: wordsOf(ui.description, texts) };
  const value = avroType(type);
  if (!value) return undefined;
  const known = { ...value, ...clean(about), ...(standard === undefined ? {} : { default: standard }) };
  return [name, known as PluginConfigField];
}

function avroType(type: unknown): Record<string, unknown> | undefined {
  if (type === 'string') return { type: 'string' };
  if (type === 'boolean') return { type: 'boolean' };
  if (NUMBERS.includes(String(type)))
    return { type: type === 'int' || type === 'long' ? 'integer' : 'number' };
  if (!isObject(type)) return undefined;
  if (type.type === 'enum' && Array.isArray(type.symbols)) return { type: 'string', enum: type.symbols };
  return type.type === 'array' && type.items === 'string'
    ? { type: 'array', items: { type: 'string' } }
    : undefined;
}

/** `$key` stands for a text in each language. */
function wordsOf(text: unknown, texts: Texts): PluginWords | undefined {
  if (typeof text !== 'string') return undefined;
  const both = texts[text];
  if (isObject(both) && typeof both.en === 'string' && typeof both.zh === 'string')
    return { en: both.en, zh: both.zh };
  return text.startsWith('$') ? undefined : text;
}

const clean = (about: object): object =>
  Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
