import { expect, test } from 'vitest';
import { masked, NoSecret, unmasked } from './secrets.ts';
import { MASK } from './values.ts';

const config = {
  server: 'db:3306',
  username: 'root',
  password: 'canary-1',
  password_hash_field: 'password_hash',
  password_hash_algorithm: { name: 'sha256' },
  secret_base64_encoded: false,
  headers: { Authorization: 'Basic canary-2', accept: 'application/json', 'X-Api-Key': 'canary-3' },
  body: { password: '${password}', nested: [{ token: 'canary-4' }] },
  ssl: {
    enable: true,
    password: 'canary-5',
    keyfile: '-----BEGIN PRIVATE KEY-----\ncanary-6',
    certfile: 'cert',
  },
};

test('answers hide every secret, and nothing else', () => {
  const shown = masked(config);
  expect(JSON.stringify(shown)).not.toContain('canary');
  expect(shown).toEqual({
    ...config,
    password: MASK,
    headers: { Authorization: MASK, accept: 'application/json', 'X-Api-Key': MASK },
    body: { password: '${password}', nested: [{ token: MASK }] },
    ssl: { enable: true, password: MASK, keyfile: MASK, certfile: 'cert' },
  });
  const path = { ssl: { keyfile: '/etc/keys/mine.pem' }, password: '' };
  expect(masked(path)).toEqual(path);
});

test('a secret with a placeholder in it, or what looks like one, is a secret', () => {
  for (const password of ['canary${', 'canary${b}', '${canary}', 'a${password}', 'Bearer canary ${password}'])
    expect(masked({ password }), password).toEqual({ password: MASK });
  for (const token of ['${password}', 'Bearer ${client_attrs.token}', '${payload.key}'])
    expect(masked({ token }), token).toEqual({ token });
});

test('what comes back unchanged keeps what is stored, each secret at its own place', () => {
  expect(unmasked(masked(config), config)).toEqual(config);
  expect(unmasked({ ...masked(config), password: 'new' }, config)).toEqual({ ...config, password: 'new' });
});

test('a mask without a stored secret is refused, wherever it stands', () => {
  const faults: [object, object, string][] = [
    [{ password: MASK }, {}, 'password'],
    [{ password: MASK }, { password: MASK }, 'password'],
    [{ ssl: { password: MASK } }, { password: 'canary' }, 'ssl.password'],
    [{ list: [{ token: MASK }] }, { list: [] }, 'list.1.token'],
    [
      { ssl: { password: MASK } },
      Object.create({ ssl: { password: 'inherited' } }) as object,
      'ssl.password',
    ],
  ];
  for (const [given, stored, path] of faults) {
    expect(() => unmasked(given, stored)).toThrow(NoSecret);
    try {
      unmasked(given, stored);
    } catch (error) {
      expect((error as NoSecret).path).toBe(path);
      expect((error as NoSecret).message).not.toContain('canary');
    }
  }
});

const address = 'https://db.example/in?a=1&token=canary-1&x-api-key=canary-2&t=${topic}#p';

test('secrets inside of an address are hidden, and kept when the address comes back', () => {
  const stored = {
    url: address,
    endpoint: 'https://user:canary-3@keys.example/jwks',
    path: '/in?access_token=canary-4&token=${payload.token}',
    push_gateway: { url: 'http://gw.example/?KEY=canary-5' },
  };
  const shown = masked(stored);
  expect(JSON.stringify(shown)).not.toContain('canary');
  expect(shown.url).toBe(`https://db.example/in?a=1&token=${MASK}&x-api-key=${MASK}&t=\${topic}#p`);
  expect(shown.path).toBe(`/in?access_token=${MASK}&token=\${payload.token}`);
  expect(unmasked(shown, stored)).toEqual(stored);
  const changed = { ...shown, url: `https://db.example/out?x-api-key=${MASK}&token=new` };
  expect(unmasked(changed, stored).url).toBe('https://db.example/out?x-api-key=canary-2&token=new');
});

test.each([
  ['another server', `https://evil.example/in?token=${MASK}`],
  ['another port', `https://db.example:8443/in?token=${MASK}`],
  ['a server that only begins alike', `https://db.example@evil.example/in?token=${MASK}`],
  ['a parameter that had no secret', `https://db.example/in?secret=${MASK}`],
  ['one secret more than there was', `https://db.example/in?token=${MASK}&token=${MASK}`],
])('a hidden secret is not sent to %s', (_, url) => {
  expect(() => unmasked({ url }, { url: address })).toThrow(NoSecret);
  expect(() => unmasked({ url }, {})).toThrow(NoSecret);
});
