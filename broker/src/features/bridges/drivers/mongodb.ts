import type {
  mongodbRsShape,
  mongodbShardedShape,
  mongodbSingleShape,
} from '@mqdeck/contract/bridges/mongodb';
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
export function mongodbDriver(config: MongodbBridgeConfig, { log }: DriverContext): Driver {
  const collection = template(config.collection);
  const documentOf = documentMaker(config.payload_template);
  let backend: MongoBackend | null = null;

  return {
    async open() {
      backend = openMongodb(config, { log });
      await backend.ping();
    },
    async check() {
      await backend?.ping();
    },
    async deliver(rows) {
      if (backend === null) throw new DeliveryError('it is not open', true);
      // Neighbours that go to one collection go together
      for (let at = 0; at < rows.length; ) {
        const name = collection.text(rows[at]!);
        let end = at + 1;
        while (end < rows.length && collection.text(rows[end]!) === name) end++;
        try {
          await backend.insert(name, rows.slice(at, end).map(documentOf));
        } catch (cause) {
          const inner = cause instanceof BackendError ? cause.cause : null;
          const code = (inner as { code?: unknown } | null)?.code;
          const isOfRows = typeof code === 'number' && OF_ROWS.has(code);
          throw new DeliveryError(cause instanceof Error ? cause.message : 'it failed', !isOfRows);
        }
        at = end;
      }
    },
    async close() {
      await backend?.close();
      backend = null;
    },
  };
}

const PLACE = /"\$\{([^{}\s]*)\}"|\$\{([^{}\s]*)\}/g;

/** The row, or what the template makes of it: JSON, where places are values and not letters. */
function documentMaker(source: string | undefined): (row: Row) => object {
  if (source === undefined || source.trim() === '') return (row) => presented(row) as object;
  return (row) => {
    const json = source.replace(PLACE, (_, quoted: string | undefined, bare: string | undefined) =>
      quoted === undefined ? jsonFor(valueAt(row, bare!)) : JSON.stringify(textOf(valueAt(row, quoted))),
    );
    try {
      const made: unknown = JSON.parse(json);
      if (typeof made === 'object' && made !== null && !Array.isArray(made)) return made;
    } catch {
      // told below
    }
    throw new DeliveryError('the template makes no JSON object of the row', false);
  };
}

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
