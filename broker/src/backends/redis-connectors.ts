import type { RedisOptions, SentinelConnectionOptions } from 'ioredis';
import type { OutboundPolicy } from './outbound.ts';

type Library = typeof import('ioredis');
type Connector = NonNullable<RedisOptions['Connector']>;

/** How the driver connects to a server, or to a node of a cluster: as the outbound policy allows it. */
export function serverConnector({ AbstractConnector }: Library, outbound: OutboundPolicy): Connector {
  return class extends AbstractConnector {
    private readonly options: RedisOptions;

    constructor(options: RedisOptions) {
      super(options.disconnectTimeout ?? 0);
      this.options = options;
    }

    async connect() {
      const { host = 'localhost', port = 6379, tls = null } = this.options;
      this.connecting = true;
      await outbound.resolve(host); // the driver tells of a rejection, and not of a socket that fails
      if (!this.connecting) throw new Error('Connection is closed.');
      this.stream = outbound.connect({ host, port, tls });
      this.stream.once('error', (error: Error) => {
        this.firstError = error;
      });
      return this.stream;
    }
  } as unknown as Connector;
}

/** Of the driver's connector, which has no option for them. */
interface SentinelInternals {
  connectToSentinel(endpoint: object, options?: RedisOptions): unknown;
}

/** As `serverConnector`, to the sentinels and to the master that they name. */
export function sentinelConnector(library: Library, outbound: OutboundPolicy): Connector {
  const toSentinel = serverConnector(library, outbound);
  return class extends library.SentinelConnector {
    constructor(options: SentinelConnectionOptions) {
      super({
        ...options,
        natMap: (key: string) => checkedAddress(key, outbound),
      } as SentinelConnectionOptions);
      const internals = this as unknown as SentinelInternals;
      const connectToSentinel = internals.connectToSentinel.bind(this);
      internals.connectToSentinel = (endpoint) => connectToSentinel(endpoint, { Connector: toSentinel });
    }
  } as unknown as Connector;
}

/** Where the driver connects to: it hands these options to net or tls. */
function checkedAddress(key: string, outbound: OutboundPolicy) {
  const colon = key.lastIndexOf(':');
  const host = key.slice(0, colon);
  outbound.checkHost(host);
  return { host, port: Number(key.slice(colon + 1)), lookup: outbound.lookup };
}
