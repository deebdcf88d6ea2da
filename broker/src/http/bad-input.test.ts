import { api } from '@mqdeck/contract/api';
import { newConnector, newPart, partType, typesWith } from '@mqdeck/contract/bridges/parts';
import { bridgeTypeNames, newBridge } from '@mqdeck/contract/bridges/types';
import { gatewayConfigs, NewGatewayListener } from '@mqdeck/contract/gateways';
import { type Endpoint, pathOf } from '@mqdeck/contract/kit/endpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { startTestBroker, type TestBroker } from '../testing/start-test-broker.ts';

/** Made from the contract: a new endpoint is tried here without a line of test. */

interface Definition {
  type: string;
  shape?: Record<string, z.ZodMiniType>;
  element?: z.ZodMiniType;
  innerType?: z.ZodMiniType;
  in?: z.ZodMiniType;
  options?: z.ZodMiniType[];
  values?: unknown[];
  catchall?: unknown;
}

const definition = (schema: z.ZodMiniType): Definition => schema._zod.def as unknown as Definition;

/** Values that are wrong almost everywhere; none of them may be answered by a 500. */
const ODD = [null, true, -1, 1.5, 1e308, '', 'x'.repeat(70_000), '\u0000', [], [[]], {}, { a: { b: [] } }];
const ODD_TEXTS = [
  '',
  'abc',
  '-1',
  '0',
  '1.5',
  '1e3',
  '0x10',
  '99999999999999999999',
  '１２',
  "' OR 1=1",
  '%00',
  '((a+)+)+$',
];
// Not '..': the client of these tests resolves it, as browsers do.
const ODD_IDS = ['nobody', 'a/b', '%', 'ü +', '$share/', '__proto__', 'x'.repeat(5000), '\u0000'];

const oddTexts = new Map<z.ZodMiniType, string[]>();
/** The odd bodies of a schema as JSON, made once: many endpoints take the same schema. */
function oddBodyTexts(schema: z.ZodMiniType, isFirst: boolean): string[] {
  const texts = oddTexts.get(schema) ?? [
    ...new Set(oddBodies(schema, isFirst).map((body) => JSON.stringify(body))),
  ];
  oddTexts.set(schema, texts);
  return texts;
}

/**
 * A body that names every field with something odd; of one with several shapes each, by the words that choose it. The words
 * themselves are odd in the first shape only: no body gets further than to them.
 */
function oddBodies(schema: z.ZodMiniType, isFirst = true): unknown[] {
  const { type, shape = {}, element, options } = definition(schema);
  if (type === 'array' && element) return [...ODD, ...oddBodies(element).map((item) => [item])];
  if (options) return options.flatMap((option, i) => oddBodies(option, isFirst && i === 0));
  const chosen = Object.entries(shape).flatMap(([field, value]) => {
    const word = wordOf(value);
    return word === undefined ? [] : [[field, word] as const];
  });
  const fields = Object.keys(shape).filter((field) => !chosen.some(([name]) => name === field));
  const body = (value: unknown) => Object.fromEntries([...chosen, ...fields.map((field) => [field, value])]);
  return [
    ...ODD,
    ...(chosen.length === 0 || isFirst
      ? ODD.map((value) => Object.fromEntries(Object.keys(shape).map((field) => [field, value])))
      : []),
    ...(chosen.length === 0 ? [] : ODD.map(body)),
    { ...body('text'), no_such_field: 1 },
  ];
}

/** The one word that a field takes, if it takes only one. */
function wordOf(schema: z.ZodMiniType): unknown {
  const { type, innerType, values } = definition(schema);
  return type === 'literal' ? values![0] : innerType && wordOf(innerType);
}

/** Of bodies that are checked by their type: the schema of each. */
const schemasByType: Record<NonNullable<Endpoint['bodyByType']>, Record<string, z.ZodMiniType>> = {
  bridge: Object.fromEntries(bridgeTypeNames.map((type) => [type, newBridge(type)])),
  connector: Object.fromEntries(bridgeTypeNames.map((type) => [partType(type), newConnector(type)])),
  action: Object.fromEntries(typesWith('action').map((type) => [partType(type), newPart(type, 'action')])),
  source: Object.fromEntries(typesWith('source').map((type) => [partType(type), newPart(type, 'source')])),
  gateway: gatewayConfigs,
  gateway_listener: { any: NewGatewayListener },
};

const endpoints = Object.values(api).flatMap((feature): Endpoint[] => Object.values(feature));
const parameterNames = ({ path }: Endpoint): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
const addressed = (endpoint: Endpoint, id: string): string =>
  pathOf(endpoint.path, Object.fromEntries(parameterNames(endpoint).map((name) => [name, id])));

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({ edition: 'enterprise' });
});
afterAll(() => broker.close());

/** A test where it applies, nothing elsewhere: what cannot be asked is not skipped. */
const when = (applies: unknown) => (applies ? test : () => undefined);

// `inject` itself holds every refusal to code and message.
describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    const { method, body, bodyByType, query, access } = endpoint;
    const named = parameterNames(endpoint).length > 0;

    test('is named to whoever comes with another method', async () => {
      const { status, headers } = await broker.inject('PATCH', addressed(endpoint, 'x'));
      expect(status).toBe(405);
      expect(String(headers.allow).split(', ')).toContain(method);
    });

    when(access !== 'none' && access !== 'scrape')('is closed to everybody without a login', async () => {
      for (const authorization of [null, 'Bearer nonsense'])
        expect((await broker.inject(method, addressed(endpoint, 'x'), { authorization })).status).toBe(401);
    });

    when(method !== 'GET' && !endpoint.upload && !endpoint.text)(
      'takes nothing that a form of another site can send',
      async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
        ])
          expect(
            await broker.inject(method, addressed(endpoint, 'x'), {
              rawBody: '{}',
              headers: { 'content-type': type },
            }),
            type,
          ).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
      },
    );

    when(body)('answers odd bodies with 4xx or well, never with 500', async () => {
      const typed = bodyByType ? Object.values(schemasByType[bodyByType]) : [];
      const texts = new Set([body!, ...typed].flatMap((one, i) => oddBodyTexts(one, i === 0)));
      for (const rawBody of texts) {
        const { status } = await broker.inject(method, addressed(endpoint, 'nobody'), { rawBody });
        if (status >= 500) expect.fail(`${status} for ${rawBody.slice(0, 200)}`);
      }
    });

    when(body)('is not brought down by a body nested very deep', async () => {
      for (const rawBody of [
        `${'['.repeat(5000)}${']'.repeat(5000)}`,
        `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
      ])
        expect((await broker.inject(method, addressed(endpoint, 'nobody'), { rawBody })).status).toBeLessThan(
          500,
        );
    });

    when(body)('refuses a body that is no object, or not JSON', async () => {
      for (const rawBody of ['"text"', '17', 'true', '{', '[{]'])
        expect((await broker.inject(method, addressed(endpoint, 'nobody'), { rawBody })).status).toBe(400);
    });

    when(body && !bodyByType && definition(body).catchall)('refuses a field it does not know', async () => {
      const answer = await broker.inject<{ message: string }>(method, addressed(endpoint, 'nobody'), {
        body: { no_such_field: 1 },
      });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('unknown_fields');
    });

    when(bodyByType && !named)('refuses a field that no thing of that type has', async () => {
      for (const type of Object.keys(schemasByType[bodyByType!])) {
        const answer = await broker.inject<{ message: string }>(method, endpoint.path, {
          body: { type, name: 'x', no_such_field: 1 },
        });
        expect(answer.status, type).toBe(400);
        expect(answer.body.message, type).toContain('no_such_field');
      }
    });

    when(query)('answers odd query values with 4xx or well, never with 500', async () => {
      for (const key of Object.keys(definition(query!).shape!)) {
        for (const value of ODD_TEXTS) {
          const { status, body: answer } = await broker.inject<{ code?: string }>(method, endpoint.path, {
            query: { [key]: value },
          });
          // The real API's answer to a filter by a node that is not there is a 500 with a code.
          if (answer?.code !== 'NODE_DOWN' && status >= 500) expect.fail(`${status} for ${key}=${value}`);
        }
      }
    });

    when(query && 'page' in (definition(query).shape ?? {}))('refuses paging out of range', async () => {
      for (const wrong of [
        { page: 0 },
        { page: -1 },
        { page: 1.5 },
        { page: 'abc' },
        { limit: 0 },
        { limit: 10_001 },
      ])
        expect(
          (await broker.inject(method, endpoint.path, { query: wrong as Record<string, string> })).status,
        ).toBe(400);
    });

    when(named)('has an answer for ids that nobody has', async () => {
      for (const id of ODD_IDS) {
        const { status } = await broker.inject(method, addressed(endpoint, id), body ? { body: {} } : {});
        expect(status, id.slice(0, 50)).toBeGreaterThanOrEqual(400);
        expect(status, id.slice(0, 50)).toBeLessThan(500);
      }
    });
  },
);
