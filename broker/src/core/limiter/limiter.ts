import type { Bursts } from '../bursts.ts';
import type { Entrance, Rate } from '../entrance.ts';
import type { TimerWheel } from '../timer-wheel.ts';
import { ClientLimits, type Limited, type Surroundings, type Wait } from './client-limits.ts';
import {
  type BucketConfig,
  type ClientLimit,
  type Level,
  type LimiterConfig,
  type LimiterType,
  limiterTypes,
  type TypeConfig,
} from './config.ts';
import { Gate } from './gate.ts';
import { SharedBucket } from './shared-bucket.ts';
import { Tally } from './tally.ts';
import { type BucketNumbers, TokenBucket } from './token-bucket.ts';

const ADDRESSES_MAX = 10_000; // whose connections are counted; of more the earliest are forgotten

const unlimitedClient: ClientLimit = {
  rate: null,
  capacity: Number.POSITIVE_INFINITY,
  initial: 0,
  lowWatermark: 0,
  divisible: false,
  maxRetryMs: 10_000,
  strategy: 'force',
};
const unlimited: TypeConfig = { rate: null, burst: 0, buckets: [] };

interface Bucket {
  config: BucketConfig;
  tokens: SharedBucket | null;
  /** Of connections: what each address has. */
  addresses: Map<string, TokenBucket>;
}

interface OneType {
  config: TypeConfig;
  node: SharedBucket | null;
  buckets: Bucket[];
  byListener: Map<string, Bucket>;
  byZone: Map<string, Bucket>;
}

/** What holds back somebody whom the broker sends of its own accord. */
export interface Pace {
  readonly limits: boolean;
  /** How long until the next one may go; 0 = now. */
  waitMs(now: number): number;
  /** After `waitMs` said 0. */
  take(): void;
}

interface Parts {
  clock: { readonly now: number };
  timers: TimerWheel;
  bursts: Bursts;
}

/**
 * How much may come in: of the node, of each bucket, of each client. Keeps the buckets and who waits for tokens;
 * `configure` changes them, for those who are connected too.
 */
export class Limiter {
  readonly tally = new Tally();
  readonly waits = new Set<Wait>();
  /** Counts the changes: who keeps limits of an older one asks anew. */
  epoch = 0;
  private readonly surroundings: Surroundings;
  private readonly types: Record<LimiterType, OneType>;
  private readonly listeners = new WeakMap<Entrance, TokenBucket>();

  constructor({ clock, timers, bursts }: Parts) {
    this.surroundings = { clock, timers, bursts, tally: this.tally, waits: this.waits };
    this.types = Object.fromEntries(
      limiterTypes.map((type) => [type, this.made(unlimited, undefined)]),
    ) as Record<LimiterType, OneType>;
  }

  configure(config: LimiterConfig): void {
    for (const type of limiterTypes) this.types[type] = this.made(config[type], this.types[type]);
    this.changed();
  }

  /** Other limits hold than before: those who wait are tried by them, everybody else asks when something comes. */
  changed(): void {
    this.epoch++;
    for (const { limits } of [...this.waits])
      this.surroundings.bursts.later(() => {
        if (limits.waiting) limits.owner.release();
      });
  }

  /** What holds for a connection; null when nothing does. `before` is what held until now. */
  limitsFor(owner: Limited, before: ClientLimits | null): ClientLimits | null {
    before?.end();
    const { rates } = owner.entrance;
    const bytes = this.gate('bytes_in', owner.entrance, rates.bytes);
    const messages = this.gate('message_in', owner.entrance, rates.messages);
    const routing = this.gate('message_routing', owner.entrance, null);
    if (bytes === null && messages === null && routing === null) return null;
    const limits = new ClientLimits(this.surroundings, owner, bytes, messages, routing);
    if (before !== null) limits.continue(before);
    return limits;
  }

  /** Whether one more connection may come; it is counted when it may. */
  admitsConnection(entrance: Entrance, address: string): boolean {
    const { clock, tally } = this.surroundings;
    const { now } = clock;
    const type = this.types.connection;
    const bucket = bucketFor(type, entrance);
    const levels: [Level, TokenBucket | null][] = [
      ['node', type.node],
      ['bucket', bucket?.tokens ?? null],
      ['listener', this.listenerBucket(entrance)],
      ['client', bucket === null ? null : this.addressBucket(bucket, address)],
    ];
    const short = levels.find(([, tokens]) => tokens !== null && !tokens.has(1, now));
    if (short === undefined) {
      for (const [, tokens] of levels) tokens?.take(1);
      return true;
    }
    tally.of('connection', bucket?.config.name ?? '').dropped++;
    tally.missed('connection', short[0]);
    return false;
  }

  /** For whoever sends of its own accord: what holds for all such. */
  internalPace(): Pace {
    const present = () => {
      const { node, buckets } = this.types.internal;
      return [node, buckets[0]?.tokens ?? null].filter((tokens) => tokens !== null);
    };
    return this.pace(present);
  }

  /** What holds for one receiver of such. */
  receiverPace(): Pace {
    let tokens: TokenBucket | null = null;
    return this.pace(() => {
      const limit = this.types.internal.buckets[0]?.config.perClient ?? unlimitedClient;
      tokens = this.ofClient(limit, tokens);
      return tokens === null ? [] : [tokens];
    });
  }

  bucketNames(type: LimiterType): string[] {
    return this.types[type].buckets.map(({ config }) => config.name);
  }

  private pace(present: () => TokenBucket[]): Pace {
    const { tally } = this.surroundings;
    const bucketName = () => this.types.internal.buckets[0]?.config.name ?? '';
    return {
      get limits() {
        return present().length > 0;
      },
      waitMs(now) {
        const waitMs = present().reduce((longest, tokens) => Math.max(longest, tokens.msUntil(1, now)), 0);
        if (waitMs > 0) tally.of('internal', bucketName()).held++;
        return waitMs;
      },
      take() {
        for (const tokens of present()) tokens.take(1);
      },
    };
  }

  private gate(type: LimiterType, entrance: Entrance, rate: Rate | null): Gate | null {
    const found = this.types[type];
    const bucket = bucketFor(found, entrance);
    const limit = bucket?.config.perClient ?? unlimitedClient;
    const own = this.ofClient(limit, null);
    const { now } = this.surroundings.clock;
    const listener = rate === null ? null : new TokenBucket(full(rate), now);
    const tokens = bucket?.tokens ?? null;
    if (own === null && listener === null && tokens === null && found.node === null) return null;
    const bucketName = bucket?.config.name ?? '';
    return new Gate({
      type,
      bucketName,
      limit,
      hits: this.tally.of(type, bucketName),
      own,
      listener,
      bucket: tokens,
      node: found.node,
    });
  }

  private ofClient({ rate, capacity, initial }: ClientLimit, before: TokenBucket | null): TokenBucket | null {
    if (rate === null) return null;
    const numbers = { rate, capacity, initial };
    return before?.hasNumbersOf(numbers) ? before : new TokenBucket(numbers, this.surroundings.clock.now);
  }

  private listenerBucket(entrance: Entrance): TokenBucket | null {
    const { connections } = entrance.rates;
    if (connections === null) return null;
    const numbers = full(connections);
    const known = this.listeners.get(entrance);
    if (known?.hasNumbersOf(numbers)) return known;
    const tokens = new TokenBucket(numbers, this.surroundings.clock.now);
    this.listeners.set(entrance, tokens);
    return tokens;
  }

  /** Who was not here lately has saved up. */
  private addressBucket({ config, addresses }: Bucket, address: string): TokenBucket | null {
    const { rate, capacity } = config.perClient;
    if (rate === null) return null;
    const known = addresses.get(address);
    if (known !== undefined) return known;
    if (addresses.size >= ADDRESSES_MAX)
      for (const [earliest] of addresses) {
        addresses.delete(earliest);
        break;
      }
    const numbers = { rate, capacity, initial: Number.POSITIVE_INFINITY };
    const tokens = new TokenBucket(numbers, this.surroundings.clock.now);
    addresses.set(address, tokens);
    return tokens;
  }

  private made(config: TypeConfig, before: OneType | undefined): OneType {
    const node =
      config.rate === null
        ? null
        : this.shared(
            { ...full(config.rate), capacity: config.rate.count + config.burst },
            before?.node ?? null,
          );
    const buckets = config.buckets.map((one): Bucket => {
      const known = before?.buckets.find(({ config: { name } }) => name === one.name);
      const { rate, capacity, initial, perClient } = one;
      return {
        config: one,
        tokens: rate === null ? null : this.shared({ rate, capacity, initial }, known?.tokens ?? null),
        addresses:
          known !== undefined && sameRate(known.config.perClient, perClient) ? known.addresses : new Map(),
      };
    });
    const byListener = buckets.flatMap((one) =>
      one.config.listeners.map((id): [string, Bucket] => [id, one]),
    );
    const byZone = buckets.flatMap((one) => one.config.zones.map((name): [string, Bucket] => [name, one]));
    return { config, node, buckets, byListener: new Map(byListener), byZone: new Map(byZone) };
  }

  /** The one before when its numbers are the same: another bucket's change gives nobody new tokens. */
  private shared(numbers: BucketNumbers, before: SharedBucket | null): SharedBucket {
    if (before?.hasNumbersOf(numbers)) return before;
    return new SharedBucket(numbers, this.surroundings.timers, this.surroundings.clock);
  }
}

const full = (rate: Rate): BucketNumbers => ({
  rate,
  capacity: Number.POSITIVE_INFINITY,
  initial: Number.POSITIVE_INFINITY,
});

const sameRate = (a: ClientLimit, b: ClientLimit): boolean =>
  a.rate?.count === b.rate?.count && a.rate?.perMs === b.rate?.perMs && a.capacity === b.capacity;

const bucketFor = ({ byListener, byZone, buckets }: OneType, { id, zone }: Entrance): Bucket | null =>
  byListener.get(id) ?? byZone.get(zone) ?? buckets[0] ?? null;
