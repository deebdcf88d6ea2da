import { describe, expect, test } from 'vitest';
import { helpText, type Options, parseCommand } from './options.ts';

function options(args: string[], env = {}, file?: string): Options {
  const command = parseCommand(args, env, () => file ?? '');
  if (command.run !== 'start') throw new Error(`it would show ${command.run}`);
  return command.options;
}

test('without options it listens on the well-known ports of this machine only', () => {
  expect(options([])).toEqual({
    host: '127.0.0.1',
    http: 18083,
    tcp: 1883,
    ssl: 8883,
    ws: 8083,
    wss: 8084,
    certificate: null,
    data: './data',
    base: '',
    demo: false,
    edition: 'opensource',
    adminPassword: null,
    licenseIssuer: null,
    importFile: null,
    importPassphrase: null,
    upstream: null,
    upstreamWs: null,
    allowHost: [],
    outbound: { mode: 'allow', allowed: [] },
  });
});

test('a flag wins over the environment, the environment over the file, the file over the default', () => {
  const file = '{"http": 1, "tcp": 1, "ws": 1}';
  const got = options(['--http', '3', '--config', 'x.json'], { MQDECK_HTTP: '2', MQDECK_TCP: '2' }, file);
  expect([got.http, got.tcp, got.ws, got.host]).toEqual([3, 2, 1, '127.0.0.1']);
});

test('values are understood in both forms, ports also as 0 and off', () => {
  const got = options(['--http=0', '--tcp', 'off', '--data', '/d', '--base', '/a/b/', '--demo=false']);
  expect(got).toMatchObject({ http: 0, tcp: 'off', data: '/d', base: '/a/b', demo: false });
  expect(options(['--demo', '--edition', 'enterprise'])).toMatchObject({ demo: true, edition: 'enterprise' });
});

test("TLS has ports and, if wanted, a certificate of one's own, wherever they are said", () => {
  const file = '{"cert": "/c.pem", "key": "/k.pem", "wss": "off"}';
  const got = options(['--ssl', '0', '--config', 'x.json'], { MQDECK_KEY: '/other.pem' }, file);
  expect(got).toMatchObject({ ssl: 0, wss: 'off', certificate: { cert: '/c.pem', key: '/other.pem' } });
});

test('a repeatable option is a list on the command line, commas in the environment, an array in the file', () => {
  expect(options(['--allow-host', 'A.example', '--allow-host', 'b']).allowHost).toEqual(['a.example', 'b']);
  expect(options([], { MQDECK_ALLOW_HOST: 'a, b' }).allowHost).toEqual(['a', 'b']);
  expect(options(['--config', 'x'], {}, '{"allow-host": ["a", "b"]}').allowHost).toEqual(['a', 'b']);
});

test('what the broker connects to is limited by a mode and a list', () => {
  expect(options(['--outbound', 'deny-private', '--outbound-allow', '10.0.0.0/8']).outbound).toEqual({
    mode: 'deny-private',
    allowed: ['10.0.0.0/8'],
  });
  const env = { MQDECK_OUTBOUND: 'allow-list', MQDECK_OUTBOUND_ALLOW: 'db.internal, *.example.com' };
  expect(options([], env).outbound).toEqual({
    mode: 'allow-list',
    allowed: ['db.internal', '*.example.com'],
  });
  expect(() => options(['--outbound', 'deny'])).toThrow('allow, deny-private or allow-list; it is "deny"');
  expect(() => options(['--outbound-allow', 'http://a'])).toThrow('it is "http://a"');
});

test('an upstream has a name of its own or that of its host', () => {
  expect(options(['--upstream', 'http://emqx:18083']).upstream?.name).toBe('emqx:18083');
  const named = options(['--upstream', 'plant=https://emqx.example/x']).upstream;
  expect([named?.name, named?.url.href]).toEqual(['plant', 'https://emqx.example/x']);
});

test('an empty variable is as good as none', () => {
  expect(options([], { MQDECK_HTTP: '' }).http).toBe(18083);
});

test('help and version win over everything else', () => {
  expect(parseCommand(['--http', '1', '--help'], {})).toEqual({ run: 'help' });
  expect(parseCommand(['--version'], { MQDECK_HTTP: 'x' })).toEqual({ run: 'version' });
  for (const name of ['--http', '--upstream-ws', '--config']) expect(helpText()).toContain(name);
});

describe('what cannot be is refused with a sentence that names it', () => {
  test.each<[string[], string]>([
    [['--htpp', '1'], 'There is no option --htpp'],
    [['18083'], '"18083" is not understood'],
    [['--http'], '--http needs a value'],
    [['--http', '--demo'], '--http needs a value'],
    [['--http', '65536'], '--http must be a port from 1 to 65535'],
    [['--tcp', '-1'], '--tcp must be a port'],
    [['--ws', '8083x'], '--ws must be a port'],
    [['--ssl', 'on'], '--ssl must be a port'],
    [['--wss', '8084/'], '--wss must be a port'],
    [['--cert', 'cert.pem'], '--cert and --key belong together'],
    [['--key', 'key.pem'], '--cert and --key belong together'],
    [['--base', 'mqdeck'], '--base must look like /mqdeck'],
    [['--base', '/a/../b"'], '--base must look like'],
    [['--edition', 'gold'], '--edition is either opensource or enterprise'],
    [['--upstream', 'emqx:18083'], '--upstream must be an address that begins with http:// or https://'],
    [['--upstream', 'http://u:p@emqx'], 'without user'],
    [['--upstream', 'http://a', '--upstream', 'http://b'], 'several clusters behind one console come later'],
    [['--upstream', 'http://a', '--upstream-ws', 'http://a'], '--upstream-ws must be an address'],
    [['--upstream-ws', 'ws://a'], 'which is missing'],
    [['--upstream', 'http://a', '--demo'], '--demo needs the embedded broker'],
    [['--upstream', 'http://a', '--http', 'off'], 'there is only the console to serve'],
    [['--demo', '--tcp', 'off'], 'cannot be used with --tcp off'],
    [['--allow-host', 'http://x'], '--allow-host takes a host name'],
  ])('%j', (args, sentence) => {
    expect(() => parseCommand(args, {})).toThrow(sentence);
  });

  test('the sentence names the place where the value came from', () => {
    expect(() => parseCommand([], { MQDECK_TCP: 'x' })).toThrow('MQDECK_TCP must be a port');
    expect(() => parseCommand(['--config', 'c.json'], {}, () => '{"tcp": "x"}')).toThrow(
      '"tcp" in c.json must be',
    );
  });

  test.each([
    ['{"htpp": 1}', 'names "htpp"'],
    ['{"http": {}}', 'must be a text, a number'],
    ['[]', 'one JSON object'],
    ['{', 'cannot be read'],
  ])('configuration %s', (file, sentence) => {
    expect(() => parseCommand(['--config', 'c.json'], {}, () => file)).toThrow(sentence);
  });

  test('a configuration file that is not there', () => {
    expect(() => parseCommand(['--config', '/nowhere/c.json'], {})).toThrow('/nowhere/c.json cannot be read');
  });
});

test('a backup is restored by the command line alone: what stands in a file would be restored at each start', () => {
  expect(options(['--import', 'a.tar.gz']).importFile).toBe('a.tar.gz');
  expect(options([], { MQDECK_IMPORT: 'a.tar.gz' }).importFile).toBeNull();
  expect(() => options(['--config', 'x'], {}, '{"import": "a.tar.gz"}')).toThrow('there is no such option');
  const enc = ['--import', 'a.tar.gz.enc'];
  expect(options(enc, { MQDECK_IMPORT_PASSPHRASE: 'from the shell' }).importPassphrase).toBe(
    'from the shell',
  );
  expect(options([...enc, '--import-passphrase-file', 'p'], {}, ' of a file \n').importPassphrase).toBe(
    ' of a file ',
  );
  expect(() => options([...enc, '--import-passphrase', 'seen by all'])).toThrow('There is no option');
  expect(() => options(['--import-passphrase-file', 'p'])).toThrow('belongs to --import');
  expect(() => parseCommand([...enc, '--import-passphrase-file', '/nowhere/p'], {})).toThrow(
    'cannot be read',
  );
  expect(() => options(['--import', 'a.tar.gz', '--upstream', 'http://x'])).toThrow('--import restores');
});
