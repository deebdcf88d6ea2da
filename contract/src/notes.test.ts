import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { newConnector, newPart } from './bridges/parts.ts';
import { newBridge } from './bridges/types.ts';
import * as all from './endpoints.ts';
import type { Endpoint } from './kit/endpoint.ts';
import { NOTE_BYTES_MAX } from './kit/values.ts';

const LONG = 'ü'.repeat(NOTE_BYTES_MAX / 2);
/** What fields that only people or their programs read may not hold, and what they may. */
const EXTREMES: Record<string, { within: unknown; beyond: unknown }> = {
  ...Object.fromEntries(
    ['description', 'desc', 'note'].map((name) => [name, { within: LONG, beyond: `${LONG}x` }]),
  ),
  tags: { within: ['x'.repeat(255)], beyond: ['x'.repeat(256)] },
  metadata: { within: { a: LONG.slice(10) }, beyond: { a: LONG } },
};

const shapeOf = (schema: z.ZodMiniType): Record<string, z.ZodMiniType> =>
  'shape' in schema ? (schema.shape as Record<string, z.ZodMiniType>) : {};
const endpoints = Object.values(all).flatMap((group) => Object.values(group) as Endpoint[]);
const bodies: [name: string, schema: z.ZodMiniType][] = [
  ...endpoints.flatMap(({ method, path, body }): [string, z.ZodMiniType][] =>
    body === undefined ? [] : [[`${method} ${path}`, body]],
  ),
  // Whose fields depend on the type
  ['a bridge', newBridge('mysql')],
  ['a connector', newConnector('mysql')],
  ['an action', newPart('mysql', 'action')],
  ['a source', newPart('mqtt', 'source')],
];
const fields = bodies.flatMap(([where, schema]) =>
  Object.entries(shapeOf(schema))
    .filter(([name]) => Object.hasOwn(EXTREMES, name))
    .map(([name, field]) => [where, name, field] as const),
);

test('descriptions, notes, tags and metadata of every body have a limit', () => {
  expect(fields.map(([where, name]) => `${where} ${name}`)).toEqual(
    expect.arrayContaining([
      'POST /rules description',
      'POST /rules metadata',
      'POST /api_key desc',
      'POST /users description',
      'a bridge description',
      'a connector tags',
      'a source tags',
    ]),
  );
  for (const [where, name, field] of fields) {
    const { within, beyond } = EXTREMES[name]!;
    expect(z.safeParse(field, within).success, `${where} ${name}`).toBe(true);
    expect(z.safeParse(field, beyond).success, `${where} ${name}`).toBe(false);
  }
});
