import { readFileSync } from 'node:fs';
import { OUTBOUND_MODES, type OutboundOptions } from '@mqdeck/broker/backends/outbound';
import { isAllowedEntry } from '@mqdeck/broker/backends/outbound-addresses';
import { passwordFault } from '@mqdeck/contract/users';
import { StartFailure } from './start-failure.ts';

/** 0 = any free port. */
export type Port = number | 'off';
export type Edition = 'opensource' | 'enterprise';

export interface Upstream {
  name: string;
  url: URL;
}

export interface Options {
  host: string;
  http: Port;
  tcp: Port;
  ssl: Port;
  ws: Port;
  wss: Port;
  /** Files in PEM form; null = one of our own making. */
  certificate: { cert: string; key: string } | null;
  data: string;
  base: string; // '' or '/prefix', never with a slash at the end
  demo: boolean;
  /** Of the user admin, where the data folder has no users yet; null = the password that everybody knows. */
  adminPassword: string | null;
  edition: Edition;
  /** A file with the public key of who issues licenses; null = nobody does. */
  licenseIssuer: string | null;
  /** A backup to restore at this start, from the command line alone: a second start must not restore it again. */
  importFile: string | null;
  /** What `importFile` is encrypted with: from a file or the environment, because everybody can read a command line. */
  importPassphrase: string | null;
  upstream: Upstream | null;
  upstreamWs: URL | null;
  allowHost: string[];
  outbound: OutboundOptions;
}

export type Command = { run: 'help' } | { run: 'version' } | { run: 'start'; options: Options };

/** What one option may say. A flag without a value stands for `true`; only `demo` knows what to do with that. */
interface Flag<T> {
  default: T;
  value: string; // how the help calls its value, '' when it takes none
  help: string;
  parse(values: string[], flag: string): T;
  many?: true;
}

const last = (values: string[]): string => values.at(-1)!;

const port =
  (orNone: string) =>
  (values: string[], flag: string): Port => {
    const value = last(values);
    if (value === 'off') return 'off';
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
    throw new StartFailure(
      `${flag} must be a port from 1 to 65535, 0 for any free port, or off for ${orNone}; it is "${value}".`,
    );
  };

function url(value: string, flag: string, protocols: string[]): URL {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed && protocols.includes(parsed.protocol) && !parsed.search && !parsed.hash && !parsed.username) {
    return parsed;
  }
  const schemes = protocols.map((protocol) => `${protocol}//`).join(' or ');
  throw new StartFailure(
    `${flag} must be an address that begins with ${schemes}, without user, "?" or "#"; it is "${value}".`,
  );
}

const flags = {
  host: {
    default: '127.0.0.1',
    value: 'ADDRESS',
    help: 'what every listener binds to; 0.0.0.0 opens it to the network',
    parse: last,
  } satisfies Flag<string>,
  http: {
    default: 18083,
    value: 'PORT',
    help: 'console and REST API',
    parse: port('none'),
  } satisfies Flag<Port>,
  tcp: { default: 1883, value: 'PORT', help: 'MQTT over TCP', parse: port('none') } satisfies Flag<Port>,
  ssl: { default: 8883, value: 'PORT', help: 'MQTT over TLS', parse: port('none') } satisfies Flag<Port>,
  ws: { default: 8083, value: 'PORT', help: 'MQTT over WebSocket', parse: port('none') } satisfies Flag<Port>,
  wss: {
    default: 8084,
    value: 'PORT',
    help: 'MQTT over WebSocket and TLS',
    parse: port('none'),
  } satisfies Flag<Port>,
  cert: {
    default: null,
    value: 'FILE',
    help: 'a certificate for --ssl and --wss, in PEM form; without it one is made',
    parse: last,
  } satisfies Flag<string | null>,
  key: {
    default: null,
    value: 'FILE',
    help: 'its private key',
    parse: last,
  } satisfies Flag<string | null>,
  data: {
    default: './data',
    value: 'FOLDER',
    help: 'everything that lasts',
    parse: last,
  } satisfies Flag<string>,
  base: {
    default: '',
    value: '/PREFIX',
    help: 'path prefix when the console stands behind a proxy',
    parse(values, flag) {
      const value = last(values).replace(/\/+$/, '');
      if (value === '' || /^(\/[A-Za-z0-9._~-]+)+$/.test(value)) return value;
      throw new StartFailure(`${flag} must look like /mqdeck; it is "${last(values)}".`);
    },
  } satisfies Flag<string>,
  demo: {
    default: false,
    value: '',
    help: 'adds a simulated fleet of devices',
    parse(values, flag) {
      const value = last(values);
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      throw new StartFailure(`${flag} is either true or false; it is "${value}".`);
    },
  } satisfies Flag<boolean>,
  'admin-password': {
    default: null,
    value: 'PASSWORD',
    help: 'the first password of admin instead of public; as a variable no other user of the machine sees it',
    parse(values, flag) {
      if (passwordFault(last(values)) === null) return last(values);
      throw new StartFailure(
        `${flag} must be 8 to 64 characters in length; contain at least two of the letters, numbers and symbols.`,
      );
    },
  } satisfies Flag<string | null>,
  edition: {
    default: 'opensource',
    value: 'NAME',
    help: 'opensource or enterprise',
    parse(values, flag) {
      const value = last(values);
      if (value === 'opensource' || value === 'enterprise') return value;
      throw new StartFailure(`${flag} is either opensource or enterprise; it is "${value}".`);
    },
  } satisfies Flag<Edition>,
  'license-issuer': {
    default: null,
    value: 'FILE',
    help: 'the ed25519 public key of who issues licenses of the enterprise edition, in PEM form',
    parse: last,
  } satisfies Flag<string | null>,
  upstream: {
    default: null,
    many: true,
    value: '[NAME=]URL',
    help: 'puts the console in front of this cluster; no broker is started',
    parse(values, flag) {
      if (values.length > 1) {
        throw new StartFailure(`${flag} can be given once: several clusters behind one console come later.`);
      }
      const [, name, address] = /^(?:([A-Za-z0-9_-]+)=)?(.*)$/s.exec(last(values))!;
      const parsed = url(address!, flag, ['http:', 'https:']);
      return { name: name ?? parsed.host, url: parsed };
    },
  } satisfies Flag<Upstream | null>,
  'upstream-ws': {
    default: null,
    value: 'URL',
    help: "the cluster's MQTT over WebSocket; default: port 8083 of its host",
    parse: (values, flag) => url(last(values), flag, ['ws:', 'wss:']),
  } satisfies Flag<URL | null>,
  'allow-host': {
    default: [],
    many: true,
    value: 'NAME',
    help: 'a host name under which the console is reached; once given, no other name is answered (repeatable)',
    parse(values, flag) {
      return values.map((value) => {
        if (/^[A-Za-z0-9.-]+$/.test(value)) return value.toLowerCase();
        throw new StartFailure(`${flag} takes a host name without scheme and port; it is "${value}".`);
      });
    },
  } satisfies Flag<string[]>,
  outbound: {
    default: 'allow',
    value: 'MODE',
    help: 'what bridges, authentication, exhooks and the like connect to: allow, deny-private or allow-list',
    parse(values, flag) {
      const mode = OUTBOUND_MODES.find((one) => one === last(values));
      if (mode) return mode;
      throw new StartFailure(`${flag} is allow, deny-private or allow-list; it is "${last(values)}".`);
    },
  } satisfies Flag<OutboundOptions['mode']>,
  'outbound-allow': {
    default: [],
    many: true,
    value: 'TARGET',
    help: 'an address, a network such as 10.0.0.0/8 or a host name that --outbound must not deny (repeatable)',
    parse(values, flag) {
      const wrong = values.find((value) => !isAllowedEntry(value));
      if (wrong === undefined) return values;
      throw new StartFailure(
        `${flag} takes an address, a network such as 10.0.0.0/8, or a host name; it is "${wrong}".`,
      );
    },
  } satisfies Flag<string[]>,
};
type FlagName = keyof typeof flags;
const flagNames = Object.keys(flags) as FlagName[];
const isFlag = (name: string): name is FlagName => Object.hasOwn(flags, name);

/** One place that gave values: the command line, the environment or the file; `say` names it in sentences. */
interface Source {
  values: Map<FlagName, string[]>;
  say(name: FlagName): string;
}

/** Understands the command line, MQDECK_* and --config FILE; the first of these to name an option wins. */
export function parseCommand(
  args: string[],
  env: Record<string, string | undefined>,
  readFile: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): Command {
  const { values, extra } = parseArguments(args);
  if (extra.help) return { run: 'help' };
  if (extra.version) return { run: 'version' };
  const sources: Source[] = [
    { values, say: (name) => `--${name}` },
    { values: parseEnvironment(env), say: variableOf },
  ];
  const configFile = extra.config ?? env.MQDECK_CONFIG;
  if (configFile !== undefined) {
    sources.push({
      values: parseConfig(configFile, readFile),
      say: (name) => `"${name}" in ${configFile}`,
    });
  }
  const get = <T>(name: FlagName, flag: Flag<T>): T => {
    const source = sources.find((one) => one.values.has(name));
    return source ? flag.parse(source.values.get(name)!, source.say(name)) : flag.default;
  };
  const cert = get<string | null>('cert', flags.cert);
  const key = get<string | null>('key', flags.key);
  if ((cert === null) !== (key === null))
    throw new StartFailure('--cert and --key belong together: one of them is missing.');
  const options: Options = {
    host: get('host', flags.host),
    http: get<Port>('http', flags.http),
    tcp: get<Port>('tcp', flags.tcp),
    ssl: get<Port>('ssl', flags.ssl),
    ws: get<Port>('ws', flags.ws),
    wss: get<Port>('wss', flags.wss),
    certificate: cert !== null && key !== null ? { cert, key } : null,
    data: get('data', flags.data),
    base: get('base', flags.base),
    demo: get('demo', flags.demo),
    adminPassword: get<string | null>('admin-password', flags['admin-password']),
    edition: get<Edition>('edition', flags.edition),
    licenseIssuer: get<string | null>('license-issuer', flags['license-issuer']),
    importFile: extra.import ?? null,
    importPassphrase: importPassphrase(extra, env, readFile),
    upstream: get<Upstream | null>('upstream', flags.upstream),
    upstreamWs: get<URL | null>('upstream-ws', flags['upstream-ws']),
    allowHost: get<string[]>('allow-host', flags['allow-host']),
    outbound: {
      mode: get<OutboundOptions['mode']>('outbound', flags.outbound),
      allowed: get<string[]>('outbound-allow', flags['outbound-allow']),
    },
  };
  checkTogether(options);
  return { run: 'start', options };
}

function importPassphrase(
  extra: Extra,
  env: Record<string, string | undefined>,
  readFile: (file: string) => string,
): string | null {
  const file = extra['import-passphrase-file'];
  if (file === undefined) return env.MQDECK_IMPORT_PASSPHRASE || null;
  if (extra.import === undefined) throw new StartFailure('--import-passphrase-file belongs to --import.');
  try {
    return readFile(file).replace(/\r?\n$/, '');
  } catch (error) {
    throw new StartFailure(`The passphrase file ${file} cannot be read: ${(error as Error).message}`);
  }
}

function checkTogether(options: Options): void {
  const { demo, edition, http, importFile, licenseIssuer, tcp, upstream, upstreamWs } = options;
  if (upstream && importFile !== null)
    throw new StartFailure(
      '--import restores the embedded broker; a cluster is restored by its own command line.',
    );
  if (licenseIssuer !== null && edition !== 'enterprise')
    throw new StartFailure('--license-issuer belongs to --edition enterprise.');
  if (upstream && demo) throw new StartFailure('--demo needs the embedded broker; leave --upstream away.');
  if (demo && tcp === 'off')
    throw new StartFailure('--demo connects over TCP; it cannot be used with --tcp off.');
  if (upstream && http === 'off') {
    throw new StartFailure(
      'With --upstream there is only the console to serve; it cannot be used with --http off.',
    );
  }
  if (upstreamWs && !upstream)
    throw new StartFailure('--upstream-ws says more about --upstream, which is missing.');
}

/** Options of the command line alone, with a value. */
const ONLY_ARGUMENTS = ['config', 'import', 'import-passphrase-file'] as const;
type OnlyArgument = (typeof ONLY_ARGUMENTS)[number];
type Extra = { help?: true; version?: true } & { [K in OnlyArgument]?: string };
const isOnlyArgument = (name: string): name is OnlyArgument =>
  (ONLY_ARGUMENTS as readonly string[]).includes(name);

function parseArguments(args: string[]) {
  const values: Source['values'] = new Map();
  const extra: Extra = {};
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const [, name, inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (arg === '-h' || name === 'help') extra.help = true;
    else if (name === 'version') extra.version = true;
    else if (name === undefined)
      throw new StartFailure(`"${arg}" is not understood. --help lists the options.`);
    else if (!isOnlyArgument(name) && !isFlag(name)) {
      throw new StartFailure(`There is no option --${name}. --help lists the options.`);
    } else {
      const takesNone = name === 'demo';
      const value = inline ?? (takesNone ? 'true' : args[++i]);
      if (value === undefined || value === '' || (inline === undefined && value.startsWith('--'))) {
        throw new StartFailure(`--${name} needs a value. --help lists the options.`);
      }
      if (isOnlyArgument(name)) extra[name] = value;
      else values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return { values, extra };
}

const variableOf = (name: FlagName): string => `MQDECK_${name.toUpperCase().replaceAll('-', '_')}`;
const isMany = (name: FlagName): boolean => 'many' in flags[name];

/** An empty variable counts as not set: that is how one takes it back in a shell or a compose file. */
function parseEnvironment(env: Record<string, string | undefined>): Source['values'] {
  const values: Source['values'] = new Map();
  for (const name of flagNames) {
    const value = env[variableOf(name)];
    if (value) values.set(name, isMany(name) ? value.split(',').map((one) => one.trim()) : [value]);
  }
  return values;
}

function parseConfig(file: string, readFile: (file: string) => string): Source['values'] {
  let json: unknown;
  try {
    json = JSON.parse(readFile(file));
  } catch (error) {
    throw new StartFailure(`The configuration file ${file} cannot be read: ${(error as Error).message}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new StartFailure(`The configuration file ${file} must hold one JSON object.`);
  }
  const values: Source['values'] = new Map();
  for (const [name, value] of Object.entries(json)) {
    if (!isFlag(name)) throw new StartFailure(`${file} names "${name}", and there is no such option.`);
    const list = Array.isArray(value) && isMany(name) ? value : [value];
    if (list.length === 0) continue;
    if (!list.every((one) => ['string', 'number', 'boolean'].includes(typeof one))) {
      throw new StartFailure(`"${name}" in ${file} must be a text, a number or true/false.`);
    }
    values.set(name, list.map(String));
  }
  return values;
}

/** The text of --help. */
export function helpText(): string {
  const rows = flagNames.map((name) => {
    const { default: byDefault, help, value } = flags[name];
    const shown = typeof byDefault === 'string' || typeof byDefault === 'number' ? String(byDefault) : '';
    return [`--${name} ${value}`, shown ? `${help} (${shown})` : help];
  });
  rows.push(
    ['--import FILE', 'restores a backup of any size before anybody can connect, then starts as usual'],
    [
      '--import-passphrase-file FILE',
      'holds the passphrase of an encrypted backup; or MQDECK_IMPORT_PASSPHRASE in the environment',
    ],
    ['--config FILE', 'the same names as keys of a JSON file'],
    ['--help, --version', ''],
  );
  const width = Math.max(...rows.map(([left]) => left!.length));
  return [
    'mqdeck: an MQTT broker and its web console behind one command.',
    '',
    ...rows.map(([left, right]) => `  ${left!.padEnd(width)}  ${right}`.trimEnd()),
    '',
    'Ports: 0 = any free port, off = none. Each option can also be set as MQDECK_HTTP, MQDECK_DATA, …;',
    'an option on the command line wins over the environment, and that over the file.',
  ].join('\n');
}
