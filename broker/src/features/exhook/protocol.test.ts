import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadSync } from '@grpc/proto-loader';
import { EXHOOK_HOOKS } from '@mqdeck/contract/exhooks';
import { exhookProto } from '@mqdeck/contract/protos/exhook';
import { expect, test } from 'vitest';
import { loadPackage } from '../../grpc/proto.ts';
import { exhookPackage, hookCall, PACKAGES, pathOf } from './protocol.ts';

test('what the program speaks is what the .proto file for authors of servers says', () => {
  const file = fileURLToPath(new URL('./exhook.proto', import.meta.url));
  expect(exhookProto, 'what the console hands out').toBe(readFileSync(file, 'utf8'));
  const written = loadSync(file, { keepCase: true });
  const spoken = loadPackage(exhookPackage);
  expect(Object.keys(spoken).sort()).toEqual(Object.keys(written).sort());
  expect(facts(spoken)).toEqual(facts(written));
});

test('each hook has its call in each package', () => {
  expect(EXHOOK_HOOKS.map((hook) => pathOf(PACKAGES[1], hookCall(hook)))).toContain(
    '/emqx.exhook.v2.HookProvider/OnSessionTakenover',
  );
});

/** Fields with their numbers and types, calls with their paths. */
const facts = (definition: ReturnType<typeof loadPackage>) =>
  Object.entries(definition)
    .map(([name, one]) => {
      if ('type' in one) return [name, fieldsOf(one.type)];
      return [
        name,
        Object.values(one)
          .map(({ path, requestType, responseType, requestStream }) => [
            path,
            nameOf(requestType.type),
            nameOf(responseType.type),
            requestStream,
          ])
          .sort(),
      ];
    })
    .sort(([a], [b]) => String(a).localeCompare(String(b)));

const nameOf = (type: object) => (type as { name: string }).name;

const fieldsOf = (type: object) => {
  const { field = [], value = [], oneofDecl = [] } = type as Record<string, Record<string, unknown>[]>;
  const all = [...field, ...value].map(({ name, number, type: kind, typeName, label, oneofIndex }) => ({
    name,
    number,
    kind,
    typeName: String(typeName).split('.').at(-1),
    label,
    oneofIndex,
  }));
  return {
    all: all.sort((a, b) => Number(a.number) - Number(b.number)),
    oneofs: oneofDecl.map(({ name }) => name),
  };
};
