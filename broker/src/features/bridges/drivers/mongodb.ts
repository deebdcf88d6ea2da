import type {
  mongodbRsShape,
  mongodbShardedShape,
  mongodbSingleShape,
} from '@mqdeck/contract/bridges/mongodb';
import { parseJson } from '@mqdeck/rulesql/integers';
import { template } from '@mqdeck/rulesql/template';
import { jsonOf, presented, textOf, type Value } from '@mqdeck/rulesql/values';
import type * as z from 'zod/mini';
import { BackendError, type MongoBackend } from '../../../backends/backend.ts';
import { openMongodb } from '../../../backends/mongodb.ts';
import { DeliveryError, type Driver, type DriverContext, type Row } from '../../../resources/driver.ts';
import { valueAt } from './statement.ts';

type Of<S extends Record<string, z.ZodMiniType>> = { [K in keyof S]: z.output<S[K]> };
export type MongodbBridgeConfig =
  | Of<typeof mongodbSingleShape>
  | Of<typeof mongodbRsShape>
  | Of<typeof mongodbShardedShape>;

/** Bad documents, and those that are there already. */
const OF_ROWS = new Set([2, 9, 14, 121, 10334, 11000]);

/** A document for each row. */
export function mongodbDriver(config: MongodbBridgeConfig, context: DriverContext): Driver {
  const collection = template(config.collection);
  const documentOf = documentMaker(config.payload_template);
  let backend: MongoBackend | null = null;

  /** Of each row, except those of which the template makes none. */
  function documentsOf(rows: readonly Row[]): { made: Made[]; refused: number } {
    const made: Made[] = [];
    for (const row of rows) {
      try {
        made.push({ name: collection.text(row), document: documentOf(row) });
      } catch (cause) {
        if (!(cause instanceof DeliveryError) || rows.length === 1) throw cause;
      }
    }
    return { made, refused: rows.length - made.length };
  }

  return {
    async open() {
      backend = openMongodb(config, context);
      await backend.ping();
    },
    async check() {
      await backend?.ping();
    },
    async deliver(rows) {
      if (backend === null) throw new DeliveryError('it is not open', true);
      const { made, refused } = documentsOf(rows);
      return refused + (await insert(backend, made, rows.length === 1));
    },
    async close() {
      await backend?.close();
      backend = null;
    },
  };
}

interface Made {
  name: string;
  document: object;
}

/** Answers how many of them the server will never take; one that is alone is refused instead. */
async function insert(backend: MongoBackend, made: readonly Made[], alone: boolean): Promise<number> {
  let refused = 0;
  for (let at = 0; at < made.length; ) {
    // Neighbours that go to one collection go together
    const { name } = made[at]!;
    let end = at + 1;
    while (end < made.length && made[end]!.name === name) end++;
    try {
      await backend.insert(
        name,
        made.slice(at, end).map(({ document }) => document),
      );
      at = end;
    } catch (cause) {
      const inner = cause instanceof BackendError ? cause.cause : null;
      const { code, insertedCount } = (inner ?? {}) as { code?: unknown; insertedCount?: unknown };
      const isOfRows = typeof code === 'number' && OF_ROWS.has(code);
      if (!isOfRows || alone)
        throw new DeliveryError(cause instanceof Error ? cause.message : 'it failed', !isOfRows);
      // In their order: those before the bad one are there, those behind it were not looked at
      const after = typeof insertedCount === 'number' ? at + insertedCount + 1 : end;
      refused += typeof insertedCount === 'number' ? 1 : end - at;
      at = after;
    }
  }
  return refused;
}

/** A text in quotes, with the places in it, or a place outside of one. */
const TOKEN = /"(?:[^"\\]|\\.)*"|\$\{([^{}\s]*)\}/g;
const PLACE = /\$\{([^{}\s]*)\}/g;

/** The row, or what the template makes of it: JSON, where places are values and not letters. */
function documentMaker(source: string | undefined): (row: Row) => object {
  const make = source === undefined || source.trim() === '' ? presented : filledFrom(source);
  return (row) => {
    const document = make(row);
    if (typeof document !== 'object' || document === null || Array.isArray(document))
      throw new DeliveryError('the template makes no JSON object of the row', false);
    if (hasTypeMark(document)) throw new DeliveryError(`a field of the row is named ${TYPE_MARK}`, false);
    return document;
  };
}

const filledFrom =
  (source: string) =>
  (row: Row): unknown => {
    const json = source.replace(TOKEN, (token: string, bare: string | undefined) =>
      bare === undefined
        ? token.replace(PLACE, (_, name: string) => JSON.stringify(textOf(valueAt(row, name))).slice(1, -1))
        : jsonFor(valueAt(row, bare)),
    );
    try {
      return presented(parseJson(json) as Value);
    } catch {
      return null;
    }
  };

/** The driver takes an object with this field for one of its own types, or refuses the whole batch because of it. */
const TYPE_MARK = '_bsontype';

const hasTypeMark = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Uint8Array) &&
  (Object.hasOwn(value, TYPE_MARK) || Object.values(value).some(hasTypeMark));

/** A text that holds JSON stands as that: `{"payload": ${payload}}`. */
function jsonFor(value: Value): string {
  if (value === undefined) return 'null';
  if (typeof value !== 'string') return jsonOf(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}
