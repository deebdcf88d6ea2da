import { parseServer, parseServers, type ServerAddress } from '@mqdeck/contract/kit/servers';
import type { SslClient } from '@mqdeck/contract/kit/ssl';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { MongoClient, MongoClientOptions } from 'mongodb';
import { BackendConfigError, type BackendParts, type MongoBackend, type Row } from './backend.ts';
import type { OutboundPolicy } from './outbound.ts';
import { networkReason } from './reasons.ts';
import { milliseconds } from './timeouts.ts';
import { type TlsOptions, tlsOptions } from './tls.ts';
import { Watch } from './watch.ts';

const PORT = 27017;
const TIMEOUT_MS = 5000;
const HEARTBEAT_MS_MIN = 500; // what the driver takes

type Duration = string | number | undefined;
interface Common {
  database: string;
  username?: string | undefined;
  password?: string | undefined;
  auth_source?: string | undefined;
  pool_size: number;
  srv_record: boolean;
  /** Whether the server's word is waited for after a write; `safe` unless told. */
  w_mode?: 'unsafe' | 'safe' | undefined;
  topology: {
    connect_timeout_ms?: Duration;
    server_selection_timeout_ms?: Duration;
    socket_timeout_ms?: Duration;
    wait_queue_timeout_ms?: Duration;
    heartbeat_frequency_ms: Duration;
    local_threshold_ms?: Duration;
  };
  ssl: SslClient;
}
export type MongodbConfig = Common &
  (
    | { mongo_type: 'single'; server: string }
    | { mongo_type: 'rs'; servers: string; replica_set_name: string; r_mode: 'master' | 'slave_ok' }
    | { mongo_type: 'sharded'; servers: string }
  );

/** A client of one server, a replica set or the routers of a sharded cluster. It connects when it is asked. */
export function openMongodb(config: MongodbConfig, { log, outbound }: BackendParts): MongoBackend {
  const address = config.mongo_type === 'single' ? config.server : config.servers;
  const timeoutMs = milliseconds(config.topology.socket_timeout_ms);
  const opening = clientOf(config, timeoutMs, outbound).then((client) => {
    follow(client);
    return client;
  });
  opening.catch(() => undefined); // each caller that awaits the client receives the error
  const database = async () => (await opening).db(config.database);
  /** With a single server nobody need wait for the driver to look for others. */
  let onFailure: (failure: Error) => void = () => undefined;
  const watch = new Watch({
    name: `mongodb ${address}`,
    log,
    check: () =>
      new Promise<void>((resolve, reject) => {
        onFailure = reject;
        database()
          .then((one) => one.command({ ping: 1 }))
          .then(() => resolve(), reject);
      }),
    explain: (error) => explained(error, config, address),
  });

  function follow(client: MongoClient): void {
    // A member that others tell of may be an address; the driver looks up names alone
    client.on('serverOpening', ({ address: member }) => {
      const denial = outbound.denialOf(parseServer(member)?.host ?? member);
      if (denial === null) return;
      onFailure(denial);
      client.close(true).catch(() => undefined);
    });
    client.on('connectionClosed', () => watch.checkSoon());
    client.on('serverHeartbeatFailed', ({ failure }) => {
      if (config.mongo_type === 'single') onFailure(failure);
      watch.checkSoon();
    });
  }

  return {
    get status() {
      return watch.status;
    },
    get reason() {
      return watch.reason;
    },
    metrics: watch.metrics,
    find: (collection, filter, { limit, skip }) =>
      watch.ask(timeoutMs, async (): Promise<Row[]> => {
        const found = (await database())
          .collection(collection)
          .find(filter, { limit, skip, maxTimeMS: timeoutMs, raw: false });
        return found.toArray();
      }),
    insert: (collection, documents) =>
      watch.ask(timeoutMs, async () => {
        await (await database()).collection(collection).insertMany([...documents], {
          ordered: true,
          writeConcern: { w: config.w_mode === 'unsafe' ? 0 : 1 },
        });
      }),
    ping: () =>
      watch.ask(timeoutMs, async () => {
        await (await database()).command({ ping: 1 });
      }),
    close: async () => {
      watch.close();
      await opening.then(
        (client) => client.close(true),
        () => undefined, // there is none
      );
    },
  };
}

async function clientOf(
  config: MongodbConfig,
  timeoutMs: number,
  outbound: OutboundPolicy,
): Promise<MongoClient> {
  for (const { host } of serversOf(config)) outbound.checkHost(host);
  const { username, password, auth_source, topology, ssl } = config;
  const tls = tlsOptions(ssl);
  const single = config.mongo_type === 'single' && !config.srv_record;
  const options: MongoClientOptions = {
    appName: 'mqdeck',
    lookup: outbound.lookup,
    maxPoolSize: config.pool_size,
    connectTimeoutMS: shorter(topology.connect_timeout_ms),
    serverSelectionTimeoutMS: shorter(topology.server_selection_timeout_ms),
    socketTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: shorter(topology.wait_queue_timeout_ms),
    heartbeatFrequencyMS: Math.max(milliseconds(topology.heartbeat_frequency_ms), HEARTBEAT_MS_MIN),
    ...(topology.local_threshold_ms !== undefined && {
      localThresholdMS: parseDuration(topology.local_threshold_ms) ?? 15,
    }),
    retryReads: false, // whoever asked cannot wait for a second try
    ...(single && { directConnection: true }),
    ...(config.mongo_type === 'rs' && {
      replicaSet: config.replica_set_name,
      readPreference: config.r_mode === 'slave_ok' ? 'secondaryPreferred' : 'primary',
    }),
    ...(username && { auth: { username, password: password ?? '' }, authSource: auth_source || 'admin' }),
    // Never by what a TXT record says
    tls: tls !== null,
    ...(tls && driverTls(tls)),
  };
  const { MongoClient } = await import('mongodb');
  try {
    return new MongoClient(urlOf(config), options);
  } catch (error) {
    const path = config.mongo_type === 'single' ? 'server' : 'servers';
    // The driver's words on options, which hold no values
    throw new BackendConfigError(path, error instanceof Error ? error.message : 'it cannot be used');
  }
}

/** Sooner than whoever asks gives up, or nobody would hear what is wrong. */
const shorter = (duration: Duration): number => Math.min(milliseconds(duration), TIMEOUT_MS - 1000);

const serversOf = (config: MongodbConfig): ServerAddress[] =>
  config.mongo_type === 'single' ? [parseServer(config.server)!] : parseServers(config.servers)!;

function urlOf(config: MongodbConfig): string {
  const all = serversOf(config);
  if (config.srv_record) return `mongodb+srv://${all[0]!.host}/`;
  const hosts = all.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port ?? PORT}`);
  return `mongodb://${hosts.join(',')}/`;
}

const driverTls = ({
  rejectUnauthorized,
  checkServerIdentity,
  ...options
}: TlsOptions): MongoClientOptions => ({
  ...(options as MongoClientOptions),
  ...(rejectUnauthorized === false && { tlsAllowInvalidCertificates: true }),
  ...(checkServerIdentity && { tlsAllowInvalidHostnames: true }),
});

function explained(error: unknown, config: MongodbConfig, address: string): string {
  if (error instanceof BackendConfigError) return error.message;
  const { username } = config;
  const root = innermost(error);
  const network = networkReason(root, address);
  if (network !== null) return network;
  const code = typeof root === 'object' && root !== null && 'code' in root ? root.code : null;
  if (code === 18) return `the server refused the password of user ${username ?? ''}`;
  if (code === 13) return 'the server wants a user and password, or this user may not read here';
  if (code === 50) return 'the server ended the query: it took too long';
  if (typeof code === 'number') return `the server answered with the error ${code}`;
  if (root instanceof Error && root.name === 'MongoServerSelectionError' && config.mongo_type === 'rs')
    return `no member of the replica set ${config.replica_set_name} could be found at ${address}`;
  const message = root instanceof Error ? root.message : '';
  if (/timed? ?out/i.test(message)) return `no answer from ${address} in time`;
  if (/closed/i.test(message)) return `${address} ended the connection`;
  return `${address} did not answer as MongoDB does`;
}

/** Why no server could be chosen stands deep inside. */
function innermost(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  if ('reason' in error && typeof error.reason === 'object' && error.reason !== null) {
    const { reason } = error;
    if ('servers' in reason && reason.servers instanceof Map)
      for (const server of reason.servers.values()) if (server?.error) return innermost(server.error);
  }
  if ('cause' in error && error.cause) return innermost(error.cause);
  return error;
}
