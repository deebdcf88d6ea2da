import { describe, expect, test } from 'vitest';
import { findViolations, importsOf } from './check-imports.mjs';

describe('imports are found', () => {
  test.each([
    ["import { a } from './a.ts';", './a.ts'],
    ["import type { A } from './a.ts';", './a.ts'],
    ["import {\n  a,\n  b,\n} from './a.ts';", './a.ts'],
    ["import * as a from './a.ts';", './a.ts'],
    ["import a, { b } from './a.ts';", './a.ts'],
    ["import './a.css';", './a.css'],
    ["export { a } from './a.ts';", './a.ts'],
    ["export * from './a.ts';", './a.ts'],
    ["export type { A } from './a.ts';", './a.ts'],
    ["const page = lazy(() => import('./a.tsx'));", './a.tsx'],
  ])('%s', (source, specifier) => {
    expect(importsOf(source)).toEqual([specifier]);
  });

  test('not in comments, and a URL in a string hides nothing behind it', () => {
    expect(importsOf("// import './a.ts';\n/* import './b.ts'; */")).toEqual([]);
    expect(importsOf("const u = 'http://x'; import './c.ts';")).toEqual(['./c.ts']);
  });
});

describe('a broken rule is named', () => {
  test.each([
    ['console/src/main.tsx', "import { startBroker } from '@mqdeck/broker/broker';", 'in the contract only'],
    ['broker/src/broker.ts', "import { App } from '@mqdeck/console/app';", 'in the contract only'],
    ['broker/src/broker.ts', "import '../../console/src/main.tsx';", 'by its package name'],
    ['broker/src/broker.ts', "import { parse } from '@mqdeck/server/options';", 'imported by nobody'],
    ['e2e/login.e2e.ts', "import { parse } from '../server/src/options.ts';", 'imported by nobody'],
    ['mqtt/src/codec.ts', "import { z } from '@mqdeck/contract/kit';", 'none of our rooms'],
    ['contract/src/clients.ts', "import type { QoS } from '@mqdeck/mqtt/packets';", 'none of our rooms'],
    ['rulesql/src/parse.ts', "import { match } from '@mqdeck/mqtt/topics';", 'none of our rooms'],
    [
      'broker/src/core/core.ts',
      "import { start } from '../features/users/users.ts';",
      'never imports a feature',
    ],
    [
      'broker/src/core/core.ts',
      "import { users } from '@mqdeck/contract/users';",
      'does not know the REST API',
    ],
    [
      'broker/src/features/users/api.ts',
      "import { list } from '../clients/api.ts';",
      'never imports another',
    ],
    [
      'console/src/features/users/UsersPage.tsx',
      "import { Row } from '../clients/Row.tsx';",
      'never imports another',
    ],
    ['console/src/ui/Page.tsx', "import { request } from '../api/request.ts';", 'knows no API'],
    ['console/src/ui/Page.tsx', "import { routes } from '../routes.tsx';", 'knows no API and no route'],
    ['console/src/ui/index.ts', "export { Page } from './Page.tsx';", 'is a barrel'],
    ['mqtt/src/index.ts', "export * from './codec.ts';", 'is a barrel'],
  ])('%s: %s', (file, source, why) => {
    expect(findViolations(file, source).join('\n')).toContain(why);
  });
});

test.each([
  ['server/src/main.ts', "import { startBroker } from '@mqdeck/broker/broker';"],
  ['console/src/features/users/UsersPage.tsx', "import { users } from '@mqdeck/contract/users';"],
  ['broker/src/features/users/users.ts', "import type { Core } from '../../core/core.ts';"],
  ['broker/src/broker.ts', "import { startUsers } from './features/users/users.ts';"],
  ['console/src/ui/Page.tsx', "import { icons } from './icons.ts';"],
  ['console/src/features/users/index.ts', 'export const users = 1;'],
  ['e2e/login.e2e.ts', "import { startBroker } from '@mqdeck/broker/broker';"],
])('what runs downhill is allowed: %s: %s', (file, source) => {
  expect(findViolations(file, source)).toEqual([]);
});
