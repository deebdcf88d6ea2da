import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { BackendConfigError } from './backend.ts';
import { OutboundDenied, OutboundPolicy, type ResolveAll } from './outbound.ts';
import { isAllowedEntry } from './outbound-addresses.ts';

const METADATA = [
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  '169.254.1.1',
  'fe80::1',
  'fe80::1%eth0',
];
const LOOPBACK = [
  '127.0.0.1',
  '127.1',
  '127.9.9.9',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  '::1',
  '[::1]',
  '::',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::127.0.0.1',
  '2002:7f00:1::1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  '127.0.0.1.',
  '１２７.0.0.1',
];
const PRIVATE = [
  '10.0.0.5',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '0300.0250.1.1',
  'fd00::1',
  'fc00::1',
  '::ffff:10.0.0.5',
  '64:ff9b::a00:5',
  '2002:a00:5::',
  '224.0.0.1',
  '255.255.255.255',
];
const PUBLIC = [
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  'db.example.com',
  'münchen.example',
];

const policy = (mode: 'allow' | 'deny-private' | 'allow-list', ...allowed: string[]) =>
  new OutboundPolicy({ mode, allowed });
const denies = (one: OutboundPolicy, host: string) => one.denialOf(host) !== null;

test.each(METADATA)('link-local addresses and metadata services are denied in every mode: %s', (host) => {
  for (const mode of ['allow', 'deny-private', 'allow-list'] as const)
    expect(denies(policy(mode), host)).toBe(true);
  expect(denies(policy('allow', host.replace(/%.*/, '')), host)).toBe(false);
});

test.each([...LOOPBACK, ...PRIVATE])('deny-private denies %s, in whatever spelling', (host) => {
  expect(denies(policy('deny-private'), host)).toBe(true);
  expect(denies(policy('allow'), host)).toBe(false);
});

test.each(PUBLIC)('deny-private allows %s', (host) => {
  expect(denies(policy('deny-private'), host)).toBe(false);
});

test('what is listed is allowed: addresses, networks, names and the names below a domain', () => {
  const some = policy('deny-private', '10.1.0.0/16', '192.168.1.7', 'fd12::/16', 'db.local', '*.internal');
  const addresses = ['10.1.2.3', '192.168.1.7', 'fd12::1', '::ffff:10.1.2.3'];
  for (const host of addresses) expect([host, denies(some, host)]).toEqual([host, false]);
  for (const host of ['10.2.0.1', '192.168.1.8', 'fd13::1', '127.0.0.1'])
    expect([host, denies(some, host)]).toEqual([host, true]);
});

test('allow-list denies what is not listed, and says how to list it', () => {
  const some = policy('allow-list', 'db.example.com', '*.internal');
  expect(denies(some, 'db.example.com')).toBe(false);
  expect(denies(some, 'DB.example.com.')).toBe(false);
  expect(denies(some, 'a.b.internal')).toBe(false);
  expect(denies(some, 'internal')).toBe(true);
  expect(denies(some, 'evilinternal')).toBe(true);
  expect(some.denialOf('8.8.8.8')?.message).toBe(
    'The outbound policy denies connections to 8.8.8.8: it is not in the list of allowed targets. To allow it, start mqdeck with --outbound-allow 8.8.8.8.',
  );
});

test.each([
  ['10.0.0.0/8', true],
  ['fd00::/8', true],
  ['db-1.example.com', true],
  ['*.example.com', true],
  ['10.0.0.0/33', false],
  ['*', false],
  ['a.*.com', false],
  ['http://a', false],
  ['2130706433', false],
  ['', false],
])('%s can be listed: %s', (entry, expected) => expect(isAllowedEntry(entry)).toBe(expected));

/** Names whose addresses the test gives; each question takes the next answer. */
const resolving =
  (...answers: string[][]): ResolveAll =>
  (_, __, callback) => {
    const [answer = []] = answers.splice(0, 1);
    const addresses = answer.map(
      (address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }),
    );
    callback(null, addresses);
  };

test('a name is judged by each address that is used, at every connection', async () => {
  const some = new OutboundPolicy(
    { mode: 'deny-private', allowed: [] },
    resolving(['93.184.216.34'], ['127.0.0.1'], ['10.0.0.1', '93.184.216.34', '::1']),
  );
  expect(await some.resolve('rebind.example')).toMatchObject([{ address: '93.184.216.34' }]);
  await expect(some.resolve('rebind.example')).rejects.toThrow(
    'denies connections to rebind.example (127.0.0.1): it is a loopback address',
  );
  expect(await some.resolve('rebind.example')).toMatchObject([{ address: '93.184.216.34' }]);
});

test('a listed name may have a private address, but no metadata service', async () => {
  const options = { mode: 'deny-private', allowed: ['db.example'] } as const;
  const some = new OutboundPolicy(options, resolving(['10.0.0.1'], ['169.254.169.254']));
  expect(await some.resolve('db.example')).toMatchObject([{ address: '10.0.0.1' }]);
  await expect(some.resolve('db.example')).rejects.toBeInstanceOf(OutboundDenied);
});

test('no packet goes to an address that is denied, be it written or found', async () => {
  let connections = 0;
  const server = createServer(() => connections++).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const some = new OutboundPolicy(
    { mode: 'deny-private', allowed: [] },
    resolving(['127.0.0.1'], ['127.0.0.1']),
  );
  for (const tls of [null, {}])
    for (const host of ['127.0.0.1', 'rebind.example']) {
      const error = await new Promise((resolve) => some.connect({ host, port, tls }).once('error', resolve));
      expect(error).toBeInstanceOf(OutboundDenied);
    }
  await new Promise((resolve) => server.close(resolve));
  expect(connections).toBe(0);
});

test('a configuration is refused with the field that names the host; what it had before may stay', () => {
  const some = policy('deny-private');
  const at = (config: object, before?: object) => {
    try {
      some.checkConfig(config, before);
      return null;
    } catch (cause) {
      return (cause as BackendConfigError).path;
    }
  };
  expect(at({ url: 'http://[::1]:80/x' })).toBe('url');
  expect(at({ endpoint: 'https://0x7f.1/x' })).toBe('endpoint');
  expect(at({ server: '10.0.0.1:3306' })).toBe('server');
  expect(at({ server: 'mqtt://127.0.0.1' })).toBe('server');
  expect(at({ servers: 'db.example.com:1, 10.0.0.1:2' })).toBe('servers');
  expect(at({ bootstrap_hosts: '192.168.0.1:9092' })).toBe('bootstrap_hosts');
  expect(at({ handler: { address: 'http://127.0.0.1:9' } })).toBe('handler.address');
  expect(at({ url: 'http://93.184.216.34/', body: { server: '127.0.0.1' } })).toBe(null);
  expect(at({ url: 'http://127.0.0.1/b' }, { url: 'http://127.0.0.1/a' })).toBe(null);
});
