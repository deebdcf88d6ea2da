import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { HttpAuthenticator, JwtJwks } from '../authentication.ts';
import { HttpSource } from '../authorization.ts';
import { partConfig } from '../bridges/parts.ts';
import { bridgeConfig } from '../bridges/types.ts';
import { prometheus } from '../prometheus.ts';

const url = 'http://db.example/';
/** Where an operator writes headers, by the path of the field. */
const places: [string, z.ZodMiniType, (headers: object) => object][] = [
  ['headers', bridgeConfig('webhook'), (headers) => ({ url, headers })],
  [
    'parameters.headers',
    partConfig('webhook', 'action'),
    (headers) => ({ connector: 'c', parameters: { headers } }),
  ],
  [
    'headers',
    HttpAuthenticator,
    (headers) => ({ mechanism: 'password_based', backend: 'http', method: 'get', url, headers }),
  ],
  ['headers', JwtJwks, (headers) => ({ mechanism: 'jwt', use_jwks: true, endpoint: url, headers })],
  ['headers', HttpSource, (headers) => ({ type: 'http', method: 'post', url, headers })],
  ['push_gateway.headers', prometheus.update.body!, (headers) => ({ push_gateway: { headers } })],
];

test.each(places)('%s: a header that cannot be sent is refused', (path, schema, of) => {
  const good = { 'x-a': 'b c\td', "X!#$%&'*+.^_`|~1": 'ü ${topic}', 'x-empty': '' };
  expect(z.safeParse(schema, of(good)).success).toBe(true);
  const values = ['a\r\nx-evil: 1', 'a\nb', 'a\rb', 'a\0b', '\x7f', '\x1b[0m'];
  for (const [name, value] of [
    ...values.map((value) => ['x-a', value] as const),
    ...['x a', 'x:a', 'x\r\na', 'x\0', '', 'ü', '${topic}', 'x(a)'].map((name) => [name, 'v'] as const),
  ]) {
    const result = z.safeParse(schema, of({ [name]: value }));
    expect(result.success, JSON.stringify([name, value])).toBe(false);
    expect(JSON.stringify(result.error)).toContain('header');
    expect(path.split('.').at(-1)).toBe('headers');
  }
});
