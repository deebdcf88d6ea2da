import { parseServer, parseServers, type ServerAddress } from '@mqdeck/contract/kit/servers';
import type { SslClient } from '@mqdeck/contract/kit/ssl';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { BackendParts, RedisBackend } from './backend.ts';
import type { OutboundPolicy } from './outbound.ts';
import { networkReason } from './reasons.ts';
import { sentinelConnector, serverConnector } from './redis-connectors.ts';
import { tlsOptions } from './tls.ts';
import { Watch } from './watch.ts';

const PORT = 6379;
const SENTINEL_PORT = 26379;
const TIMEOUT_MS = 5000;

interface Common {
  username?: string | undefined;
  password?: string | undefined;
  pool_size: number;
  ssl: SslClient;
}
export type RedisConfig = Common &
  (
    | { redis_type: 'single'; server: string; database: number }
    | { redis_type: 'sentinel'; servers: string; sentinel: string; database: number }
    | { redis_type: 'cluster'; servers: string }
  );

/** The library, which is loaded when a connection is made. */
type Library = typeof import('ioredis');
type Maker = (library: Library) => Redis | Cluster;

/** A connection that is made when it is used first, and made anew after it broke. */
class Slot {
  private readonly make: Maker;
  private readonly onEnd: () => void;
  private current: { client: Redis | Cluster; ready: Promise<void> } | null = null;

  constructor(make: Maker, onEnd: () => void) {
    this.make = make;
    this.onEnd = onEnd;
  }

  async client(): Promise<Redis | Cluster> {
    if (this.current === null) {
      const library = await import('ioredis');
      this.current ??= this.opened(library);
    }
    const { client, ready } = this.current;
    await ready;
    return client;
  }

  drop(): void {
    this.current?.client.disconnect();
    this.current = null;
  }

  private opened(library: Library) {
    const client = this.make(library);
    let trouble: Error | null = null;
    // Says more than what `connect` rejects with
    client.on('error', (error: Error) => {
      trouble ??= error;
    });
    const opened = {
      client,
      ready: client.connect().then(
        () => {
          // The driver goes on in database 0 when it may not have the one it asked for
          if (trouble?.name === 'ReplyError') throw trouble;
        },
        (error: unknown) => {
          throw trouble ?? error;
        },
      ),
    };
    const forget = () => {
      if (this.current !== opened) return;
      this.current = null;
      client.disconnect();
      this.onEnd();
    };
    client.on('end', forget);
    opened.ready.catch(forget);
    return opened;
  }
}

/** Connections to one server, to the master that sentinels name, or to a cluster. */
export function openRedis(config: RedisConfig, { log, outbound }: BackendParts): RedisBackend {
  const address = config.redis_type === 'single' ? config.server : config.servers;
  const slots: Slot[] = makersOf(config, outbound).map((make) => new Slot(make, () => watch.checkSoon()));
  let turn = 0;
  const next = () => slots[turn++ % slots.length]!;

  /** A connection that did not answer is not used again. */
  const run = async (slot: Slot, signal: AbortSignal, name: string, args: readonly (string | Buffer)[]) => {
    const drop = () => slot.drop();
    signal.addEventListener('abort', drop, { once: true });
    try {
      const client = await slot.client();
      return await client.call(name, [...args]);
    } finally {
      signal.removeEventListener('abort', drop);
    }
  };
  const watch: Watch = new Watch({
    name: `redis ${address}`,
    log,
    check: async (signal) => {
      await run(slots[0]!, signal, 'PING', []);
    },
    explain: (error) => explained(error, config, address),
  });

  return {
    get status() {
      return watch.status;
    },
    get reason() {
      return watch.reason;
    },
    metrics: watch.metrics,
    command: (name, args) => watch.ask(TIMEOUT_MS, (signal) => run(next(), signal, name, args)),
    close: async () => {
      watch.close();
      for (const slot of slots) slot.drop();
    },
  };
}

/** What makes each connection. */
function makersOf(config: RedisConfig, outbound: OutboundPolicy): Maker[] {
  const { username, password, ssl, pool_size } = config;
  const tls = tlsOptions(ssl);
  const common = {
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls }),
    protocol: 2 as const,
    lazyConnect: true,
    retryStrategy: () => null, // we make a new one
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: TIMEOUT_MS,
    connectionName: 'mqdeck',
  } satisfies RedisOptions;
  switch (config.redis_type) {
    case 'single': {
      const { host, port } = withPort(parseServer(config.server)!, PORT);
      return Array.from(
        { length: pool_size },
        (): Maker => (library) =>
          new library.Redis({
            ...common,
            Connector: serverConnector(library, outbound),
            host,
            port,
            db: config.database,
          }),
      );
    }
    case 'sentinel': {
      const sentinels = parseServers(config.servers)!.map((one) => withPort(one, SENTINEL_PORT));
      const options = {
        ...common,
        sentinels,
        name: config.sentinel,
        db: config.database,
        sentinelRetryStrategy: () => null,
        ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
      } satisfies RedisOptions;
      return Array.from(
        { length: pool_size },
        (): Maker => (library) =>
          new library.Redis({ ...options, Connector: sentinelConnector(library, outbound) }),
      );
    }
    case 'cluster': {
      const nodes = parseServers(config.servers)!.map((one) => withPort(one, PORT));
      const { retryStrategy: _, ...redisOptions } = common;
      const cluster: Maker = (library) =>
        new library.Cluster(nodes, {
          // The nodes' connectors resolve names, and judge what they find
          dnsLookup: (host, callback) => callback(null, host),
          lazyConnect: true,
          clusterRetryStrategy: () => null,
          redisOptions: { ...redisOptions, Connector: serverConnector(library, outbound) },
          slotsRefreshTimeout: TIMEOUT_MS,
        });
      return [cluster];
    }
  }
}

const withPort = ({ host, port }: ServerAddress, usual: number) => ({ host, port: port ?? usual });

function explained(error: unknown, config: RedisConfig, address: string): string {
  const message = error instanceof Error ? error.message : '';
  const denial = /The outbound policy denies .*/.exec(message)?.[0]; // the driver tells of sentinels in one text
  if (denial !== undefined) return denial;
  const network = networkReason(innermost(error), address);
  if (network !== null) return network;
  const user = config.username ?? 'default';
  if (/WRONGPASS|invalid password/i.test(message)) return `the server refused the password of user ${user}`;
  if (/NOAUTH/.test(message)) return 'the server wants a password';
  if (/NOPERM/.test(message)) return `the server does not let user ${user} run this command`;
  if (/WRONGTYPE/.test(message)) return 'the key holds another type than a hash';
  if (/LOADING/.test(message)) return 'the server is starting up';
  if (/DB index/.test(message)) return 'there is no database of this number';
  if (/CLUSTERDOWN/.test(message)) return 'the cluster is down';
  if (/cluster support disabled/.test(message)) return `${address} is no cluster`;
  if (/sentinels are unreachable/i.test(message))
    return `none of the sentinels ${address} could tell who the master is`;
  if (/closed|slots cache/i.test(message)) return `${address} cannot be reached`;
  const code = /^[A-Z]+\b/.exec(message)?.[0];
  return code ? `the server answered with the error ${code}` : `${address} did not answer as Redis does`;
}

/** A cluster tells of its nodes by what was wrong with the last one. */
function innermost(error: unknown): unknown {
  if (typeof error === 'object' && error !== null && 'lastNodeError' in error && error.lastNodeError)
    return innermost(error.lastNodeError);
  return error;
}
